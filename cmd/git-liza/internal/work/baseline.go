package work

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A Baseline is the state at the beginning of a session: the board's tip, and
// whether the integration branch was astray already.
type Baseline struct {
	tip    flow.ObjectID
	astray bool
}

// TakeBaseline returns the baseline of a session that begins now.
func (i *Integration) TakeBaseline(ctx context.Context) (Baseline, error) {
	tip, err := i.store.Tip(ctx)
	if err != nil {
		return Baseline{}, err
	}
	astray, err := i.isAstray(ctx)
	return Baseline{tip, astray}, err
}

// RestoreBaseline puts board and integration branch back if a session moved them
// against the rules, by git's own commands and without hooks. known is the session's
// baseline. said are lines for people, none if nothing was restored. Moves that the
// rules allow stay, whichever process made them. Removed commits are kept under
// refs/liza/rescue/.
func (i *Integration) RestoreBaseline(ctx context.Context, known Baseline) (said []string, err error) {
	r, err := i.store.Repairer.Reclaim(ctx, known.tip)
	if err != nil {
		return nil, err
	}
	switch {
	case r.Was != r.Is:
		said = append(said, "the board is at "+r.Is.Short()+" again"+asideText(r))
	case len(r.Kept) > 0:
		said = append(said, fmt.Sprintf("the board was set back and others have gone on: %d moves are off it and kept under %s", r.Count, layout.RescueRefs))
	}
	off, err := i.isAstray(ctx)
	if err != nil || !off || known.astray {
		return said, err
	}
	restored, err := i.Restore(ctx)
	if restored != nil {
		line := fmt.Sprintf("%s is at %s again", restored.Ref, restored.Is.Short())
		if restored.Kept != "" {
			line += "; " + restored.Was.Short() + " is kept as " + restored.Kept
		}
		said = append(said, line)
	}
	return said, err
}

// asideText describes the commits that a repair has put aside.
func asideText(r gitstore.Repaired) string {
	if len(r.Kept) == 0 {
		return ""
	}
	return fmt.Sprintf("; %s is kept under %s", r.Kept[0].Short(), layout.RescueRefs)
}

// isAstray reports whether the integration branch is at a commit that no rule
// allows, or at none that can be read. It may be behind the board if a remote holds the board.
func (i *Integration) isAstray(ctx context.Context) (bool, error) {
	b, _, err := i.store.Board(ctx)
	if err != nil {
		return false, err
	}
	want := b.Settings().Integration
	now, err := i.repo.Refs.Direct(ctx, want.Ref())
	if errors.Is(err, git.ErrBrokenRef) {
		return true, nil
	}
	if err != nil || now == want.Tip {
		return false, err
	}
	remote, err := i.store.Authority(ctx)
	if err != nil || now == "" || remote == "" {
		return err == nil, err
	}
	behind, err := i.repo.IsAncestor(ctx, now, want.Tip)
	if git.ExitCode(err) > 0 {
		return true, nil // it is at what cannot be read
	}
	return err == nil && !behind, err
}
