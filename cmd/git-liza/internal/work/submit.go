package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/pattern"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// Submit asks for a review of a commit. "" means the tip of the task's branch.
// The command's own checks come first: the worktree is clean, the commit is the
// branch's tip, the task's verify passes at it. If objects of the commit cannot
// be read, the error is a *gitstore.Damaged.
func (c *Clone) Submit(ctx context.Context, id board.TaskID, commit board.ObjectID) (gitstore.Result, error) {
	b, refusal, err := c.openedBoard(ctx, board.ActSubmit, id)
	if err != nil {
		return gitstore.Result{}, err
	}
	r, err := c.submit(ctx, b, refusal, id, commit)
	if err == nil {
		return r, nil
	}
	var outage *Outage
	if agent := c.By.Agent(); agent != "" && errors.As(err, &outage) {
		_ = git.ReplaceJSON(outagePath(c.Repo.CommonDir(), agent), notedOutage{outage.Gate, outage.Commit, board.Excerpt(outage.Said, 500)})
	}
	err = fromHere(c, b.Task(id), err)
	tip, lookErr := c.Repo.Refs.Resolve(ctx, id.BranchRef())
	if lookErr != nil {
		return r, err
	}
	return r, c.Store.Audit.ExplainUnreadable(ctx, "the branch "+id.Branch(), tip, b.Settings().Integration.Tip, err)
}

// fromHere lets a hint that mends the work begin with the way to its worktree, unless the
// command was typed there.
func fromHere(c *Clone, t *board.Task, err error) error {
	var refusal *flow.Refusal
	if t == nil || t.Attempt == nil || !errors.As(err, &refusal) || !mendsWork().MatchString(refusal.Hint) || c.Checkouts.Trees == nil ||
		worktrees.NameOf(c.Repo) == filepath.Base(c.Checkouts.Folder(t)) {
		return err
	}
	moved := *refusal
	moved.Hint = "cd " + shell.Quote(c.Checkouts.Folder(t)) + " && " + refusal.Hint
	return &moved
}

// mendsWork is how commands begin that change what is committed on the branch that is
// checked out.
var mendsWork = pattern.Late(`^git (rm|mv|reset|checkout|commit|merge|rebase|revert) `)

func (c *Clone) submit(ctx context.Context, b *board.Board, refusal *flow.Refusal, id board.TaskID, commit board.ObjectID) (gitstore.Result, error) {
	d := &flow.SubmitMove{Commit: commit}
	t := b.Task(id)
	if t != nil && flow.Allows(t.Status, board.ActSubmit) && refusal == nil {
		if err := c.checkReady(ctx, b, t, d); err != nil {
			return gitstore.Result{}, err
		}
	} else if t != nil && t.Submission != nil && commit == "" {
		d.Commit = t.Submission.Commit
	}
	return c.Store.Do(ctx, func(b *board.Board, _ time.Time) (flow.Move, []git.RefUpdate, error) {
		return c.Caller.Move(board.ActSubmit, id, d), nil, nil
	})
}

// Intend records what the holder of a task is going to do, and the tip that its branch has.
func Intend(ctx context.Context, c *Clone, id board.TaskID, intent board.Intent) (gitstore.Result, error) {
	var t *board.Task
	r, err := c.Move(ctx, board.ActIntent, id, func(b *board.Board) (flow.Detail, error) {
		var err error
		if t = b.Task(id); t != nil && t.Attempt != nil {
			intent.Tip, err = c.Checkouts.takeTip(ctx, t)
		}
		return &flow.IntentMove{Intent: intent}, err
	})
	return r, fromHere(c, t, err)
}

// refuseNested returns the refusal to commit or submit while another repository is
// inside the worktree, because its files would be in no commit.
func refuseNested(o *worktrees.Obstacle) *flow.Refusal {
	return &flow.Refusal{Rule: flow.RuleNested, Reason: o.Error(), Hint: o.Hint}
}

