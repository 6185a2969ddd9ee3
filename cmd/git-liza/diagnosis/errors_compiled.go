package diagnosis

import (
	"strings"

	"github.com/git-liza/git-liza/flow/pattern"
)

var (
	goLine    = pattern.Late(`^(?:vet: )?(?:\./)?(\S+\.go):(\d+):\d+: (.*)$`)
	goTest    = pattern.Late(`^\s+(\S+\.go):(\d+): (.*)$`)
	goPanic   = pattern.Late(`^(panic|fatal error): (.*?)(?: \[recovered.*\])?$`)
	goCall    = pattern.Late(`^([\w./*()-]+(?:\[[^\]]*\])?(?:\.[\w*()]+)*)\(.*\)$`)
	goPlace   = pattern.Late(`^\t(\S+\.go):(\d+)(?: \+0x[0-9a-f]+)?$`)
	goLog     = pattern.Late(`^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d (?:(\S+\.go):(\d+): )?(.*)$`)
	goFailed  = pattern.Late(`^\s*--- FAIL: (\S+)`)
	goRuntime = pattern.Late(`/src/(?:runtime|testing|internal|sync|log)/|/libexec/src/`)
)

// readGo reads a message of the compiler, a panic with its stack, what a failed test or a
// program logged.
func readGo(lines []line) (Error, int) {
	text := lines[0].text
	if m := goLine().FindStringSubmatch(text); m != nil {
		return Error{Language: "go", Type: "compile", Message: m[3], File: m[1], Line: number(m[2])}, 1
	}
	if m := goTest().FindStringSubmatch(text); m != nil {
		return Error{Language: "go", Type: "test", Message: m[3], File: m[1], Line: number(m[2]), Causes: chain(m[3])}, 1
	}
	if m := goLog().FindStringSubmatch(text); m != nil && strings.Contains(m[3], ": ") {
		return Error{Language: "go", Type: "log", Message: m[3], File: m[1], Line: number(m[2]), Causes: chain(m[3])}, 1
	}
	m := goPanic().FindStringSubmatch(text)
	if m == nil {
		return Error{}, 0
	}
	e := Error{Language: "go", Type: m[1], Message: m[2]}
	call, read := "", 1
	for i := 1; i < min(len(lines), maxFrames); i++ {
		if c := goCall().FindStringSubmatch(lines[i].text); c != nil {
			call = c[1]
			continue
		}
		p := goPlace().FindStringSubmatch(lines[i].text)
		if p != nil && !goRuntime().MatchString(p[1]) {
			e.setPlace(frame{call, p[1], number(p[2])})
			return e, i + 1
		}
		if p != nil {
			read = i + 1
		}
	}
	return e, read
}

var (
	rustError = pattern.Late(`^error(?:\[(E\d+)\])?: (.*)$`)
	rustPlace = pattern.Late(`^\s*--> (\S+?):(\d+):\d+$`)
	rustPanic = pattern.Late(`^thread '([^']*)'.* panicked at (?:'(.*)', )?(\S+?):(\d+):\d+:?$`)
)

// readRust reads a message of rustc with its place, or a panic.
func readRust(lines []line) (Error, int) {
	if m := rustPanic().FindStringSubmatch(lines[0].text); m != nil {
		e := Error{Language: "rust", Type: "panic", Message: m[2], Function: m[1], File: m[3], Line: number(m[4]), told: []int{0}}
		if e.Message == "" && len(lines) > 1 {
			e.Message, e.told = lines[1].text, []int{1}
		}
		return e, 1 + e.told[0]
	}
	m := rustError().FindStringSubmatch(lines[0].text)
	if m == nil {
		return Error{}, 0
	}
	for i := 1; i < min(len(lines), 5); i++ {
		if p := rustPlace().FindStringSubmatch(lines[i].text); p != nil {
			return Error{Language: "rust", Type: strings.TrimSpace("error " + m[1]), Message: m[2], File: p[1], Line: number(p[2])}, i + 1
		}
	}
	return Error{}, 0
}

var (
	javaLine  = pattern.Late(`^(?:\[ERROR\] )?(\S+\.java):(?:(\d+): error: |\[(\d+),\d+\] )(.*)$`)
	javaError = pattern.Late(`^\s*(?:Exception in thread "[^"]*" |Caused by: )?((?:[\w$]+\.)+[\w$]*(?:Exception|Error|Failure))(?:: (.*))?$`)
	javaFrame = pattern.Late(`^\s+at (?:[\w.@-]+/)?([\w$.<>]+)\((?:([\w$]+\.\w+):(\d+)|.*)\)$`)
	javaOwn   = pattern.Late(`^(?:java|javax|jdk|sun|com\.sun|org\.junit)\.`)
)

// readJava reads a line of javac, or an exception with its stack and its causes.
func readJava(lines []line) (Error, int) {
	if m := javaLine().FindStringSubmatch(lines[0].text); m != nil {
		return Error{Language: "java", Type: "compile", Message: m[4], File: m[1], Line: number(m[2] + m[3])}, 1
	}
	m := javaError().FindStringSubmatch(lines[0].text)
	if m == nil || len(lines) < 2 || !javaFrame().MatchString(lines[1].text) {
		return Error{}, 0
	}
	e := Error{Language: "java", Type: m[1], Message: m[2], told: []int{0}}
	own := false // the place is of the program, and of its first cause
	i := 1
	for ; i < min(len(lines), maxFrames); i++ {
		text := lines[i].text
		if strings.HasPrefix(text, "Caused by: ") {
			if c := javaError().FindStringSubmatch(text); c != nil {
				e.Causes = append(e.Causes, strings.TrimSuffix(c[1]+": "+c[2], ": "))
				e.told, own = append(e.told, i), false
				continue
			}
		}
		f := javaFrame().FindStringSubmatch(text)
		if f == nil && !strings.HasPrefix(strings.TrimSpace(text), "... ") {
			break
		}
		if f != nil && !own && !javaOwn().MatchString(f[1]) && f[2] != "" {
			own = true
			e.setPlace(frame{f[1], f[2], number(f[3])})
		}
	}
	return e, i
}

var (
	cLine     = pattern.Late(`^(\S+?\.(?:c|cc|cpp|cxx|h|hh|hpp|m|mm)):(\d+):(?:\d+:)? ((?:fatal )?error): (.*)$`)
	cLink     = pattern.Late(`^(?:\S*ld: )?(\S+?):(?:(\d+):|\(\S+\):) (undefined reference to .*)$`)
	cFunction = pattern.Late(`: [Ii]n (?:member )?function ['‘\x60]([^'’]+)['’]:$`)
	cSignal   = pattern.Late(`(Segmentation fault|Bus error|Aborted|Floating point exception)`)
)

// readC reads a line of a compiler or a linker, or of a shell about a program that died.
func readC(lines []line) (Error, int) {
	text := lines[0].text
	if m := cLine().FindStringSubmatch(text); m != nil {
		return Error{Language: "c", Type: m[3], Message: m[4], File: m[1], Line: number(m[2])}, 1
	}
	if m := cLink().FindStringSubmatch(text); m != nil {
		return Error{Language: "c", Type: "link", Message: m[3], File: m[1], Line: number(m[2])}, 1
	}
	if m := cSignal().FindStringSubmatch(text); m != nil && lines[0].counts == 1 {
		return Error{Language: "c", Type: "signal", Message: m[1]}, 1
	}
	return Error{}, 0
}
