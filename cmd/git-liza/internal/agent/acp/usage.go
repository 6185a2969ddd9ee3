package acp

import (
	"encoding/json"
	"math"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/git-liza/git-liza/flow/board"
)

// miscounts reports whether the agent with this name reports numbers that are not its
// session's usage. They are ignored: wrong numbers would be shown and would count
// against budgets.
func miscounts(agent string) bool {
	switch agent {
	case "OpenCode": // 1.18.33 reports the last call of a session only
		return true
	case "gemini-cli": // 0.61.0 leaves out thinking and reads from a cache
		return true
	}
	return false
}

// noteAgent takes in the name by which the agent introduces itself; nil if it has not.
func (r *record) noteAgent(agent *sdk.Implementation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.miscounts = agent != nil && miscounts(agent.Name)
}

// noteUsage records the usage that the agent reports with its answer, as the protocol has
// it. What gemini and its forks put beside the answer instead is read for the model
// alone: [miscounts] covers those numbers.
func (r *record) noteUsage(p sdk.PromptResponse) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.Usage != nil {
		r.tokens(*p.Usage)
		return
	}
	var beside struct {
		Quota struct {
			Models []struct {
				Model string `json:"model"`
			} `json:"model_usage"`
		} `json:"quota"`
	}
	if text, err := json.Marshal(p.Meta); err != nil || json.Unmarshal(text, &beside) != nil {
		return
	}
	if models := beside.Quota.Models; len(models) > 0 && models[0].Model != "" {
		r.made.Model = board.Clean(clip(models[0].Model, maxWords))
	}
}

// tokens records numbers of tokens. The protocol does not say which number includes
// which; the total decides.
func (r *record) tokens(u sdk.Usage) {
	if r.miscounts {
		return
	}
	read, written, thought := deref(u.CachedReadTokens), deref(u.CachedWriteTokens), deref(u.ThoughtTokens)
	in, out := u.InputTokens, u.OutputTokens
	switch u.TotalTokens {
	case in + out + thought + read + written:
		in, out = in+read+written, out+thought
	case in + out + thought:
		out += thought
	}
	in, out, read = max(in, 0), max(out, 0), max(read, 0)
	r.made.Usage.Input, r.made.Usage.Output, r.made.Usage.Cached = int64(in), int64(out), int64(min(read, in))
}

// noteContext records how full the agent's context is, and what the session has cost.
func (r *record) noteContext(u sdk.SessionUsageUpdate) {
	if !r.miscounts && u.Used > 0 && u.Size > 0 {
		r.made.Filled, r.made.Window = int64(u.Used), int64(u.Size)
	}
	if u.Cost != nil {
		r.cost(*u.Cost)
	}
}

// cost records what the session has cost since it began.
func (r *record) cost(c sdk.Cost) {
	micros := math.Round(c.Amount * 1e6)
	if !r.miscounts && c.Currency == "USD" && micros >= 0 && micros <= maxMicros {
		r.made.Usage.Cost = board.Cost(micros)
	}
}

// maxMicros is the largest cost that the board takes.
const maxMicros = 1e15
