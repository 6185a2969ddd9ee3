package supervise

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// beside is what has been used so far that is not on the board yet, as far as
// it is known here: by sessions of other agents that run, and by the agent's own
// where it could not be recorded. Of a session that is on the board since it was
// last heard of nothing counts twice. What others say may be so old.
func (s *supervisor) beside(ctx context.Context, b *flow.Board, old time.Duration) []flow.Spending {
	var list []flow.Spending
	for _, d := range s.owed {
		list = append(list, flow.Spending{By: s.id, Task: d.task, Usage: d.move.Usage})
	}
	known, err := s.rush.heard.presences(ctx, s.clone.Store, b, old)
	if err != nil {
		return list // the board itself still bounds what is begun
	}
	for id, p := range known {
		used := p.Usage.Tokens() != 0 || p.Usage.Cost != 0
		if id != s.id && used && !p.Silent(s.clone.Store.Now()) && p.At.After(s.rush.recorded.since(id)) {
			list = append(list, flow.Spending{By: id, Task: p.Task, Usage: p.Usage})
		}
	}
	return list
}

// heard is what agents said when somebody in the rush last asked: all that run
// want to know it every second, and it costs the more the more there are.
type heard struct {
	mu    sync.Mutex
	at    time.Time
	known map[flow.AgentID]gitstore.Presence
}

func (h *heard) presences(ctx context.Context, store *gitstore.Store, b *flow.Board, old time.Duration) (map[flow.AgentID]gitstore.Presence, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.known != nil && time.Since(h.at) < old {
		return h.known, nil
	}
	at := time.Now()
	known, err := store.Presences.List(ctx, b)
	if err == nil {
		h.at, h.known = at, known
	}
	return known, err
}

// recorded is when each agent's last session was recorded.
type recorded struct {
	begun time.Time // of the rush, which knows of none before

	mu   sync.Mutex
	last map[flow.AgentID]time.Time
}

func (r *recorded) since(id flow.AgentID) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at, ok := r.last[id]; ok {
		return at
	}
	return r.begun
}

func (r *recorded) note(m flow.Move) {
	if m.Act != flow.ActSession {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last[m.By.Agent()] = m.At
}

// affordable refuses one more session on an errand whose budget is spent.
func (s *supervisor) affordable(ctx context.Context, e *errand, b *flow.Board) *flow.Refusal {
	if r := b.Budget(e.id(), s.beside(ctx, b, 0)...); r != nil {
		return r
	}
	if r := s.exceeded(b, e.id()); r != nil || !e.spent {
		return r
	}
	// What the last session used could not be recorded.
	return &flow.Refusal{Rule: flow.RuleBudget, Reason: "the last session was ended because it used up what was left", Hint: "git liza usage"}
}

// overspent ends an errand that nothing more may be spent on: a human has to
// say whether it is worth more.
func (s *supervisor) overspent(ctx context.Context, b *flow.Board, e *errand, r *flow.Refusal) (failed string, err error) {
	if e.role == flow.Coder {
		limit := b.Settings().Config.TextLimit
		_, err = s.clone.Make(ctx, flow.ActBlock, e.id(), &flow.BlockMove{
			Reason: flow.Excerpt("budget: "+r.Reason, limit), Questions: []string{flow.Excerpt("May it cost more? "+r.Hint, limit)}})
		return r.Reason, err
	}
	s.say("%s: %s ended: %s; %s", s.id, e.subject(), r.Reason, r.Hint)
	if e.task == nil {
		return r.Reason, nil
	}
	_, err = s.clone.Release(ctx, e.id(), false)
	var refusal *flow.Refusal
	if errors.As(err, &refusal) {
		err = nil // somebody else has taken it since
	}
	return r.Reason, err
}
