package diagnosis

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/git-liza/git-liza/flow/pattern"
)

// maxLine is how many bytes of a line are read.
const maxLine = 2 << 10

// A line is a line of a text, as it is judged.
type line struct {
	number int    // in the text, from 1
	run    int    // of the command that printed it, where the text says where one begins
	text   string // without colours, times and the end of the line
	small  string // in small letters
	error  bool   // a field of a record for errors has it
	again  bool   // what failed is tried again
	counts float64
	why    string // it counts less
}

// How much lines count that do not simply say what happened.
const (
	asQuoted = 0    // a comment, a source line, a difference, a log of an earlier run
	asPassed = 0    // printed by a test that passed
	asNoted  = 0.25 // a warning, a note, an attempt that is made again
	asProse  = 0.25 // a sentence
)

// split returns the lines of a text. The records of agents' command lines are unfolded to
// the texts that they hold.
func split(text string) []line {
	var list []line
	run, number := 0, 0
	for raw := range strings.Lines(text) {
		number++
		raw = strings.TrimRight(raw, "\r\n")
		if said, ok := unfold(raw); ok {
			run++
			list = append(list, recorded(number, run, said)...)
			continue
		}
		l := newLine(number, run, raw)
		if prompt().MatchString(l.text) {
			run++
			l.run = run
		}
		list = append(list, l)
	}
	nameFailures(list)
	weigh(list)
	return list
}

var (
	tapError = pattern.Late(`^( +)error: ['"](.*)['"]$`)
	tapName  = pattern.Late(`^( +)name: '(\w+(?:Error|Exception))'$`)
)

// nameFailures gives the message of an error its type where they stand in two fields of a
// block, as in the Test Anything Protocol of node --test.
func nameFailures(lines []line) {
	const fields = 10 // of a block, at most
	for i := range lines {
		if !strings.HasSuffix(lines[i].text, "'") || !strings.Contains(lines[i].text, " name: '") {
			continue
		}
		name := tapName().FindStringSubmatch(lines[i].text)
		for j := i - 1; name != nil && j >= max(0, i-fields); j-- {
			if e := tapError().FindStringSubmatch(lines[j].text); e != nil && e[1] == name[1] {
				lines[j].text = name[1] + name[2] + ": " + e[2]
				lines[j].small = strings.ToLower(lines[j].text)
				break
			}
		}
	}
}

// recorded are the lines of the texts in a record.
func recorded(number, run int, said []saying) (list []line) {
	for _, one := range said {
		for part := range strings.Lines(one.text) {
			l := newLine(number, run, part)
			l.error, l.again = one.error, one.again
			list = append(list, l)
		}
	}
	return list
}

// prompt is the form of a line that shows a command before its output.
var prompt = pattern.Late(`^(?:\+{1,3} \S|\$ \S|(?:\S+@\S+[:~ ]\S*)?[$#] \S|> (?:Bash|Shell|shell|bash|exec|run)\b|##\[group\]Run |Step \d+/\d+ : )`)

var (
	colours = pattern.Late("\x1b\\[[0-9;:?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|\x1b[@-_]")
	stamp   = pattern.Late(`^(?:\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)?\s)`)
)

// newLine returns a line that counts fully.
func newLine(number, run int, raw string) line {
	raw = strings.TrimRight(raw, "\r\n")
	if len(raw) > maxLine {
		raw = raw[:maxLine]
	}
	if i := strings.LastIndexByte(raw, '\r'); i >= 0 {
		raw = raw[i+1:] // what a terminal would still show
	}
	if !utf8.ValidString(raw) {
		raw = strings.ToValidUTF8(raw, "\ufffd")
	}
	if strings.IndexByte(raw, 0x1b) >= 0 {
		raw = colours().ReplaceAllString(raw, "")
	}
	if len(raw) > 20 && raw[0] >= '0' && raw[0] <= '9' {
		raw = stamp().ReplaceAllString(raw, "")
	}
	return line{number: number, run: run, text: raw, small: strings.ToLower(raw), counts: 1}
}

// The keys of records whose values are what somebody asked for, and not what happened.
var asked = []string{"input", "tool_input", "arguments", "args", "parameters", "prompt", "command", "cwd", "text_delta",
	"new_string", "old_string", "id", "session_id", "uuid", "timestamp", "usage", "model", "type", "name", "title", "path", "thinking", "reasoning", "signature"}

