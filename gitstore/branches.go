package gitstore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/gitstore/git"
)

// Branches asks a remote which of some branches it has, by their full names, and which
// branch its HEAD stands for, "" if that is none. Errors wrap ErrOffline.
func (r *Remotes) Branches(ctx context.Context, name string, branches ...string) (there map[string]git.ID, head string, err error) {
	out, err := r.runGit(ctx, git.Leftovers{}, append([]string{"ls-remote", "--symref", "--", name, "HEAD"}, branches...)...)
	if err != nil {
		return nil, "", offlineError(name, err)
	}
	there = map[string]git.ID{}
	for line := range strings.Lines(string(out)) {
		what, ref, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if to, found := strings.CutPrefix(what, "ref: "); found {
			if ref == "HEAD" {
				head = to
			}
			continue
		}
		if err := r.repo.CheckID(git.ID(what)); err != nil {
			return nil, "", fmt.Errorf("remote %s: %w", name, err)
		}
		if ref != "HEAD" {
			there[ref] = git.ID(what)
		}
	}
	return there, head, nil
}

// PushBranch moves one branch of a remote from where it is said to be. It fails where the
// branch is elsewhere. Errors of the connection wrap ErrOffline.
func (r *Remotes) PushBranch(ctx context.Context, name string, u git.RefUpdate) error {
	err := r.push(ctx, name, []git.RefUpdate{u})
	var answered *rejection
	if err == nil || errors.As(err, &answered) {
		return err
	}
	return offlineError(name, err)
}
