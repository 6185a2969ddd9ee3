package supervise

import (
	"context"
	"errors"
	"sync"

	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
)

// changelogs remembers the sprints that were looked at for changes of specs.
type changelogs struct {
	mu   sync.Mutex
	seen map[flow.SprintID]bool
}

// take reports whether nobody has looked at the sprint yet, and notes that it is looked at.
func (c *changelogs) take(id flow.SprintID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen[id] {
		return false
	}
	if c.seen == nil {
		c.seen = map[flow.SprintID]bool{}
	}
	c.seen[id] = true
	return true
}

// addChangelog adds the task that enters into the project's changelog what changed in the
// specs during a sprint that ended. Only planners add tasks. t is what the look has found
// so far.
func addChangelog(ctx context.Context, s *supervisor, b *flow.Board, t lookResult) (lookResult, error) {
	if !b.HasRules(2) || b.CapacityOf(s.clone.By) != flow.Plans || !b.Settings().Control.State.IsRunning() {
		return t, nil
	}
	for _, g := range b.GoalsInProgress() {
		id := lastClosed(b, g.ID)
		if id == "" || !s.rush.merges(g.ID) || b.Task(work.ChangelogTask(id)) != nil || !s.rush.changelogs.take(id) {
			continue
		}
		added, err := work.AddChangelog(ctx, s.clone, id)
		var refusal *flow.Refusal
		switch {
		case errors.As(err, &refusal) && refusal.Rule != flow.RuleStale:
			s.ask("%s: the task for the spec changes of %s cannot be added: %v", s.id, id, err)
		case err != nil:
			return t, err
		case added != "":
			return boardMoved(), nil
		}
	}
	return t, b.Err()
}

// lastClosed is the sprint of a goal that ended last, "" if none has.
func lastClosed(b *flow.Board, goal flow.GoalID) flow.SprintID {
	var last *flow.Sprint
	for _, id := range b.IDs(flow.Sprints) {
		s := b.Sprint(flow.SprintID(id))
		if s != nil && s.Goal == goal && !s.Ended.IsZero() && (last == nil || s.Ended.After(last.Ended)) {
			last = s
		}
	}
	if last == nil {
		return ""
	}
	return last.ID
}
