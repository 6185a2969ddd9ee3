// Package proc runs one command line as a process group of its own and reports how it
// ended.
//
// Run always returns: soon after the context is canceled, after the command was silent
// for too long, or after its time is up, whatever the command and its children do with
// signals, pipes and standard input. When Run returns, no member of the group is left,
// and the output has cost constant memory. A process that left the group (setsid)
// cannot delay Run. If the command is bound, on Linux, such a process is tracked and
// ended too.
//
// The package knows nothing about tasks, gates or providers, and it never adds to the
// environment that it is given.
package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Command is one command line with its limits. Path and Args are required as in
// exec.Command; everything else may be left zero.
type Command struct {
	// Path is the program; a bare name is looked up in the PATH of this
	// process, not in that of Env.
	Path string
	// Args are the arguments after the program's name.
	Args []string
	// Dir is the working directory; empty means that of this process.
	Dir string
	// Env is the whole environment as KEY=VALUE; nil is an empty one. See
	// Environment.
	Env []string
	// Stdin is copied to the command, which need not read it; nil is empty input. An
	// *os.File is passed as it is. Run waits only a short while for a Read that blocks,
	// and then returns without it.
	Stdin io.Reader
	// Output receives standard output and standard error as they come, in one stream;
	// it may be nil. A slow writer slows the command. After a write error nothing more
	// is written to Output, and the command continues.
	Output io.Writer
	// Stdout receives standard output alone, and Output then standard error alone, so
	// that neither breaks the lines of the other. Two goroutines write to them. If
	// Stdout is nil, both streams go to Output.
	Stdout io.Writer
	// Idle is how long the command may be silent on both streams; 0 is no limit.
	Idle time.Duration
	// Busy is called at least every second; while it is true, silence does not count.
	// Nil means never busy.
	Busy func() bool
	// Wall is how long the command may run; 0 is no limit.
	Wall time.Duration
	// Bound ends the process group also when this process is killed. On Linux all
	// descendants are ended, whatever their group, except those of other users, and
	// the command has no terminal. This program is run again for it, as a guard.
	Bound bool
	// Mark is what [Above] tells the descendants of the command, if it is bound; nil
	// is nothing. Records is the folder for the records of its guards. Both are for
	// Linux only.
	Mark    *Mark
	Records string
	// Domain is all that a command and its descendants reach beside the system's own
	// folders; nil is whatever this process reaches. It makes the command bound. Where [Confinement] is Unconfined
	// the command does not start.
	Domain *Domain
	// Began is called when the command runs, before its output is read, with a function
	// that lists the command and its descendants, each by a name of its own. The list is
	// empty if they cannot be found: the command is not bound, or this is not Linux. Nil
	// is no call.
	Began func(family func() []string)
	// Unguarded is called, from another goroutine, if the guard of a marked command ends before
	// all that it guards, or its record is taken away. What is found of what it left is killed
	// by then. Nil is no call.
	Unguarded func()
	// Grace is the time between TERM and KILL; 0 is 5 s.
	Grace time.Duration
	// Excerpt is the maximum size of Result.Excerpt in bytes; 0 is 4096.
	Excerpt int
}

// A Domain names files and folders, with all that is below them, by absolute paths. What is
// not there is left out.
type Domain struct {
	Read  []string // may be read and executed
	Write []string // may be changed too
	// Sockets are those of UNIX of any kind: also those by which services of this machine
	// run commands for whoever connects.
	Sockets bool
	Ports   []uint16 // of TCP, those that may be connected to; nil is any
}

// Confined is how far the kernel confines a command.
type Confined int

// The states of confinement (Linux, landlock(7)).
const (
	Unconfined    Confined = iota // there is no Landlock 3, or no filter of calls
	ConfinedFiles                 // files alone: a command can end processes outside
	ConfinedFully                 // signals and abstract sockets too: Landlock 6
)

// String is the word of a state.
func (c Confined) String() string { return [...]string{"none", "files", "full"}[c] }

