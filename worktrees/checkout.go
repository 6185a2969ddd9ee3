package worktrees

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A checkout describes a checkout that is wanted below .worktrees/: of a branch, or of
// a commit.
type checkout struct {
	name   string
	branch string
	commit ID   // of a detached checkout; where to create the branch
	create bool // the branch
	hook   bool // run the user's post-checkout
}

// settleCheckout returns the checkout that stands, mended if need be, or makes it. The
// lock of the name is held.
func (t *Trees) settleCheckout(ctx context.Context, records []record, c checkout) (Tree, error) {
	r, err := t.findExisting(records, c)
	if err != nil {
		return Tree{}, err
	}
	if c.create {
		if err := t.branches.createBranch(ctx, c.branch, c.commit); err != nil {
			return Tree{}, err
		}
	}
	switch {
	case r.path == "" || r.half:
		return t.makeCheckout(ctx, r, c)
	case r.gone:
		if err := t.restoreFolder(ctx, r); err != nil {
			return Tree{}, err
		}
		r.gone = false
	case !r.own: // of the program before
		if err := t.restoreFolder(ctx, r); err != nil {
			return Tree{}, err
		}
	}
	if c.create {
		r.head = c.commit
	}
	return t.treeOf(r), nil
}

// findExisting returns the record of what is in the checkout's folder: the checkout
// itself or a half-made one; a record without a path where the folder is free. The
// error is an *Obstacle where something else is there.
func (t *Trees) findExisting(records []record, c checkout) (record, error) {
	path := t.Path(c.name)
	if err := t.checkRoot(); err != nil {
		return record{}, err
	}
	r, known := findRecord(records, c.name)
	if !known {
		return record{}, checkFree(path)
	}
	if err := t.checkOwn(r); err != nil || r.half {
		return r, err
	}
	if c.branch != "" && r.hasBranch(c.branch) || c.branch == "" && r.branch == "" && r.head == c.commit {
		return r, nil
	}
	if r.gone && r.branch != "" { // its folder was moved away, and the branch has what was on it
		r.half = true
		return r, nil
	}
	o := &Obstacle{Path: path, Reason: "has " + orNone(r.head) + " checked out, not " + orNone(c.commit)}
	if c.branch != "" {
		o.Reason = "does not have the branch " + c.branch + " checked out"
		o.Hint = "git -C " + shell.Quote(path) + " checkout " + shell.Quote(c.branch)
		if c.create || !t.insides.hasBranch(r, c.branch) {
			o.Hint = "git -C " + shell.Quote(path) + " checkout -b " + shell.Quote(c.branch)
		}
	}
	return record{}, o
}

// checkFree accepts a path that git worktree add would.
func checkFree(path string) error {
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0:
		if info, err := os.Lstat(path); err == nil && !info.IsDir() {
			break // a symbolic link
		}
		return nil
	case err != nil && !isAbsent(err):
		return fmt.Errorf("worktrees: %w", err)
	}
	return &Obstacle{Path: path, Reason: "is in the way and not a worktree of this repository",
		Hint: "mv " + shell.Quote(path) + " " + shell.Quote(path+".old")}
}

// readDotGit returns the git directory that a linked work tree names.
func readDotGit(dir string) (string, error) {
	content, err := git.ReadSmall(filepath.Join(dir, ".git"))
	if err != nil {
		return "", err
	}
	target, ok := strings.CutPrefix(strings.TrimSpace(string(content)), "gitdir: ")
	if !ok {
		return "", fmt.Errorf("%s is not that of a worktree", filepath.Join(dir, ".git"))
	}
	return absoluteIn(dir, target), nil
}

// makeCheckout makes a new checkout. It removes a half-made one first, because a git that a
// dead process left behind may still write into its folder. The new checkout stays
// locked, with our reason, until it is complete.
func (t *Trees) makeCheckout(ctx context.Context, half record, c checkout) (Tree, error) {
	if half.path != "" {
		if err := t.discardCheckout(half); err != nil {
			return Tree{}, err
		}
	}
	if err := t.Ignore(); err != nil {
		return Tree{}, err
	}
	r, err := t.register(ctx, c)
	if err != nil {
		return Tree{}, err
	}
	if err := t.makeFolder(ctx, r); err != nil {
		return Tree{}, errors.Join(err, t.discardCheckout(r))
	}
	if err := t.fillCheckout(ctx, r, "read-tree", "--reset", "-u", "--no-recurse-submodules", "HEAD"); err != nil {
		// A killed call is repeated, a failed one perhaps never.
		return Tree{}, errors.Join(wrapCheckoutFailure(ctx, r, err), t.discardCheckout(r))
	}
	r.own = true
	err = t.insides.handDown(r)
	if err == nil {
		err = cmp.Or(t.insides.fillSubmodules(ctx, t.isolation, r, r.inside()), t.include(ctx, r))
	}
	if err != nil {
		return Tree{}, errors.Join(err, t.discardCheckout(r))
	}
	var hookErr error
	if c.hook {
		hookErr = t.postCheckout(ctx, r)
	}
	if ctx.Err() != nil {
		return Tree{}, fmt.Errorf("worktree %s: %w", c.name, ctx.Err())
	}
	if err := os.Remove(filepath.Join(r.gitDir, "locked")); err != nil && !isAbsent(err) {
		return Tree{}, fmt.Errorf("worktree %s: %w", c.name, err)
	}
	r.half = false
	return t.treeOf(r), hookErr
}

