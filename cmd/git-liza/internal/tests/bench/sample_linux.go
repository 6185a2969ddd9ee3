package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// adopt makes this process the parent of the orphans of its children, so that orphans
// can count their cost.
func adopt() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// orphans waits for the processes that a child left behind and returns their
// processor time. No child may run.
func orphans() time.Duration {
	var total time.Duration
	for {
		var usage syscall.Rusage
		_, err := syscall.Wait4(-1, nil, 0, &usage)
		switch err {
		case nil:
			total += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
		case syscall.EINTR:
		default:
			return total
		}
	}
}

// peakOf returns the peak memory in bytes of the process, or of one that it waited for.
// Linux includes what this process had when it started the other one, so a smaller
// process looks as large as this one.
func peakOf(s *os.ProcessState) int64 {
	return s.SysUsage().(*syscall.Rusage).Maxrss << 10
}

// spentBy returns the processor time of a process that runs, and of the children that it
// waited for.
func spentBy(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name of the program, in parentheses, may have blanks.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	const first, last, tick = 11, 14, 10 * time.Millisecond // utime to cstime; the unit is 1/100 s on all systems of today
	var total time.Duration
	for _, field := range fields[first : last+1] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		total += time.Duration(n) * tick
	}
	return total, nil
}
