package work

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A Restored ref is the integration branch, back where the board has it, or a ref
// that git could not read.
type Restored struct {
	Ref  string `json:"ref"`
	Was  git.ID `json:"was"`  // "" where it was gone, or its file held no object id
	Is   git.ID `json:"is"`   // "" where the ref is removed
	Kept string `json:"kept"` // the ref that keeps what only the branch held, "" if there is none
}

// Restore moves the integration branch and its checkouts back to the board's tip.
// Commits that only the branch held are kept under refs/liza/rescue/. It returns
// nil if the branch is right. Errors are *worktrees.Dirty or *worktrees.Obstacle,
// or as those of [git.RefStore.MoveRefs].
func (i *Integration) Restore(ctx context.Context) (*Restored, error) {
	release, err := i.repo.Queue(ctx)
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
	if r.Was, err = i.repo.Resolve(ctx, r.Ref); err != nil || r.Was == want.Tip {
		return nil, err
	}
	updates := []git.RefUpdate{{Name: r.Ref, Old: r.Was, New: want.Tip}}
	if r.Was != "" {
		contained, err := i.repo.IsAncestor(ctx, r.Was, want.Tip)
		if err != nil {
			return nil, err
		}
		if !contained {
			r.Kept = layout.RescueFolder(i.store.Now(), r.Was.Short()) + "/integration"
			updates = append(updates, git.RefUpdate{Name: r.Kept, New: r.Was, Any: true})
		}
	}
	follow := i.checkouts.Trees != nil && r.Was != ""
	if follow {
		if err := i.checkouts.Trees.Followers.Check(ctx, want.Name, r.Was, want.Tip); err != nil {
			return nil, err
		}
	}
	if err := i.repo.MoveRefs(ctx, updates, "liza: doctor --restore"); err != nil {
		return nil, err
	}
	if follow {
		err = i.checkouts.Trees.Followers.Follow(ctx, want.Name, r.Was, want.Tip)
	}
	return r, err
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
