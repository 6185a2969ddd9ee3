package worktrees

import (
	"context"
	"errors"

	"github.com/git-liza/git-liza/gitstore/git"
)

// Return checks branch out again in a checkout that was left on another branch, or on
// none, and reports whether it did. It leaves the checkout as it is if something would
// be lost or hidden: uncommitted changes, untracked files, ignored files in the way,
// commits that no branch has, an unfinished merge or rebase.
func (k *Contents) Return(ctx context.Context, path, branch string) (bool, error) {
	r, err := k.recordAt(ctx, path)
	if err != nil {
		return false, err
	}
	s, err := k.readStatus(ctx, r)
	if err != nil || s.Branch == branch || !s.Clean() {
		return false, err
	}
	tip, err := k.repo.Refs.Resolve(ctx, "refs/heads/"+branch)
	if err != nil || tip == "" {
		return false, err
	}
	if s.Branch == "" {
		if held, err := k.repo.IsAncestor(ctx, s.Head, tip); err != nil || !held {
			return false, err
		}
	}
	_, err = k.isolation.run(ctx, r, git.Cmd{Args: []string{"switch", "-q", "--no-guess", "--no-overwrite-ignore", branch}, Limit: slow})
	if (git.ExitCode(err) > 0 || errors.Is(err, git.ErrRefLocked)) && ctx.Err() == nil {
		return false, nil // if a person types the command, git says what is in the way
	}
	if err != nil || !r.own {
		return err == nil, err
	}
	r.branch, r.head = branch, tip
	return true, k.insides.handDown(ctx, r)
}
