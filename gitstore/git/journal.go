package git

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/lists"
)

// The journal is the folder liza/journal in the common git directory. It has an entry,
// a file, for each running git process of ours that takes locks. The entry is written
// before that process starts, and removed once nothing is left of what it names. Our
// process holds a kernel lock on its entry, and git inherits the lock: an entry that
// can be locked belongs to dead processes, whatever the host, the container or the
// boot. A receive-pack cannot inherit a lock from the hook that writes its entry. Such
// an entry has a line maker instead, and names the board by which the push was judged,
// see [Journal.RecordPush] and [Journal.JudgedBy]. Paths are relative to the git directory,
// so that the entries in a copy of it do not name files of the original.
//
//	at 1768658760000000000                         when it was written, on the clock of the file system
//	for 125s                                       how long after that its process may take locks
//	by pid 4711 start 8812 boot 4c1d… ns 40265…    the process that holds the kernel lock, for people
//	maker pid 4711 start 8812 boot 4c1d… ns 40265… the process of an entry without a kernel lock
//	ref 9f91…|- refs/liza/state.lock               new value and lock file of each ref
//	under refs/liza/remote/origin                  all locks below are its own
//	file config.lock                               a lock that holds nothing to know it by, open while it is held
//	idle worktrees/task-1/index.lock               the same, of a lock that git closes before it lets go of it
//	objects                                        it writes objects
//	folder objects/tmp_objdir-incoming-x8JtPa      a folder that is its own
//	stood 1233 1768658759010000000 refs/…          inode and time of a lock that was there before
//	lock 1234 1768658760010000000 refs/…           inode and time of each lock, once git holds them all
//	judged 9f91…|-                                 the state commit by which a server judged the push
//	done                                           git has ended, and the move is about to be made durable
//
// An entry is durable before git takes a lock: after a power cut no lock is there
// whose entry is not.

// A Journal is the journal of one repository. It removes the locks and files that dead
// processes of ours left, and no others.
type Journal struct {
	repo *Repo

	// above are processes that wait for this one and hold no lock here meanwhile.
	above []int
}

// orphanLimit is how much later than its entry a lock can have been taken if
// the entry does not say: the time that a transaction may last.
const orphanLimit = gitLimit + killDelay

// Leftovers are what a git process may leave behind if it is killed.
type Leftovers struct {
	Locks   []LockFile
	Under   []string // folders of refs, as names of refs, in which only ours take locks
	Files   []string // lock files, absolute, of which only the name is known
	idle    []string // the same, which are not open all the while that they are held
	Objects bool
	limit   time.Duration // in which it may take them, orphanLimit if zero
}

func (l Leftovers) any() bool {
	return len(l.Locks)+len(l.Under)+len(l.Files)+len(l.idle) > 0 || l.Objects
}

type journalEntry struct {
	repo   *Repo
	file   *os.File
	path   string
	mode   string // liza.fsync
	leaves Leftovers
}

// Dir is the folder of the journal of locks.
func (j *Journal) Dir() string { return filepath.Join(j.repo.commonDir, layout.Private, "journal") }

// open writes the entry of a process that is about to start. It appears
// under its name only when it is whole and locked.
func (j *Journal) open(ctx context.Context, l Leftovers) (*journalEntry, error) {
	mode, err := j.repo.Flusher.FsyncMode(ctx)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(j.Dir(), strconv.Itoa(os.Getpid())+"-"+rand.Text()[:8])
	if err := os.MkdirAll(j.Dir(), 0o777); err != nil {
		return nil, fmt.Errorf("journal of locks: %w", err)
	}
	f, err := os.OpenFile(path+".new", os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o666)
	if err != nil {
		return nil, fmt.Errorf("journal of locks: %w", err)
	}
	e := &journalEntry{repo: j.repo, file: f, path: path, mode: mode, leaves: l}
	if err = e.writeEntry(); err == nil {
		err = os.Rename(path+".new", path)
	}
	if err == nil {
		err = flushDisk(f, mode, foldersUpTo(j.repo.commonDir, path)...)
	}
	if err != nil {
		os.Remove(path + ".new")
		os.Remove(path)
		f.Close()
		return nil, fmt.Errorf("journal of locks: %w", err)
	}
	return e, nil
}

// syncMovedRefs makes durable what git renamed: it syncs only what is in a ref's lock.
func (e *journalEntry) syncMovedRefs() error {
	paths := lists.Of(e.leaves.Locks, func(lock LockFile) string { return lock.path })
	_, err := e.file.WriteString("done\n")
	if err == nil {
		err = flushDisk(e.file, e.mode, foldersUpTo(e.repo.commonDir, paths...)...)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnsynced, err)
	}
	return nil
}

func (e *journalEntry) writeEntry() error {
	if err := TryLock(e.file); err != nil {
		return err
	}
	info, err := e.file.Stat()
	if err != nil {
		return err
	}
	by, _ := processIDOf(os.Getpid())
	_, err = e.file.WriteString(e.repo.Journal.entryText(info.ModTime(), e.leaves) + "by " + by.String() + "\n")
	return err
}

