package work

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// standing is a folder with a file for each checkout that sessions ran in, which the
// supervisors of those that still run have locked.
const standing = "standing"

func (c *Checkouts) standingPath(folder string) string {
	return filepath.Join(c.repo.CommonDir(), layout.Private, standing, folder)
}

// StandIn keeps others from removing a checkout while a session runs in it, until leave is
// called.
func (c *Checkouts) StandIn(folder string) (leave func(), err error) {
	if leave, err = holdShared(c.repo.CommonDir(), filepath.Join(standing, folder)); err != nil {
		return nil, fmt.Errorf("session in %s: %w", folder, err)
	}
	return leave, nil
}

// holdShared takes a lock of the clone that others can share, until release is called.
func holdShared(commonDir, name string) (release func(), err error) {
	f, err := git.OpenLock(commonDir, name)
	if err != nil {
		return nil, err
	}
	if err := git.ShareLock(f); err != nil {
		f.Close()
		return nil, err
	}
	return func() { git.Unlock(f) }, nil
}

// isStoodIn reports whether a session runs in a checkout, or another process, as far as
// this system tells: a person's shell.
func (c *Checkouts) isStoodIn(folder string) bool {
	return c.hasSession(folder) || proc.WorksIn(c.Trees.Path(folder))
}

func (c *Checkouts) hasSession(folder string) bool {
	f, err := os.Open(c.standingPath(folder))
	if err != nil {
		return false
	}
	if git.TryLock(f) != nil {
		f.Close()
		return true
	}
	git.Unlock(f)
	return false
}

// ClearLocks removes what a session, all of whose processes have ended, left of git's locks in its
// checkout, where they would keep all later ones from work. While another process of this
// machine works there, and where that cannot be told, they stay.
func ClearLocks(dir string) (err error) {
	locks := git.LocksBelow(filepath.Join(dir, ".git"))
	if len(locks) == 0 || runtime.GOOS != "linux" || proc.WorksIn(dir) { // who looks first removes none of somebody who comes
		return nil
	}
	for _, lock := range locks {
		if gone := os.Remove(lock); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}

// dropUnused removes a checkout that has ended, unless somebody is still in it: it is
// written down then for [Checkouts.RemoveLeft]. The checkout of a review that a person ended
// from within is written down already.
func (c *Checkouts) dropUnused(ctx context.Context, folder string) error {
	if c.LeftBy(folder) != "" {
		return nil
	}
	if c.isStoodIn(folder) {
		if err := git.ReplaceFile(c.leftPath(folder), nil); err != nil {
			return err
		}
		// Who left in the meantime has not met the file.
		if c.isStoodIn(folder) {
			return nil
		}
	}
	return c.dropFolder(ctx, folder, still(folder, Checkout.isStale))
}

// leftFolder has a file for each checkout that has ended and that somebody was still in.
// That of a review which a person ended from within has the person's name.
func (c *Checkouts) leftFolder() string {
	return filepath.Join(c.repo.CommonDir(), layout.Private, "left")
}

func (c *Checkouts) leftPath(folder string) string { return filepath.Join(c.leftFolder(), folder) }

// leaveStanding reports whether a person's command runs within a checkout that its own
// move has made stale: the folder in which somebody's shell is stays until a command
// runs elsewhere.
func (c *Checkouts) leaveStanding(by board.Actor, folder, dir string) (bool, error) {
	if !by.IsHuman() || !isWithin(dir, c.Trees.Path(folder)) {
		return false, nil
	}
	return true, git.ReplaceFile(c.leftPath(folder), []byte(by))
}

// LeftBy returns the person who ended the review of a checkout from within; "" if nobody
// did.
func (c *Checkouts) LeftBy(folder string) board.Actor {
	text, err := git.ReadSmall(c.leftPath(folder))
	if by := board.Actor(text); err == nil && folder != "" && by.IsHuman() {
		return by
	}
	return ""
}

// RemoveLeft removes the checkouts that have ended and that somebody was still in, but
// not those that somebody still is in, or dir. One that cannot be removed stays. Others can
// write these files: beside the reviews that a person ended from within, only what the
// board says to have ended goes, and what it held is kept.
func (c *Checkouts) RemoveLeft(ctx context.Context, dir string) error {
	entries, err := os.ReadDir(c.leftFolder())
	if err != nil || c.Trees == nil {
		return nil
	}
	ended := map[string]bool{}
	for _, entry := range entries {
		name := entry.Name()
		id, _, review := board.ParseFolder(name)
		switch {
		case id == "" || isWithin(dir, c.Trees.Path(name)) || c.isStoodIn(name):
		case c.isGone(name):
			_ = os.Remove(c.leftPath(name))
		case review != "" && c.LeftBy(name) != "":
			_ = c.dropFolder(ctx, name, still(name, Checkout.isStale))
		default:
			ended[name] = true
		}
	}
	if len(ended) == 0 {
		return nil
	}
	b, _, err := c.store.Board(ctx)
	if err != nil {
		return err
	}
	_, err = c.prune(ctx, b, func(k Checkout) bool {
		return ended[k.Name] && k.Stale && (k.Submission != 0 || k.Status.Final())
	})
	return err
}

func (c *Checkouts) isGone(folder string) bool {
	_, err := os.Lstat(c.Trees.Path(folder))
	return errors.Is(err, fs.ErrNotExist)
}
