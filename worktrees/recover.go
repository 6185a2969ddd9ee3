package worktrees

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/gitstore/git"
)

// Clear removes what dead processes of this program have left: what the journal names
// ([git.Journal.Recover]), checkouts that they were making or removing, private
// checkouts, and their scratch files. A kernel lock shows whether a process is dead.
// What a living process works on stays, and so does what other programs made. If
// nothing is left over, it looks at a few folders and starts no process. A failed
// removal does not keep it from the others; the error names it.
func (l *Leftovers) Clear(ctx context.Context) error {
	return errors.Join(l.registry.repo.Journal.Recover(ctx), l.registry.sweepGates(ctx), l.registry.scratch.sweepScratch(),
		l.recoverDirs(ctx), l.sweepGone(), l.sweepRestored())
}

// recoverDirs clears what is in the git directories of work trees. Of most there is nothing.
func (l *Leftovers) recoverDirs(ctx context.Context) error {
	common, err := git.OpenFolder(l.registry.common)
	if err != nil {
		return fmt.Errorf("worktrees: %w", err)
	}
	defer common.Close()
	names, err := l.registry.gitDirNames()
	errs := []error{err}
	for _, name := range names {
		dir := filepath.Join(l.registry.common, name)
		if !common.Lacks(name + "/index.lock") {
			clearDead(filepath.Join(dir, "index.lock"))
		}
		if !common.Lacks(name + "/locked") {
			errs = append(errs, l.recoverDir(ctx, dir))
		}
		if !common.Lacks(name + "/" + noteName) {
			errs = append(errs, l.recoverNote(ctx, dir))
		}
	}
	return errors.Join(errs...)
}

// recoverDir discards a half-made or half-removed work tree, given its git directory.
func (l *Leftovers) recoverDir(ctx context.Context, dir string) error {
	if dir == l.registry.common || !isHalfMade(dir) {
		return nil
	}
	r := record{gitDir: dir}
	known, err := l.registry.readRecord(ctx, &r, folderLinks{})
	if err != nil || !known || filepath.Dir(r.path) != resolveLinks(l.registry.root) {
		return err
	}
	r.name = filepath.Base(r.path)
	if r.name[0] == '.' {
		return nil // a private one, which has a lock of its own
	}
	return errors.Join(l.registry.discardDead(r), l.registry.dropPins(ctx))
}

// recoverNote has a work tree follow its branch if a process noted a move of the branch
// and made it. If the branch has not moved, the note may belong to a living process; it
// is no obstacle, and the next process that moves the branch removes it.
func (l *Leftovers) recoverNote(ctx context.Context, dir string) error {
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
	reason, err := git.ReadSmall(filepath.Join(dir, "locked"))
	text := strings.TrimSpace(string(reason))
	return err == nil && (text == making || text == removing)
}

// sweepGone removes what was renamed to be removed.
func (l *Leftovers) sweepGone() error {
	var errs []error
	garbage := slices.Concat(git.PathsIn(l.registry.root, gonePrefix, ""), git.PathsIn(l.registry.scratch.path(""), "gone-", ""))
	for _, path := range garbage {
		if err := removeAll(path); err != nil {
			errs = append(errs, fmt.Errorf("worktrees: what is left of a checkout: %w", err))
		}
	}
	return errors.Join(errs...)
}

// sweepRestored removes folders that were being restored.
func (l *Leftovers) sweepRestored() (err error) {
	for _, path := range git.PathsIn(l.registry.root, newPrefix, "") {
		unlock, free := l.registry.locks.tryName(strings.TrimPrefix(filepath.Base(path), newPrefix))
		if !free {
			continue
		}
		err = errors.Join(err, removeAll(path))
		unlock()
	}
	return err
}

// finishing is how long a living process gets to finish a checkout that is in the way
// of another.
const finishing = time.Minute
