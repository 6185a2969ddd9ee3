//go:build !linux

package main

import "golang.org/x/sys/unix"

// The requests by which the modes of a terminal are read and set.
const getModes, setModes = unix.TIOCGETA, unix.TIOCSETA

// longestLine is how many bytes of a line the system passes on; what is typed behind
// them is lost (termios(4), MAX_CANON).
const longestLine = 1023

// discardInput discards what was typed at a terminal and not read yet.
func discardInput(fd int) error {
	return unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, unix.TCIFLUSH)
}