// checkRules asks the rules about everything but verify and gates, which can take long. One that
// holds where the clone is comes after them: others can get the commits of submodules.
func (c *Clone) checkRules(ctx context.Context, b *board.Board, t *board.Task, d *flow.SubmitMove) error {
	err := c.Store.CheckMove(ctx, b, c.Caller.Move(board.ActSubmit, t.ID, d))
	if err != nil && !flow.IsRefused(err, flow.RuleVerify, flow.RuleGate) {
		return err
	}
	bases, err := c.Repo.MergeBases(ctx, d.Commit, b.Settings().Integration.Tip) // the rules found one
	if err != nil {
		return err
	}
	o, err := c.Checkouts.Trees.CheckLinks(ctx, bases[0], d.Commit, t.ID.Folder(t.Attempt.Number), t.ID.Branch())
	if o != nil {
		return &flow.Refusal{Rule: flow.RuleContent, Reason: o.Error(), Hint: o.Hint}
	}
	return err
}

// checkReady checks the worktree, asks the rules, and runs verify and the gates.
func (c *Clone) checkReady(ctx context.Context, b *board.Board, t *board.Task, d *flow.SubmitMove) error {
	if c.Checkouts.Trees == nil {
		return worktrees.ErrNoWorkTree
	}
	folder := t.ID.Folder(t.Attempt.Number)
	if err := cmp.Or(Mend(ctx, c.Checkouts, folder), c.Checkouts.Trees.Take(ctx, folder)); err != nil {
		return err
	}
	tip, err := c.Repo.Refs.Resolve(ctx, t.ID.BranchRef())
	if err != nil {
		return err
	}
	d.Commit = cmp.Or(d.Commit, tip)
	dir := c.Checkouts.Folder(t)
	status, err := c.Checkouts.Trees.Contents.Status(ctx, dir)
	if err != nil {
		return err
	}
	in := "git -C " + shell.Quote(dir)
	back := fmt.Sprintf("%s checkout %s && %s merge %s", in, t.ID.Branch(), in, status.Head)
	if status.Lost {
		back = in + " checkout -b " + t.ID.Branch()
	}
	if tip == "" {
		return &flow.Refusal{Rule: flow.RuleBranch, Hint: back,
			Reason: fmt.Sprintf("the branch %s of %s does not exist", t.ID.Branch(), t.ID)}
	}
	if d.Commit != tip {
		return &flow.Refusal{Rule: flow.RuleBranchTip, Hint: "git liza submit " + string(t.ID),
			Reason: fmt.Sprintf("%s is not the tip of %s, which is %s", d.Commit.Short(), t.ID.Branch(), tip.Short())}
	}
	if status.Branch != t.ID.Branch() {
		return &flow.Refusal{Rule: flow.RuleBranch, Hint: back,
			Reason: fmt.Sprintf("%s is not on the branch %s but on %s", dir, t.ID.Branch(), cmp.Or(status.Branch, "no branch"))}
	}
	if nested := worktrees.Nested(dir, status); nested != nil {
		return refuseNested(nested)
	}
	if !status.Clean() {
		add := " add -A"
		if len(status.Left) > 0 { // what the set-up left stays out
			add += " --"
			for _, path := range status.Changed() {
				add += " " + shell.Pathspec(path)
			}
		}
		return &flow.Refusal{Rule: flow.RuleClean, Hint: in + add + " && " + in + " commit -m " + shell.Quote(string(t.ID)),
			Reason: fmt.Sprintf("%s has uncommitted or untracked files: %s", dir, someOf(status.Changed()))}
	}
	if err := c.checkRules(ctx, b, t, d); err != nil {
		return err
	}
	if t.Verify != "" {
		if err := (Stages{c}).verify(ctx, b, t, d, dir); err != nil {
			return err
		}
	}
	d.Gates, err = Stages{c}.passSubmission(ctx, b, t, d.Commit)
	return err
}

// verify runs the verify command of a task in its worktree, which it has to leave clean.
func (c Stages) verify(ctx context.Context, b *board.Board, t *board.Task, d *flow.SubmitMove, dir string) error {
	receipt, err := c.commands.verifyTask(ctx, t, d.Commit, dir)
	if err != nil {
		return err
	}
	d.Receipt = &receipt
	status, err := c.Checkouts.Trees.Contents.Status(ctx, dir)
	if err == nil && !status.Clean() {
		return &flow.Refusal{Rule: flow.RuleClean, Hint: "git -C " + shell.Quote(dir) + " status",
			Reason: fmt.Sprintf("verify of %s left files behind that git does not ignore: %s", t.ID, someOf(status.Changed()))}
	}
	return err
}

// someOf names the first few paths of a list.
func someOf(paths []string) string { return git.VisibleList(paths, 5) }
