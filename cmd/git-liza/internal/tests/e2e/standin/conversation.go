package standin

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Model decides what is answered. It is asked from many goroutines.
type Model interface {
	// Next is the next turn of a conversation.
	Next(Conversation) Turn
}

// A Conversation is what a request said, in one form for all the APIs.
type Conversation struct {
	API      string // anthropic, responses, chat or gemini
	Model    string
	System   string
	Messages []Message
	Tools    []string // the names of the tools that are offered
}

// A Message is one part of a conversation.
type Message struct {
	Role   string // user, model or tool
	Text   string // of a tool its result
	Calls  []Call // of a model
	CallID string // of a tool: which call it answers
}

// A Call asks the command line to use one of its tools.
type Call struct {
	ID    string // made up if it is ""
	Name  string // NAMESPACE/NAME where a Responses API has tools in groups, as those of an MCP server
	Input map[string]any
	Raw   string // instead of Input: the text for a tool that takes no JSON
}

// A Usage is what a turn costs in tokens. Cached are those of Input that came
// from a cache.
type Usage struct{ Input, Cached, Output int64 }

// A Turn is one answer of the model, or how it fails to come.
type Turn struct {
	Text  string
	Tools []Call
	Usage Usage // zero: some that are not

	Status     int           // an HTTP status instead of an answer; Text says why
	RetryAfter time.Duration // header of a Status
	Hang       bool          // nothing is answered
	Cut        bool          // the stream breaks off in the middle

	serial int64 // which answer of the server it is: command lines take two with one id for one
}

// Turns counts the turns that the model has had.
func (c Conversation) Turns() (n int) {
	for _, m := range c.Messages {
		if m.Role == "model" {
			n++
		}
	}
	return n
}

// Prompt is all that the user said, a paragraph for each message.
func (c Conversation) Prompt() string {
	var said []string
	for _, m := range c.Messages {
		if m.Role == "user" {
			said = append(said, m.Text)
		}
	}
	return strings.Join(said, "\n\n")
}

// Results are what tools answered, oldest first.
func (c Conversation) Results() (texts []string) {
	for _, m := range c.Messages {
		if m.Role == "tool" {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

// A Script is a model that says its turns in order, whatever is said to it. It
// goes by the turns that the conversation has, so several conversations may be
// under way. Behind its end it says the last turn again. A conversation that
// offers no tools, as command lines have for titles, does not get a call.
type Script []Turn

// Next is the turn that is due.
func (s Script) Next(c Conversation) Turn {
	if len(s) == 0 {
		return Turn{Text: "done"}
	}
	turn := s[min(c.Turns(), len(s)-1)]
	if len(c.Tools) == 0 && len(turn.Tools) > 0 {
		return Turn{Text: "a title"}
	}
	return turn
}

// fill gives a turn what every answer has: ids, its own and those of calls,
// and a usage.
func (t *Turn) fill(c Conversation, serial int64) {
	t.serial = serial
	t.Tools = slices.Clone(t.Tools)
	for i := range t.Tools {
		if t.Tools[i].ID == "" {
			t.Tools[i].ID = fmt.Sprintf("call_%d_%d", serial, i+1)
		}
	}
	if t.Usage == (Usage{}) {
		t.Usage = Usage{Input: 1000 + 100*int64(len(c.Messages)), Cached: 400, Output: 20 + int64(len(t.Text))/4}
	}
}

// id is the answer's own.
func (t Turn) id(kind string) string { return fmt.Sprintf("%s_%d", kind, t.serial) }

// arguments is a call's input as JSON text.
func (c Call) arguments() string {
	if c.Input == nil {
		return "{}"
	}
	text, err := json.Marshal(c.Input)
	if err != nil {
		return "{}"
	}
	return string(text)
}

// said is the text of content that is a string or a list of parts.
func said(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct{ Text string }
	if json.Unmarshal(content, &parts) != nil {
		return ""
	}
	var texts []string
	for _, p := range parts {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}
