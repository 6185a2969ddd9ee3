package proc

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A record describes a guard that lives. The guard has its file locked, so a record
// that can be locked is that of a dead guard.
type record struct {
	Mark
	PID   int    `json:"pid"`
	Start string `json:"start"` // as /proc/PID/stat has it
	Boot  string `json:"boot"`
}

// newRecord makes the file of a record, locked and under a temporary name. The lock
// lasts while a process has the file open.
func newRecord(folder string) (*os.File, error) {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(folder, ".new-")
	if err != nil {
		return nil, err
	}
	err = errors.Join(f.Chmod(0o644), syscall.Flock(int(f.Fd()), syscall.LOCK_EX)) // a process that reads records may have it locked for a moment
	if err != nil {
		f.Close()
		os.Remove(f.Name())
		return nil, err
	}
	return f, nil
}

// publishRecord writes the record of a guard and gives the file its name, which it
// returns.
func publishRecord(f *os.File, mark Mark, pid int) (string, error) {
	p, ok := readProcess(strconv.Itoa(pid))
	if !ok {
		return "", fmt.Errorf("process %d: %w", pid, fs.ErrNotExist)
	}
	text, err := json.Marshal(record{mark, pid, p.start, Boot()})
	if err != nil {
		return "", err
	}
	if _, err := f.Write(text); err != nil {
		return "", err
	}
	path := filepath.Join(filepath.Dir(f.Name()), strconv.Itoa(pid)+"-"+p.start)
	return path, os.Rename(f.Name(), path)
}

// makingLimit is how long a record under a temporary name may be unlocked.
const makingLimit = time.Minute

// Boot is the id of this boot of the machine, "" where it is not known.
func Boot() string {
	if !procfs() {
		return ""
	}
	text, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(text))
}

// Living are the marks of the guards with records in a folder that live on this
// machine. A guard lives while a descendant of its command runs. The error is of
// reading the folder.
func Living(folder string) ([]Mark, error) {
	records, err := liveRecords(folder)
	var list []Mark
	for _, r := range records {
		list = append(list, r.Mark)
	}
	return list, err
}

// liveRecords are the records in a folder whose guards live on this machine. It
// removes the records of dead guards.
func liveRecords(folder string) ([]record, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return nil, err
	}
	var list []record
	boot := Boot()
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		f, err := os.Open(path)
		if err != nil {
			continue // the guard has ended meanwhile
		}
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			if info, err := f.Stat(); err == nil && (entry.Name()[0] != '.' || time.Since(info.ModTime()) > makingLimit) {
				os.Remove(path)
			}
			f.Close()
			continue
		}
		var r record
		// Where the boot is not known, the lock alone says that the guard lives.
		if json.NewDecoder(f).Decode(&r) == nil && (boot == "" || r.Boot == boot) {
			list = append(list, r)
		}
		f.Close()
	}
	return list, nil
}

// Above returns the marks of the guards that this process descends from, the nearest
// first. If /proc does not show all its ancestors, doubtful are the marks of those
// living guards of the folder that may be among them. Errors are of reading the folder.
// If the
// folder does not exist, nothing was guarded.
//
// A process stays below its guard whatever it does with its environment, its session or
// its parents, because a guard is the subreaper of all orphans below it. A process
// leaves only by ending the guard, which ends the guard's command and its group. What was
// above it before it first asked is all that ever is, so a process that is told all for
// certain is told the same again.
func Above(folder string) (marks, doubtful []Mark, err error) {
	if known, ok := toldAbove.Load(folder); ok {
		return slices.Clone(known.([]Mark)), nil, nil
	}
	// In a namespace of its own a process has another number than /proc shows.
	self, err := os.Readlink("/proc/self")
	if err != nil {
		self = ""
	}
	marks, doubtful, whole, err := above(folder, self)
	if err == nil && whole && len(doubtful) == 0 {
		toldAbove.Store(folder, slices.Clone(marks))
	}
	return marks, doubtful, err
}

// toldAbove has what [Above] told for certain, by folder.
var toldAbove sync.Map

