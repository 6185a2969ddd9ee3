package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// emptyAge is the age from which a lock that is empty, or not yet whole, is an
// orphan: git writes the new value right after it takes the lock, its line break
// apart, and a deletion takes no longer.
const emptyAge = time.Second

// rewriteAge is how long packed-refs.new must have been left alone to be an
// orphan: less than git waits for packed-refs, more than it pauses in writing.
const rewriteAge = 4 * time.Second

// An entry is what a file of the journal says.
type entry struct {
	since   time.Time
	limit   time.Duration
	maker   *processID // nil where a kernel lock tells
	locks   []orphan
	under   []string // folders, absolute
	before  map[string]lockID
	objects bool
}

// A lockID tells a lock file from a later one at the same path.
type lockID struct {
	inode uint64
	at    time.Time
}

// A proof is how it is shown that a file belongs to a dead process.
type proof int

const (
	byValue  proof = iota // it holds what git writes into it, or is the very file that was noted
	byAnyID               // it holds any object id: no other process takes locks there
	byUse                 // no process has it open
	byIdle                // no process has it open, and no git runs here that can have made it
	byFolder              // it is a folder whose name no other process can get
)

// An orphan is what a journal entry says about one file.
type orphan struct {
	path     string
	proof    proof
	value    string        // what git writes into it, "-" if nothing
	since    time.Time     // of the entry
	limit    time.Duration // after it, for taking the lock
	before   lockID        // that stood there before
	lock     lockID        // that git held
	prepared bool          // git held all of its locks

	noGitRunsSince func(time.Time) bool // see [Journal.noGitRunsSince]
}

func (j *Journal) parseEntry(text string) entry {
	e := entry{limit: orphanLimit, before: map[string]lockID{}}
	for line := range strings.Lines(text) {
		if !strings.HasSuffix(line, "\n") {
			break // cut short by the kill
		}
		kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch kind {
		case "at":
			e.since = parseNanos(rest)
		case "for":
			if d, err := time.ParseDuration(rest); err == nil {
				e.limit = d
			}
		case "maker":
			e.maker = parseProcessID(rest)
		case "ref":
			value, name, _ := strings.Cut(rest, " ")
			e.add(orphan{path: j.absolute(name), proof: byValue, value: value, noGitRunsSince: j.noGitRunsSince})
		case "under":
			if folder := j.absolute(rest); folder != "" {
				e.under = append(e.under, folder)
			}
		case "file":
			e.add(orphan{path: j.absolute(rest), proof: byUse})
		case "idle":
			e.add(orphan{path: j.absolute(rest), proof: byIdle, noGitRunsSince: j.noGitRunsSince})
		case "folder":
			e.add(orphan{path: j.absolute(rest), proof: byFolder})
		case "objects":
			e.objects = true
		case "stood":
			path, id := j.parseLock(rest)
			e.before[path] = id
		case "lock":
			path, id := j.parseLock(rest)
			for i := range e.locks {
				e.locks[i].prepared = true
				if e.locks[i].path == path {
					e.locks[i].lock = id
				}
			}
		}
	}
	return e
}

func (e *entry) add(o orphan) {
	if o.path != "" {
		o.since, o.limit = e.since, e.limit
		e.locks = append(e.locks, o)
	}
}

// parseLock reads which file a lock is: INODE NANOSECONDS PATH.
func (j *Journal) parseLock(rest string) (path string, id lockID) {
	number, rest, _ := strings.Cut(rest, " ")
	nanos, name, _ := strings.Cut(rest, " ")
	id.inode, _ = strconv.ParseUint(number, 10, 64)
	id.at = parseNanos(nanos)
	return j.absolute(name), id
}

func parseNanos(s string) time.Time {
	n, _ := strconv.ParseInt(s, 10, 64)
	return time.Unix(0, n)
}

// orphans returns the files that an entry names, and those in the folders that it
// names.
func (j *Journal) orphans(e entry) []orphan {
	list := e.locks
	for _, folder := range e.under {
		for _, path := range LocksBelow(folder) {
			list = append(list, orphan{path: path, proof: byAnyID, since: e.since, limit: e.limit})
		}
	}
	if e.objects {
		packs := filepath.Join(j.repo.objectDir, "pack")
		for _, path := range slices.Concat(fannedOut(j.repo.objectDir, "tmp_obj_"), PathsIn(packs, "tmp_", ""), PathsIn(packs, ".tmp-", "")) {
			list = append(list, orphan{path: path, proof: byUse, since: e.since, limit: e.limit})
		}
	}
	for i := range list {
		list[i].before = e.before[list[i].path]
	}
	return list
}

// remove removes the file. It is no error that the file is gone already.
func (o orphan) remove() error {
	if o.proof == byFolder {
		return os.RemoveAll(o.path)
	}
	if err := os.Remove(o.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// isOurs reports whether the process of the entry made the file that is there now. If
// later is true, the file is too young to judge: ask again.
func (o orphan) isOurs() (ours, later bool) {
	info, err := os.Lstat(o.path)
	if err != nil {
		return false, false
	}
	if o.proof == byFolder {
		return info.IsDir() && isQuarantine(o.path), false
	}
	if o.prepared {
		// A copy of the repository has other inodes, and the same times to the nanosecond.
		exact := o.lock.at.Nanosecond() != 0
		return info.ModTime().Equal(o.lock.at) && (exact || inode(info) == o.lock.inode), false
	}
	if inode(info) == o.before.inode && info.ModTime().Equal(o.before.at) {
		return false, false
	}
	if !info.Mode().IsRegular() || info.ModTime().Before(o.since) || info.ModTime().Sub(o.since) > o.limit {
		return false, false
	}
	age := time.Since(info.ModTime())
	switch o.proof {
	case byUse:
		return age > emptyAge && isUnused(o.path), age <= emptyAge
	case byIdle:
		ours = age > emptyAge && isUnused(o.path) && o.noGitRunsSince(info.ModTime())
		return ours, !ours
	}
	if rewritten, ok := packedRewrite(o.path); ok {
		// Both files of `git pack-refs` look the same; one that lives is writing.
		age = min(age, rewritten-rewriteAge+emptyAge)
		ours = age > emptyAge && o.noGitRunsSince(info.ModTime())
		return ours, !ours
	}
	content, err := ReadSmall(o.path)
	switch {
	case err != nil:
		return false, false
	case o.holdsAllOf(string(content)):
		return true, false
	case len(content) == 0 && o.proof == byValue:
		// A deletion writes nothing, and may be somebody else's, whose hook is slow.
		ours = age > emptyAge && o.noGitRunsSince(info.ModTime())
		return ours, !ours
	case strings.HasPrefix(o.value, string(content)) || o.proof == byAnyID:
		return age > emptyAge, age <= emptyAge
	}
	return false, false
}

// holdsAllOf reports whether a lock holds all that its git writes into it.
func (o orphan) holdsAllOf(content string) bool {
	if o.proof == byAnyID {
		id, whole := strings.CutSuffix(content, "\n")
		return whole && (len(id) == 40 || len(id) == 64) && strings.Trim(id, "0123456789abcdef") == ""
	}
	return content == o.value+"\n"
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
