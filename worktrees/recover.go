package worktrees

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/git-liza/git-liza/gitstore/git"
)

// Clear removes what dead processes of this program have left: what the journal names
// ([git.Journal.Recover]), checkouts that they were making or removing, private
// checkouts, and their scratch files. It finds the checkouts of a clone that was moved. A kernel lock shows whether a process is dead.
// What a living process works on stays, and so does what other programs made. If
// nothing is left over, it looks at a few folders and starts no process. A failed
// removal does not keep it from the others; the error names it.
func (l *Leftovers) Clear(ctx context.Context) error {
	g := l.registry
	return errors.Join(g.repo.Journal.Recover(ctx), g.followMove(), g.sweepUndone(ctx),
		g.scratch.sweepHeld(scratchPrefix, func(name string) error { return removeAll(g.scratch.path(name)) }), l.recoverDirs(ctx), l.sweepGone(),
		g.scratch.sweepHeld(newPrefix, func(name string) error { return removeAll(filepath.Join(g.root, "."+name)) }))
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
		if !common.Lacks(name + "/" + noteName) {
			errs = append(errs, l.recoverNote(ctx, dir))
		}
	}
	return errors.Join(errs...)
}

// recoverNote has a work tree follow its branch if a process noted a move of the branch
// and made it. If the branch has not moved, the note may belong to a living process; it
// is no obstacle, and the next process that moves the branch removes it.
func (l *Leftovers) recoverNote(ctx context.Context, dir string) error {
	return l.registry.each(ctx, func(r record) error {
		if r.gitDir != dir {
			return nil
		}
		if _, to, err := readNote(r); err != nil || to != r.head {
			return err
		}
		return l.followers.catchUp(ctx, r)
	})
}

// sweepGone removes what was renamed to be removed.
func (l *Leftovers) sweepGone() error {
	var errs []error
	for _, path := range git.PathsIn(l.registry.root, gonePrefix, "") {
		if err := removeAll(path); err != nil {
			errs = append(errs, fmt.Errorf("worktrees: what is left of a checkout: %w", err))
		}
	}
	return errors.Join(errs...)
}
