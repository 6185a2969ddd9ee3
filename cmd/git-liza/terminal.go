package main

import (
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// isTerminal tells whether one of the invocation's streams is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// inForeground tells whether a stream is a terminal that this process may read:
// the system stops one in the background that does.
func inForeground(stream any) bool {
	if !isTerminal(stream) {
		return false
	}
	group, err := unix.IoctlGetInt(int(stream.(interface{ Fd() uintptr }).Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
