package diagnosis

import (
	"strings"

	"github.com/git-liza/git-liza/flow/pattern"
)

var (
	pyFrame  = pattern.Late(`^\s*File "(.*)", line (\d+)(?:, in (.*))?$`)
	pyError  = pattern.Late(`^(?:E\s+)?((?:[A-Za-z_]\w*\.)*[A-Z]\w*)(?:: (.*))?$`)
	pyPlace  = pattern.Late(`^(\S+\.py):(\d+): ((?:\w+\.)*\w*(?:Error|Exception|Exit|Failed))$`)
	pyTest   = pattern.Late(`^E\s+((?:\w+\.)*\w*(?:Error|Exception)): (.*)$`)
	pyChecks = pattern.Late(`^(\S+\.pyi?):(\d+)(?::\d+)?: (error): (.*?)(?:  \[([\w-]+)\])?$`)
)

// readPython reads a traceback with the tracebacks that it says brought it about, an error
// of syntax, a failure of pytest, or a line of mypy.
func readPython(lines []line) (Error, int) {
	text := lines[0].text
	if m := pyChecks().FindStringSubmatch(text); m != nil {
		return Error{Language: "python", Type: m[3] + " " + m[5], Message: m[4], File: m[1], Line: number(m[2])}, 1
	}
	if m := pyTest().FindStringSubmatch(text); m != nil {
		e := Error{Language: "python", Type: m[1], Message: m[2]}
		for i := 1; i < min(len(lines), nearby); i++ {
			if p := pyPlace().FindStringSubmatch(lines[i].text); p != nil {
				e.setPlace(frame{"", p[1], number(p[2])})
				return e, i + 1
			}
		}
		return e, 1
	}
	if !strings.Contains(text, "Traceback (most recent call last)") && !pyFrame().MatchString(text) {
		return Error{}, 0
	}
	var causes []string
	for at := 0; ; {
		e, read := readTraceback(lines[at:])
		if e.Type == "" {
			return Error{}, at + read
		}
		e.told[0] += at
		next := at + read
		for next < len(lines) && strings.TrimSpace(lines[next].text) == "" {
			next++
		}
		if next+1 < len(lines) && (strings.HasPrefix(lines[next].text, "The above exception was") || strings.HasPrefix(lines[next].text, "During handling of the above")) {
			for next++; next < len(lines) && strings.TrimSpace(lines[next].text) == ""; {
				next++
			}
			if next < len(lines) {
				causes = append([]string{strings.TrimSuffix(e.Type+": "+e.Message, ": ")}, causes...)
				at = next
				continue
			}
		}
		e.Causes = causes
		return e, at + read
	}
}

// maxFrames is how many lines a stack of calls may have.
const maxFrames = 500

// readTraceback reads one traceback up to the line that names the error. Without such a
// line the error has no type, and what was read is not read again.
func readTraceback(lines []line) (e Error, read int) {
	e.Language = "python"
	for i := 0; i < min(len(lines), maxFrames); i++ {
		text := lines[i].text
		if m := pyFrame().FindStringSubmatch(text); m != nil {
			e.setPlace(frame{m[3], m[1], number(m[2])})
			continue
		}
		if i == 0 || text == "" || strings.HasPrefix(text, " ") || strings.HasPrefix(text, "\t") {
			continue
		}
		m := pyError().FindStringSubmatch(text)
		if m == nil || e.File == "" {
			return Error{}, i
		}
		e.Type, e.Message, e.told = m[1], m[2], []int{i}
		return e, i + 1
	}
	return Error{}, min(len(lines), maxFrames)
}

var (
	jsError = pattern.Late(`^\s*(?:\[cause\]: |Uncaught |(?:\w+: )?)((?:[A-Z]\w*)?(?:Error|Exception))(?: \[(\w+)\])?: (.*?)(?: \{)?$`)
	jsFrame = pattern.Late(`^\s+at (?:async )?(?:(.+?) \()?(?:file://)?([^()]+?):(\d+):\d+\)?(?: \{)?$`)
	tscLine = pattern.Late(`^(\S+?)(?:\((\d+),\d+\): |:(\d+):\d+ - )error (TS\d+): (.*)$`)
)

// readJavaScript reads an error of node with its stack and its causes, or a line of tsc.
func readJavaScript(lines []line) (Error, int) {
	if m := tscLine().FindStringSubmatch(lines[0].text); m != nil {
		return Error{Language: "javascript", Type: m[4], Message: m[5], File: m[1], Line: number(m[2] + m[3])}, 1
	}
	m := jsError().FindStringSubmatch(lines[0].text)
	if m == nil {
		return Error{}, 0
	}
	e := Error{Language: "javascript", Type: m[1], Message: m[3], told: []int{0}}
	framed := false
	i := 1
	for ; i < min(len(lines), maxFrames); i++ {
		text := lines[i].text
		if cause := jsError().FindStringSubmatch(text); cause != nil && strings.Contains(text, "[cause]: ") {
			e.Causes = append(e.Causes, cause[1]+": "+cause[3])
			e.told = append(e.told, i)
			continue
		}
		f := jsFrame().FindStringSubmatch(text)
		if f == nil {
			if framed && !strings.HasPrefix(text, " ") || !framed && (i > 3 || strings.TrimSpace(text) == "" && i > 1) {
				break
			}
			continue
		}
		framed = true
		if e.File == "" && !strings.HasPrefix(f[2], "node:") && !strings.Contains(f[2], "node_modules") {
			e.setPlace(frame{f[1], f[2], number(f[3])})
		}
	}
	if !framed {
		return Error{}, 0
	}
	return e, i
}

var (
	shellLine = pattern.Late(`^((?:[\w./-]*/)?(?:(?:ba|da|z|k)?sh|[\w.-]+\.(?:sh|bash|zsh))): (?:-c: )?(?:line )?(\d+): (.+)$`)
	makeLine  = pattern.Late(`^\S*make(?:\[\d+\])?: \*\*\* (?:\[(?:(\S+?):(\d+): )?(\S+?)\] )?(.*)$`)
	gitLine   = pattern.Late(`^fatal: (.*)$`)
)

// readShell reads a line of a shell, of make or of git.
func readShell(lines []line) (Error, int) {
	text := lines[0].text
	if m := shellLine().FindStringSubmatch(text); m != nil {
		return Error{Language: "shell", Type: "shell", Message: m[3], File: m[1], Line: number(m[2])}, 1
	}
	if m := makeLine().FindStringSubmatch(text); m != nil {
		return Error{Language: "shell", Type: "make", Message: m[4], File: m[1], Line: number(m[2]), Function: m[3]}, 1
	}
	if m := gitLine().FindStringSubmatch(text); m != nil {
		return Error{Language: "git", Type: "fatal", Message: m[1]}, 1
	}
	return Error{}, 0
}