// entryText is the part of an entry that says what its process may leave.
func (j *Journal) entryText(at time.Time, l Leftovers) string {
	var text strings.Builder
	fmt.Fprintf(&text, "at %d\n", at.UnixNano())
	if l.limit > 0 {
		fmt.Fprintf(&text, "for %s\n", l.limit)
	}
	for _, lock := range l.Locks {
		fmt.Fprintf(&text, "ref %s %s\n", cmp.Or(lock.value, "-"), j.relative(lock.path))
	}
	for _, folder := range l.Under {
		fmt.Fprintf(&text, "under %s\n", folder)
	}
	for _, path := range l.Files {
		fmt.Fprintf(&text, "file %s\n", j.relative(path))
	}
	for _, path := range l.idle {
		fmt.Fprintf(&text, "idle %s\n", j.relative(path))
	}
	if l.Objects {
		text.WriteString("objects\n")
	}
	for _, lock := range j.existingLocks(l) {
		j.writeLock(&text, "stood", lock.path)
	}
	return text.String()
}

// writeLock adds a line that says which file stands at a path, if one does.
func (j *Journal) writeLock(text *strings.Builder, word, path string) {
	if info, err := os.Lstat(path); err == nil {
		fmt.Fprintf(text, "%s %d %d %s\n", word, inode(info), info.ModTime().UnixNano(), j.relative(path))
	}
}

// relative is a path as entries name it.
func (j *Journal) relative(path string) string {
	if rel, ok := strings.CutPrefix(path, j.repo.commonDir+string(filepath.Separator)); ok {
		return rel
	}
	return path
}

// absolute is what an entry names, "" where that is not in this git directory.
func (j *Journal) absolute(name string) string {
	if !filepath.IsAbs(name) {
		name = filepath.Join(j.repo.commonDir, name)
	}
	if rel, err := filepath.Rel(j.repo.commonDir, name); err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return name
}

// recordLocks records which files the locks are, now that git holds them.
func (e *journalEntry) recordLocks() error {
	var text strings.Builder
	for _, lock := range e.leaves.Locks {
		e.repo.Journal.writeLock(&text, "lock", lock.path)
	}
	_, err := e.file.WriteString(text.String())
	if err != nil {
		return fmt.Errorf("journal of locks: %w", err)
	}
	return nil
}

// close ends the entry after git, which shares its lock, has ended. If git failed, it
// removes the locks and files that git left. If it cannot, the entry stays for the
// next process that recovers.
func (e *journalEntry) close(gitErr error) {
	defer e.file.Close()
	if gitErr == nil {
		os.Remove(e.path)
		return
	}
	_, _ = e.repo.Journal.clearEntry(e.path)
}

// Recover clears what dead processes of ours left behind: lock files, and what
// else the journal names. Locks of others stay, see ErrRefLocked.
func (j *Journal) Recover(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	j.repo.sweepOnce.Do(j.repo.sweepTemps)
	_, err := j.recover()
	return err
}

// recover returns how much it cleared.
func (j *Journal) recover() (cleared int, err error) {
	entries, err := os.ReadDir(j.Dir())
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("journal of locks: %w", err)
	}
	for _, entry := range entries {
		if !entry.Type().IsRegular() {
			continue // not one of ours, see gitstore.StrangeFiles
		}
		n, err := j.recoverEntry(filepath.Join(j.Dir(), entry.Name()))
		cleared += n
		if err != nil {
			return cleared, fmt.Errorf("recovering from a process that was killed: %w", err)
		}
	}
	return cleared, nil
}

func (j *Journal) recoverEntry(path string) (cleared int, err error) {
	f, err := OpenRegular(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return 0, nil // on a server another user's may be unreadable
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if strings.HasSuffix(path, ".new") {
		// Written before anything is locked, in a moment.
		if info, err := f.Stat(); err == nil && time.Since(info.ModTime()) > emptyAge && TryLock(f) == nil {
			os.Remove(path)
		}
		return 0, nil
	}
	if err := TryLock(f); err != nil {
		return 0, nil // alive, or being recovered from
	}
	return j.clearEntry(path)
}

// clearEntry removes the files that an entry names, and then the entry, which is
// locked. The entry stays while one of the files is too young to judge or cannot be
// removed: only the entry tells to which process it belongs.
func (j *Journal) clearEntry(path string) (cleared int, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	e := j.parseEntry(string(text))
	if e.maker != nil && !e.maker.isDead(e.since) {
		return 0, nil
	}
	var others map[string]bool
	if e.maker != nil {
		others = j.locksOfPushes() // one of these may be a repetition, with the same values
	}
	kept := false
	for _, o := range j.orphans(e) {
		ours, later := o.isOurs()
		if ours && others[o.path] {
			ours, later = false, true
		}
		kept = kept || later
		if !ours {
			continue
		}
		if err := o.remove(); err != nil {
			return cleared, err
		}
		cleared++
	}
	if kept {
		return cleared, nil
	}
	if err = os.Remove(path); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return cleared, err
}
