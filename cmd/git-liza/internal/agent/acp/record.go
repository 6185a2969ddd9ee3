package acp

import (
	"cmp"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/transcript"
	"github.com/git-liza/git-liza/flow/board"
)

// Bounds of what is kept of a session.
const (
	maxText   = 64 << 10
	maxError  = 4 << 10
	maxDenied = 20
	maxWords  = 200
	maxCalls  = 256
	maxPaths  = 100
)

// A record is what is known of a session so far. Its methods may be called from any
// goroutine.
type record struct {
	mu     sync.Mutex
	follow io.Writer
	made   transcript.Report
	live   bool             // updates belong to this prompt, not to the history of the session
	text   []byte           // of the current message
	word   string           // the id of the current message, if the agent gives ids
	heard  bool             // the model's turn is counted already; no result of a tool has come since
	calls  []call           // the latest
	opened []sdk.ToolCallId // of them, those without a result

	miscounts bool // the agent's numbers of its usage are ignored
}

func newRecord(follow io.Writer) *record { return &record{follow: follow} }

// report returns the record as a report.
func (r *record) report() transcript.Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.endMessage()
	made := r.made
	made.Denied = slices.Clone(made.Denied)
	return made
}

// soFar returns the record as a report, without the message that the agent has begun.
func (r *record) soFar() transcript.Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	made := r.made
	made.Denied = slices.Clone(made.Denied)
	return made
}

// begin notes the session's id, and that its prompt is sent.
func (r *record) begin(session string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.made.Session, r.live = board.Clean(clip(session, maxWords)), true
}

// end notes the agent's answer: why it failed, "" if it did not.
func (r *record) end(failed string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.endMessage()
	r.made.End = transcript.Succeeded
	if failed != "" {
		r.made.End, r.made.Error = transcript.Failed, board.Clean(clip(failed, maxError))
		r.tell("! " + r.made.Error)
	}
}

func (r *record) model(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.made.Model = board.Clean(clip(name, maxWords))
}

// garbage counts a line that was not a message.
func (r *record) garbage() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.made.Garbage++
}

// denied notes that a tool was refused.
func (r *record) denied(tool, what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	tool = cmp.Or(tool, string(sdk.ToolKindOther))
	entry := board.Clean(clip(tool+": "+strings.Join(strings.Fields(what), " "), maxWords))
	r.tell("! denied: " + entry)
	if len(r.made.Denied) < maxDenied && !slices.Contains(r.made.Denied, entry) {
		r.made.Denied = append(r.made.Denied, entry)
	}
}

// update records what the agent reports while it works.
func (r *record) update(u sdk.SessionUpdate) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case u.ToolCall != nil:
		t := u.ToolCall
		r.noteUse(r.updateCall(mention{t.ToolCallId, &t.Kind, &t.Title, t.Locations, t.Content, t.RawInput}))
		r.noteStatus(t.ToolCallId, cmp.Or(t.Status, sdk.ToolCallStatusPending))
	case u.ToolCallUpdate != nil:
		t := u.ToolCallUpdate
		r.updateCall(mention{t.ToolCallId, t.Kind, t.Title, t.Locations, t.Content, t.RawInput})
		r.noteStatus(t.ToolCallId, deref(t.Status))
	case !r.live:
	case u.AgentMessageChunk != nil:
		r.countTurn()
		r.addText(u.AgentMessageChunk.MessageId, u.AgentMessageChunk.Content)
	case u.AgentThoughtChunk != nil:
		r.countTurn()
		r.endMessage()
	case u.UsageUpdate != nil:
		r.noteContext(*u.UsageUpdate)
	}
}

// noteStatus notes whether a call has its result; status is "" if a message does not say.
func (r *record) noteStatus(id sdk.ToolCallId, status sdk.ToolCallStatus) {
	at := slices.Index(r.opened, id)
	switch {
	case status == sdk.ToolCallStatusCompleted, status == sdk.ToolCallStatusFailed:
		r.heard = false
		if at >= 0 {
			r.opened = slices.Delete(r.opened, at, at+1)
		}
		r.made.Results++
		r.made.Paused = len(r.opened) == 0
	case at < 0 && status != "":
		r.opened = append(r.opened[max(0, len(r.opened)+1-maxCalls):], id)
		r.made.Paused = false
	}
}

// call returns what is known of the tool call that a request is about.
func (r *record) call(t sdk.ToolCallUpdate) call {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := slices.ContainsFunc(r.calls, func(c call) bool { return c.id == t.ToolCallId })
	c := r.updateCall(mention{t.ToolCallId, t.Kind, t.Title, t.Locations, t.Content, t.RawInput})
	if !known {
		r.noteUse(c)
	}
	return c
}

// noteUse notes that the agent uses a tool.
func (r *record) noteUse(c call) {
	if !r.live {
		return
	}
	r.countTurn()
	r.endMessage()
	r.tell("> " + string(c.kind) + ": " + board.Clean(clip(strings.Join(strings.Fields(c.title), " "), maxWords)))
}

// countTurn counts a turn of the model: its first words or its first call, and its first
// after the result of a tool.
func (r *record) countTurn() {
	r.made.Paused = false
	if !r.heard {
		r.made.Turns++
		r.heard = true
	}
}

// addText adds to the current message, or begins another.
func (r *record) addText(id *string, block sdk.ContentBlock) {
	if id != nil && *id != r.word {
		r.endMessage()
		r.word = *id
	}
	if block.Text != nil {
		r.text = append(r.text, block.Text.Text...)
	}
	// Cut only at twice the size: so each byte is copied at most once more.
	if len(r.text) > 2*maxText {
		r.text = append(r.text[:0], ending(r.text)...)
	}
}

// endMessage ends the current message.
func (r *record) endMessage() {
	if text := board.Clean(string(ending(r.text))); text != "" {
		r.made.Text = text
		r.tell(text)
	}
	r.text = r.text[:0]
}

// ending returns the last bytes of a text without cutting a character.
func ending(text []byte) []byte {
	from := max(len(text)-maxText, 0)
	for from > 0 && from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return text[from:]
}

// tell writes a line for people. It is no error if the line cannot be written.
func (r *record) tell(line string) {
	r.made.Say = board.Clean(clip(line[strings.LastIndexByte(line, '\n')+1:], maxWords))
	if r.follow != nil {
		_, _ = io.WriteString(r.follow, line+"\n")
	}
}

// clip returns at most n bytes of the beginning of a text without cutting a character.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
