package main

import (
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// isTerminal reports whether a stream of the invocation is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// inForeground reports whether a stream is a terminal that this process may
// read. The system stops a background process that reads one.
func inForeground(stream any) bool {
	if !isTerminal(stream) {
		return false
	}
	group, err := unix.IoctlGetInt(int(stream.(interface{ Fd() uintptr }).Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
