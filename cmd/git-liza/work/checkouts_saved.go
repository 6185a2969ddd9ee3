package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// snapshot is [worktrees.Contents.Snapshot] without what the board's never names. It says
// once what is left out: that stays in its folder, see [worktrees.Trees.Retire].
func (c *Checkouts) snapshot(ctx context.Context, path, message string) (flow.ObjectID, error) {
	never, err := c.never(ctx)
	if err != nil {
		return "", err
	}
	commit, err := c.Trees.Contents.Snapshot(ctx, path, message, never)
	if errors.Is(err, worktrees.ErrIncomplete) {
		c.say(err.Error())
		return commit, nil
	}
	return commit, err
}

// holdBack reports whether a commit that is about to be saved would bring a remote what no person
// has seen: files that never names or that no task owns. The clone keeps such a commit below
// refs/liza/rescue/ instead. People are told of it, also where no remote has the board yet.
func (c *Checkouts) holdBack(ctx context.Context, t *flow.Task, commit flow.ObjectID) (bool, error) {
	b, _, err := c.store.Board(ctx)
	remote, authorityErr := c.store.Authority(ctx)
	if err = cmp.Or(err, authorityErr); err != nil {
		return false, err
	}
	out, err := c.repo.Git(ctx, "rev-list", "--objects", "--filter=object:type=blob", "--filter-provided-objects", string(commit),
		"--not", string(b.Settings().Integration.Tip), "--glob="+layout.SavedRefs+string(t.ID), "--remotes="+remote)
	if git.ExitCode(err) > 0 {
		return false, nil // what git cannot list it does not push
	}
	var paths []string
	for line := range strings.Lines(string(out)) {
		_, path, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		paths = append(paths, path)
	}
	foreign := b.Foreign(t, paths)
	if err = errors.Join(err, b.Err()); err != nil || len(foreign) == 0 {
		return false, err
	}
	what := fmt.Sprintf("what is saved of %s has files that no task owns or `never` names: %s", t.ID, git.VisibleList(foreign, 20))
	if remote == "" {
		c.say(what)
		return false, nil
	}
	if _, err := c.keepCommit(ctx, b, t.ID, commit, "branch "+t.ID.Branch()); err != nil {
		return false, err
	}
	c.say(fmt.Sprintf("%s; it stays in this clone until you push it: git -C %s push %s %s:refs/heads/%s-%s", what,
		shell.Quote(cmp.Or(c.repo.MainWorkTree(), c.repo.CommonDir())), shell.Quote(remote), commit.Short(), t.ID, commit.Short()))
	return true, nil
}

// never are the paths that no agent of the board changes: what they hold stays on this
// machine.
func (c *Checkouts) never(ctx context.Context) (worktrees.Never, error) {
	b, _, err := c.store.Board(ctx)
	if err != nil {
		return nil, err
	}
	globs := b.Settings().Config.Never
	return func(path string) bool {
		return slices.ContainsFunc(globs, func(glob string) bool { return flow.Match(glob, path) })
	}, b.Err()
}

// say tells people something that they have not been told yet: a move that is built anew
// saves again.
func (c *Checkouts) say(line string) {
	if _, told := c.told.LoadOrStore(line, true); !told && c.repo.Notice != nil {
		c.repo.Notice(line)
	}
}
