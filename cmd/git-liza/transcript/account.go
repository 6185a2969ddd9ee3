package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
)

// The sizes of what a report keeps, in bytes if nothing else is said.
const (
	maxText   = 64 << 10
	maxError  = 4 << 10
	maxLabel  = 200 // an id, a call, a line that people see
	maxDenied = 20  // calls
	maxCalls  = 100 // calls whose results may come
)

// An account is a report while it is written. Dialects tell it what a record
// said.
type account struct {
	report  Report
	message []byte // the last message, its end in any case
	open    bool   // more of the message may come, and it was not shown yet
	last    string // the last line that is not blank, as it came: cleaned when somebody asks
	calls   []toolCall
	show    io.Writer // nil if nobody follows
}

type toolCall struct{ id, what string }

// named notes what the command line calls the session and the model, if it
// says so.
func (a *account) named(session, model string) {
	if session != "" {
		a.report.Session = label(session)
	}
	if model != "" {
		a.report.Model = label(model)
	}
}

// says is a whole message of the agent. What it said, it said in spite of the
// errors before.
func (a *account) says(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	a.shut()
	a.goesOn(text)
	a.shut()
}

// goesOn is the next part of the agent's message.
func (a *account) goesOn(text string) {
	if !a.open {
		a.message, a.open = a.message[:0], true
		a.report.Error = ""
	}
	a.message = append(a.message, text...)
	// Cut only when twice full: each byte is copied at most once more.
	if n := len(a.message) - maxText; n > maxText {
		a.message = a.message[:copy(a.message, a.message[n:])]
	}
}

// shut ends a message that came in parts.
func (a *account) shut() {
	if a.open {
		a.open = false
		a.line("%s", a.text())
	}
}

func (a *account) text() string { return lastText(a.message) }

// uses is a call of a tool that the agent makes, or wants to; id is what its
// result will name it by, if that tells.
func (a *account) uses(id, what string) {
	a.shut()
	a.line("> %s", what)
	if id != "" {
		a.calls = append(a.calls[max(0, len(a.calls)+1-maxCalls):], toolCall{label(id), what})
	}
}

// called is the call of that id, "" if it is not known.
func (a *account) called(id string) string {
	for _, c := range slices.Backward(a.calls) {
		if c.id == label(id) {
			return c.what
		}
	}
	return ""
}

// denied is a call that was refused.
func (a *account) denied(what string) {
	a.shut()
	if what = label(what); what == "" || len(a.report.Denied) == maxDenied || slices.Contains(a.report.Denied, what) {
		return
	}
	a.report.Denied = append(a.report.Denied, what)
	a.line("! denied: %s", what)
}

// refused is a call that was refused, by its id.
func (a *account) refused(id string) { a.denied(cmp.Or(a.called(id), "a tool")) }

// erred is an error record; the session may go on after it.
func (a *account) erred(text string) {
	a.shut()
	if text = clip(text, maxError); text != "" && text != a.report.Error {
		a.report.Error = text
		a.line("! %s", text)
	}
}

// ended is an end record; why is what a failed one says.
func (a *account) ended(well bool, why string) {
	a.shut()
	if well {
		a.report.End, a.report.Error = Succeeded, ""
		return
	}
	a.report.End = Failed
	a.erred(why)
}

// goesAhead takes an end back.
func (a *account) goesAhead() { a.report.End = NoEnd }

func (a *account) garbage() { a.report.Garbage++ }

// line shows people what happens; their terminal is not steered by it. It keeps
// its indentation.
func (a *account) line(format string, args ...any) {
	raw := fmt.Sprintf(format, args...)
	if end := strings.TrimSpace(raw); end != "" {
		end = end[strings.LastIndexAny(end, "\r\n")+1:]
		a.last = end[:min(len(end), 4*maxLabel)]
	}
	if a.show == nil {
		return
	}
	if _, err := io.WriteString(a.show, shown(raw)+"\n"); err != nil {
		a.show = nil
	}
}

// shown is a text as a terminal may get it; Clean takes the blanks from both
// ends.
func shown(raw string) string { return flow.Clean("|" + raw)[1:] }

// close is the report as it stands.
func (a *account) close() Report {
	r := a.report
	r.Say = label(a.last)
	r.Text = a.text()
	r.Denied = slices.Clone(r.Denied)
	return r
}

// decode reads a record into v, a pointer to a struct. A field of the wrong
// form is as if it were missing, since versions differ; a line that is no JSON
// object is garbage, a blank one nothing.
func (a *account) decode(line []byte, v any) bool {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return false
	}
	if line[0] != '{' { // most garbage, and much of it may come
		a.garbage()
		return false
	}
	var form *json.UnmarshalTypeError
	err := json.Unmarshal(line, v)
	if err != nil && (!errors.As(err, &form) || form.Field == "") {
		a.garbage()
		return false
	}
	return true
}
