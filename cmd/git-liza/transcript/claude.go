package transcript

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
)

// claude is claude -p --output-format stream-json --verbose, and qwen's output
// of the same name. An answer comes in a record for each of its blocks, with
// the usage that is known by then. An end record has the tokens of the run, and
// in later versions those since the end record before, with what subagents
// used; its cost is that of the session, in runs before this one too. What was
// refused has a record when it happens, and in the end.
type claude struct {
	answer string     // the id of the answer that was counted last
	sure   flow.Usage // by the end records so far
}

type claudeRecord struct {
	Type    string        `json:"type"`
	Subtype string        `json:"subtype"`
	Session string        `json:"session_id"`
	Model   string        `json:"model"`
	Parent  string        `json:"parent_tool_use_id"` // of a subagent
	Message claudeMessage `json:"message"`

	// Of the records of type system.
	CallID  string `json:"tool_use_id"`
	Tool    string `json:"tool_name"`
	Attempt count  `json:"attempt"`
	Retries count  `json:"max_retries"`
	Status  count  `json:"error_status"`
	Error   word   `json:"error"` // in qwen's end record an object

	Limit struct {
		Status string `json:"status"`
		Type   string `json:"rateLimitType"`
		Resets int64  `json:"resetsAt"` // seconds
	} `json:"rate_limit_info"`

	// Of the end record.
	IsError json.RawMessage `json:"is_error"` // what is no boolean is no success
	Result  string          `json:"result"`
	Errors  []string        `json:"errors"`
	Cost    dollars         `json:"total_cost_usd"`
	Usage   *claudeUsage    `json:"usage"`
	Denials []claudeDenial  `json:"permission_denials"`

	Since map[string]claudeModel `json:"model_usage_since_last_result"`
}

type claudeModel struct {
	Input   count `json:"inputTokens"`
	Created count `json:"cacheCreationInputTokens"`
	Cached  count `json:"cacheReadInputTokens"`
	Output  count `json:"outputTokens"`
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
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`

	// Of a tool's result.
	CallID  string `json:"tool_use_id"`
	Content word   `json:"content"`
	IsError bool   `json:"is_error"`
}

type claudeDenial struct {
	Tool  string          `json:"tool_name"`
	Input json.RawMessage `json:"tool_input"`
}

// claudeUsage are tokens; in claude those read do not include the cached ones.
type claudeUsage struct {
	Input   count `json:"input_tokens"`
	Created count `json:"cache_creation_input_tokens"`
	Cached  count `json:"cache_read_input_tokens"`
	Output  count `json:"output_tokens"`
	Total   count `json:"total_tokens"`
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
		c.system(r, a)
	case "assistant":
		c.answered(r, a)
	case "user":
		for _, block := range r.Message.Content {
			if block.IsError && strings.HasPrefix(string(block.Content), claudeMissing) {
				a.refused(block.CallID)
			}
		}
	case "rate_limit_event":
		if r.Limit.Status == "rejected" {
			a.erred(fmt.Sprintf("the %s limit is reached, resets at %s", r.Limit.Type, time.Unix(r.Limit.Resets, 0).UTC().Format(time.RFC3339)))
		}
	case "result":
		c.ended(r, a)
	}
}

func (c *claude) system(r claudeRecord, a *account) {
	switch r.Subtype {
	case "init":
		a.named(r.Session, r.Model)
	case "permission_denied":
		a.denied(cmp.Or(a.called(r.CallID), r.Tool))
	case "api_retry":
		a.erred(fmt.Sprintf("API Error: %s, attempt %d of %d", httpError(r.Status, string(r.Error)), r.Attempt, r.Retries))
	}
}

// answered comes once per block. The blocks of an answer have the same id in
// claude; in qwen only the last of them has a usage. What the command line says
// itself, errors among it, is no answer of a model.
func (c *claude) answered(r claudeRecord, a *account) {
	m := r.Message
	if m.Model == synthetic {
		return
	}
	a.named("", m.Model)
	if u := m.Usage.sum(); m.ID != c.answer && u != (flow.Usage{}) {
		c.answer = m.ID
		a.report.Turns++
		a.report.Usage = a.report.Usage.Plus(u)
	}
	for _, block := range m.Content {
		switch {
		case block.Type == "tool_use":
			a.uses(block.ID, call(block.Name, block.Input))
		case block.Type != "text" || r.Parent != "":
		case strings.HasPrefix(block.Text, qwenError):
			a.erred(block.Text)
		default:
			a.says(block.Text)
		}
	}
}

// claudeMissing begins the result of a tool that is not offered.
const claudeMissing = "<tool_use_error>Error: No such tool available"

// synthetic is the model of what claude says itself.
const synthetic = "<synthetic>"

// qwenError begins what qwen gives as an answer, and as the result of a success,
// when the model's API refused it.
const qwenError = "[API Error: "

func (c *claude) ended(r claudeRecord, a *account) {
	for _, d := range r.Denials {
		a.denied(call(d.Tool, d.Input))
	}
	switch {
	case r.Since != nil:
		for _, m := range r.Since {
			c.sure = c.sure.Plus(claudeUsage{Input: m.Input, Created: m.Created, Cached: m.Cached, Output: m.Output}.sum())
		}
		a.report.Usage = c.sure
	case r.Usage != nil:
		a.report.Usage = r.Usage.sum()
	}
	a.report.Usage.Cost = flow.Cost(r.Cost)
	well := r.Subtype == "success" && string(r.IsError) == "false" && !strings.HasPrefix(r.Result, qwenError)
	a.ended(well, cmp.Or(r.Result, strings.Join(r.Errors, "; "), string(r.Error), r.Subtype))
}

// sum is qwen's too, where all tokens are told, and those read include the
// cached ones.
func (u claudeUsage) sum() flow.Usage {
	read := u.Input + u.Created + u.Cached
	if u.Total > 0 && u.Total == u.Input+u.Output {
		read = u.Input
	}
	return flow.Usage{Input: int64(read), Cached: int64(u.Cached), Output: int64(u.Output)}
}
