package transcript

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// ledgers are the dialects of session files. Some command lines write numbers into such
// a file call by call, and print no numbers before their end, or none at all.
var ledgers = map[string]func(since time.Time) dialect{
	"claude":  func(since time.Time) dialect { return &claudeLedger{since: since} },
	"codex":   func(time.Time) dialect { return codexLedger{} },
	"copilot": func(since time.Time) dialect { return copilotLedger{since} },
	"gemini":  func(since time.Time) dialect { return &geminiLedger{since: since} },
}

// Ledgers returns the names that [NewLedger] knows, in order.
func Ledgers() []string { return slices.Sorted(maps.Keys(ledgers)) }

// NewLedger returns an empty transcript of the file that a command line of the family
// keeps of a session. Only the usage and the context in its report are filled in; it counts as the
// [Transcript] of the family does. If the family counts by runs, earlier runs in the
// file, before since, are left out. The error says that there is no such family.
func NewLedger(family string, since time.Time) (*Transcript, error) {
	start, ok := ledgers[family]
	if !ok {
		return nil, fmt.Errorf("%q keeps no ledger that is known; there are those of %s", family, strings.Join(Ledgers(), ", "))
	}
	return &Transcript{dialect: start(since)}, nil
}

// claudeLedger is the dialect of a session file of claude: a record for each block of an answer,
// each with all that the answer used.
type claudeLedger struct {
	since time.Time
	claude
}

func (l *claudeLedger) read(line []byte, a *account) {
	var r struct {
		claudeRecord
		At time.Time `json:"timestamp"`
	}
	if a.decode(line, &r, nil) && r.Type == "assistant" && !r.At.Before(l.since) {
		l.noteAnswer(r.claudeRecord, a)
	}
}

// codexLedger is the dialect of a rollout file of codex: after each call, the tokens of
// the thread so far, earlier runs included.
type codexLedger struct{}

type codexLedgerRecord struct {
	Payload struct {
		Type string `json:"type"`
		Info struct {
			Total  *codexUsage `json:"total_token_usage"`
			Last   codexUsage  `json:"last_token_usage"`
			Window count       `json:"model_context_window"`
		} `json:"info"`
	} `json:"payload"`
}

func (codexLedger) read(line []byte, a *account) {
	var r codexLedgerRecord
	if a.decode(line, &r, nil) && r.Payload.Type == "token_count" && r.Payload.Info.Total != nil {
		a.report.Usage = r.Payload.Info.Total.sum()
		a.noteFilled(int64(r.Payload.Info.Last.Input), int64(r.Payload.Info.Window))
	}
}

// copilotLedger is the dialect of a file of session events of copilot: a record for
// each call.
type copilotLedger struct{ since time.Time }

type copilotLedgerRecord struct {
	Type  string    `json:"type"`
	At    time.Time `json:"timestamp"`
	Agent string    `json:"agentId"` // of a subagent
	Data  struct {
		Usage struct {
			Model  string `json:"model"`
			Input  count  `json:"inputTokens"`
			Cached count  `json:"cacheReadTokens"`
			Output count  `json:"outputTokens"`
			Window count  `json:"maxPromptTokens"`
		} `json:"usage"`
	} `json:"data"`
}

func (l copilotLedger) read(line []byte, a *account) {
	var r copilotLedgerRecord
	if !a.decode(line, &r, nil) || r.Type != "session.usage_record" || r.At.Before(l.since) {
		return
	}
	u := r.Data.Usage
	if r.Agent == "" {
		a.noteNames("", u.Model)
		a.noteFilled(int64(u.Input), int64(u.Window))
	}
	a.addUsage(u.Input, min(u.Cached, u.Input), u.Output, 0)
}

// geminiLedger is the dialect of a chat file of gemini: its messages, each repeated
// after its tools have answered.
type geminiLedger struct {
	since time.Time
	known []string // the ids of the last messages that were counted
}

type geminiLedgerRecord struct {
	ID     string    `json:"id"`
	Type   string    `json:"type"`
	At     time.Time `json:"timestamp"`
	Model  string    `json:"model"`
	Tokens *struct {
		Total  count `json:"total"`
		Input  count `json:"input"`
		Output count `json:"output"`
		Cached count `json:"cached"`
	} `json:"tokens"`
}

func (l *geminiLedger) read(line []byte, a *account) {
	var r geminiLedgerRecord
	if !a.decode(line, &r, nil) || r.Type != "gemini" || r.Tokens == nil || r.At.Before(l.since) || slices.Contains(l.known, r.ID) {
		return
	}
	l.known = append(l.known[max(0, len(l.known)+1-maxCalls):], label(r.ID))
	a.noteNames("", r.Model)
	a.noteFilled(int64(r.Tokens.Input), 0)
	t := geminiStats{r.Tokens.Total, r.Tokens.Input, r.Tokens.Output, r.Tokens.Cached}
	a.report.Usage = a.report.Usage.Plus(t.sum())
}
