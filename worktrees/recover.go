package worktrees

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Recover clears what dead processes of ours have left: what the journal names
// ([git.Repo.Recover]), checkouts that they were making or removing, private
// ones, and what they had for themselves.
// A kernel lock tells that a process is dead: what a living one is at stays, and
// so does what anybody else has made. It looks at a few folders and starts no
// process where nothing is left over. What cannot be removed does not keep it
// from the rest; the error tells of it.
func (t *Trees) Recover(ctx context.Context) error {
	errs := []error{t.repo.Journal.Recover(ctx), t.sweepGates(ctx), t.sweepScratch()}
	dirs, err := t.gitDirs()
	errs = append(errs, err)
	for _, dir := range dirs {
		clearDead(filepath.Join(dir, "index.lock"))
		errs = append(errs, t.recoverDir(ctx, dir), t.recoverNote(ctx, dir))
	}
	return errors.Join(append(errs, t.sweepGone(), t.sweepRestored())...)
}

// gitDirs are the git directories of the linked work trees.
func (t *Trees) gitDirs() ([]string, error) {
	above := filepath.Join(t.common, "worktrees")
	entries, err := os.ReadDir(above)
	if err != nil && !absent(err) {
		return nil, fmt.Errorf("worktrees: %w", err)
	}
	dirs := []string{t.common}
	for _, entry := range entries {
		dirs = append(dirs, filepath.Join(above, entry.Name()))
	}
	return dirs, nil
}

// recoverDir discards a work tree that is half there, by its git directory.
func (t *Trees) recoverDir(ctx context.Context, dir string) error {
	if dir == t.common || !halfThere(dir) {
		return nil
	}
	r := record{gitDir: dir}
	known, err := t.readRecord(ctx, &r)
	if err != nil || !known || filepath.Dir(r.path) != resolved(t.root) {
		return err
	}
	name := filepath.Base(r.path)
	if name[0] == '.' {
		return nil // a private one, which its own lock tells of
	}
	unlock, free := t.tryName(name)
	if !free {
		return nil
	}
	defer unlock()
	if !halfThere(dir) {
		return nil // it was finished meanwhile
	}
	return t.discard(r)
}

// recoverNote brings a work tree along whose branch was moved by a process that
// noted so. A note whose branch has not moved may be that of a living one; it is
// no obstacle, and the next to move the branch removes it.
func (t *Trees) recoverNote(ctx context.Context, dir string) error {
	if !exists(notePath(record{gitDir: dir})) {
		return nil
	}
	records, err := t.records(ctx)
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
		return t.catchUp(ctx, r)
	}
	return nil
}

// halfThere reports whether a work tree's git directory says that one of ours is
// being made or removed.
func halfThere(dir string) bool {
	reason, err := os.ReadFile(filepath.Join(dir, "locked"))
	text := strings.TrimSpace(string(reason))
	return err == nil && (text == making || text == removing)
}

// sweepGone removes what was set aside to be removed.
func (t *Trees) sweepGone() error {
	var errs []error
	for _, prefix := range []string{filepath.Join(t.root, gonePrefix), t.private("gone-")} {
		garbage, err := filepath.Glob(globbed(prefix) + "*")
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
func (t *Trees) sweepRestored() error {
	restoring, err := filepath.Glob(filepath.Join(globbed(t.root), newPrefix+"*"))
	for _, path := range restoring {
		unlock, free := t.tryName(strings.TrimPrefix(filepath.Base(path), newPrefix))
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

// freed are the records without the half-made checkouts of a branch: those of
// dead processes are discarded, and living ones get time to finish theirs. The
// lock of name is held.
func (t *Trees) freed(ctx context.Context, records []record, name, branch string) ([]record, error) {
	for deadline := time.Now().Add(finishing); ; {
		i := slices.IndexFunc(records, func(r record) bool { return r.half && r.name != name && r.has(branch) })
		if i < 0 {
			return records, nil
		}
		if err := t.discardDead(records[i], name); err != nil {
			return nil, err
		}
		if time.Now().After(deadline) {
			return nil, &Obstacle{Path: records[i].place(t), Reason: "is being made by another process"}
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("worktrees: waiting for another process: %w", ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
		var err error
		if records, err = t.records(ctx); err != nil {
			return nil, err
		}
	}
}

// discardDead discards a half-made checkout that nobody is at, but for the
// holder of held's lock, which its name may share.
func (t *Trees) discardDead(r record, held string) error {
	if stripe(r.name) != stripe(held) {
		unlock, free := t.tryName(r.name)
		if !free {
			return nil
		}
		defer unlock()
	}
	if !halfThere(r.gitDir) {
		return nil
	}
	return t.discard(r)
}
