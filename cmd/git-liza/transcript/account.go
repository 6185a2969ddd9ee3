package transcript

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/git-liza/git-liza/flow"
)

// The sizes in bytes of what a report keeps.
const (
	maxText   = 64 << 10
	maxError  = 4 << 10
	maxSay    = 200
	maxDenied = 20
)

// An account is a report while it is written. Dialects tell it what a record
// said.
type account struct {
	report  Report
	message strings.Builder // the last message, its end in any case
	open    bool            // the message goes on, and was not shown yet
	show    io.Writer       // nil if nobody follows
}

// named notes what the command line calls the session and the model.
func (a *account) named(session, model string) {
	if session != "" {
		a.report.Session = clean(session, maxSay)
	}
	if model != "" {
		a.report.Model = clean(model, maxSay)
	}
}

// says is a whole message of the agent.
func (a *account) says(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	a.closeMessage()
	a.report.Error = ""
	a.goesOn(text)
	a.closeMessage()
}

// goesOn is the next part of the agent's message.
func (a *account) goesOn(text string) {
	if !a.open {
		a.message.Reset()
		a.open = true
	}
	a.message.WriteString(text)
	// Cut only when twice full: each byte is copied at most once more.
	if a.message.Len() > 2*maxText {
		end := tail(a.message.String(), maxText)
		a.message.Reset()
		a.message.WriteString(end)
	}
}

// closeMessage ends a message that came in parts.
func (a *account) closeMessage() {
	if a.open {
		a.open = false
		a.line("%s", a.message.String())
	}
}

// uses is a tool that the agent uses, or wants to.
func (a *account) uses(tool string, input json.RawMessage) {
	a.closeMessage()
	a.line("> %s", call(tool, input))
}

// denied is a tool that was refused to the agent.
func (a *account) denied(tool string, input json.RawMessage) {
	a.closeMessage()
	what := clean(call(tool, input), maxSay)
	if len(a.report.Denied) < maxDenied && !slices.Contains(a.report.Denied, what) {
		a.report.Denied = append(a.report.Denied, what)
		a.line("! denied: %s", what)
	}
}

// erred is an error record; the session may go on after it.
func (a *account) erred(text string) {
	a.closeMessage()
	if text = clean(text, maxError); text != "" {
		a.report.Error = text
		a.line("! %s", text)
	}
}

// ended is an end record; text is what a failed one says.
func (a *account) ended(well bool, text string) {
	a.closeMessage()
	if well {
		a.report.End, a.report.Error = Succeeded, ""
		return
	}
	a.report.End = Failed
	a.erred(text)
}

func (a *account) garbage() { a.report.Garbage++ }

// line shows people what happens; terminals are not steered by it.
func (a *account) line(format string, args ...any) {
	text := flow.Clean(fmt.Sprintf(format, args...))
	if text == "" {
		return
	}
	a.report.Say = lastLine(text)
	if a.show == nil {
		return
	}
	if _, err := io.WriteString(a.show, text+"\n"); err != nil {
		a.show = nil
	}
}

// close is the report as it stands.
func (a *account) close() Report {
	r := a.report
	r.Text = flow.Clean(tail(a.message.String(), maxText))
	r.Denied = slices.Clone(r.Denied)
	return r
}

// decode reads a record into v, a pointer to a struct. A field of the wrong
// form is as if it were missing, since versions differ; a line that is no JSON
// object is garbage.
func (a *account) decode(line []byte, v any) bool {
	var form *json.UnmarshalTypeError
	err := json.Unmarshal(line, v)
	if err != nil && (!errors.As(err, &form) || form.Field == "") {
		a.garbage()
		return false
	}
	return true
}

// call is a tool with what it was asked, in one line: Bash: git push.
func call(tool string, input json.RawMessage) string {
	what := strings.Join(strings.Fields(argument(input)), " ")
	if what == "" {
		return tool
	}
	return tool + ": " + clean(what, maxSay)
}

// telling are the inputs of tools that say what is done, first come first.
var telling = []string{"command", "cmd", "file_path", "filePath", "absolute_path", "path", "pattern", "query", "url", "prompt", "description"}

func argument(input json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) != nil {
		var text string
		_ = json.Unmarshal(input, &text)
		return text
	}
	for _, name := range telling {
		var text string
		var words []string
		switch raw := fields[name]; {
		case raw == nil:
		case json.Unmarshal(raw, &text) == nil && text != "":
			return text
		case json.Unmarshal(raw, &words) == nil && len(words) > 0:
			return strings.Join(words, " ")
		}
	}
	return ""
}

// clean is the beginning of text, clean and of at most size bytes.
func clean(text string, size int) string {
	if len(text) > 4*size {
		text = text[:4*size]
	}
	text = flow.Clean(text)
	if len(text) <= size {
		return text
	}
	cut := size - len("…")
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return flow.Clean(text[:cut]) + "…"
}

// tail are the last bytes of text, whole runes, at most size.
func tail(text string, size int) string {
	if len(text) <= size {
		return text
	}
	cut := len(text) - size
	for cut < len(text) && !utf8.RuneStart(text[cut]) {
		cut++
	}
	return text[cut:]
}

func lastLine(text string) string {
	return clean(text[strings.LastIndexByte(text, '\n')+1:], maxSay)
}
