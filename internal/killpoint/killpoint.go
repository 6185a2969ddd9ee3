// Package killpoint kills a command of a test at any of its file operations. It
// traces all processes that the command starts, counts what they are about to
// do to files and what they are about to execute, and ends them with SIGKILL at
// the N-th. It is for tests only: a test binary that imports it can start a
// command under it. It knows nothing of git.
package killpoint

// A Run is a command to trace.
type Run struct {
	Args []string // the program, found on PATH, and its arguments
	Dir  string
	Env  []string // the whole environment

	// At is the operation, from 1, that is not made any more. With 0 nothing is
	// killed, and Ended has them all.
	At int

	// Within, if set, counts and kills only what happens in processes whose
	// command line held it at their start or at the start of one above them.
	Within string

	// Alone kills the one process that is about to make the operation; the others
	// go on. Else all processes die that Within counts.
	Alone bool
}

// Ended is how a traced command ended, after the last of its processes has.
type Ended struct {
	Killed     bool     // the operation was reached
	Code       int      // exit code of the command, -1 if a signal ended it
	Output     string   // what all processes printed
	Operations []string // that were counted, up to the one that was killed: program, system call, path
}
