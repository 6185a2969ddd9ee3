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
	r, stands, err := t.findExisting(ctx, records, c)
	if err != nil {
		return Tree{}, err
	}
	if c.create {
		if err := t.branches.createBranch(ctx, c.branch, c.commit); err != nil {
			return Tree{}, err
		}
	}
	if !stands {
		return t.makeCheckout(ctx, c)
	}
	if err := t.mendEntry(ctx, &r, c); err != nil {
		return Tree{}, err
	}
	kept := ""
	if r.gone || !r.own { // made by the program before
		if kept, err = t.restoreFolder(ctx, r); err != nil {
			return Tree{}, err
		}
		r.gone = false
	}
	if c.create {
		r.head = c.commit
	}
	if err = t.insides.renew(ctx, &r); err == nil && kept != "" {
		err = &Kept{r.inside(), kept}
	}
	return t.treeOf(r), err
}

// findExisting returns the record of the checkout if it stands. The error is an *Obstacle
// where something else is in its folder, or checked out there.
func (t *Trees) findExisting(ctx context.Context, records []record, c checkout) (r record, stands bool, err error) {
	path := t.Path(c.name)
	if err := t.checkRoot(); err != nil {
		return record{}, false, err
	}
	r, known := findRecord(records, c.name)
	if !known {
		return record{}, false, checkFree(path)
	}
	if r.isReplaced() {
		r.gone, r.alien = true, false
	}
	if err := t.checkOwn(r); err != nil {
		return record{}, false, err
	}
	if c.branch != "" && r.hasBranch(c.branch) || c.branch == "" && r.branch == "" && r.head == c.commit || r.hasNoHead() {
		return r, true, nil
	}
	if r.gone && r.branch != "" && !fileExists(r.path) { // its folder was moved away, and the branch has what was on it
		return record{}, false, nil
	}
	if r.gone && fileExists(r.path) { // the hint's git would find the clone there
		if _, err := t.restoreFolder(ctx, r); err != nil {
			return record{}, false, err
		}
	}
	o := &Obstacle{Path: path, Reason: "has " + git.ShortOrNone(r.head) + " checked out, not " + git.ShortOrNone(c.commit)}
	if c.branch != "" {
		o.Reason = "does not have the branch " + c.branch + " checked out"
		o.Hint = "git -C " + shell.Quote(path) + " checkout " + shell.Quote(c.branch)
		if f, err := t.insides.readFace(r, c.branch); c.create || err == nil && f.tip == "" {
			o.Hint = "git -C " + shell.Quote(path) + " checkout -b " + shell.Quote(c.branch)
		}
	}
	return record{}, false, o
}

// mendEntry writes what the entry of a checkout has lost: its lock, or its HEAD.
func (t *Trees) mendEntry(ctx context.Context, r *record, c checkout) error {
	if r.locked == "" {
		if err := t.scratch.replaceFile(filepath.Join(r.gitDir, "locked"), lockReason(c.name)+"\n"); err != nil {
			return err
		}
	}
	if !r.hasNoHead() {
		return nil
	}
	if err := t.scratch.replaceFile(filepath.Join(r.gitDir, "HEAD"), t.headText(c)+"\n"); err != nil {
		return err
	}
	if err := t.readHead(ctx, r); err != nil {
		return err
	}
	return t.insides.take(ctx, r)
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
	return git.AbsoluteIn(dir, target), nil
}

// makeCheckout makes a new checkout, after what is left of one whose folder is gone.
func (t *Trees) makeCheckout(ctx context.Context, c checkout) (Tree, error) {
	release, err := t.scratch.hold(ctx, undonePrefix+c.name)
	if err != nil {
		return Tree{}, err
	}
	defer release()
	if err := t.discardHeld(ctx, c.name); err != nil {
		return Tree{}, err
	}
	return t.makeHeld(ctx, c)
}