const (
	defaultGrace   = 5 * time.Second
	defaultExcerpt = 4096

	// maxLinger is how long the output of children is read after the command has ended by
	// itself. It is enough on a busy machine.
	maxLinger = 2 * time.Second
	// maxNotice is the time after the leader's end in which a guard reports that no
	// descendant is left.
	maxNotice = 20 * time.Millisecond
	// maxInputWait is the time after which a Read of the command's input that blocks is left
	// behind.
	maxInputWait = 500 * time.Millisecond
	// maxOutputWait is how long the output is read after KILL. Only what is in the pipe is left
	// then, unless a process that left the group has it open.
	maxOutputWait = 2 * time.Second
)

// Reason says why a command is no longer running.
type Reason uint8

// The reasons; the zero value is none of them.
const (
	Exited    Reason = iota + 1 // it ended by itself, with an exit code
	IdleLimit                   // Run ended it after Command.Idle of silence
	WallLimit                   // Run ended it after Command.Wall
	Canceled                    // Run ended it, or did not start it, because the context is done
	Signaled                    // it died of a signal that Run did not send
	Finished                    // Run ended it, because the context is done with ErrFinished as its cause
)

var reasons = [...]string{
	Exited:    "exited",
	IdleLimit: "idle limit",
	WallLimit: "wall limit",
	Canceled:  "canceled",
	Signaled:  "signaled",
	Finished:  "finished",
}

// String returns the reason in words for people.
func (r Reason) String() string {
	if r < Exited || int(r) >= len(reasons) {
		return fmt.Sprintf("Reason(%d)", uint8(r))
	}
	return reasons[r]
}

// Result is how a command ended.
type Result struct {
	// Code is the exit code; 128 plus the signal's number if it died of a
	// signal; -1 if it was not started because the context was done already.
	Code int
	// Reason is why it ended. Code 0 with another reason than Exited means that the
	// command ended well after TERM, not that it did its work.
	Reason Reason
	// Excerpt is the beginning and the end of the output: valid UTF-8 without
	// control characters and terminal sequences; lines end in \n.
	Excerpt string
	// Duration is the time from the start to the end of command and children.
	Duration time.Duration
	// Cut is when Run began to end the command, or saw that it had ended by itself.
	Cut time.Time
}

// Passed reports whether the command ended by itself with exit code 0.
func (r Result) Passed() bool { return r.Reason == Exited && r.Code == 0 }

// ErrFolder is wrapped by the error of Run for a Command.Dir that is gone or cannot be
// entered. Supervisors test it: they can make another worktree, but not another
// program.
var ErrFolder = errors.New("its working directory cannot be entered")

// ErrFinished is the cause of a context that ends a command because it has done all that it was
// for. Run interrupts its leader alone, which may write what it has not, and kills all when that
// has ended, or soon: no other process learns before that one of them has.
var ErrFinished = errors.New("it has done what it was for")

// Unstartable reports whether an error of [Run] says that the program does not exist or
// cannot be executed. No other folder and no other input would help.
func Unstartable(err error) bool {
	if errors.Is(err, ErrFolder) {
		return false
	}
	return errors.Is(err, exec.ErrNotFound) || errors.Is(err, exec.ErrDot) || errors.Is(err, fs.ErrNotExist) ||
		errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOEXEC)
}

