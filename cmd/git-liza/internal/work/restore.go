package work

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A Restored ref is the integration branch, back where the board has it, or a ref
// that git could not read.
type Restored struct {
	Ref  string `json:"ref"`
	Was  git.ID `json:"was"`            // "" where it was gone, or its file held no object id
	Is   git.ID `json:"is"`             // "" where the ref is removed
	Kept string `json:"kept"`           // the ref that keeps what only the branch held, "" if there is none
	Lost git.ID `json:"lost,omitempty"` // where it was, if that cannot be read and nothing keeps it
}

// Restore moves the integration branch and its checkouts back to the board's tip.
// Commits that only the branch held are kept under refs/liza/rescue/. It returns
// nil if the branch is right. Errors are *worktrees.Dirty or *worktrees.Obstacle,
// or as those of [git.RefStore.MoveRefs].
func (i *Integration) Restore(ctx context.Context) (*Restored, error) {
	release, err := i.repo.Turns.Alone(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	b, _, err := i.store.Board(ctx)
	if err != nil {
		return nil, err
	}
	want := b.Settings().Integration
	if err := i.returnLog(want.Name); err != nil {
		return nil, err
	}
	r := &Restored{Ref: want.Ref(), Is: want.Tip}
	r.Was, err = i.repo.Refs.Direct(ctx, r.Ref)
	rewritten := errors.Is(err, git.ErrBrokenRef)
	if rewritten {
		if err = i.rewriteBroken(ctx, b); err == nil {
			r.Was, err = i.repo.Refs.Direct(ctx, r.Ref)
		}
	}
	if err != nil {
		return nil, err
	}
	if r.Was == want.Tip {
		if !rewritten {
			return nil, nil
		}
		r.Was = ""
		return r, nil
	}
	moved, err := i.moveBack(ctx, r, want.Name)
	if !moved {
		return nil, err
	}
	return r, err
}

// moveBack moves the branch to where r says. A commit that cannot be read tells
// nothing of what the branch held: then its reflog does, and checkouts keep their
// files. It reports whether it did.
func (i *Integration) moveBack(ctx context.Context, r *Restored, branch string) (moved bool, err error) {
	updates := []git.RefUpdate{{Name: r.Ref, Old: r.Was, New: r.Is}}
	held, follow := r.Was, i.checkouts.Trees != nil && r.Was != ""
	if r.Was != "" {
		whole, err := i.repo.IsWhole(ctx, r.Was, r.Is)
		if err == nil && !whole {
			follow, r.Lost = false, r.Was
			held, err = i.repo.Refs.LastWhole(ctx, git.BrokenRef{Name: r.Ref, Object: r.Was}, r.Is)
		}
		if err != nil {
			return false, err
		}
	}
	if held != "" {
		contained, err := i.repo.IsAncestor(ctx, held, r.Is)
		if err != nil {
			return false, err
		}
		if !contained {
			r.Was = held
			r.Kept = layout.RescueFolder(i.store.Now(), held.Short()) + "/integration"
			updates = append(updates, git.RefUpdate{Name: r.Kept, New: held, Any: true})
		}
	}
	if follow {
		if err := i.checkouts.Trees.Followers.Check(ctx, branch, r.Was, r.Is); err != nil {
			return false, err
		}
	}
	if err := i.repo.Refs.MoveRefs(ctx, updates, "liza: doctor --restore"); err != nil {
		return false, err
	}
	if follow {
		err = i.checkouts.Trees.Followers.Follow(ctx, branch, r.Was, r.Is)
	}
	return true, err
}

// rewriteBroken makes a branch that is broken one again, at the last commit of its reflog
// that can be read, or where the board has it.
func (i *Integration) rewriteBroken(ctx context.Context, b *board.Board) error {
	want := b.Settings().Integration
	to, err := i.repo.Refs.LastWhole(ctx, git.BrokenRef{Name: want.Ref()}, want.Tip)
	if err == nil && to == "" {
		to = want.Tip
		_, err = i.store.Audit.CheckTips(ctx, b)
	}
	if err != nil {
		return err
	}
	return i.repo.Refs.RewriteBroken(ctx, want.Ref(), to)
}

// strayLog finds a reflog that `git branch -m` has moved aside and left there
// because a hook refused. git renames and copies no branch while it is there.
func (i *Integration) strayLog(branch string) (from, to string, stray bool) {
	logs := filepath.Join(i.repo.CommonDir(), "logs", "refs")
	from, to = filepath.Join(logs, ".tmp-renamed-log"), filepath.Join(logs, "heads", filepath.FromSlash(branch))
	_, there := os.Lstat(from)
	_, own := os.Lstat(to)
	return from, to, there == nil && errors.Is(own, fs.ErrNotExist)
}

// returnLog moves that reflog of the integration branch back.
func (i *Integration) returnLog(branch string) error {
	from, to, stray := i.strayLog(branch)
	if !stray {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// A Baseline is the state at the beginning of a session: the board's tip, and
// whether the integration branch was astray already.
type Baseline struct {
	tip    board.ObjectID
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
		line := "the board is at " + r.Is.Short() + " again"
		if len(r.Kept) > 0 {
			line += fmt.Sprintf("; %s is kept under %s", r.Kept[0].Short(), layout.RescueRefs)
		}
		said = append(said, line)
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
