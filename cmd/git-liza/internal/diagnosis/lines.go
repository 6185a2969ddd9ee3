package diagnosis

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

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
	counts counting
	why    string // it counts less
}

// A counting is how much a line counts.
type counting int

const (
	fully counting = iota // it says what happened
	less                  // a warning, a note, an attempt that is made again, a sentence: a weak sign
	never                 // a comment, source, a difference, an earlier run, a test that passed
)

// split returns the lines of a text, and how many there are. The records of agents' command
// lines are unfolded to the texts that they hold.
func split(text string) (list []line, count int) {
	at := line{}
	for raw := range strings.Lines(text) {
		at.number++
		if v := record(raw); v != nil {
			at.run++
			list = unfold(list, at, v, "", 0)
			continue
		}
		l := at.with(raw)
		if prompt().MatchString(l.text) {
			at.run++
			l.run = at.run
		}
		list = append(list, l)
	}
	weigh(list)
	return list, at.number
}

// saidBy are the texts of the lines that count.
func saidBy(lines []line) string {
	var text strings.Builder
	for _, l := range lines {
		if l.counts != never {
			text.WriteString(l.text + "\n")
		}
	}
	return text.String()
}

// prompt is the form of a line that shows a command before its output.
var prompt = pattern.Late(`^(?:\+{1,3} \S|\$ \S|(?:\S+@\S+[:~ ]\S*)?[$#] \S|> (?:Bash|Shell|shell|bash|exec|run)\b|##\[group\]Run |Step \d+/\d+ : )`)

// noise are colours, and a time at the beginning of a line.
var noise = pattern.Late("^\\d{4}-\\d\\d-\\d\\dT[\\d:.]+(?:Z|[+-]\\d\\d:?\\d\\d)?\\s|\x1b\\[[0-9;:?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|\x1b[@-_]")

// with returns the line with a text, without what a terminal does not show of it.
func (l line) with(raw string) line {
	raw = strings.TrimRight(raw, "\r\n")
	raw = strings.ToValidUTF8(raw[:min(len(raw), maxLine)], "\ufffd")
	l.text = noise().ReplaceAllString(raw[strings.LastIndexByte(raw, '\r')+1:], "")
	l.small = strings.ToLower(l.text)
	return l
}

// asked are keys of records whose values are what somebody asked for, and not what happened.
var asked = []string{"input", "tool_input", "arguments", "args", "parameters", "prompt", "command", "cwd", "text_delta",
	"new_string", "old_string", "id", "session_id", "uuid", "timestamp", "usage", "model", "name", "title", "path", "thinking", "reasoning", "signature"}

var (
	errorKeys  = []string{"error", "errors", "message", "errorMessage", "responseBody"}
	statusKeys = []string{"error_status", "statusCode", "code", "status"}
)

// record returns the members of a record of JSON, nil if a text is none.
func record(text string) (members map[string]any) {
	if strings.HasPrefix(text, "{") {
		_ = json.Unmarshal([]byte(text), &members) // what is no record has no members
	}
	return members
}

// unfold adds the lines of the texts in a value of a record: results of tools and errors,
// and not what was asked for.
func unfold(list []line, at line, v any, key string, depth int) []line {
	if slices.Contains(asked, key) {
		return list
	}
	switch v := v.(type) {
	case string:
		if inner := record(v); inner != nil {
			return unfold(list, at, inner, "", depth+1)
		}
		if key == "type" && !strings.HasSuffix(v, "_error") && !strings.Contains(v, "limit") {
			return list
		}
		at.error = slices.Contains(errorKeys, key)
		for part := range strings.Lines(v) {
			list = append(list, at.with(part))
		}
	case float64:
		if slices.Contains(statusKeys, key) && v >= 400 && v < 600 {
			at.error = true
			list = append(list, at.with(fmt.Sprintf("status %.0f", v)))
		}
	case []any:
		for _, one := range v {
			list = unfold(list, at, one, key, depth+1)
		}
	case map[string]any:
		if _, plain := v["content"].(string); plain && v["role"] == "user" && depth <= 1 {
			return list // the prompt
		}
		at.again = at.again || strings.Contains(fmt.Sprint(v["type"], v["subtype"]), "retry")
		for _, k := range slices.Sorted(maps.Keys(v)) {
			list = unfold(list, at, v[k], k, depth+1)
		}
	}
	return list
}

