package gitstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The journal is the folder liza/journal in the shared git directory: one file
// per transaction under way, written before git starts and removed after it
// ended. The process holds a kernel lock on its entry, and git inherits it: an
// entry that can be locked belongs to processes that are dead, on whatever
// host, in whatever container, after whatever restart. (A pid, a start time and
// a boot id say the same less surely; they stand in the entry for people.)
//
//	at 1768658760000000000                         when it was written, on the clock of the file system
//	by pid 4711 start 8812 boot 4c1d…
//	ref 9f91…|- .git/refs/liza/state.lock          new value and lock file of each ref
//	lock 1234 1768658760010000000 .git/refs/…      inode and time of each lock, once git holds them all

// orphanLimit is how much later than its entry a lock can have been taken: the
// time that a transaction may last.
const orphanLimit = gitLimit + killDelay

// emptyAge is the age from which a lock that is empty, or not yet whole, is an
// orphan: git writes the new value right after it takes the lock, its line break
// apart, and a deletion takes no longer.
const emptyAge = time.Second

// rewriteAge is how long packed-refs.new must have been left alone to be an
// orphan: less than git waits for packed-refs, more than it pauses in writing.
const rewriteAge = 4 * time.Second

type journalEntry struct {
	file  *os.File
	path  string
	locks []lockFile
}

func (r *Repo) journalDir() string { return filepath.Join(r.commonDir, "liza", "journal") }

// openJournal writes the entry of a transaction that is about to take locks. It
// appears under its name only when it is whole and locked.
func (r *Repo) openJournal(locks []lockFile) (*journalEntry, error) {
	path := filepath.Join(r.journalDir(), strconv.Itoa(os.Getpid())+"-"+rand.Text()[:8])
	if err := os.MkdirAll(r.journalDir(), 0o777); err != nil {
		return nil, fmt.Errorf("journal of ref transactions: %w", err)
	}
	f, err := os.OpenFile(path+".new", os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o666)
	if err != nil {
		return nil, fmt.Errorf("journal of ref transactions: %w", err)
	}
	e := &journalEntry{file: f, path: path + ".new", locks: locks}
	if err := e.begin(); err != nil {
		e.close()
		return nil, fmt.Errorf("journal of ref transactions: %w", err)
	}
	if err := os.Rename(e.path, path); err != nil {
		e.close()
		return nil, fmt.Errorf("journal of ref transactions: %w", err)
	}
	e.path = path
	return e, nil
}

func (e *journalEntry) begin() error {
	if err := flock(e.file, syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return err
	}
	info, err := e.file.Stat()
	if err != nil {
		return err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "at %d\nby %s\n", info.ModTime().UnixNano(), thisProcess())
	for _, lock := range e.locks {
		value := lock.value
		if value == "" {
			value = "-"
		}
		fmt.Fprintf(&text, "ref %s %s\n", value, lock.path)
	}
	_, err = e.file.WriteString(text.String())
	return err
}

// thisProcess tells people which process wrote an entry.
func thisProcess() string {
	by := "pid " + strconv.Itoa(os.Getpid())
	if stat, err := os.ReadFile("/proc/self/stat"); err == nil {
		// The command, in parentheses, may hold anything; start time is field 22.
		if f := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:])); len(f) > 19 {
			by += " start " + f[19]
		}
	}
	if boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id"); err == nil {
		by += " boot " + strings.TrimSpace(string(boot))
	}
	return by
}

// prepared records which files the locks are, now that git holds them.
func (e *journalEntry) prepared() error {
	var text strings.Builder
	for _, lock := range e.locks {
		if info, err := os.Lstat(lock.path); err == nil {
			fmt.Fprintf(&text, "lock %d %d %s\n", inode(info), info.ModTime().UnixNano(), lock.path)
		}
	}
	_, err := e.file.WriteString(text.String())
	if err != nil {
		return fmt.Errorf("journal of ref transactions: %w", err)
	}
	return nil
}

// close ends the entry; git, which shares its lock, has ended already.
func (e *journalEntry) close() {
	os.Remove(e.path)
	e.file.Close()
}

// Recover clears the lock files that dead processes of ours left behind. Locks
// of others stay, see ErrRefLocked.
func (r *Repo) Recover(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err := r.recover()
	return err
}

