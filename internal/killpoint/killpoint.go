// Package killpoint kills a command of a test at any of its file operations. It traces
// all processes that the command starts, counts the files that they are about to change
// and the programs that they are about to execute, and kills them with SIGKILL at the
// N-th operation. It is for tests only: a test binary that imports it can start a
// command under it. It knows nothing of git.
package killpoint

// A Run is a command to trace.
type Run struct {
	Args []string // the program, found on PATH, and its arguments
	Dir  string
	Env  []string // the whole environment

	// At is the number, from 1, of the operation that is not made any more. With 0
	// nothing is killed, and Ended has all operations.
	At int

	// Within, if set, limits counting and killing to processes whose command line
	// contained it at their start, and to their descendants.
	Within string

	// Alone kills only the process that is about to make the operation; the others go
	// on. Otherwise all processes that Within counts are killed.
	Alone bool

	// Syncs counts, beside what changes files, the calls that make them durable.
	Syncs bool
}

// Ended is the result of a traced command, after its last process has ended.
type Ended struct {
	Killed     bool     // the operation was reached
	Code       int      // exit code of the command, -1 if a signal ended it
	Output     string   // what all processes printed
	Operations []string // those that were counted, up to the one that was killed: program, system call, path
}