// A saying is a text in a record.
type saying struct {
	text  string
	error bool // a field for errors has it, so that it is no sentence about one
	again bool // the record says that it is tried again
}

// unfold returns the texts in a record of JSON: results of tools and errors, and not what
// was asked for.
func unfold(raw string) ([]saying, bool) {
	var v map[string]any
	if !strings.HasPrefix(raw, "{") || json.Unmarshal([]byte(raw), &v) != nil {
		return nil, false
	}
	list := texts(v, "", 0, nil)
	kind, _ := v["type"].(string)
	subtype, _ := v["subtype"].(string)
	if strings.Contains(kind, "retry") || strings.Contains(subtype, "retry") {
		for i := range list {
			list[i].again = true
		}
	}
	return list, true
}

// maxDepth is how deep records are read.
const maxDepth = 12

// errorKeys are the keys of records whose values are errors.
var errorKeys = []string{"error", "errors", "message", "errorMessage", "responseBody"}

// texts adds the texts in a value to a list.
func texts(v any, key string, depth int, list []saying) []saying {
	if depth > maxDepth || slices.Contains(asked, key) && key != "type" {
		return list
	}
	switch v := v.(type) {
	case string:
		if key == "type" && !strings.HasSuffix(v, "_error") && !strings.Contains(v, "limit") {
			return list
		}
		if inner := unfoldText(v, depth); inner != nil {
			return append(list, inner...)
		}
		return append(list, saying{text: v, error: slices.Contains(errorKeys, key)})
	case float64:
		if (key == "error_status" || key == "statusCode" || key == "code" || key == "status") && v >= 400 && v < 600 {
			return append(list, saying{text: "status " + strconv.Itoa(int(v)), error: true})
		}
	case []any:
		for _, one := range v {
			list = texts(one, key, depth+1, list)
		}
	case map[string]any:
		if _, plain := v["content"].(string); plain && v["role"] == "user" && depth <= 1 {
			return list // the prompt
		}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			list = texts(v[k], k, depth+1, list)
		}
	}
	return list
}

// unfoldText unfolds a record within a text, nil if it is none.
func unfoldText(text string, depth int) []saying {
	if !strings.HasPrefix(text, "{") || len(text) > 64<<10 {
		return nil
	}
	var v map[string]any
	if json.Unmarshal([]byte(text), &v) != nil {
		return nil
	}
	return texts(v, "", depth+1, []saying{})
}

var (
	listing   = pattern.Late(`^\s*(?:>\s*)?\d+\s*(?:\||\t|→|│)|^\s*\|\s`)
	found     = pattern.Late(`^[\w./-]+\.\w+[:-]\d+[:-](?:\s{2,}|\t|[^\s\d])`)
	comment   = pattern.Late(`^\s*(?://|#(?:\s|$)|/\*|\*\s|\*/|<!--|;;|--\s|"""|dnl\s|rem\s)`)
	compared  = pattern.Late(`^E\s+[-+?] |^E\s+\+?\s+where `)
	quotation = pattern.Late(`^\s*(?:>|\|)\s`)
	traceFile = pattern.Late(`^\s*File ".*", line \d+(?:, in .*)?$`)
	nodeFile  = pattern.Late(`^(?:/|file:|[A-Za-z]:\\)\S*:\d+$`)
	hunk      = pattern.Late(`^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@`)
	noted     = pattern.Late(`(?i)^\W*(?:npm )?(?:warn(?:ing)?|note|info|debug|hint|notice|trace)\b|\b(?:level=(?:info|debug|warn(?:ing)?)|\[(?:info|debug|warn(?:ing)?)\]|(?:INFO|DEBUG|WARN(?:ING)?) )|\b(?:retry|retrying|retries left|will try again|trying again|attempt \d+ (?:of|/) ?\d+ failed|going on without|ignored|ignoring|non-fatal|continuing)\b`)
	earlier   = pattern.Late(`(?i)\b(?:previous|earlier|last|old|older|former|yesterday's?|first|prior) (?:\w+ ){0,2}?(?:run|runs|attempt|session|log|logs|build|output|failure|time)\b|\b(?:for example|for instance|e\.g\.|such as this|looks? like this|would print|used to (?:print|fail|say))\b`)
	present   = pattern.Late(`(?i)\b(?:now|this (?:run|attempt|time)|current (?:run|log|output)|today)\b.*:?$`)
	goRun     = pattern.Late(`^=== RUN\s+(\S+)`)
	goPass    = pattern.Late(`^\s*--- (?:PASS|SKIP): (\S+)`)
	sentence  = pattern.Late(`(?:\b[a-z']+\b[ ,]+){7,}`)
)

