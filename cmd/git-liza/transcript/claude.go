package transcript

import "encoding/json"

// claude is claude -p --output-format stream-json --verbose, and qwen's output
// of the same name.
type claude struct {
	counted string // the answer whose usage was counted last
}

type claudeRecord struct {
	Type    string        `json:"type"`
	Subtype string        `json:"subtype"`
	Session string        `json:"session_id"`
	Model   string        `json:"model"`
	Parent  string        `json:"parent_tool_use_id"`
	Message claudeMessage `json:"message"`

	// Of the end record.
	IsError *bool          `json:"is_error"`
	Result  string         `json:"result"`
	Errors  []string       `json:"errors"`
	Turns   int            `json:"num_turns"`
	Cost    dollars        `json:"total_cost_usd"`
	Usage   *claudeUsage   `json:"usage"`
	Denials []claudeDenial `json:"permission_denials"`
}

type claudeMessage struct {
	ID      string        `json:"id"`
	Model   string        `json:"model"`
	Usage   claudeUsage   `json:"usage"`
	Content []claudeBlock `json:"content"`
}

type claudeBlock struct {
	Type  string          `json:"type"`
	Text  string          `json:"text"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

type claudeDenial struct {
	Tool  string          `json:"tool_name"`
	Input json.RawMessage `json:"tool_input"`
}

type claudeUsage struct {
	Input   count `json:"input_tokens"`
	Created count `json:"cache_creation_input_tokens"`
	Cached  count `json:"cache_read_input_tokens"`
	Output  count `json:"output_tokens"`
}

func (c *claude) read(line []byte, a *account) {
	var r claudeRecord
	if !a.decode(line, &r) {
		return
	}
	switch r.Type {
	case "":
		a.garbage()
	case "system":
		a.named(r.Session, r.Model)
	case "assistant":
		c.answer(r.Message, a)
	case "result":
		c.end(r, a)
	}
}

// answer comes once per block; the blocks of an answer have the same id.
func (c *claude) answer(m claudeMessage, a *account) {
	a.named("", m.Model)
	if m.ID != c.counted || m.ID == "" {
		c.counted = m.ID
		a.report.Turns++
		m.Usage.add(a)
	}
	for _, block := range m.Content {
		switch block.Type {
		case "text":
			a.says(block.Text)
		case "tool_use":
			a.uses(block.Name, block.Input)
		}
	}
}
func (u claudeUsage) add(a *account) {
	a.report.Usage.Input += int64(u.Input + u.Created + u.Cached)
	a.report.Usage.Cached += int64(u.Cached)
	a.report.Usage.Output += int64(u.Output)
}

func (c *claude) end(r claudeRecord, a *account) {
	for _, d := range r.Denials {
		a.denied(d.Tool, d.Input)
	}
	if r.Usage != nil {
		a.report.Usage.Input, a.report.Usage.Cached, a.report.Usage.Output = 0, 0, 0
		r.Usage.add(a)
	}
	a.ended(r.Subtype == "success" && r.IsError != nil && !*r.IsError, r.Result)
}
