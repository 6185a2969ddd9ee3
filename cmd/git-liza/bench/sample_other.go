//go:build !linux

package main

import (
	"os"
	"syscall"
	"time"
)

func adopt() error { return nil }

// orphans cannot be waited for here; what they cost is not counted.
func orphans() time.Duration { return 0 }

// peakOf is the most memory that the process ever had: bytes on macOS.
func peakOf(s *os.ProcessState) int64 {
	return s.SysUsage().(*syscall.Rusage).Maxrss
}
