package work

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore"
)

// ChangelogFile is where a project keeps what changed in its specs.
const ChangelogFile = "specs/CHANGELOG.md"

// SpecChanges returns the changes of specs that moves recorded, and those of the goal's spec
// that they brought onto integration, between the end of a goal's sprint before and the end
// of this one, the last one first. What is entered into the changelog itself is none of them.
func SpecChanges(ctx context.Context, c *Clone, tip board.ObjectID, s *board.Sprint) ([]board.Change, error) {
	var list []board.Change
	open := s.Ended.IsZero()
	b, err := c.Store.BoardAt(tip)
	if err != nil {
		return nil, err
	}
	brought := func(m flow.Move, texts []board.Text, change string) {
		for _, text := range texts {
			if g := b.Goal(s.Goal); g != nil && strings.HasPrefix(g.Spec+"#", text.Path+"#") {
				list = append(list, board.Change{Spec: text.Path, Change: change, Task: m.Task, By: m.By, At: m.At})
			}
		}
	}
	err = c.Store.Log(tip, func(e gitstore.Event) (bool, error) {
		m := e.Move
		if m.Goal != "" && m.Goal != s.Goal {
			return true, ctx.Err()
		}
		if !open && !m.At.Before(s.Ended) {
			var err error
			open, err = endedBy(c, e, s)
			return true, cmp.Or(err, ctx.Err())
		}
		open = true
		switch d := m.Detail.(type) {
		case *flow.SpecChangeMove:
			if d.Spec != ChangelogFile {
				list = append(list, board.Change{Spec: d.Spec, Change: d.Change, Task: d.Cause, By: m.By, At: m.At})
			}
		case *flow.MergeMove:
			if t := b.Task(m.Task); t != nil && t.Goal == s.Goal {
				brought(m, d.Texts, t.Title)
			}
		case *flow.AdoptMove:
			brought(m, d.Texts, d.Reason)
		case *flow.InitMove, *flow.ReopenMove, *flow.GoalMove:
			return m.At.After(s.Started), ctx.Err()
		case *flow.SprintCloseMove: // of the sprint before
			return false, ctx.Err()
		}
		return true, ctx.Err()
	})
	return list, err
}

// endedBy reports whether a move ended a sprint. Sprints may begin and end within one
// second, so that times do not tell.
func endedBy(c *Clone, e gitstore.Event, s *board.Sprint) (bool, error) {
	if !e.Move.At.Equal(s.Ended) || e.Parent == "" || !endsSprint(e.Move) {
		return false, nil
	}
	b, err := c.Store.BoardAt(e.Parent)
	if err != nil {
		return false, err
	}
	was := b.Sprint(s.ID)
	return was != nil && was.Ended.IsZero(), b.Err()
}

// endsSprint reports whether a move can end the sprint of its goal.
func endsSprint(m flow.Move) bool {
	switch m.Detail.(type) {
	case *flow.SprintCloseMove, *flow.CompleteMove, *flow.AbortMove, *flow.GoalMove, *flow.AmendMove:
		return true
	}
	return false
}

// ChangelogTask is the id of the task that enters the changes of a sprint into the
// project's changelog. The id makes the task once.
func ChangelogTask(id board.SprintID) board.TaskID { return "changelog-" + board.TaskID(id) }

// mostChangelogs is how many sprints of a goal, the latest, are looked at for changes of
// specs: a planner may come after sprints that ended without one.
const mostChangelogs = 10

// LastClosed returns the sprints of a goal that ended last, in the order in which they did.
func LastClosed(b *board.Board, goal board.GoalID) []board.SprintID {
	closed := lists.Where(board.All[*board.Sprint](b, board.Sprints), func(s *board.Sprint) bool { return s.Goal == goal && !s.Ended.IsZero() })
	slices.SortStableFunc(closed, func(x, y *board.Sprint) int { return x.Ended.Compare(y.Ended) })
	return lists.Of(closed[max(0, len(closed)-mostChangelogs):], func(s *board.Sprint) board.SprintID { return s.ID })
}

