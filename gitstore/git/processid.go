package git

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// strangerAge is how old an entry must be to count as one of a dead process, where
// the process ran in another container or on another machine and cannot be seen. A
// server judges a push for a minute and then moves its refs.
const strangerAge = 10 * time.Minute

// A processID names a process as the journal names it. The start time, in ticks since
// the boot, tells it from a later one with its number, the boot id from one
// before a restart, and the namespace from one of another container.
type processID struct {
	pid             int
	start, boot, ns string // "" where this system does not tell
}

// processIDOf returns the id of a running process. It is false if there is none, or
// only a zombie.
func processIDOf(pid int) (processID, bool) {
	m := processID{pid: pid}
	m.boot = thisBoot()
	m.ns, _ = os.Readlink("/proc/self/ns/pid")
	start, state := readStart(pid)
	m.start = start
	return m, start != "" && state != "Z" && state != "X"
}

func thisBoot() string {
	text, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(text))
}

// beforeBoot reports whether this machine was started after a time, which
// leaves no process of that time alive on it.
func beforeBoot(at time.Time) bool {
	text, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return false
	}
	seconds, _, _ := strings.Cut(string(text), " ")
	up, err := strconv.ParseFloat(seconds, 64)
	return err == nil && time.Since(at) > time.Duration(up*float64(time.Second))
}

// readStart reads start time and state of a process, "" where it cannot.
func readStart(pid int) (start, state string) {
	f := readStat(pid)
	if len(f) < 20 {
		return "", ""
	}
	return f[19], f[0]
}

// parentOf is the process above one, 0 if there is none.
func parentOf(pid int) int {
	f := readStat(pid)
	if len(f) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(f[1])
	return parent
}

// readStat returns the fields of proc(5), /proc/PID/stat, from the third on, which is
// the state.
func readStat(pid int) []string {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil
	}
	// The command, in parentheses, may hold anything.
	return strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
}

// String is the form that parseMaker reads.
func (m processID) String() string {
	return fmt.Sprintf("pid %d start %s boot %s ns %s", m.pid, m.start, m.boot, m.ns)
}

// parseProcessID reads a line of an entry. A process whose line cannot be read counts
// as running.
func parseProcessID(text string) *processID {
	var m processID
	if n, err := fmt.Sscanf(text, "pid %d start %s boot %s ns %s", &m.pid, &m.start, &m.boot, &m.ns); err != nil || n != 4 {
		return &processID{}
	}
	return &m
}

// isDead reports whether the process is known to have ended; since is when it
// was seen last.
func (m processID) isDead(since time.Time) bool {
	ns, _ := os.Readlink("/proc/self/ns/pid")
	switch {
	case m.boot == "":
		return false
	case m.boot != thisBoot():
		// Of this machine before its restart, or of another one that shares the disk.
		return beforeBoot(since) || time.Since(since) > strangerAge
	case m.ns != ns:
		return time.Since(since) > strangerAge
	}
	start, state := readStart(m.pid)
	if start == "" {
		// Another user's may be hidden.
		return errors.Is(syscall.Kill(m.pid, 0), syscall.ESRCH)
	}
	return start != m.start || state == "Z" || state == "X"
}