// recover returns how many locks it cleared.
func (r *Repo) recover() (cleared int, err error) {
	entries, err := os.ReadDir(r.journalDir())
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("journal of ref transactions: %w", err)
	}
	for _, entry := range entries {
		n, err := r.recoverEntry(filepath.Join(r.journalDir(), entry.Name()))
		cleared += n
		if err != nil {
			return cleared, fmt.Errorf("recovering from a transaction that was killed: %w", err)
		}
	}
	return cleared, nil
}

func (r *Repo) recoverEntry(path string) (cleared int, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if strings.HasSuffix(path, ".new") {
		// Written before anything is locked; an old one is litter.
		if info, err := f.Stat(); err == nil && time.Since(info.ModTime()) > orphanLimit {
			os.Remove(path)
		}
		return 0, nil
	}
	if err := flock(f, syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return 0, nil // alive, or being recovered from
	}
	if !stillAt(f, path) {
		return 0, nil // recovered from while we came to it
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return 0, err
	}
	kept := false
	for _, o := range parseEntry(string(text)) {
		ours, later := o.isOurs()
		kept = kept || later
		if !ours {
			continue
		}
		if err := os.Remove(o.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return cleared, err
		}
		cleared++
	}
	if !kept {
		err = os.Remove(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return cleared, err
}

// stillAt tells whether the open file is the one at path.
func stillAt(f *os.File, path string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(path)
	return err == nil && os.SameFile(opened, now)
}

// An orphan is what a journal entry says about one lock file.
type orphan struct {
	path     string
	value    string    // what git writes into it, "-" if nothing
	since    time.Time // of the entry
	inode    uint64    // of the lock, once git held it
	locked   time.Time // likewise
	prepared bool      // git held all of its locks
}

func parseEntry(text string) []orphan {
	var orphans []orphan
	var since time.Time
	for line := range strings.Lines(text) {
		if !strings.HasSuffix(line, "\n") {
			break // cut short by the kill
		}
		kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		a, rest, _ := strings.Cut(rest, " ")
		switch kind {
		case "at":
			since = parseNanos(a)
		case "ref":
			orphans = append(orphans, orphan{path: rest, value: a, since: since})
		case "lock":
			b, path, _ := strings.Cut(rest, " ")
			for i := range orphans {
				orphans[i].prepared = true
				if orphans[i].path == path {
					orphans[i].inode, _ = strconv.ParseUint(a, 10, 64)
					orphans[i].locked = parseNanos(b)
				}
			}
		}
	}
	return orphans
}

func parseNanos(s string) time.Time {
	n, _ := strconv.ParseInt(s, 10, 64)
	return time.Unix(0, n)
}

// isOurs tells whether the lock file that stands there now was taken by the
// transaction of the entry; later says to ask again when it is older.
func (o orphan) isOurs() (ours, later bool) {
	info, err := os.Lstat(o.path)
	if err != nil {
		return false, false
	}
	if o.prepared {
		return inode(info) == o.inode && info.ModTime().Equal(o.locked), false
	}
	if info.ModTime().Before(o.since) || info.ModTime().Sub(o.since) > orphanLimit {
		return false, false
	}
	age := time.Since(info.ModTime())
	if rewritten, ok := packedRewrite(o.path); ok {
		// Both files of `git pack-refs` look the same; one that lives is writing.
		age = min(age, rewritten-rewriteAge+emptyAge)
		return age > emptyAge, age <= emptyAge
	}
	content, err := os.ReadFile(o.path)
	switch {
	case err != nil:
		return false, false
	case string(content) == o.value+"\n":
		return true, false
	case len(content) == 0 || strings.HasPrefix(o.value, string(content)):
		return age > emptyAge, age <= emptyAge
	}
	return false, false
}

// packedRewrite tells for how long packed-refs.new has been left alone, if
// there is one and path is one of the two files that guard packed-refs.
func packedRewrite(path string) (age time.Duration, ok bool) {
	dir, name := filepath.Split(path)
	if name != "packed-refs.lock" && name != "packed-refs.new" {
		return 0, false
	}
	info, err := os.Stat(filepath.Join(dir, "packed-refs.new"))
	if err != nil {
		return 0, false
	}
	return time.Since(info.ModTime()), true
}

func inode(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}
