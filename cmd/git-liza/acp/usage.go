package acp

import (
	"encoding/json"
	"math"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/git-liza/git-liza/flow"
)

// spent takes in what the agent says it has used for its answer. The
// protocol's own numbers are new; gemini puts its own beside the answer.
func (r *record) spent(p sdk.PromptResponse) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.Usage != nil {
		r.tokens(*p.Usage)
		return
	}
	var beside struct {
		Quota struct {
			Count struct {
				Input  int64 `json:"input_tokens"`
				Output int64 `json:"output_tokens"`
			} `json:"token_count"`
			Models []struct {
				Model string `json:"model"`
			} `json:"model_usage"`
		} `json:"quota"`
	}
	if text, err := json.Marshal(p.Meta); err != nil || json.Unmarshal(text, &beside) != nil {
		return
	}
	r.made.Usage.Input, r.made.Usage.Output = max(beside.Quota.Count.Input, 0), max(beside.Quota.Count.Output, 0)
	if models := beside.Quota.Models; len(models) > 0 && models[0].Model != "" {
		r.made.Model = flow.Clean(clip(models[0].Model, maxWords))
	}
}

// tokens reads numbers of which the protocol does not say what contains what;
// the total tells.
func (r *record) tokens(u sdk.Usage) {
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

// cost takes in what the session has cost since it began.
func (r *record) cost(c sdk.Cost) {
	micros := math.Round(c.Amount * 1e6)
	if c.Currency == "USD" && micros >= 0 && micros <= maxMicros {
		r.made.Usage.Cost = flow.Cost(micros)
	}
}

// maxMicros is the largest cost that the board takes.
const maxMicros = 1e15