// Run runs c to its end. The error is not nil only if c could not be started; it wraps
// what exec.Cmd.Start returns (exec.ErrNotFound, fs.ErrNotExist), or ErrFolder with the
// reason.
//
// On a limit or a done context the whole group gets TERM, and KILL after c.Grace. What
// is left of the group when its leader has ended is killed. If the command is bound, it
// gets TERM first.
func Run(ctx context.Context, c Command) (Result, error) {
	if ctx.Err() != nil {
		return Result{Code: -1, Reason: Canceled}, nil
	}
	if c.Grace <= 0 {
		c.Grace = defaultGrace
	}
	if c.Excerpt <= 0 {
		c.Excerpt = defaultExcerpt
	}
	begun := time.Now()
	g, err := start(c)
	if err != nil {
		if folder := checkFolder(c.Dir); folder != nil {
			err = folder // exec would blame the program
		}
		return Result{}, fmt.Errorf("run %s: %w", c.Path, err)
	}
	reason := g.awaitEnd(ctx, c)
	cut := time.Now()
	status := g.end(reason, c.Grace)
	result := Result{
		Code:     status.ExitStatus(),
		Reason:   reason,
		Excerpt:  g.tap.Text(),
		Duration: time.Since(begun),
		Cut:      cut,
	}
	if status.Signaled() {
		result.Code = 128 + int(status.Signal())
		if reason == Exited {
			result.Reason = Signaled
		}
	}
	return result, nil
}

// checkFolder says why dir cannot be a working directory, nil if it can.
func checkFolder(dir string) error {
	if dir == "" {
		return nil
	}
	// With the dot a file fails too, and a folder that may not be entered.
	_, err := os.Stat(dir + "/.")
	if path, ok := errors.AsType[*os.PathError](err); ok {
		return fmt.Errorf("%w: %s: %w", ErrFolder, dir, path.Err)
	}
	return err
}

// Shell returns the program and arguments that run a command line as the board and the
// configuration have it.
func Shell(cmd string) (path string, args []string) {
	return "sh", []string{"-c", cmd}
}

// awaitEnd blocks until the leader has ended, the context is done or a limit is
// reached. It sends no signal.
func (g *running) awaitEnd(ctx context.Context, c Command) Reason {
	silent, late := limitTimer(c.Idle), limitTimer(c.Wall)
	var beat <-chan time.Time
	if c.Busy != nil && c.Idle > 0 {
		t := time.NewTicker(max(min(c.Idle/4, time.Second), time.Millisecond))
		defer t.Stop()
		beat = t.C
	}
	for {
		select {
		case <-g.ended:
			return Exited
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), ErrFinished) {
				return Finished
			}
			return Canceled
		case <-late:
			return WallLimit
		case <-silent:
			// Busy is called here again: on a busy machine the ticker may be late.
			if c.Busy != nil && c.Busy() {
				g.tap.endSilence()
			}
			rest := c.Idle - g.tap.silence()
			if rest <= 0 {
				return IdleLimit
			}
			silent = limitTimer(rest)
		case <-beat:
			if c.Busy() {
				g.tap.endSilence()
			}
		}
	}
}

// end ends the group, reads the rest of its output and returns the leader's status.
func (g *running) end(reason Reason, grace time.Duration) syscall.WaitStatus {
	if reason == Exited {
		g.waitFor(maxLinger, g.drained)
		g.waitFor(maxNotice, g.gone)
	}
	if reason == Finished {
		g.descendants.interrupt()
		g.waitFor(min(grace, maxLinger), g.ended)
		grace = 0
	} else if reason != Exited || !hasHappened(g.gone) {
		g.descendants.signal(syscall.SIGTERM)
		// A stopped process handles TERM only after CONT.
		g.descendants.signal(syscall.SIGCONT)
	}
	if reason != Exited {
		// The end of output means the end of the leader's children.
		g.waitFor(grace, g.ended, g.drained)
	}
	g.waitFor(min(grace, maxLinger), g.gone)
	g.descendants.kill()
	<-g.ended
	g.waitFor(maxOutputWait, g.drained)
	g.closePipes()
	g.waitFor(maxInputWait, g.drained, g.fed)
	return g.descendants.reap()
}

// hasHappened reports whether an event has happened.
func hasHappened(event <-chan struct{}) bool {
	select {
	case <-event:
		return true
	default:
		return false
	}
}

// limitTimer returns a timer, one that never fires for a limit of 0.
func limitTimer(d time.Duration) <-chan time.Time {
	if d <= 0 {
		return nil
	}
	return time.After(d)
}
