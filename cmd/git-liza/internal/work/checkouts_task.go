package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// Folder returns the path of a claimed task's worktree, "" if the task was
// never claimed or the repository is bare.
func (c *Checkouts) Folder(t *board.Task) string {
	if c.Trees == nil || t.Attempt == nil {
		return ""
	}
	return c.Trees.Path(t.ID.Folder(t.Attempt.Number))
}

// checkFree refuses, before the move, a claim whose folder or branch is taken
// by something that is not ours.
func (c *Checkouts) checkFree(ctx context.Context, t *board.Task) error {
	name := t.ID.Folder(t.Attempts + 1)
	if tree, found, err := c.Trees.Find(ctx, name); err != nil || found {
		return worktreeObstacle(c.Trees.Path(name), tree.Broken, err)
	}
	if entries, err := os.ReadDir(c.Trees.Path(name)); !errors.Is(err, fs.ErrNotExist) && (err != nil || len(entries) > 0) {
		return pathObstacle(c.Trees.Path(name), "is in the way and not a worktree of this repository", nil)
	}
	if t.Attempts > 0 {
		return nil
	}
	tip, err := c.repo.Refs.Resolve(ctx, t.ID.BranchRef())
	if err != nil || tip != "" {
		return pathObstacle(t.ID.Branch(), "exists already", err)
	}
	return nil
}

// checkOutAttempt makes the claimed attempt's worktree, or finds it as it was left.
func (c *Checkouts) checkOutAttempt(ctx context.Context, trees *worktrees.Trees, t *board.Task) (worktrees.Tree, error) {
	if folder := t.ID.Folder(t.Attempt.Number); !c.hasSession(folder) {
		if err := ClearLocks(trees.Path(folder)); err != nil {
			return worktrees.Tree{}, err
		}
	}
	tree, err := c.findAttempt(ctx, trees, t)
	if t.Claim != nil && !tree.Broken && tree.Path != "" {
		if by := t.Claim.By.Agent(); by != "" {
			err = errors.Join(err, trees.SetAuthor(tree.Name, string(by), string(by)+"@liza.invalid"))
		}
	}
	return tree, err
}

func (c *Checkouts) findAttempt(ctx context.Context, trees *worktrees.Trees, t *board.Task) (worktrees.Tree, error) {
	a := t.Attempt
	name := t.ID.Folder(a.Number)
	if a.Number > 1 {
		if tree, found, err := trees.Find(ctx, name); err != nil || found && tree.Branch == t.ID.Branch() {
			return tree, err
		}
		if err := trees.Take(ctx, t.ID.Folder(a.Number-1)); err != nil {
			return worktrees.Tree{}, err
		}
		old, err := c.repo.Refs.Resolve(ctx, t.ID.BranchRef())
		if err != nil {
			return worktrees.Tree{}, err
		}
		return trees.Restart(ctx, name, t.ID.Branch(), old, a.Start)
	}
	return trees.Branch(ctx, name, t.ID.Branch(), a.Start)
}

// takeTip brings what was committed in a task's checkout. It returns the tip that its branch has
// there, or as soon as somebody claims the task. If there is no such branch it begins at the
// attempt's start.
func (c *Checkouts) takeTip(ctx context.Context, t *board.Task) (board.ObjectID, error) {
	if c.Trees != nil {
		tip, err := c.Trees.TakeTip(ctx, t.ID.Folder(t.Attempt.Number))
		if err != nil || tip != "" {
			return tip, err
		}
	}
	tip, err := c.repo.Refs.Resolve(ctx, t.ID.BranchRef())
	return cmp.Or(tip, t.Attempt.Start), err
}

// saveWork saves what this clone has of a task's attempt: the branch tip with uncommitted and
// untracked files on top. It is nil if there is nothing beyond the attempt's start, if all of it is
// saved already, unless again asks for that, and if [Checkouts.holdBack] keeps it here. What
// [Checkouts.snapshot] leaves out it lacks.
func (c *Checkouts) saveWork(ctx context.Context, t *board.Task, again bool) (*board.Save, error) {
	if t.Attempt == nil || c.Trees == nil {
		return nil, nil
	}
	tip, err := c.repo.Refs.Resolve(ctx, t.ID.BranchRef())
	if err != nil {
		return nil, err
	}
	tree, found, err := c.Trees.Find(ctx, t.ID.Folder(t.Attempt.Number))
	if err == nil && found {
		tip, err = c.snapshot(ctx, t, tree.Path, fmt.Sprintf("Leftovers of %s, attempt %d", t.ID, t.Attempt.Number))
	}
	if err != nil || tip == "" || tip == t.Attempt.Start {
		return nil, err
	}
	kept, err := c.repo.Refs.Resolve(ctx, t.ID.SavedRef(t.Saves))
	if err != nil || tip == kept && !again {
		return nil, err
	}
	if held, err := c.holdBack(ctx, t, tip); held || err != nil {
		return nil, err
	}
	return &board.Save{Number: t.Saves + 1, Commit: tip}, nil
}

