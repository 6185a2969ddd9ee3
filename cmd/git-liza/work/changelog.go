package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// ChangelogFile is where a project keeps what changed in its specs.
const ChangelogFile = "specs/CHANGELOG.md"

// SpecChanges returns the changes of specs that moves recorded between the end of a
// goal's sprint before and the end of this one, the last one first. What is entered into
// the changelog itself is none of them.
func SpecChanges(ctx context.Context, c *Clone, tip flow.ObjectID, s *flow.Sprint) ([]flow.Change, error) {
	var list []flow.Change
	open := s.Ended.IsZero()
	err := c.Store.Log(tip, func(e gitstore.Event) (bool, error) {
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
				list = append(list, flow.Change{Spec: d.Spec, Change: d.Change, Task: d.Cause, By: m.By, At: m.At})
			}
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
func endedBy(c *Clone, e gitstore.Event, s *flow.Sprint) (bool, error) {
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
func ChangelogTask(id flow.SprintID) flow.TaskID { return "changelog-" + flow.TaskID(id) }

// AddChangelog adds the task that enters the changes of specs of a sprint that was closed
// into the project's changelog. It returns "" if no spec changed, the task is there, or
// the goal has ended. Moves that cannot be read are a refusal: other work goes on.
func AddChangelog(ctx context.Context, c *Clone, id flow.SprintID) (flow.TaskID, error) {
	b, tip, err := c.Store.Board(ctx)
	if err != nil {
		return "", err
	}
	s := b.Sprint(id)
	if s == nil || s.Ended.IsZero() || b.Task(ChangelogTask(id)) != nil {
		return "", b.Err()
	}
	g := b.Goal(s.Goal)
	if g == nil || !g.Status.IsInProgress() {
		return "", b.Err()
	}
	changes, err := SpecChanges(ctx, c, tip, s)
	if err != nil && ctx.Err() == nil {
		return "", &flow.Refusal{Rule: flow.RuleDamaged, Reason: fmt.Sprintf("the moves of %s cannot be read: %v", id, err), Hint: "git liza fsck --full"}
	}
	if err != nil || len(changes) == 0 {
		return "", err
	}
	task := flow.TaskInput{ID: ChangelogTask(id), Kind: flow.Spec, Owns: []string{ChangelogFile}, Spec: g.Spec,
		Title:    fmt.Sprintf("Enter the spec changes of %s into %s", id, ChangelogFile),
		DoneWhen: fmt.Sprintf("%s contains the output of `git liza sprint changelog %s`", ChangelogFile, id),
		Scope:    ChangelogFile + " alone: what the command prints goes to the top, below the title, as it is"}
	_, err = c.For(g.ID).Make(ctx, flow.ActAdd, "", &flow.AddMove{Tasks: []flow.TaskInput{task}})
	var refusal *flow.Refusal
	if errors.As(err, &refusal) && (refusal.Rule == flow.RuleExists || refusal.Rule == flow.RuleGoal) {
		return "", nil // somebody else was faster
	}
	if err != nil {
		return "", err
	}
	return task.ID, nil
}
