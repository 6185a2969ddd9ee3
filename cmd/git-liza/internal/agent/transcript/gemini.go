package transcript

import (
	"bytes"
	"encoding/json"

	"github.com/git-liza/git-liza/flow/board"
)

// gemini is the dialect of gemini --output-format stream-json. Messages come in parts;
// a refusal is the result of a tool. While the model's API refuses its calls, it prints
// nothing and tries again.
type gemini struct {
	answering bool // part of an answer came since the last result of a tool
}

type geminiRecord struct {
	Type    string `json:"type"`
	Session string `json:"session_id"`
	Model   string `json:"model"`

	Role    string `json:"role"`
	Content string `json:"content"`

	Tool       string          `json:"tool_name"`
	ToolID     string          `json:"tool_id"`
	Parameters json.RawMessage `json:"parameters"`
	Output     json.RawMessage `json:"output"`

	Status   string      `json:"status"`
	Severity string      `json:"severity"`
	Message  string      `json:"message"`
	Error    geminiError `json:"error"`
	Stats    geminiStats `json:"stats"`
}

type geminiError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// geminiStats holds numbers of tokens. Those of reasoning are in the total only.
type geminiStats struct {
	Total  count `json:"total_tokens"`
	Input  count `json:"input_tokens"`
	Output count `json:"output_tokens"`
	Cached count `json:"cached"`
}

func (g *gemini) read(line []byte, a *account) {
	var r geminiRecord
	if !a.decode(line, &r, &r.Type) {
		return
	}
	switch r.Type {
	case "init":
		a.noteNames(r.Session, r.Model)
	case "message":
		if r.Role == "assistant" {
			g.answer(a)
			a.addPart(r.Content)
		}
	case "tool_use":
		g.answer(a)
		a.addCall(r.ToolID, call(r.Tool, r.Parameters), r.Parameters)
	case "tool_result":
		g.answering = false
		a.addResult(r.ToolID, append(r.Output, r.Status+r.Error.Message...))
		if bytes.HasPrefix(r.Output, []byte(`"Blocked: command substitution detected`)) || bytes.HasPrefix(r.Output, []byte(`"Command injection detected`)) || r.Error.Type == "policy_violation" || r.Error.Type == "tool_not_registered" {
			a.addDenialOf(r.ToolID)
		}
	case "error":
		a.addError(r.Message)
	case "result":
		a.report.Usage = r.Stats.sum()
		a.setEnd(r.Status == "success", r.Error.Message)
	}
}

func (g *gemini) answer(a *account) {
	if !g.answering {
		g.answering = true
		a.report.Turns++
	}
}

func (s geminiStats) sum() board.Usage {
	return board.Usage{Input: int64(s.Input), Cached: int64(min(s.Cached, s.Input)), Output: int64(max(s.Output, s.Total-s.Input))}
}
