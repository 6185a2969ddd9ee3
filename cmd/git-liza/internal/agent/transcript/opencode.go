package transcript

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// opencode is the dialect of opencode run --format json. It has a record for each
// finished part of an answer. The last step is the one that ends with another reason
// than tools. A refusal is the text of a tool's error.
type opencode struct{}

type opencodeRecord struct {
	Type    string       `json:"type"`
	Session string       `json:"sessionID"`
	Part    opencodePart `json:"part"`

	Error struct {
		Name string `json:"name"`
		Data struct {
			Message string `json:"message"`
			Status  count  `json:"statusCode"`
		} `json:"data"`
	} `json:"error"`
}

type opencodePart struct {
	Text   string         `json:"text"`
	Tool   string         `json:"tool"`
	State  opencodeState  `json:"state"`
	Reason string         `json:"reason"`
	Cost   dollars        `json:"cost"`
	Tokens opencodeTokens `json:"tokens"`
}

type opencodeState struct {
	Status string          `json:"status"`
	Input  json.RawMessage `json:"input"`
	Output json.RawMessage `json:"output"`
	Error  string          `json:"error"`
}

// opencodeTokens holds numbers of tokens of a step. Those read do not include the
// cached ones.
type opencodeTokens struct {
	Input     count `json:"input"`
	Output    count `json:"output"`
	Reasoning count `json:"reasoning"`
	Cache     struct {
		Read  count `json:"read"`
		Write count `json:"write"`
	} `json:"cache"`
}

func (opencode) read(line []byte, a *account) {
	var r opencodeRecord
	if !a.decode(line, &r, &r.Type) {
		return
	}
	a.noteNames(r.Session, "")
	switch r.Type {
	case "step_start":
		a.report.Turns++
		a.report.Paused = false
	case "text":
		a.addMessage(r.Part.Text)
	case "tool_use":
		r.Part.noteCall(a)
	case "step_finish":
		r.Part.noteFinish(a)
	case "error":
		a.setEnd(false, r.failure())
	}
}

func (r opencodeRecord) failure() string {
	e := r.Error
	if e.Data.Status != 0 {
		return fmt.Sprintf("%s (HTTP %d): %s", e.Name, e.Data.Status, e.Data.Message)
	}
	return e.Name + ": " + e.Data.Message
}

// opencodeRefusals are beginnings of what opencode tells the model in place of a result
// that its permissions do not allow.
var opencodeRefusals = []string{
	"The user rejected permission to use this specific tool call",
	"The user has specified a rule which prevents you from using this specific tool call",
}

// noteCall adds a tool when it is done. A call of a tool that does not exist names the tool
// invalid.
func (p opencodePart) noteCall(a *account) {
	var asked struct {
		Tool string `json:"tool"`
	}
	if p.Tool == "invalid" && json.Unmarshal(p.State.Input, &asked) == nil {
		a.addDenial(asked.Tool)
		return
	}
	what := call(p.Tool, p.State.Input)
	a.addCall("", what, nil)
	a.noteRepeat(toolCall{what: what, sum: sum(0, []byte(what), p.State.Input)}, append(p.State.Output, p.State.Error...))
	a.report.Results++
	if slices.ContainsFunc(opencodeRefusals, func(s string) bool { return strings.HasPrefix(p.State.Error, s) }) {
		a.addDenial(what)
	}
}

func (p opencodePart) noteFinish(a *account) {
	t := p.Tokens
	a.noteFilled(int64(t.Input+t.Cache.Read+t.Cache.Write), 0)
	a.addUsage(t.Input+t.Cache.Read+t.Cache.Write, t.Cache.Read, t.Output+t.Reasoning, p.Cost)
	switch p.Reason {
	case "tool-calls":
		a.clearEnd()
		a.report.Paused = true // the results of its tools are records before this one
	case "stop":
		a.setEnd(true, "")
	default:
		a.setEnd(false, "the last step ended with "+p.Reason)
	}
}