// above is [Above] for the process that /proc shows under a name, "" if it shows none. whole
// says that /proc shows all that it descends from.
func above(folder, name string) (marks, doubtful []Mark, whole bool, err error) {
	pids, whole, sure := ancestors(name)
	for _, pid := range pids {
		if m, ok := markOf(pid); ok {
			marks = append(marks, m)
		}
	}
	records, err := liveRecords(folder)
	if err != nil {
		return nil, nil, whole, err
	}
	for _, r := range records {
		p, shown := readProcess(strconv.Itoa(r.PID))
		shown = shown && p.start == r.Start
		switch {
		case shown && slices.Contains(pids, r.PID):
			if !slices.ContainsFunc(marks, func(m Mark) bool { return m.equal(r.Mark) }) {
				marks = append(marks, r.Mark)
			}
		case sure && shown && (whole || !hidesDescendants(r.PID)):
		case whole && inInitialNamespace():
		default:
			doubtful = append(doubtful, r.Mark)
		}
	}
	return marks, doubtful, whole, nil
}

// IsBlind reports whether nothing says from which sessions this process descends: a
// namespace of its own may hide them, and the folder of their records is gone.
func IsBlind(folder string) bool {
	_, err := os.Stat(folder)
	return err != nil && !inInitialNamespace()
}

func (m Mark) equal(o Mark) bool { return m.Place == o.Place && slices.Equal(m.Words, o.Words) }

// arguments returns the guard's command line.
func (m *Mark) arguments() []string {
	if m == nil {
		return []string{guardName}
	}
	return append([]string{guardName, m.Place}, m.Words...)
}

// markOf reads the mark of a process, if that is a guard with a mark.
func markOf(pid int) (Mark, bool) {
	words := Words(pid)
	if len(words) < 2 || words[0] != guardName {
		return Mark{}, false
	}
	return Mark{words[1], words[2:]}, true
}

// ancestors returns the processes that one descends from, itself first, as far as /proc
// shows them; whole says that it shows them all. Where one of them ends meanwhile, others are
// above it from then on, and they are read anew; sure is false if that goes on and on.
func ancestors(name string) (pids []int, whole, sure bool) {
	if !procfs() {
		return nil, false, true
	}
	for range mostReread {
		pids, whole, sure = readAncestors(name)
		if sure {
			break
		}
	}
	return pids, whole, sure
}

// mostReread is how often ancestors are read that end while they are read.
const mostReread = 1000

// readAncestors is [ancestors] in one look. It is not sure if a process above the first has
// ended.
func readAncestors(name string) (pids []int, whole, sure bool) {
	p, ok := readProcess(name)
	for ok {
		pids = append(pids, p.pid)
		if p.parent == 0 {
			return pids, true, true
		}
		var there bool
		if p, ok, there = p.parentProcess(); !there && len(pids) > 1 {
			return pids, false, false
		}
	}
	return pids, false, true
}

// procfs reports whether /proc is the kernel's file system, not a folder mounted over
// it.
func procfs() bool {
	var at unix.Statfs_t
	return unix.Statfs("/proc", &at) == nil && at.Type == unix.PROC_SUPER_MAGIC
}

// parentProcess returns the parent of a process, if /proc shows it; there is false if the
// process has ended itself. It does not return a later process with the parent's number.
func (p process) parentProcess() (parent process, shown, there bool) {
	for {
		parent, shown = readProcess(strconv.Itoa(p.parent))
		now, ok := readProcess(strconv.Itoa(p.pid))
		if !ok || now.start != p.start {
			return process{}, false, false
		}
		if now.parent == p.parent {
			return parent, shown, true
		}
		p = now // its parent ended meanwhile
	}
}

// hidesDescendants reports whether /proc hides a process below root. The children of a
// hidden process cannot be distinguished from other processes.
func hidesDescendants(root int) bool {
	found := len(hiddenChildren(root)) > 0
	eachDescendant(root, func(p process) { found = found || len(hiddenChildren(p.pid)) > 0 })
	return found
}

// inInitialNamespace reports whether this process is in the machine's initial namespace
// of processes, which contains all others. Its ancestors are in that namespace as well.
func inInitialNamespace() bool {
	own, err := os.Readlink("/proc/self/ns/pid")
	return err == nil && own == initialNamespace
}

// initialNamespace has the number that the kernel fixes (PROC_PID_INIT_INO).
const initialNamespace = "pid:[4026531836]"
