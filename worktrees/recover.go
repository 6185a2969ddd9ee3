package worktrees

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Clear clears what dead processes of ours have left: what the journal names
// ([git.Journal.Recover]), checkouts that they were making or removing, private
// ones, and what they had for themselves.
// A kernel lock tells that a process is dead: what a living one is at stays, and
// so does what anybody else has made. It looks at a few folders and starts no
// process where nothing is left over. What cannot be removed does not keep it
// from the rest; the error tells of it.
func (l *Leftovers) Clear(ctx context.Context) error {
	errs := []error{l.registry.repo.Journal.Recover(ctx), l.registry.sweepGates(ctx), l.registry.scratch.sweepScratch()}
	dirs, err := l.registry.gitDirs()
	errs = append(errs, err)
	for _, dir := range dirs {
		clearDead(filepath.Join(dir, "index.lock"))
		errs = append(errs, l.recoverDir(ctx, dir), l.recoverNote(ctx, dir))
	}
	return errors.Join(append(errs, l.sweepGone(), l.sweepRestored())...)
}

// recoverDir discards a work tree that is half there, by its git directory.
func (l *Leftovers) recoverDir(ctx context.Context, dir string) error {
	if dir == l.registry.common || !isHalfMade(dir) {
		return nil
	}
	r := record{gitDir: dir}
	known, err := l.registry.readRecord(ctx, &r)
	if err != nil || !known || filepath.Dir(r.path) != resolveLinks(l.registry.root) {
		return err
	}
	name := filepath.Base(r.path)
	if name[0] == '.' {
		return nil // a private one, which its own lock tells of
	}
	unlock, free := l.registry.locks.tryName(name)
	if !free {
		return nil
	}
	defer unlock()
	if !isHalfMade(dir) {
		return nil // it was finished meanwhile
	}
	return l.registry.discardCheckout(r)
}

// recoverNote brings a work tree along whose branch was moved by a process that
// noted so. A note whose branch has not moved may be that of a living one; it is
// no obstacle, and the next to move the branch removes it.
func (l *Leftovers) recoverNote(ctx context.Context, dir string) error {
	if !fileExists(notePath(record{gitDir: dir})) {
		return nil
	}
	records, err := l.registry.records(ctx)
	if err != nil {
		return err
	}
	for _, r := range records {
		if r.gitDir != dir || r.half || r.gone || r.alien {
			continue
		}
		if _, to, err := readNote(r); err != nil || to != r.head {
			return err
		}
		return l.followers.catchUp(ctx, r)
	}
	return nil
}

// isHalfMade reports whether a work tree's git directory says that one of ours is
// being made or removed.
func isHalfMade(dir string) bool {
	reason, err := os.ReadFile(filepath.Join(dir, "locked"))
	text := strings.TrimSpace(string(reason))
	return err == nil && (text == making || text == removing)
}

// sweepGone removes what was set aside to be removed.
func (l *Leftovers) sweepGone() error {
	var errs []error
	for _, prefix := range []string{filepath.Join(l.registry.root, gonePrefix), l.registry.scratch.path("gone-")} {
		garbage, err := filepath.Glob(quoteGlob(prefix) + "*")
		errs = append(errs, err)
		for _, path := range garbage {
			if err := removeAll(path); err != nil {
				errs = append(errs, fmt.Errorf("worktrees: what is left of a checkout: %w", err))
			}
		}
	}
	return errors.Join(errs...)
}

// sweepRestored removes folders that were being restored.
func (l *Leftovers) sweepRestored() error {
	restoring, err := filepath.Glob(filepath.Join(quoteGlob(l.registry.root), newPrefix+"*"))
	for _, path := range restoring {
		unlock, free := l.registry.locks.tryName(strings.TrimPrefix(filepath.Base(path), newPrefix))
		if !free {
			continue
		}
		err = errors.Join(err, removeAll(path))
		unlock()
	}
	return err
}

// finishing is how long a living process gets to finish a checkout that is in the
// way of another.
const finishing = time.Minute