// fillCheckout runs a git that writes files and a private index, and then installs
// that index. So no lock of another process, dead or alive, is in its way.
func (t *Trees) fillCheckout(ctx context.Context, r record, args ...string) error {
	index, err := t.scratch.privateIndex(r)
	if err != nil {
		return err
	}
	defer index.remove()
	if _, err := t.isolation.run(ctx, r, git.Cmd{Args: args, Env: index.env(), Limit: slow}); err != nil {
		return err
	}
	return index.install()
}

// wrapCheckoutFailure returns a *CheckoutError for a git that failed, and the error
// as it is for one that did not start or was ended.
func wrapCheckoutFailure(ctx context.Context, r record, err error) error {
	if exitCode(err) <= 0 || ctx.Err() != nil {
		return err
	}
	return &CheckoutError{Path: r.path, Commit: r.head, Err: err}
}

// postCheckout runs the user's hook as `git worktree add` does. What it leaves is nobody's work.
func (t *Trees) postCheckout(ctx context.Context, r record) error {
	folder, err := t.isolation.hooksFolder(ctx)
	if err == nil && t.repo.Config.LacksHook(ctx, folder, "post-checkout") {
		return nil
	}
	zero := strings.Repeat("0", t.repo.HashLen())
	_, err = t.isolation.runWithHooks(ctx, r, git.Cmd{Dir: r.path, WorkTree: true, Limit: slow, Environ: t.HookEnv,
		Args: []string{"hook", "run", "--ignore-missing", "post-checkout", "--", zero, string(r.head), "1"}})
	if err = errors.Join(err, t.Contents.noteBaseline(ctx, r, nil)); err != nil {
		return &HookError{Path: t.pathOf(r), Err: err}
	}
	return nil
}

// newPrefix is the beginning of names of folders below .worktrees/ that are being
// restored.
const newPrefix = ".new-"

// restoreFolder makes the folder of a checkout again from its index. The folder is
// filled beside its place and then renamed, so that a killed process leaves no half
// of it there.
func (t *Trees) restoreFolder(ctx context.Context, r record) error {
	entries, err := os.ReadDir(r.path)
	if err == nil && len(entries) > 0 {
		if err := os.Remove(r.inside()); err != nil && !isAbsent(err) {
			return fmt.Errorf("worktree %s: %w", r.path, err)
		}
		if err := t.insides.make(ctx, r); err != nil { // only that is lost
			return err
		}
		return t.insides.handDown(r)
	}
	beside := r
	beside.path = filepath.Join(filepath.Dir(r.path), newPrefix+r.name)
	if err := removeAll(beside.path); err != nil {
		return fmt.Errorf("worktree %s: %w", r.path, err)
	}
	if err := os.MkdirAll(beside.path, 0o777); err != nil {
		return fmt.Errorf("worktree %s: %w", r.path, err)
	}
	beside.gone = false
	how := []string{"checkout-index", "--all", "--force", "--index", "--quiet"}
	if _, err := os.Stat(filepath.Join(r.gitDir, "index")); err != nil {
		how = []string{"read-tree", "--reset", "-u", "--no-recurse-submodules", "HEAD"}
	}
	if err := t.fillCheckout(ctx, beside, how...); err != nil {
		return errors.Join(wrapCheckoutFailure(ctx, r, err), removeAll(beside.path))
	}
	if err = t.insides.make(ctx, beside); err == nil {
		err = t.insides.handDown(beside)
	}
	if err == nil {
		err = cmp.Or(t.insides.fillSubmodules(ctx, t.isolation, beside, beside.inside()), t.include(ctx, beside))
	}
	if err == nil {
		_ = os.Remove(r.path) // an empty folder is in the way of Go's rename
		err = os.Rename(beside.path, r.path)
	}
	if err != nil {
		return fmt.Errorf("worktree %s: %w", r.path, err)
	}
	return nil
}