// weigh finds the lines that count less: those that say what others said, or what went
// well in the end.
func weigh(list []line) {
	old, fenced, inHunk, source, excerpt := false, false, false, false, false
	for i := range list {
		l := &list[i]
		trimmed := strings.TrimSpace(l.text)
		fence := strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~")
		switch {
		case fence:
			fenced = !fenced
			if !fenced {
				old = false
			}
		case trimmed == "" && !fenced, old && !fenced && present().MatchString(trimmed):
			old = old && trimmed == "" && i+1 < len(list) && i > 0 && earlier().MatchString(list[i-1].text)
		}
		if hunk().MatchString(l.text) {
			inHunk = true
		} else if inHunk && !strings.HasPrefix(l.text, "+") && !strings.HasPrefix(l.text, "-") && !strings.HasPrefix(l.text, " ") {
			inHunk = false
		}
		switch {
		case old:
			l.counts, l.why = asQuoted, "from an earlier run or an example"
		case inHunk:
			l.counts, l.why = asQuoted, "part of a difference"
		case source && !traceFile().MatchString(l.text), excerpt && strings.HasPrefix(l.text, "    "), compared().MatchString(l.text), listing().MatchString(l.text):
			l.counts, l.why = asQuoted, "a line of source"
		case found().MatchString(l.text) && !diagnostic().MatchString(l.text):
			l.counts, l.why = asQuoted, "a line of source"
		case quotation().MatchString(l.text):
			l.counts, l.why = asQuoted, "a quotation"
		case comment().MatchString(l.text):
			l.counts, l.why = asQuoted, "a comment"
		case l.again, noted().MatchString(l.text) && !l.error:
			l.counts, l.why = asNoted, "a note or a warning"
		case isProse(trimmed) && !l.error:
			l.counts, l.why = asProse, "a sentence about it"
		}
		if earlier().MatchString(trimmed) && (strings.HasSuffix(trimmed, ":") || strings.HasSuffix(trimmed, "---") || strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, "---") || strings.HasPrefix(trimmed, "===")) {
			old = true
		}
		source, excerpt = nodeFile().MatchString(l.text), traceFile().MatchString(l.text)
	}
	passed(list)
}

// diagnostic is the form of a message about a place in a source.
var diagnostic = pattern.Late(`^[\w./-]+[:(]\d+[:,]\d*\)?:? (?:\w+ )?(?:error|warning|fatal|note)\b|^\S+:\d+:\d+: `)

// isProse reports whether a line is a sentence of a person, and no message of a program.
func isProse(text string) bool {
	if text == "" || strings.Contains(text, ": ") && !sentence().MatchString(strings.SplitN(text, ": ", 2)[0]) {
		return false
	}
	return sentence().MatchString(text)
}

// passed finds what tests printed that passed.
func passed(list []line) {
	began := map[string]int{}
	for i := range list {
		if m := goRun().FindStringSubmatch(list[i].text); m != nil {
			began[m[1]] = i
		}
		m := goPass().FindStringSubmatch(list[i].text)
		if m == nil {
			continue
		}
		from, known := began[m[1]]
		if !known {
			continue
		}
		for j := from; j <= i; j++ {
			list[j].counts, list[j].why = asPassed, "printed by a test that passed"
		}
	}
}

// Decode returns a text in UTF-8. binary says that it is no text at all, which holds no
// evidence: programs contain the messages of errors that never happened.
func Decode(data []byte) (text string, binary bool) {
	if len(data) >= 2 && (data[0] == 0xff && data[1] == 0xfe || data[0] == 0xfe && data[1] == 0xff) {
		little := data[0] == 0xff
		units := make([]uint16, 0, len(data)/2)
		for i := 2; i+1 < len(data); i += 2 {
			if little {
				units = append(units, uint16(data[i])|uint16(data[i+1])<<8)
			} else {
				units = append(units, uint16(data[i+1])|uint16(data[i])<<8)
			}
		}
		return string(utf16.Decode(units)), false
	}
	sample := data[:min(len(data), 64<<10)]
	odd := 0
	for _, c := range sample {
		if c < ' ' && !strings.ContainsRune("\t\n\r\f\b\x1b", rune(c)) || c == 0x7f {
			odd++
		}
	}
	return string(data), odd*50 > len(sample)
}