var (
	quoted     = pattern.Late(`^\s*(?:>\s*)?\d+\s*(?:\||\t|→|│)|^\s*[>|]\s|^\s*(?://|#(?:\s|$)|/\*|\*\s|\*/|<!--|;;|--\s|"""|dnl\s|rem\s)|^E\s+(?:[-+?] |\+?\s*where )`)
	found      = pattern.Late(`^[\w./-]+\.\w+[:-]\d+[:-](?:\s{2,}|\t|[^\s\d])`)
	diagnostic = pattern.Late(`^[\w./-]+[:(]\d+[:,]\d*\)?:? (?:\w+ )?(?:error|warning|fatal|note)\b|^\S+:\d+:\d+: `)
	trace      = pattern.Late(`^\s*File ".*", line \d+(?:, in .*)?$|^(?:/|file:|[A-Za-z]:\\)\S*:\d+$`) // source follows
	hunk       = pattern.Late(`^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@`)
	noted      = pattern.Late(`(?i)^\W*(?:npm )?(?:warn(?:ing)?|note|info|debug|hint|notice|trace)\b|\b(?:level=(?:info|debug|warn(?:ing)?)|\[(?:info|debug|warn(?:ing)?)\]|(?:INFO|DEBUG|WARN(?:ING)?) )|\b(?:retry|retrying|retries left|will try again|trying again|attempt \d+ (?:of|/) ?\d+ failed|going on without|ignored|ignoring|non-fatal|continuing)\b`)
	earlier    = pattern.Late(`(?i)\b(?:previous|earlier|last|old|older|former|yesterday's?|first|prior) (?:\w+ ){0,2}?(?:run|runs|attempt|session|log|logs|build|output|failure|time)\b|\b(?:for example|for instance|e\.g\.|such as this|looks? like this|would print|used to (?:print|fail|say))\b`)
	heading    = pattern.Late(`:$|---$|^#|^---|^===`)
	present    = pattern.Late(`(?i)\b(?:now|this (?:run|attempt|time)|current (?:run|log|output)|today)\b.*:?$`)
	goTest     = pattern.Late(`^=== (RUN)\s+(\S+)|^\s*--- (PASS|SKIP): (\S+)`)
	sentence   = pattern.Late(`(?:\b[a-z']+\b[ ,]+){7,}`)
)

// weigh finds the lines that count less: those that say what others said, or what went
// well in the end.
func weigh(list []line) {
	old, inHunk, traced := false, false, false
	for i := range list {
		l := &list[i]
		trimmed := strings.TrimSpace(l.text)
		switch {
		case trimmed == "":
			old = old && i > 0 && earlier().MatchString(list[i-1].text)
		case present().MatchString(trimmed):
			old = false
		}
		inHunk = hunk().MatchString(l.text) || inHunk && l.text != "" && strings.Contains("+- ", l.text[:1])
		said, _, _ := strings.Cut(trimmed, ": ")
		switch {
		case old, inHunk, traced && strings.HasPrefix(l.text, "    "),
			quoted().MatchString(l.text), found().MatchString(l.text) && !diagnostic().MatchString(l.text):
			l.counts = never
		case l.again, noted().MatchString(l.text) && !l.error:
			l.counts, l.why = less, "a note or a warning"
		case sentence().MatchString(said) && !l.error:
			l.counts, l.why = less, "a sentence about it"
		}
		old = old || earlier().MatchString(trimmed) && heading().MatchString(trimmed)
		traced = trace().MatchString(l.text)
	}
	began := map[string]int{}
	for i := range list {
		m := goTest().FindStringSubmatch(list[i].text)
		if m != nil && m[1] != "" {
			began[m[2]] = i
		} else if m != nil {
			for j, known := began[m[4]]; known && j <= i; j++ {
				list[j].counts = never // printed by a test that passed
			}
		}
	}
}
