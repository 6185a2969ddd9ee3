package work

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// takeUp goes on with a task that takes the work back already. With Reopen the work gets
// successors, unless it has some.
func (u *undoer) takeUp(ctx context.Context, t *board.Task) (Undone, gitstore.Result, error) {
	if i := slices.IndexFunc(u.list, func(id board.TaskID) bool { return !slices.Contains(t.Reverts, id) }); i >= 0 {
		return Undone{}, gitstore.Result{}, &flow.Refusal{Rule: flow.RuleExists, Hint: "git liza show " + string(t.ID),
			Reason: fmt.Sprintf("%s takes back %s already, without %s", t.ID, joinTasks(t.Reverts), u.list[i])}
	}
	u.list = t.Reverts
	if u.Now {
		return Undone{}, gitstore.Result{}, u.refuseNow(t)
	}
	again := lists.Where(u.list, func(id board.TaskID) bool {
		return u.Reopen && len(board.Outstanding(u.board, u.board.Task(id))) == 0
	})
	if len(again) == 0 {
		return u.goOn(ctx, t)
	}
	added, err := u.addSuccessors(ctx, again, t.ID)
	if err != nil {
		return Undone{}, added, err
	}
	done, r, err := u.goOn(ctx, t)
	if err == nil && r.Already {
		r = added
	}
	return done, r, err
}

// refuseNow refuses to take work back at once that another task takes back already: both
// would revert it.
func (u *undoer) refuseNow(t *board.Task) *flow.Refusal {
	refusal := &flow.Refusal{Rule: flow.RuleExists, Reason: fmt.Sprintf("%s takes back %s already, and is %s", t.ID, joinTasks(t.Reverts), t.Status)}
	for _, s := range u.board.Tasks() {
		if !s.Status.Final() && slices.Contains(s.DependsOn, t.ID) {
			refusal.Hint, refusal.Reason = "git liza show "+string(t.ID), refusal.Reason+"; "+string(s.ID)+" waits for it"
			return refusal
		}
	}
	if flow.Allows(t.Status, board.ActMerge) {
		refusal.Hint = "git liza merge " + string(t.ID)
		return refusal
	}
	if t.Claim != nil {
		refusal.Hint = "git liza release " + string(t.ID) + " && "
	}
	refusal.Hint += "git liza task abandon " + string(t.ID) + " --reason R && git liza undo " + string(u.Task) + " --now"
	if len(u.With) > 0 {
		refusal.Hint += " --with " + strings.ReplaceAll(joinTasks(u.With), ", ", ",")
	}
	if u.Reopen {
		refusal.Hint += " --reopen"
	}
	return refusal
}

// goOn submits the revert for the task that takes the work back, from wherever an
// earlier call has stopped.
func (u *undoer) goOn(ctx context.Context, t *board.Task) (Undone, gitstore.Result, error) {
	if t.Submission != nil && !flow.Allows(t.Status, board.ActSubmit) {
		b, _, err := u.Store.Board(ctx)
		return u.undone(b, t.ID), gitstore.Result{Already: true, After: b}, err
	}
	claimed, r, err := u.Claim(ctx, t.ID, 0)
	if err != nil {
		return Undone{}, r, err
	}
	t = r.After.Task(t.ID)
	commit, err := u.bringRevert(ctx, t, claimed)
	if err == nil && t.Intent == nil {
		err = u.intend(ctx, t, commit)
	}
	if err != nil {
		return Undone{}, r, err
	}
	if r, err = u.Submit(ctx, t.ID, ""); err != nil {
		return Undone{}, r, err
	}
	return u.undone(r.After, t.ID), r, nil
}

// bringRevert brings the task's branch and checkout to the revert. A branch that has
// commits already stays.
func (u *undoer) bringRevert(ctx context.Context, t *board.Task, claimed Claimed) (board.ObjectID, error) {
	ref, start := t.ID.BranchRef(), t.Attempt.Start
	tip, err := u.Repo.Refs.Resolve(ctx, ref)
	if err != nil {
		return "", err
	}
	followers := u.Checkouts.Trees.Followers
	if tip == start {
		if tip, err = u.revert(ctx, start); err != nil {
			return "", err
		}
		if err := followers.Check(ctx, claimed.Branch, start, tip); err != nil {
			return "", err
		}
		if err := u.Repo.Refs.MoveRefs(ctx, []git.RefUpdate{{Name: ref, Old: start, New: tip}}, "git liza: undo "+string(u.list[0])); err != nil {
			return "", err
		}
	}
	return tip, followers.Follow(ctx, claimed.Branch, start, tip)
}

// intend records the intent of the task that takes the work back.
func (u *undoer) intend(ctx context.Context, t *board.Task, commit board.ObjectID) error {
	changes, err := u.Repo.Changes(ctx, t.Attempt.Start, commit)
	if err != nil {
		return err
	}
	intent := board.Intent{Summary: "git revert of " + joinTasks(u.list) + ": " + u.reason(), Validation: "integration has nothing more of " + joinTasks(u.list),
		TestsNotNeeded: "it takes " + joinTasks(u.list) + " back, tests too"}
	for _, c := range changes {
		if u.board.Tracked(c.Path) != nil && c.Mode == 0 {
			intent.Removes = append(intent.Removes, c.Path)
		}
	}
	_, err = Intend(ctx, u.Clone, t.ID, intent)
	return err
}
