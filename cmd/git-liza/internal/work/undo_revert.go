package work

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/shell"
)

// A revertSide is what is taken out of integration for a task: what lies between two
// commits.
type revertSide struct {
	task           *board.Task
	commit, before board.ObjectID
}

// sides returns what is taken out, the work that was merged last first.
func (u *undoer) sides(ctx context.Context) ([]revertSide, error) {
	var list []revertSide
	for _, id := range u.list {
		t := u.board.Task(id)
		side := revertSide{t, t.Merge.Commit, t.Merge.Onto}
		if t.Merge.Adopted { // the adopted commit may hold much else
			side.commit, side.before = t.Submission.Commit, t.Submission.Base
		}
		at := 0
		for at < len(list) {
			later, err := u.isLater(ctx, t, list[at].task)
			if err != nil {
				return nil, err
			}
			if later {
				break
			}
			at++
		}
		list = slices.Insert(list, at, side)
	}
	return list, nil
}

// isLater reports whether a task was merged after another one, or needs it.
func (u *undoer) isLater(ctx context.Context, t, than *board.Task) (bool, error) {
	if t.Merge.Commit == than.Merge.Commit {
		return slices.Contains(t.DependsOn, than.ID), nil
	}
	return u.Repo.IsAncestor(ctx, than.Merge.Commit, t.Merge.Commit)
}

// revert returns a commit on top of another one without the work of the list, a revert
// for each task. It is refused where git cannot take the work out alone.
func (u *undoer) revert(ctx context.Context, onto board.ObjectID) (board.ObjectID, error) {
	sides, err := u.sides(ctx)
	if err != nil {
		return "", err
	}
	commits, tip := u.Store.Commits, onto
	for _, side := range sides {
		computed, err := commits.Revert(ctx, tip, side.commit, side.before)
		if err != nil {
			return "", err
		}
		if len(computed.Conflicts) > 0 {
			return "", u.conflict(ctx, side, onto, computed.Conflicts)
		}
		before, err := u.commands.treeOf(ctx, tip)
		if err != nil {
			return "", err
		}
		if before == computed.Tree {
			return "", &flow.Refusal{Rule: flow.RuleEmpty, Hint: "git liza adopt " + string(onto) + " --reverts " + string(side.task.ID) + " --reason R",
				Reason: fmt.Sprintf("integration has nothing more of %s: it was taken back without git liza", side.task.ID)}
		}
		if tip, err = commits.Commit(ctx, computed.Tree, u.message(side), tip); err != nil {
			return "", err
		}
	}
	return tip, nil
}

// message is the message of the commit that takes the work of a task back, as git
// revert writes it.
func (u *undoer) message(side revertSide) string {
	text := fmt.Sprintf("Revert \"%s: %s\"\n\nThis reverts commit %s", side.task.ID, board.Excerpt(side.task.Title, 200), side.commit)
	if side.task.Merge.Adopted {
		text += fmt.Sprintf(", and those\nbefore it back to %s", side.before)
	} else {
		text += fmt.Sprintf(", reversing\nchanges made to %s", side.before)
	}
	text += ".\n"
	if u.Reason != "" {
		text += "\n" + u.Reason + "\n"
	}
	return text
}

// conflict refuses a revert that git cannot make, and names the paths and the tasks that
// changed them since.
func (u *undoer) conflict(ctx context.Context, side revertSide, tip board.ObjectID, paths []string) error {
	since, err := u.changedSince(ctx, side.task.Merge.Commit, tip, paths)
	if err != nil {
		return err
	}
	reason := fmt.Sprintf("the work of %s cannot be taken back alone, it conflicts in %s", side.task.ID, someOf(paths))
	if len(since) > 0 {
		reason += ", changed since by " + joinTasks(since)
	}
	with := slices.Clone(u.list[1:])
	for _, id := range since {
		if t := u.board.Task(id); t.Reverted == nil && !slices.Contains(u.list, id) {
			with = append(with, id)
		}
	}
	hint := "git liza undo " + string(u.Task) + " --with " + strings.ReplaceAll(joinTasks(with), ", ", ",")
	if len(with) == len(u.list)-1 {
		hint = "git liza task add " + shell.Quote("Take back "+joinTasks(u.list)) + " --reverts " + strings.ReplaceAll(joinTasks(u.list), ", ", ",")
	}
	return &flow.Refusal{Rule: flow.RuleMerge, Hint: hint, Reason: reason}
}

// mostSince bounds how many tasks a conflict names.
const mostSince = 10

// changedSince returns the tasks whose merges changed paths between two commits of
// integration, the last first.
func (u *undoer) changedSince(ctx context.Context, from, tip board.ObjectID, paths []string) (list []board.TaskID, err error) {
	args := []string{"--literal-pathspecs", "log", "--first-parent", "--format=%H %(trailers:key=Liza-Task,valueonly,separator=%x20)", string(tip), "^" + string(from), "--"}
	out, err := u.Repo.Git(ctx, append(args, paths[:min(len(paths), board.MaxList)]...)...)
	if err != nil {
		return nil, err
	}
	for _, line := range strings.Split(string(out), "\n") {
		words := strings.Fields(line)
		if len(words) < 2 || len(list) == mostSince {
			continue
		}
		// A message is anybody's word; the board says what was merged with the commit.
		if t := u.board.Task(board.TaskID(words[1])); t != nil && t.Merge != nil && t.Merge.Commit == board.ObjectID(words[0]) {
			list = append(list, t.ID)
		}
	}
	return list, u.board.Err()
}
