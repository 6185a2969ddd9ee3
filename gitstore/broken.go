package gitstore

import (
	"context"
	"errors"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// CheckRefs returns each ref that git cannot read, except the integration
// branch, with a command that repairs it if there is one. As long as there is
// such a ref, every fetch fails.
func (a *Audit) CheckRefs(ctx context.Context, b *flow.Board) ([]*Damaged, error) {
	broken, err := a.repo.BrokenRefs(ctx)
	if err != nil {
		return nil, err
	}
	integration := b.Settings().Integration
	var list []*Damaged
	for _, ref := range broken {
		if ref.Name == b.Settings().Integration.Ref() {
			continue // CheckTips reads it
		}
		hint, err := a.brokenHint(ctx, ref, integration.Tip)
		if err != nil {
			return nil, err
		}
		list = append(list, &Damaged{List: []Damage{{ref.Name, ref.Object, ref.Reason}}, Hint: hint})
	}
	return list, nil
}

// brokenHint is the command for one broken ref. A copy of a ref of a remote, or
// a presence, is removed and comes again. A branch is reset to its last
// readable commit; a task branch without one is reset to integration.
func (a *Audit) brokenHint(ctx context.Context, ref git.BrokenRef, integration git.ID) (string, error) {
	for _, prefix := range []string{"refs/remotes/", layout.RemoteRefs, layout.PresenceRefs} {
		switch {
		case !strings.HasPrefix(ref.Name, prefix):
		case ref.File != "":
			return "rm " + shell.Quote(ref.File), nil // git update-ref refuses
		default:
			return a.clearEmpty() + "; git update-ref -d " + shell.Quote(ref.Name), nil
		}
	}
	if !strings.HasPrefix(ref.Name, "refs/heads/") {
		return a.refetchHint(ctx, []string{shell.Quote(ref.Name)})
	}
	last, err := a.repo.LastReadable(ctx, ref.Name)
	if last == "" && strings.HasPrefix(ref.Name, layout.TaskRefs) {
		last = integration
	}
	switch {
	case err != nil:
		return "", err
	case last == "":
		return lookForDamage, nil
	case ref.File != "":
		return "echo " + string(last) + " >" + shell.Quote(ref.File), nil
	}
	return a.clearEmpty() + "; git update-ref " + shell.Quote(ref.Name) + " " + string(last), nil
}

// explainFetch is the error of a fetch: a *Damaged if a ref of this repository
// that git cannot read made it fail, else err. It removes broken refs that are
// copies of refs of a remote, and reports whether it removed any.
func (r *Remotes) explainFetch(ctx context.Context, err error) (dropped bool, _ error) {
	var failed *git.Error
	if !errors.As(err, &failed) || !strings.Contains(failed.Stderr, "object") {
		return false, err
	}
	broken, listErr := r.repo.BrokenRefs(ctx)
	if listErr != nil || len(broken) == 0 {
		return false, err
	}
	damaged := &Damaged{Hint: "git liza doctor"}
	for _, ref := range broken[:min(len(broken), maxDamages)] {
		if strings.HasPrefix(ref.Name, layout.RemoteRefs) && r.repo.DropBroken(ctx, ref) == nil {
			dropped = true
			continue
		}
		damaged.List = append(damaged.List, Damage{ref.Name, ref.Object, ref.Reason})
	}
	if len(damaged.List) == 0 {
		return dropped, err
	}
	return dropped, damaged
}