// Commit commits everything in a checkout of a task, new files too, on behalf of
// an agent that may not or cannot commit. environ names the author. Having
// nothing to commit is no error. It is refused if the checkout is not on the
// task's branch, if another repository is inside, and if git or a hook refuses.
func (c *Checkouts) Commit(ctx context.Context, id board.TaskID, dir, message string, environ []string) error {
	status, err := c.Trees.Contents.Status(ctx, dir)
	if err != nil {
		return err
	}
	if branch := id.Branch(); status.Branch != branch {
		return &flow.Refusal{Rule: flow.RuleBranch, Hint: "git checkout " + branch,
			Reason: fmt.Sprintf("the worktree is not on the branch %s but on %q, so nothing was committed", branch, status.Branch)}
	}
	err = c.Trees.Contents.Commit(ctx, dir, message, environ)
	if nested, ok := errors.AsType[*worktrees.Obstacle](err); ok {
		return refuseNested(nested)
	}
	if failed, ok := errors.AsType[*git.Error](err); ok {
		return &flow.Refusal{Rule: flow.RuleCommit, Reason: "the worktree could not be committed: " + failed.Error(), Hint: "git status"}
	}
	return err
}

// makeRoom makes room for an attempt that continued on another host. It keeps
// and removes this clone's branch and checkout of the task if they lack the
// commit that the attempt continues from.
func (c *Checkouts) makeRoom(ctx context.Context, b *board.Board, t *board.Task) error {
	remote, err := c.store.Authority(ctx)
	if err != nil || remote == "" {
		return err
	}
	if err := c.store.Mirror.BringCommits(ctx, t.ID, t.Attempt.Start); err != nil {
		return err
	}
	tip, err := c.repo.Refs.Resolve(ctx, t.ID.BranchRef())
	if err != nil || tip == "" {
		return err
	}
	if goesOn, err := c.repo.IsAncestor(ctx, t.Attempt.Start, tip); err != nil || goesOn {
		return err
	}
	name := t.ID.Folder(t.Attempt.Number)
	if _, err := c.prune(ctx, b, func(k Checkout) bool { return k.Name == name || k.Task == t.ID && k.Stale }); err != nil {
		return err
	}
	return c.dropBranch(ctx, b, t, tip)
}

// dropFolder removes a checkout, and what this clone remembers of it, if may accepts the board
// of that moment: since the caller's last look somebody may have claimed what the checkout is
// for, and goes on in it.
func (c *Checkouts) dropFolder(ctx context.Context, folder string, may func(*board.Board) bool) error {
	never, err := c.never(ctx, nil)
	if err != nil {
		return err
	}
	kept, err := c.Trees.Retire(ctx, folder, never, func() (bool, error) {
		b, _, err := c.store.Board(ctx)
		if err != nil {
			return false, err
		}
		if ok := may(b); b.Err() != nil || !ok {
			return false, b.Err()
		}
		for _, path := range []string{c.seals.path(folder), c.standingPath(folder), c.leftPath(folder)} {
			if err := os.RemoveAll(path); err != nil { // an agent may have put a folder there
				return false, err
			}
		}
		return true, nil
	})
	if kept != "" {
		c.say("what could not be saved of " + folder + " is kept in " + git.Visible(kept))
	}
	return err
}

// still asks a board whether which accepts a checkout.
func still(folder string, which func(Checkout) bool) func(*board.Board) bool {
	return func(b *board.Board) bool {
		k := Checkout{Name: folder}
		k.classify(b)
		return which(k)
	}
}

func (k Checkout) isStale() bool { return k.Stale }

// dropReviews removes the checkouts of reviews of a task's submission that have
// ended, of those roles that which accepts. There are none in a bare repository.
func (c *Checkouts) dropReviews(ctx context.Context, t *board.Task, which func(board.Role) bool) error {
	if c.Trees == nil || t.Submission == nil {
		return nil
	}
	for _, role := range t.Submission.ReviewBy {
		if t.Judgement(role).Review != nil || !which(role) {
			continue
		}
		if err := c.dropUnused(ctx, t.ID.ReviewFolder(role, t.Submission.Number)); err != nil {
			return err
		}
	}
	return nil
}