// makeHeld is makeCheckout for who holds the lock. A killed call is repeated, a failed one
// perhaps never: of that nothing is left.
func (t *Trees) makeHeld(ctx context.Context, c checkout) (Tree, error) {
	if err := cmp.Or(t.notePlace(), t.Ignore()); err != nil {
		return Tree{}, err
	}
	r, err := t.register(ctx, c)
	if err == nil {
		_, err = t.restoreFolder(ctx, r)
	}
	r.gone, r.own = false, true
	var hookErr error
	if err == nil && c.hook {
		hookErr = t.postCheckout(ctx, r)
	}
	if err == nil && ctx.Err() != nil {
		err = fmt.Errorf("worktree %s: %w", c.name, ctx.Err())
	}
	if err != nil {
		return Tree{}, errors.Join(err, t.discardHeld(ctx, c.name))
	}
	return t.treeOf(r), hookErr
}

// fillCheckout runs a git that writes files and a private index, and then installs
// that index. So no lock of another process, dead or alive, is in its way.
func (i *insides) fillCheckout(ctx context.Context, r record, args ...string) error {
	index, err := i.scratch.privateIndex(r)
	if err != nil {
		return err
	}
	defer index.remove()
	if _, err := i.isolation.run(ctx, r, git.Cmd{Args: args, Env: index.env(), Limit: slow}); err != nil {
		return err
	}
	return index.install()
}

// postCheckout runs the user's hook as `git worktree add` does. What it leaves is nobody's work.
func (t *Trees) postCheckout(ctx context.Context, r record) error {
	folder, err := t.repo.Config.HooksOfUser(ctx)
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

// newPrefix is the beginning of names of folders below .worktrees/ that are being filled, after
// a dot, and of the locks of those who do.
const newPrefix = "new-"

// restoreFolder makes the folder of a checkout from its index, or from its commit, or only the
// repository inside, if there are files. Either is filled beside its place and then renamed, so
// that a killed process leaves no half of it there. What was ruined inside may hold work: kept is
// where it is then.
func (t *Trees) restoreFolder(ctx context.Context, r record) (kept string, err error) {
	release, err := t.scratch.hold(ctx, newPrefix+r.name)
	if err != nil {
		return "", err
	}
	defer release()
	beside := r
	beside.gone, beside.path = false, filepath.Join(filepath.Dir(r.path), "."+newPrefix+r.name)
	fill, from, to := t.fillFolder, beside.path, r.path
	if entries, _ := os.ReadDir(r.path); len(entries) > 0 {
		fill, from, to = t.fillInside, beside.inside(), r.inside()
	}
	if err = removeAll(beside.path); err == nil {
		err = fill(ctx, beside)
	}
	if err == nil {
		kept, err = t.setAside(r.name, r.inside())
	}
	if err == nil {
		_ = os.Remove(to) // an empty folder is in the way of Go's rename
		err = os.Rename(from, to)
	}
	return kept, errors.Join(err, removeAll(beside.path))
}

// fillFolder makes the folder of a checkout with all that is in it.
func (t *Trees) fillFolder(ctx context.Context, r record) error {
	if err := os.MkdirAll(r.path, 0o777); err != nil {
		return err
	}
	how := []string{"checkout-index", "--all", "--force", "--index", "--quiet"}
	if !fileExists(filepath.Join(r.gitDir, "index")) {
		how = []string{"read-tree", "--reset", "-u", "--no-recurse-submodules", "HEAD"}
	}
	switch err := t.insides.fillCheckout(ctx, r, how...); {
	case git.ExitCode(err) > 0 && ctx.Err() == nil:
		return &CheckoutError{Path: r.path, Commit: r.head, Err: err}
	case err != nil: // git did not start, or was ended
		return err
	}
	if err := t.fillInside(ctx, r); err != nil {
		return err
	}
	return cmp.Or(t.insides.fillSubmodules(ctx, t.isolation, r, r.inside()), t.include(ctx, r))
}

// fillInside makes the repository inside, as its entry has it.
func (t *Trees) fillInside(ctx context.Context, r record) error {
	if err := t.insides.make(ctx, r); err != nil {
		return err
	}
	return t.insides.handDown(ctx, r)
}
