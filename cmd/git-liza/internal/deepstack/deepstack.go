// Package deepstack makes the stack of the main goroutine as deep as commands need it, at
// once. Go makes a stack twice as deep each time it is full, and copies it with all that it
// knows of the functions on it: five times in a command, a twentieth of what a start costs.
//
// It imports nothing, so that Go initialises it before almost all others. Import it for
// that alone.
package deepstack

func init() { reach(0) }

// reach has a frame of 50 KiB, for which Go makes a stack of 64 KiB. It writes to none of it.
//
//go:noinline
func reach(n int) byte {
	if n > 0 {
		var frame [50 << 10]byte
		return frame[n]
	}
	return 0
}