// clearTask removes a final task's worktrees and branch, but not a checkout that somebody is
// still in. What they held is saved. It can be repeated.
func (c *Checkouts) clearTask(ctx context.Context, t *board.Task) error {
	if c.Trees == nil {
		return nil
	}
	for n := 1; n <= t.Attempts; n++ {
		if err := c.dropUnused(ctx, t.ID.Folder(n)); err != nil {
			return err
		}
	}
	for n := 1; n <= t.Submissions; n++ {
		if err := c.dropUnused(ctx, t.ID.ReviewFolder(board.CodeReviewer, n)); err != nil {
			return err
		}
	}
	trees, err := c.Trees.List(ctx)
	if err != nil {
		return err
	}
	for _, tree := range trees {
		if id, _, review := board.ParseFolder(tree.Name); id == t.ID && review != "" {
			if err := c.dropUnused(ctx, tree.Name); err != nil {
				return err
			}
		}
	}
	if err := c.freeBranch(ctx, t); err != nil {
		return err
	}
	ref := t.ID.BranchRef()
	tip, err := c.repo.Refs.Resolve(ctx, ref)
	if err != nil || tip == "" || t.Attempts == 0 {
		return err
	}
	err = c.repo.Refs.MoveRefs(ctx, []git.RefUpdate{{Name: ref, Old: tip}}, "liza: "+string(t.ID)+" is "+t.Status.String())
	if now, readErr := c.repo.Refs.Resolve(ctx, ref); readErr == nil && now == "" {
		return nil // another process was faster
	}
	return err
}

// freeBranch takes a final task's branch, which goes, from the checkouts that somebody is
// still in: git goes on there, and makes no such branch anew.
func (c *Checkouts) freeBranch(ctx context.Context, t *board.Task) error {
	trees, err := c.Trees.List(ctx)
	if err != nil {
		return err
	}
	for _, tree := range trees {
		if tree.Branch != t.ID.Branch() {
			continue
		}
		if err := c.Trees.Detach(ctx, tree.Name, tree.Branch); err != nil {
			return err
		}
	}
	return nil
}

func (c *Checkouts) leftOf(ctx context.Context, b *board.Board, id board.TaskID) (Left, error) {
	left := Left{Task: id}
	if t := b.Task(id); t != nil {
		left.Status = t.Status
	}
	tip, err := c.repo.Refs.Resolve(ctx, id.BranchRef())
	if err != nil || tip == "" {
		return left, errors.Join(err, b.Err())
	}
	left.Branch, left.Tip = id.Branch(), tip
	if c.Trees == nil {
		return left, b.Err()
	}
	trees, err := c.Trees.List(ctx)
	for _, tree := range trees {
		if tree.Branch == left.Branch {
			left.Worktree = tree.Path
		}
	}
	return left, errors.Join(err, b.Err())
}

// Tidy removes what this clone has of tasks that became final or went to
// another attempt on another host: checkouts and branches. What only they hold
// is kept under refs/liza/rescue/. One that cannot be removed stays, and the
// error names all of them.
func (c *Checkouts) Tidy(ctx context.Context) ([]Pruned, error) {
	if c.Trees == nil {
		return nil, nil
	}
	b, _, err := c.store.Board(ctx)
	if err != nil {
		return nil, err
	}
	// A checkout may belong to a new review that this board does not have yet.
	pruned, err := c.prune(ctx, b, func(k Checkout) bool { return k.Stale && (k.Submission == 0 || k.Status.Final()) })
	return pruned, errors.Join(err, c.dropBranches(ctx, b))
}

// dropBranches deletes the branches of final tasks.
func (c *Checkouts) dropBranches(ctx context.Context, b *board.Board) error {
	refs, err := c.repo.Refs.List(ctx, layout.TaskRefs)
	if err != nil {
		return err
	}
	var failed []error
	for ref, tip := range refs {
		t := b.Task(board.ParseBranchRef(ref))
		if t == nil || !t.Status.Final() || t.Attempts == 0 {
			continue
		}
		failed = append(failed, c.freeBranch(ctx, t), c.dropBranch(ctx, b, t, tip))
	}
	return errors.Join(failed...)
}

// dropBranch deletes a task's branch after its tip is kept.
func (c *Checkouts) dropBranch(ctx context.Context, b *board.Board, t *board.Task, tip board.ObjectID) error {
	if _, err := c.keepCommit(ctx, b, t.ID, tip, "branch "+t.ID.Branch()); err != nil {
		return err
	}
	return c.repo.Refs.MoveRefs(ctx, []git.RefUpdate{{Name: t.ID.BranchRef(), Old: tip}}, "liza: "+string(t.ID)+" went on elsewhere")
}

// worktreeObstacle describes a worktree in the way of a new one. git moves an intact
// one, because it knows the files of that worktree, but none with a repository inside.
func worktreeObstacle(path string, broken bool, err error) error {
	const reason = "is a worktree already"
	if info, statErr := os.Lstat(filepath.Join(path, ".git")); err != nil || broken || statErr == nil && info.IsDir() {
		return pathObstacle(path, reason, err)
	}
	return &worktrees.Obstacle{Path: path, Reason: reason, Hint: "git worktree move " + shell.Quote(path) + " " + shell.Quote(path+".old")}
}

func pathObstacle(what, reason string, err error) error {
	if err != nil {
		return err
	}
	hint := "mv " + shell.Quote(what) + " " + shell.Quote(what+".old")
	if !filepath.IsAbs(what) {
		hint = worktrees.RenameHint(what)
	}
	return &worktrees.Obstacle{Path: what, Reason: reason, Hint: hint}
}
