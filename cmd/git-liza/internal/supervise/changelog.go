package supervise

import (
	"context"
	"slices"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// addChangelog adds the tasks that enter into the project's changelog what changed in the
// specs during a sprint, and that write down what it has taught: one that ended, or that
// ends with its goal. Only planners add tasks.
func addChangelog(ctx context.Context, s *supervisor, b *board.Board, t *lookResult) error {
	if s.capacity != board.Plans {
		return nil
	}
	for _, g := range b.GoalsInProgress() {
		if !s.rush.merges(g.ID) {
			continue
		}
		list := work.LastClosed(b, g.ID)
		if endsSprint(b, g, s.boardTime(b)) {
			list = append(list, g.Sprint)
		}
		for _, id := range list {
			if b.Task(work.ChangelogTask(id)) != nil && (id == g.Sprint || b.Task(work.LessonsTask(id)) != nil) || id != g.Sprint && s.rush.changelogs.put(id, true) {
				continue
			}
			if added, err := addSprintTasks(ctx, s, id); added || err != nil {
				t.moved = err == nil
				return err
			}
		}
	}
	return b.Err()
}

// addSprintTasks adds the tasks that the end of a sprint asks for: for the changelog of the
// specs, and for what the sprint has taught.
func addSprintTasks(ctx context.Context, s *supervisor, id board.SprintID) (moved bool, err error) {
	for _, one := range []struct {
		what string
		add  func(context.Context, *work.Clone, board.SprintID) (board.TaskID, error)
	}{{"spec changes", work.AddChangelog}, {"lessons", work.AddLessons}} {
		added, err := one.add(ctx, s.clone, id)
		switch {
		case flow.IsRefused(err) && !flow.IsRefused(err, flow.RuleStale):
			s.ask("%s: the task for the %s of %s cannot be added: %v", s.id, one.what, id, err)
		case err != nil:
			s.rush.changelogs.drop(id)
			return moved, err
		}
		moved = moved || added != ""
	}
	return moved, nil
}

// endsSprint reports whether the open sprint of a goal in which specs changed is about to
// end with the goal, and not by itself.
func endsSprint(b *board.Board, g *board.Goal, at time.Time) bool {
	if g.Sprint == "" || !work.HasSpecChanges(g) {
		return false
	}
	due := flow.DueMoves(b, at, g.ID)
	return len(due) > 0 && due[0].Act == board.ActComplete
}

// awaitPlanner reports whether the end of a goal is left to a planner, which adds the
// tasks for its changelog before. One of another rush is waited for until a lease has
// passed without a move.
func awaitPlanner(s *supervisor, b *board.Board, goal board.GoalID, t *lookResult) bool {
	if s.capacity == board.Plans {
		return false
	}
	if slices.ContainsFunc(s.rush.idle.supervisors(), func(s *supervisor) bool { return s.capacity == board.Plans }) {
		t.lookBy(time.Now().Add(busyRetry))
		return true
	}
	left := b.At().Add(time.Duration(b.Settings().Config.Lease)).Sub(s.boardTime(b))
	if left <= 0 || !work.HasSpecChanges(b.Goal(goal)) {
		return false
	}
	for _, a := range board.All[*board.Agent](b, board.Agents) {
		if a.Generation != "" && a.Degraded == "" && b.CapacityOf(board.Actor(a.ID)) == board.Plans && !s.rush.own.at(board.Actor(a.ID)) {
			t.wakeBy(time.Now().Add(left))
			return true
		}
	}
	return false
}

// tellUnentered says which changes of specs no task enters into the changelog of a goal
// that has ended.
func tellUnentered(ctx context.Context, s *supervisor, goal board.GoalID) {
	list, err := work.Unentered(ctx, s.clone, goal)
	if err != nil {
		return // the goal has ended all the same
	}
	if text := work.UnenteredText(list); text != "" {
		s.ask("%s: %s", goal, text)
	}
}
