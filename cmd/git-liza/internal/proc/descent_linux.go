package proc

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A process is a process that /proc shows.
type process struct {
	pid, parent, group int
	session, terminal  int // 0 is none
	state              byte
	threads            int
	start              string // in ticks since boot; together with the number it identifies a process
}

// isAlive reports whether any thread of the process runs: a process whose first thread
// has ended looks like a zombie while its other threads run.
func (p process) isAlive() bool { return p.state != 'Z' && p.state != 'X' || p.threads > 1 }

// signal sends a signal to the group of a descendant of root: a process that forks all
// the time can escape a signal to one process, but not one to its group. The group
// consists of descendants only, because root leads a session.
func (p process) signal(root int, sig syscall.Signal) error {
	if p.group > 1 && p.group != root {
		return syscall.Kill(-p.group, sig)
	}
	return syscall.Kill(p.pid, sig)
}

// signalDescendants sends a signal once to every descendant of root. It reports whether
// it found any, and whether it could send the signal to any.
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

// freezeLimit bounds how long killDescendants stops processes that are forked meanwhile.
const freezeLimit = 3 * time.Second

// killDescendants kills the descendants of root. It stops all of them first, because
// after the end of one process others can be forked, and processes that watch it
// learn of its end. It returns what signalDescendants returns. If it found none, some
// may still be left.
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

// eachDescendant visits the descendants of root that have not ended, as /proc shows
// them while it is read: a process whose parent ended meanwhile may be missing. It
// visits processes while it reads, in the order of their numbers, and so catches up
// with a process that forks fast.
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
	// A child's number is smaller than its parent's after numbers wrapped around.
	for n := 0; n != len(others); {
		n = len(others)
		others = slices.DeleteFunc(others, belongs)
	}
}

// hiddenChildren are the children of a process that only the process's list of
// children in /proc shows. Where /proc is mounted with hidepid, it hides a process
// that cannot be traced, such as a key agent, even from its own user. The children of
// a hidden process are found after its end.
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
			// A process that has ended has no group.
			if group, err := syscall.Getpgid(pid); err == nil {
				list = append(list, process{pid: pid, parent: parent, group: group})
			}
		}
	}
	return list
}

// namesPerRead is how many names are read at once: few, so that most of the processes
// still run when they are visited.
const namesPerRead = 32

// readProcess reads /proc/PID/stat: pid (name) state parent group session terminal …, with the number of
// threads as the twentieth field and the start as the twenty-second. A name may
// contain any character.
func readProcess(name string) (process, bool) {
	pid, err := strconv.Atoi(name)
	if err != nil {
		return process{}, false
	}
	text, err := readProc(name + "/stat")
	if err != nil {
		return process{}, false
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 20 {
		return process{}, false
	}
	var numbers [5]int
	for i, field := range [...]int{1, 2, 3, 4, 17} {
		if numbers[i], err = strconv.Atoi(string(fields[field])); err != nil {
			return process{}, false
		}
	}
	return process{pid, numbers[0], numbers[1], numbers[2], numbers[3], fields[0][0], numbers[4], string(fields[19])}, true
}

// readProc reads a file of /proc with no system calls but those for it. Of each process that
// another one descends from three are read, and an [os.File] takes ten calls for one.
func readProc(path string) (text []byte, err error) {
	fd, err := unix.Open("/proc/"+path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	for {
		text = slices.Grow(text, 512)
		n, err := unix.Read(fd, text[len(text):cap(text)])
		switch {
		case err == unix.EINTR:
		case err != nil:
			return nil, err
		case n == 0:
			return text, nil
		default:
			text = text[:len(text)+n]
		}
	}
}

// killLeft kills what is found of what a guard left that was killed: its session and, if the
// last word of its mark is not empty, younger processes without a terminal that have that word
// in their environment or stand in the command's folder. The guard is not reaped yet, so that
// no other session has its number.
func (k *guarded) killLeft() {
	guard, _ := readProcess(strconv.Itoa(k.guard.Process.Pid))
	late := time.Now().Add(killLimit)
	for left := true; left && time.Now().Before(late); {
		left = false
		names, _ := filepath.Glob("/proc/[0-9]*")
		for _, name := range names {
			p, ok := readProcess(filepath.Base(name))
			switch {
			case !ok || p.pid == guard.pid || !p.isAlive():
			case p.session == guard.pid:
				left = p.signal(guard.pid, syscall.SIGKILL) == nil || left
			case k.isMarked(p, guard):
				left = syscall.Kill(p.pid, syscall.SIGKILL) == nil || left
			}
		}
	}
}

// isMarked reports whether a process without a terminal is younger than the guard, and has the
// last word of the mark in its environment or stands in the command's folder.
func (k *guarded) isMarked(p, guard process) bool {
	older := cmp.Or(len(p.start)-len(guard.start), strings.Compare(p.start, guard.start)) < 0
	if older || p.terminal != 0 || k.Mark == nil || k.Mark.Words[len(k.Mark.Words)-1] == "" {
		return false
	}
	at, _ := os.Readlink(fmt.Sprintf("/proc/%d/cwd", p.pid))
	environ, _ := readProc(strconv.Itoa(p.pid) + "/environ")
	return k.Dir != "" && isBelow(k.Dir, at) || bytes.Contains(environ, []byte("="+k.Mark.Words[len(k.Mark.Words)-1]+"\x00"))
}
