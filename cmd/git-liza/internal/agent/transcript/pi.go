package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// pi is the dialect of pi --mode json: every event of its session, among them each
// message as it grows. An agent_end is withdrawn if a retry follows. The last message
// says how the agent ended.
type pi struct {
	stop string // why the last message ended
	why  string // the error that it gave
}

type piRecord struct {
	Type    string    `json:"type"`
	ID      string    `json:"id"`
	Message piMessage `json:"message"`

	CallID  string          `json:"toolCallId"`
	Tool    string          `json:"toolName"`
	Args    json.RawMessage `json:"args"`
	IsError bool            `json:"isError"`
	Result  struct {
		Content []piBlock `json:"content"`
	} `json:"result"`

	Error string `json:"errorMessage"`
	Final string `json:"finalError"`
}

type piMessage struct {
	Role    string    `json:"role"`
	Content []piBlock `json:"content"`
	Model   string    `json:"model"`
	Stop    string    `json:"stopReason"`
	Error   string    `json:"errorMessage"`
	Usage   struct {
		Input  count `json:"input"`
		Output count `json:"output"`
		Read   count `json:"cacheRead"`
		Write  count `json:"cacheWrite"`
		Cost   struct {
			Total dollars `json:"total"`
		} `json:"cost"`
	} `json:"usage"`
}

type piBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// Beginnings of records that grow with the session. Records with the first one are
// skipped; the second one says enough by itself.
var (
	piUpdate = []byte(`{"type":"message_update"`)
	piEnd    = []byte(`{"type":"agent_end"`)
)

func (p *pi) read(line []byte, a *account) {
	var r piRecord
	if bytes.HasPrefix(line, piUpdate) || !a.decode(line, &r, &r.Type) {
		return
	}
	switch r.Type {
	case "session":
		a.noteNames(r.ID, "")
	case "message_end":
		if r.Message.Role == "assistant" {
			p.noteAnswer(r.Message, a)
		}
	case "tool_execution_start":
		a.addCall(r.CallID, call(r.Tool, r.Args), r.Args)
	case "tool_execution_end":
		a.addResult(r.CallID, fmt.Append(nil, r.Result))
		if r.IsError && len(r.Result.Content) > 0 && r.Result.Content[0].Text == "Tool "+r.Tool+" not found" {
			a.addDenial(cmp.Or(a.findCall(r.CallID).what, r.Tool))
		}
	case "auto_retry_start":
		a.clearEnd()
	case "agent_end":
		p.noteEnd(a)
	}
}

// long reports whether the beginning of a line says enough, as [longReader] has it.
func (p *pi) long(start []byte, a *account) bool {
	if bytes.HasPrefix(start, piEnd) {
		p.noteEnd(a)
		return true
	}
	return bytes.HasPrefix(start, piUpdate)
}

func (p *pi) noteAnswer(m piMessage, a *account) {
	a.noteNames("", m.Model)
	u := m.Usage
	if m.Stop != "error" {
		a.report.Turns++
		a.noteFilled(int64(u.Input+u.Read+u.Write), 0)
	}
	a.addUsage(u.Input+u.Read+u.Write, u.Read, u.Output, u.Cost.Total)
	var texts []string
	for _, block := range m.Content {
		if block.Type == "text" {
			texts = append(texts, block.Text)
		}
	}
	a.addMessage(strings.Join(texts, "\n"))
	p.stop, p.why = m.Stop, m.Error
	a.addError(m.Error)
}

func (p *pi) noteEnd(a *account) {
	a.setEnd(p.stop == "stop", cmp.Or(p.why, "the last message ended with "+cmp.Or(p.stop, "nothing")))
}
