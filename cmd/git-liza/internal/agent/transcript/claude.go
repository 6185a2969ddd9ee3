package transcript

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/board"
)

// claude is the dialect of claude -p --output-format stream-json --verbose, and of
// qwen's output of the same name. An answer comes in one record for each of its blocks,
// with the usage that is known by then. An end record has the tokens of the run. In
// later versions it has those since the end record before, with the tokens of
// subagents. Its cost is that of the session, earlier runs included. A refusal has a
// record when it happens, and is repeated in the end record.
type claude struct {
	answer string      // the id of the last answer that was counted
	sure   board.Usage // the usage by the end records so far
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

	// of the wrong type means no success
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
	CallID  string          `json:"tool_use_id"`
	Content json.RawMessage `json:"content"`
	IsError bool            `json:"is_error"`
}

type claudeDenial struct {
	Tool  string          `json:"tool_name"`
	Input json.RawMessage `json:"tool_input"`
}

// claudeUsage holds numbers of tokens. In claude, those read do not include the cached
// ones.
type claudeUsage struct {
	Input   count `json:"input_tokens"`
	Created count `json:"cache_creation_input_tokens"`
	Cached  count `json:"cache_read_input_tokens"`
	Output  count `json:"output_tokens"`
	Total   count `json:"total_tokens"`
}

func (c *claude) read(line []byte, a *account) {
	var r claudeRecord
	if !a.decode(line, &r, &r.Type) {
		return
	}
	switch r.Type {
	case "system":
		c.system(r, a)
	case "assistant":
		c.noteAnswer(r, a)
	case "user":
		for _, block := range r.Message.Content {
			if block.CallID != "" {
				a.addResult(block.CallID, block.Content)
			}
			var said word
			if _ = json.Unmarshal(block.Content, &said); block.IsError && strings.HasPrefix(string(said), claudeMissing) {
				a.addDenialOf(block.CallID)
			}
		}
	case "rate_limit_event":
		if r.Limit.Status == "rejected" {
			a.addError(fmt.Sprintf("the %s limit is reached, resets at %s", r.Limit.Type, time.Unix(r.Limit.Resets, 0).UTC().Format(time.RFC3339)))
		}
	case "result":
		c.noteEnd(r, a)
	}
}

func (c *claude) system(r claudeRecord, a *account) {
	switch r.Subtype {
	case "init":
		a.noteNames(r.Session, r.Model)
	case "permission_denied":
		a.addDenial(cmp.Or(a.findCall(r.CallID).what, r.Tool))
	case "api_retry":
		a.addError(fmt.Sprintf("API Error: %s, attempt %d of %d", httpError(r.Status, string(r.Error)), r.Attempt, r.Retries))
	}
}

// noteAnswer handles one block of an answer. In claude the blocks of an answer have the
// same id; in qwen only the last block has a usage. What the command line says itself,
// its errors for example, does not count as an answer.
func (c *claude) noteAnswer(r claudeRecord, a *account) {
	m := r.Message
	if m.Model == synthetic {
		return
	}
	if !strings.HasPrefix(a.report.Model, m.Model+"[") { // the name that the session began with says more: name[1m]
		a.noteNames("", m.Model)
	}
	if r.Parent == "" {
		a.noteFilled(m.Usage.sum().Input, 0)
	}
	if u := m.Usage.sum(); m.ID != c.answer && u != (board.Usage{}) {
		c.answer = m.ID
		a.report.Turns++
		a.report.Usage = a.report.Usage.Plus(u)
	}
	for _, block := range m.Content {
		switch {
		case block.Type == "tool_use":
			a.addCall(block.ID, call(block.Name, block.Input), block.Input)
		case block.Type != "text" || r.Parent != "":
		case strings.HasPrefix(block.Text, qwenError):
			a.addError(block.Text)
		default:
			a.addMessage(block.Text)
		}
	}
}

// claudeMissing is the beginning of a result of a tool that does not exist.
const claudeMissing = "<tool_use_error>Error: No such tool available"

// synthetic is the model that claude names for its own messages.
const synthetic = "<synthetic>"

// qwenError is the beginning of what qwen reports as an answer, and as the result of a
// success, when the model's API refused the call.
const qwenError = "[API Error: "

func (c *claude) noteEnd(r claudeRecord, a *account) {
	for _, d := range r.Denials {
		a.addDenial(call(d.Tool, d.Input))
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
	a.report.Usage.Cost = board.Cost(r.Cost)
	well := r.Subtype == "success" && string(r.IsError) == "false" && !strings.HasPrefix(r.Result, qwenError)
	a.setEnd(well, cmp.Or(r.Result, strings.Join(r.Errors, "; "), string(r.Error), r.Subtype))
}

// sum adds the tokens up. It holds for qwen too, where all tokens are given and those
// read include the cached ones.
func (u claudeUsage) sum() board.Usage {
	read := u.Input + u.Created + u.Cached
	if u.Total > 0 && u.Total == u.Input+u.Output {
		read = u.Input
	}
	return board.Usage{Input: int64(read), Cached: int64(u.Cached), Output: int64(u.Output)}
}
