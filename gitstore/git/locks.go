package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/shell"
)

// A LockFile is one that git takes to move a ref. Value is what git writes
// into it, "" if nothing.
type LockFile struct {
	path  string
	value ID
}

// ErrRefLocked is wrapped by every *Locked. Callers test it to try again.
var ErrRefLocked = errors.New("a ref is locked")

// A Locked is the error of a lock file that is in the way and is not known to belong
// to a dead process of ours.
type Locked struct {
	Reason string // with the path
	Hint   string // the command that clears it, and where to type it
}

// Error says which file it is and how old.
func (l *Locked) Error() string { return l.Reason }

// Unwrap returns ErrRefLocked.
func (l *Locked) Unwrap() error { return ErrRefLocked }

// unlockHint is what clears a lock of this repository.
const unlockHint = "git liza doctor --unlock"

// foreignLock returns the first of some lock files that exists, nil if none does.
func (j *Journal) foreignLock(locks []LockFile) *Locked {
	for _, lock := range locks {
		if info, err := os.Lstat(lock.path); err == nil {
			age, hint := max(0, time.Since(info.ModTime())).Round(time.Second), unlockHint
			if filepath.Base(lock.path) == "index.lock" {
				hint = "rm " + shell.Quote(lock.path) // an editor that git waits for keeps it as long as it likes
			}
			return &Locked{fmt.Sprintf("%s: %s, %s old; if no git is running, `%s` removes it", ErrRefLocked, lock.path, age, hint), hint}
		}
	}
	return nil
}

// RunUnlocked runs a function that takes locks. Where a lock is in its way, it clears
// those of dead processes, waits a moment for those of living ones, and runs the
// function again. The error is a *Locked where a lock stays.
func (j *Journal) RunUnlocked(ctx context.Context, l Leftovers, run func() error) error {
	for deadline := time.Now().Add(2 * emptyAge); ; {
		err := run()
		if err == nil || ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		locks := j.existingLocks(l)
		if len(locks) == 0 {
			return err
		}
		cleared, recoverErr := j.recover()
		switch locked := j.foreignLock(locks); {
		case recoverErr == nil && cleared > 0, time.Now().Before(deadline):
		case locked != nil:
			return locked
		default:
			return err
		}
		if err := Wait(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}

// existingLocks returns those of the locks in l that exist.
func (j *Journal) existingLocks(l Leftovers) []LockFile {
	var locks []LockFile
	add := func(path string) {
		if _, err := os.Lstat(path); err == nil {
			locks = append(locks, LockFile{path: path})
		}
	}
	for _, lock := range l.Locks {
		add(lock.path)
	}
	for _, path := range slices.Concat(l.Files, l.idle) {
		add(path)
	}
	for _, folder := range l.Under {
		for _, path := range LocksBelow(filepath.Join(j.repo.commonDir, folder)) {
			add(path)
		}
	}
	return locks
}

// LocksBelow are the lock files in a folder of git's and in those in it. It follows no link.
func LocksBelow(folder string) (paths []string) {
	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".lock") {
			paths = append(paths, path)
		}
		return nil // git removes empty folders at any time
	})
	return paths
}

// LockFiles are the files that git takes for updates: one per ref, also for
// what a symbolic ref points to and for a HEAD that points to one of them, and
// two for packed-refs in deletions. Reftables have one for all.
func (s *RefStore) LockFiles(updates []RefUpdate) []LockFile {
	if s.repo.reftable {
		return []LockFile{{path: filepath.Join(s.repo.commonDir, "reftable", "tables.list.lock")}}
	}
	var locks []LockFile
	names := make(map[string]bool)
	add := func(name string, value ID) {
		if !names[name] {
			names[name] = true
			locks = append(locks, LockFile{filepath.Join(s.repo.commonDir, filepath.FromSlash(name)) + ".lock", value})
		}
	}
	for _, u := range updates {
		chain, _, _ := symrefChain(s, u.Name)
		for _, name := range chain {
			add(name, u.New)
		}
		if u.New == "" && !names["packed-refs"] {
			// Cleared in this order: the new content is only safe under the lock.
			locks = append(locks, LockFile{path: filepath.Join(s.repo.commonDir, "packed-refs.new")})
			add("packed-refs", "")
		}
	}
	head, err := ReadSmall(filepath.Join(s.repo.commonDir, "HEAD"))
	if target, ok := strings.CutPrefix(string(head), "ref:"); err == nil && ok && names[strings.TrimSpace(target)] {
		add("HEAD", "")
	}
	return locks
}
