package proc

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A process is one of those that /proc shows.
type process struct {
	pid, parent, group int
	state              byte
	threads            int
	start              string // in ticks since boot; with the number it names a process
}

// isAlive reports whether any thread of it does: one whose first thread has ended
// looks like a zombie while others go on.
func (p process) isAlive() bool { return p.state != 'Z' && p.state != 'X' || p.threads > 1 }

// signal sends a signal to a descendant of root, and to its group: who forks all
// the time does not escape a signal to a group, but may to a process. The group
// is a descendant's own because root leads a session.
func (p process) signal(root int, sig syscall.Signal) error {
	if p.group > 1 && p.group != root {
		return syscall.Kill(-p.group, sig)
	}
	return syscall.Kill(p.pid, sig)
}

// signalDescendants sends a signal once to every descendant of root. It reports whether
// it found anybody, and whether anybody could be sent it.
func signalDescendants(root int, sig syscall.Signal) (found, sent bool) {
	told := map[int]bool{}
	eachDescendant(root, func(p process) {
		found = true
		if !told[p.group] || p.group == root {
			told[p.group] = true
			sent = p.signal(root, sig) == nil || sent
		}
	})
	return found, sent
}

// freezeLimit bounds how long a sweep stops those who are born meanwhile.
const freezeLimit = 3 * time.Second

// killDescendants kills the descendants of root. It stops them before: who is killed makes
// room for others to be born, and tells those who watch. It reports what
// broadcast does; that nobody was found does not say that nobody is left.
func killDescendants(root int) (found, killed bool) {
	late := time.Now().Add(freezeLimit)
	stopped := map[int]bool{}
	for news := true; news && time.Now().Before(late); {
		news = false
		eachDescendant(root, func(p process) {
			if !stopped[p.pid] {
				stopped[p.pid] = true
				news = p.signal(root, syscall.SIGSTOP) == nil || news
			}
		})
	}
	return signalDescendants(root, syscall.SIGKILL)
}

// eachDescendant visits the descendants of root that have not ended, as /proc has them
// while it is read: who lost its parent meanwhile may be missing. It visits as it
// reads, in the order of their numbers, and so catches up with who forks fast.
func eachDescendant(root int, visit func(process)) {
	dir, err := os.Open("/proc")
	if err != nil {
		return
	}
	defer dir.Close()
	family := map[int]bool{root: true}
	belongs := func(p process) bool {
		if !family[p.parent] {
			return false
		}
		family[p.pid] = true
		if p.isAlive() {
			visit(p)
		}
		return true
	}
	for _, p := range hiddenChildren(root) {
		belongs(p)
	}
	var others []process
	for names, err := dir.Readdirnames(namesPerRead); err == nil; names, err = dir.Readdirnames(namesPerRead) {
		for _, name := range names {
			if p, ok := readProcess(name); ok && !belongs(p) {
				others = append(others, p)
			}
		}
	}
	// A child's number is smaller than its parent's where numbers began again.
	for n := 0; n != len(others); {
		n = len(others)
		others = slices.DeleteFunc(others, belongs)
	}
}

// hiddenChildren are the children of a process that /proc shows to nobody but their
// parent: where it is mounted with hidepid, who cannot be traced (a key agent) is
// not there even for its own user. Who has a parent of that kind is met once that
// is gone.
func hiddenChildren(parent int) []process {
	var list []process
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
	for _, path := range lists {
		text, _ := os.ReadFile(path)
		for _, name := range strings.Fields(string(text)) {
			if _, shown := readProcess(name); shown {
				continue
			}
			pid, err := strconv.Atoi(name)
			if err != nil {
				continue
			}
			// Who ended meanwhile has no group.
			if group, err := syscall.Getpgid(pid); err == nil {
				list = append(list, process{pid: pid, parent: parent, group: group})
			}
		}
	}
	return list
}

// namesPerRead is how many names are read at once, so that they are those of processes
// that still are there.
const namesPerRead = 32

// readProcess reads /proc/PID/stat: pid (name) state parent group …, the number of
// threads as the twentieth, the start as the twenty-second; a name may hold
// anything.
func readProcess(name string) (process, bool) {
	pid, err := strconv.Atoi(name)
	if err != nil {
		return process{}, false
	}
	text, err := os.ReadFile("/proc/" + name + "/stat")
	if err != nil {
		return process{}, false
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 20 {
		return process{}, false
	}
	var numbers [3]int
	for i, field := range [...]int{1, 2, 17} {
		if numbers[i], err = strconv.Atoi(string(fields[field])); err != nil {
			return process{}, false
		}
	}
	return process{pid, numbers[0], numbers[1], fields[0][0], numbers[2], string(fields[19])}, true
}
