package supervise

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore"
)

// unrecordedSpending returns the spending known here that is not on the board yet: that
// of the agent's own sessions that could not be recorded, and of running sessions of
// other agents. What another agent reported before its last session was recorded is
// left out, so that nothing counts twice. The reports of others may have the age old.
func (rec *recorder) unrecordedSpending(ctx context.Context, b *board.Board, old time.Duration) []board.Spending {
	list := lists.Of(rec.pending, func(d pendingRecord) board.Spending {
		return board.Spending{By: rec.id, Goal: d.goal, Task: d.task, Usage: d.move.Usage}
	})
	known, err := rec.rush.presenceCache.presences(ctx, rec.clone.Store, b, rec.rush.idle.supervisors(), old)
	if err != nil {
		return list // the board itself still bounds what is begun
	}
	told := rec.rush.lastSessions.at("")
	for id, p := range known {
		if b.At().After(told) && !p.At.After(b.At()) {
			continue // its session may be on the board, of which nobody was told yet
		}
		used := p.Usage.Tokens() != 0 || p.Usage.Cost != 0
		if id != rec.id && used && !p.Silent(rec.clone.Store.Now()) && p.At.After(cmp.Or(rec.rush.lastSessions.at(id), rec.rush.begun)) {
			list = append(list, board.Spending{By: id, Task: p.Task, Usage: p.Usage})
		}
	}
	return list
}

// presenceCache holds what agents reported when the rush last read it; those of the rush
// itself have not only said it in a file. Every running
// session asks each second, and one read costs more the more agents there are.
type presenceCache struct {
	mu    sync.Mutex
	at    time.Time
	known map[board.AgentID]gitstore.Presence
}

func (h *presenceCache) presences(ctx context.Context, store *gitstore.Store, b *board.Board, own []*supervisor, old time.Duration) (map[board.AgentID]gitstore.Presence, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.known != nil && time.Since(h.at) < old {
		return h.known, nil
	}
	at := time.Now()
	known, err := store.Presences.List(ctx, b)
	for _, s := range own { // whatever a session wrote of them
		if p, active := s.presence.current(); active && err == nil {
			known[p.Agent] = p
		}
	}
	if err == nil {
		h.at, h.known = at, known
	}
	return known, err
}

// checkBudget refuses one more session on an assignment whose budget is spent.
func (w *worker) checkBudget(ctx context.Context, a *assignment, b *board.Board) *flow.Refusal {
	if r := flow.CheckBudget(b, a.goal(), a.taskID(), w.recorder.unrecordedSpending(ctx, b, 0)...); r != nil {
		return r
	}
	if r := w.checkTaskBounds(b, a.taskID()); r != nil || !a.outOfBudget {
		return r
	}
	// The usage of the last session could not be recorded.
	return &flow.Refusal{Rule: flow.RuleBudget, Reason: "the last session was ended because it used up what was left", Hint: "git liza metrics --by task"}
}

// endOverBudget ends an assignment whose budget is spent. A human has to decide whether
// it is worth more.
func (w *worker) endOverBudget(ctx context.Context, b *board.Board, a *assignment, r *flow.Refusal) (result, error) {
	if a.capacity == board.Does {
		limit := b.Settings().Config.TextLimit
		_, err := w.clone.Block(ctx, a.taskID(), flow.BlockMove{
			Reason: board.Excerpt("budget: "+r.Reason, limit), Questions: []string{board.Excerpt("May it cost more? "+r.Hint, limit)}})
		return failed(r.Reason), err
	}
	w.ask("%s: %s ended: %s; %s", w.id, a.subject(), r.Reason, r.Hint)
	if a.task == nil {
		return failed(r.Reason), nil
	}
	return failed(r.Reason), w.giveBack(ctx, a.taskID(), flow.ReleaseMove{})
}
