package transcript

import "encoding/json"

// copilot is the dialect of copilot --output-format json: the events of its session,
// and an end record with the exit code. It reports at most the tokens that were
// written, which are not counted. The session's file has all numbers, see [NewLedger].
type copilot struct{}

type copilotRecord struct {
	Type    string          `json:"type"`
	Agent   string          `json:"agentId"` // of a subagent
	Data    copilotData     `json:"data"`
	Session string          `json:"sessionId"`
	Exit    json.RawMessage `json:"exitCode"` // of another type means no success
}

type copilotData struct {
	Model     string          `json:"model"`
	Content   string          `json:"content"`
	CallID    string          `json:"toolCallId"`
	Tool      string          `json:"toolName"`
	Arguments json.RawMessage `json:"arguments"`
	Result    json.RawMessage `json:"result"`
	Error     struct {
		Code string `json:"code"`
	} `json:"error"`

	// Of errors.
	Kind    string `json:"errorType"`
	Message string `json:"message"`
	Call    string `json:"errorMessage"`
	Status  count  `json:"statusCode"`
}

func (copilot) read(line []byte, a *account) {
	var r copilotRecord
	if !a.decode(line, &r, &r.Type) {
		return
	}
	d := r.Data
	switch r.Type {
	case "assistant.message":
		a.noteNames("", d.Model)
		a.report.Turns++
		if r.Agent == "" {
			a.addMessage(d.Content)
		}
	case "tool.execution_start":
		a.addCall(d.CallID, call(d.Tool, d.Arguments), d.Arguments)
	case "tool.execution_complete":
		a.addResult(d.CallID, append(d.Result, d.Error.Code...))
		if d.Error.Code == "denied" {
			a.addDenialOf(d.CallID)
		}
	case "model.call_failure":
		a.addError("model call failed: " + httpError(d.Status, d.Call))
	case "session.error":
		a.addError(d.Kind + ": " + d.Message)
	case "result":
		a.noteNames(r.Session, "")
		a.setEnd(string(r.Exit) == "0", a.report.Error)
	}
}
