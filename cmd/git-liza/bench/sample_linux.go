package main

import (
	"os"
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
