package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
)

// The sizes of what a report keeps, in bytes unless a unit is given.
const (
	maxText   = 64 << 10
	maxError  = 4 << 10
	maxLabel  = 200 // an id, a call, a line that people see
	maxDenied = 20  // calls
	maxCalls  = 100 // calls whose results are awaited
)

// An account is a report that is being written. A dialect calls it with what each
// record says.
type account struct {
	report  Report
	message []byte // the end of the last message, all of it if it is short
	open    bool   // more parts of the message may come; it was not shown yet
	last    string // the last line that is not blank, uncleaned: it is cleaned when it is read
	calls   []toolCall
	same    uint64    // the sum of the last call with its result
	repeats int       // how often in a row that was seen
	running []string  // the ids of the calls without a result
	show    io.Writer // nil if nobody follows
}

type toolCall struct {
	id, what string
	sum      uint64 // of all of it
}

// noteNames notes the session's id and the model's name, if the record has them.
func (a *account) noteNames(session, model string) {
	if session != "" {
		a.report.Session = label(session)
	}
	if model != "" {
		a.report.Model = label(model)
	}
}

// addMessage adds a whole message of the agent. It clears the errors before it.
func (a *account) addMessage(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	a.endMessage()
	a.addPart(text)
	a.endMessage()
}

// addPart adds the next part of the agent's message.
func (a *account) addPart(text string) {
	if !a.open {
		a.message, a.open = a.message[:0], true
		a.report.Error = ""
	}
	a.report.Paused = false
	a.message = append(a.message, text...)
	// Cut only at twice the size: so each byte is copied at most once more.
	if n := len(a.message) - maxText; n > maxText {
		a.message = a.message[:copy(a.message, a.message[n:])]
	}
}

// endMessage ends a message that came in parts.
func (a *account) endMessage() {
	if a.open {
		a.open = false
		a.showLine("%s", a.text())
	}
}

func (a *account) text() string { return lastText(a.message) }

// addCall adds a call of a tool that the agent makes, or wants to make; id is how its
// result names it, "" if it does not. input is what it was called with.
func (a *account) addCall(id, what string, input []byte) {
	a.endMessage()
	a.showLine("> %s", what)
	a.report.Paused = false
	if id != "" {
		a.running = append(a.running[max(0, len(a.running)+1-maxCalls):], label(id))
		a.calls = append(a.calls[max(0, len(a.calls)+1-maxCalls):], toolCall{label(id), what, sum(0, []byte(what), input)})
	}
}

// addResult adds the result of a call.
func (a *account) addResult(id string, result []byte) {
	a.noteRepeat(a.findCall(id), result)
	a.running = slices.DeleteFunc(a.running, func(one string) bool { return one == label(id) })
	a.report.Results++
	a.report.Paused = len(a.running) == 0
}

// MaxRepeats is how often in a row a call has the same result in a loop.
const MaxRepeats = 10

// noteRepeat counts how often in a row the same call came to the same result.
func (a *account) noteRepeat(c toolCall, result []byte) {
	now := sum(c.sum, result)
	waits := strings.Contains(c.what, "git liza await") || strings.Contains(c.what, "git liza ask")
	if now != a.same || c.sum == 0 || waits {
		a.repeats, a.report.Loop = 0, ""
	}
	a.same = now
	if a.repeats++; a.repeats >= MaxRepeats {
		a.report.Loop = c.what
	}
}

// sum is a number for texts that follow on those of another one.
func sum(before uint64, texts ...[]byte) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, before)
	for _, text := range texts {
		h.Write(append(text[:len(text):len(text)], 0))
	}
	return h.Sum64()
}

// noteFilled notes how many tokens the model has read for an answer, and how many it can
// hold if the record says so.
func (a *account) noteFilled(tokens, window int64) {
	if tokens > 0 {
		a.report.Filled = tokens
	}
	if window > 0 {
		a.report.Window = window
	}
}

// addUsage adds what an answer has used, of which the tokens read include the cached ones.
func (a *account) addUsage(read, cached, written count, cost dollars) {
	a.report.Usage = a.report.Usage.Plus(board.Usage{Input: int64(read), Cached: int64(cached), Output: int64(written), Cost: board.Cost(cost)})
}

// findCall returns the call with an id, the zero value if there is none.
func (a *account) findCall(id string) toolCall {
	for _, c := range slices.Backward(a.calls) {
		if c.id == label(id) {
			return c
		}
	}
	return toolCall{}
}

// addDenial adds a call that was refused.
func (a *account) addDenial(what string) {
	a.endMessage()
	if what = label(what); what == "" || len(a.report.Denied) == maxDenied || slices.Contains(a.report.Denied, what) {
		return
	}
	a.report.Denied = append(a.report.Denied, what)
	a.showLine("! denied: %s", what)
}

// addDenialOf adds a call that was refused, by its id.
func (a *account) addDenialOf(id string) { a.addDenial(cmp.Or(a.findCall(id).what, "a tool")) }

// addError adds an error record; the session may go on after it.
func (a *account) addError(text string) {
	a.endMessage()
	if text = clip(text, maxError); text != "" && text != a.report.Error {
		a.report.Error = text
		a.showLine("! %s", text)
	}
}

// setEnd adds an end record; why is the reason of a failed one.
func (a *account) setEnd(well bool, why string) {
	a.endMessage()
	a.report.Paused = false
	if well {
		a.report.End, a.report.Error = Succeeded, ""
		return
	}
	a.report.End = Failed
	a.addError(why)
}

// clearEnd withdraws an end: the session continues.
func (a *account) clearEnd() { a.report.End = NoEnd }

func (a *account) countGarbage() { a.report.Garbage++ }

// showLine shows a line to people, without control characters for their terminal. It keeps
// the line's indentation.
func (a *account) showLine(format string, args ...any) {
	raw := fmt.Sprintf(format, args...)
	if end := strings.TrimSpace(raw); end != "" {
		end = end[strings.LastIndexAny(end, "\r\n")+1:]
		a.last = end[:min(len(end), 4*maxLabel)]
	}
	if a.show == nil {
		return
	}
	if _, err := io.WriteString(a.show, cleanLine(raw)+"\n"); err != nil {
		a.show = nil
	}
}

// cleanLine returns a text as a terminal may get it. Clean alone would cut blanks at both
// ends.
func cleanLine(raw string) string { return board.Clean("|" + raw)[1:] }

// close returns the report as it stands.
func (a *account) close() Report {
	r := a.report
	r.Say = label(a.last)
	r.Text = a.text()
	r.Denied = slices.Clone(r.Denied)
	return r
}

// decode reads a record into v, a pointer to a struct of which kind is a field, nil where a record
// needs none. A field of the wrong form counts as missing, since versions differ. A line that is
// not a JSON object, or lacks its kind, counts as garbage; a blank line is skipped.
func (a *account) decode(line []byte, v any, kind *string) bool {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return false
	}
	if line[0] != '{' { // most garbage ends here: there may be much of it
		a.countGarbage()
		return false
	}
	var form *json.UnmarshalTypeError
	err := json.Unmarshal(line, v)
	if err != nil && (!errors.As(err, &form) || form.Field == "") || kind != nil && *kind == "" {
		a.countGarbage()
		return false
	}
	return true
}