// HasSpecChanges reports whether the history of a goal names a change of a spec; what is
// entered into the changelog is none.
func HasSpecChanges(g *board.Goal) bool {
	return g != nil && slices.ContainsFunc(g.Changes, func(c board.Change) bool { return c.Spec != ChangelogFile })
}

// Unentered returns the sprints of a goal, of those that ended last, in which specs
// changed and that have no task that enters this into the project's changelog.
func Unentered(ctx context.Context, c *Clone, goal board.GoalID) (list []board.SprintID, err error) {
	b, tip, err := c.Store.Board(ctx)
	if err != nil || !HasSpecChanges(b.Goal(goal)) {
		return nil, err
	}
	for _, id := range LastClosed(b, goal) {
		if b.Task(ChangelogTask(id)) != nil {
			continue
		}
		changes, err := SpecChanges(ctx, c, tip, b.Sprint(id))
		if err != nil {
			return nil, err
		}
		if len(changes) > 0 {
			list = append(list, id)
		}
	}
	return list, b.Err()
}

// UnenteredText describes the sprints of [Unentered], "" if there are none.
func UnenteredText(list []board.SprintID) string {
	if len(list) == 0 {
		return ""
	}
	names := lists.Of(list, func(id board.SprintID) string { return string(id) })
	return fmt.Sprintf("specs changed in %s, and no task enters that into %s: git liza sprint changelog %s", strings.Join(names, ", "), ChangelogFile, list[0])
}

// AddChangelog adds the task that enters the changes of specs of a sprint into the
// project's changelog. It returns "" if no spec changed, the task is there, or the goal
// has ended. Moves that cannot be read are a refusal: other work goes on.
func AddChangelog(ctx context.Context, c *Clone, id board.SprintID) (board.TaskID, error) {
	task := board.TaskInput{ID: ChangelogTask(id), Kind: board.Spec, Owns: []string{ChangelogFile},
		Title:    fmt.Sprintf("Enter the spec changes of %s into %s", id, ChangelogFile),
		DoneWhen: fmt.Sprintf("%s contains the output of `git liza sprint changelog %s`", ChangelogFile, id),
		Scope:    ChangelogFile + " alone: what the command prints goes to the top, below the title, as it is"}
	return addOnce(ctx, c, id, task, func(_ *board.Board, tip board.ObjectID, s *board.Sprint) (bool, error) {
		changes, err := SpecChanges(ctx, c, tip, s)
		if err != nil && ctx.Err() == nil {
			return false, &flow.Refusal{Rule: flow.RuleDamaged, Reason: fmt.Sprintf("the moves of %s cannot be read: %v", id, err), Hint: "git liza fsck --full"}
		}
		return len(changes) > 0, err
	})
}

// addOnce adds a task for what happened in a sprint, if it is needed. It returns "" if it is
// not, somebody else has added it, or the goal has ended.
func addOnce(ctx context.Context, c *Clone, id board.SprintID, task board.TaskInput, isNeeded func(*board.Board, board.ObjectID, *board.Sprint) (bool, error)) (board.TaskID, error) {
	b, tip, err := c.Store.Board(ctx)
	if err != nil {
		return "", err
	}
	s := b.Sprint(id)
	if s == nil || b.Task(task.ID) != nil {
		return "", b.Err()
	}
	g := b.Goal(s.Goal)
	if g == nil || !g.Status.IsInProgress() {
		return "", b.Err()
	}
	if needed, err := isNeeded(b, tip, s); !needed || err != nil {
		return "", err
	}
	task.Spec = g.Spec
	_, err = c.For(g.ID).Make(ctx, board.ActAdd, "", &flow.AddMove{Tasks: []board.TaskInput{task}})
	switch {
	case flow.IsRefused(err, flow.RuleExists, flow.RuleGoal):
		return "", nil
	case err != nil:
		return "", err
	}
	return task.ID, nil
}
