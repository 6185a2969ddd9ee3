package supervise

import (
	"context"
	"errors"
	"slices"
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

// drop notes that the look at a sprint came to nothing.
func (c *changelogs) drop(id flow.SprintID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.seen, id)
}

// mostChangelogs is how many sprints of a goal, the latest, are looked at for changes of
// specs: a planner may come after sprints that ended without one.
const mostChangelogs = 10

// addChangelog adds the task that enters into the project's changelog what changed in the
// specs during a sprint that ended. Only planners add tasks. t is what the look has found
// so far.
func addChangelog(ctx context.Context, s *supervisor, b *flow.Board, t lookResult) (lookResult, error) {
	if !b.HasRules(2) || s.capacity != flow.Plans {
		return t, nil
	}
	for _, g := range b.GoalsInProgress() {
		if !s.rush.merges(g.ID) {
			continue
		}
		for _, id := range lastClosed(b, g.ID) {
			if b.Task(work.ChangelogTask(id)) != nil || !s.rush.changelogs.take(id) {
				continue
			}
			added, err := work.AddChangelog(ctx, s.clone, id)
			var refusal *flow.Refusal
			switch {
			case errors.As(err, &refusal) && refusal.Rule != flow.RuleStale:
				s.ask("%s: the task for the spec changes of %s cannot be added: %v", s.id, id, err)
			case err != nil:
				s.rush.changelogs.drop(id)
				return t, err
			case added != "":
				return boardMoved(), nil
			}
		}
	}
	return t, b.Err()
}

// lastClosed is the sprints of a goal that ended last, in the order in which they did.
func lastClosed(b *flow.Board, goal flow.GoalID) (list []flow.SprintID) {
	var closed []*flow.Sprint
	for _, id := range b.IDs(flow.Sprints) {
		if s := b.Sprint(flow.SprintID(id)); s != nil && s.Goal == goal && !s.Ended.IsZero() {
			closed = append(closed, s)
		}
	}
	slices.SortStableFunc(closed, func(x, y *flow.Sprint) int { return x.Ended.Compare(y.Ended) })
	for _, s := range closed[max(0, len(closed)-mostChangelogs):] {
		list = append(list, s.ID)
	}
	return list
}
