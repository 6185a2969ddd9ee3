//go:build !linux

package main

import (
	"errors"
	"os"
	"syscall"
	"time"
)

func adopt() error { return nil }

// orphans returns 0: this system does not let a process wait for orphans.
func orphans() time.Duration { return 0 }

// peakOf returns the peak memory of the process, in bytes on macOS.
func peakOf(s *os.ProcessState) int64 {
	return s.SysUsage().(*syscall.Rusage).Maxrss
}

// spentBy is not known here.
func spentBy(int) (time.Duration, error) {
	return 0, errors.New("the processor time of a running process is not known on this system")
}
