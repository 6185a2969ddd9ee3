package transcript

import (
	"encoding/json"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
)

// codex is the dialect of codex exec --json. It has a record for each item of a turn
// and one for the turn's end, with the tokens of the thread so far. A command that the
// sandbox or the approval policy refused leaves no record at all. The records do not
// separate the model's answers, so its messages are counted as turns.
type codex struct{}

type codexRecord struct {
	Type    string      `json:"type"`
	Thread  string      `json:"thread_id"`
	Message string      `json:"message"`
	Error   codexError  `json:"error"`
	Usage   *codexUsage `json:"usage"`
	Item    codexItem   `json:"item"`
}

type codexError struct {
	Message string `json:"message"`
}

type codexItem struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Text    string `json:"text"`
	Message string `json:"message"`
	Status  string `json:"status"`
	Command string `json:"command"`
	Query   string `json:"query"`

	Changes []struct {
		Path string `json:"path"`
		Kind string `json:"kind"`
	} `json:"changes"`

	Server    string          `json:"server"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Output    word            `json:"aggregated_output"`
	Result    json.RawMessage `json:"result"`
}

// codexUsage holds numbers of tokens. Those read include the cached ones, those written
// include reasoning.
type codexUsage struct {
	Input  count `json:"input_tokens"`
	Cached count `json:"cached_input_tokens"`
	Output count `json:"output_tokens"`
}

func (codex) read(line []byte, a *account) {
	var r codexRecord
	if !a.decode(line, &r, &r.Type) {
		return
	}
	switch r.Type {
	case "thread.started":
		a.noteNames(r.Thread, "")
	case "item.started":
		if r.Item.Type == "command_execution" || r.Item.Type == "mcp_tool_call" {
			a.addCall(r.Item.ID, r.Item.call(), append([]byte(r.Item.Command), r.Item.Arguments...))
		}
	case "item.completed":
		r.Item.completed(a)
	case "error":
		a.addError(r.Message)
	case "turn.failed":
		a.setEnd(false, r.Error.Message)
	case "turn.completed":
		if r.Usage != nil {
			a.report.Usage = r.Usage.sum()
		}
		a.setEnd(true, "")
	}
}

func (item codexItem) completed(a *account) {
	switch item.Type {
	case "agent_message":
		a.report.Turns++
		a.addMessage(item.Text)
	case "error":
		a.addError(item.Message)
	case "file_change", "web_search":
		a.addCall("", item.call(), nil)
		a.addResult("", nil)
	case "command_execution", "mcp_tool_call":
		a.addResult(item.ID, append([]byte(item.Status+string(item.Output)), item.Result...))
	}
	if item.Status == "declined" {
		a.addDenial(item.call())
	}
}

// call returns what the item does, in the words of the other dialects.
func (item codexItem) call() string {
	switch item.Type {
	case "command_execution":
		return oneLine("shell", item.Command)
	case "web_search":
		return oneLine("web_search", item.Query)
	case "mcp_tool_call":
		return call(item.Server+"."+item.Tool, item.Arguments)
	case "file_change":
		var paths []string
		for _, change := range item.Changes {
			paths = append(paths, change.Kind+" "+change.Path)
		}
		return oneLine("edit", strings.Join(paths, ", "))
	}
	return item.Type
}

func (u codexUsage) sum() board.Usage {
	return board.Usage{Input: int64(u.Input), Cached: int64(min(u.Cached, u.Input)), Output: int64(u.Output)}
}
