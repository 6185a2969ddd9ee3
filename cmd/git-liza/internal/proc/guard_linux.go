package proc

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// The protocol between this process and the guard. One pipe takes a guardSpec; its end
// tells the guard that this process has ended. Another pipe returns one line for each
// of these words, in this order.
const (
	wordStarted = "started" // and the process id
	wordFailed  = "failed"  // and the error number, instead of all others
	wordEnded   = "ended"   // and the leader's wait status
	wordGone    = "gone"    // no descendant is left
)

// killLimit bounds how long Run waits until all descendants are killed. After that the
// guard continues alone.
const killLimit = 10 * time.Second

// guarded are all descendants of a command, whatever group or session they join. The
// command's parent is a guard: this program in another process. The kernel gives the
// guard every orphan among them (PR_SET_CHILD_SUBREAPER), and the guard ends when it
// has no child left.
type guarded struct {
	Command
	guard  *exec.Cmd
	hold   *os.File
	record string // its path, "" without a mark
	status syscall.WaitStatus
	leader int // its process id

	ended chan struct{}
	gone  chan struct{}
}

// launch starts the command, with a guard if it is bound.
func (g *running) launch(cmd *exec.Cmd, c Command) error {
	if !c.Bound && c.Domain == nil {
		p, ended, err := startGroup(cmd)
		g.descendants, g.ended, g.gone = p, ended, closedChannel()
		return err
	}
	if cmd.Err != nil {
		return cmd.Err
	}
	k, err := runGuarded(cmd, c)
	if err != nil {
		return err
	}
	g.descendants, g.family, g.ended, g.gone = k, k.family, k.ended, k.gone
	return nil
}

// runGuarded starts a command with a guard. The guard runs the program of this process,
// even if its file was replaced. It leads a session without a terminal, so that its
// descendants share no process group with other processes.
func runGuarded(cmd *exec.Cmd, c Command) (*guarded, error) {
	if err := checkProc(); err != nil {
		return nil, err
	}
	k := &guarded{Command: c, guard: exec.Command("/proc/self/exe"), ended: make(chan struct{}), gone: make(chan struct{})}
	orders, hold, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer orders.Close()
	reports, theirs, err := os.Pipe()
	if err != nil {
		hold.Close()
		return nil, err
	}
	k.hold = hold
	// A process that looks for the command's words and environment must not find them
	// in the guard.
	k.guard.Args, k.guard.Env = c.Mark.arguments(), []string{}
	k.guard.Dir, k.guard.Stdin, k.guard.Stdout, k.guard.Stderr = cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr
	k.guard.ExtraFiles = []*os.File{orders, theirs}
	k.guard.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = k.startMarked(c)
	theirs.Close()
	if err == nil {
		if err = k.startCommand(reports, newGuardSpec(cmd, c)); err == nil {
			return k, nil
		}
	}
	if k.guard.Process != nil {
		_ = k.guard.Process.Kill()
		_ = k.guard.Wait()
	}
	os.Remove(k.record)
	hold.Close()
	reports.Close()
	return nil, err
}

// startMarked starts the guard. If the guard has a mark, its record exists before the
// command does, and is locked as long as the guard lives.
func (k *guarded) startMarked(c Command) error {
	if c.Mark == nil {
		return k.guard.Start()
	}
	f, err := newRecord(c.Records)
	if err != nil {
		return fmt.Errorf("guard: %w", err)
	}
	defer f.Close()
	k.record = f.Name()
	k.guard.ExtraFiles = append(k.guard.ExtraFiles, f)
	if err := k.guard.Start(); err != nil {
		return err
	}
	path, err := publishRecord(f, *c.Mark, k.guard.Process.Pid)
	if err != nil {
		return fmt.Errorf("guard: %w", err)
	}
	k.record = path
	return nil
}

// checkProc refuses to guard if /proc is missing or shows another namespace. Its
// numbers would belong to other processes, and the command's would not be found.
func checkProc() error {
	self, err := os.Readlink("/proc/self")
	if err == nil && self != strconv.Itoa(os.Getpid()) {
		err = fmt.Errorf("process %d is %s there: %w", os.Getpid(), self, fs.ErrNotExist)
	}
	if err != nil {
		return fmt.Errorf("guard: /proc does not show the processes that are seen from here: %w", err)
	}
	return nil
}

// startCommand sends the guard the command to start, and returns whether it started.
func (k *guarded) startCommand(reports *os.File, w guardSpec) error {
	if err := json.NewEncoder(k.hold).Encode(w); err != nil {
		return fmt.Errorf("guard: %w", err)
	}
	lines := bufio.NewReader(reports)
	var word string
	var number int
	if _, err := fmt.Fscanln(lines, &word, &number); err != nil && !k.wasKilledEarly(err) {
		return fmt.Errorf("guard: %w", err)
	}
	if word == wordFailed {
		return &os.PathError{Op: "fork/exec", Path: string(w.Path), Err: syscall.Errno(number)}
	}
	k.leader = number
	go k.readReports(reports, lines)
	return nil
}

// wasKilledEarly reports whether a signal ended the guard before it reported that the
// command runs, as the command itself can do. The guard stays unreaped.
func (k *guarded) wasKilledEarly(err error) bool {
	pid, how := k.guard.Process.Pid, unix.Siginfo{}
	return errors.Is(err, io.EOF) && awaitExit(pid) == nil && unix.Waitid(unix.P_PID, pid, &how, unix.WEXITED|unix.WNOWAIT|unix.WNOHANG, nil) == nil && how.Code != 1 // CLD_EXITED
}

// readReports reads the guard's reports to their end. If the guard was killed, its
// leader dies with it, and what is left of its session has to be ended at once. A guard
// that has reported that all are gone keeps its record locked until this process ends it.
func (k *guarded) readReports(reports *os.File, lines *bufio.Reader) {
	defer reports.Close()
	k.status = syscall.WaitStatus(unix.SIGKILL)
	var word string
	var status uint32
	if _, err := fmt.Fscanln(lines, &word, &status); err == nil {
		k.status = syscall.WaitStatus(status)
		close(k.ended)
		_, _ = fmt.Fscanln(lines, &word) // or the end of the pipe, if the guard was killed now
	} else {
		defer close(k.ended)
	}
	if word != wordGone {
		_ = awaitExit(k.guard.Process.Pid)
		k.killLeft()
	}
	if _, err := os.Stat(k.record); k.Unguarded != nil && (word != wordGone || err != nil) {
		k.Unguarded()
	}
	close(k.gone)
}

func (k *guarded) signal(sig syscall.Signal) { signalDescendants(k.guard.Process.Pid, sig) }

func (k *guarded) interrupt() {
	if !hasHappened(k.ended) {
		_ = syscall.Kill(k.leader, syscall.SIGINT)
	}
}

// family lists the command and its descendants, as [Command.Began] has it.
func (k *guarded) family() (names []string) {
	eachDescendant(k.guard.Process.Pid, func(p process) { names = append(names, fmt.Sprint(p.pid, " ", p.start)) })
	return names
}

// kill kills until the guard has reported that it has no child. No list of processes
// would prove that, since processes come and go while it is read.
func (k *guarded) kill() {
	late := time.Now().Add(killLimit)
	for pause := time.Millisecond; !hasHappened(k.gone) && time.Now().Before(late); pause = min(2*pause, 50*time.Millisecond) {
		_ = k.guard.Process.Signal(syscall.SIGCONT) // it may have been stopped
		killDescendants(k.guard.Process.Pid)
		select {
		case <-k.gone:
		case <-time.After(pause):
		}
	}
}

func (k *guarded) reap() syscall.WaitStatus {
	k.hold.Close()
	select {
	case <-k.gone:
		_ = k.guard.Wait()
		os.Remove(k.record)
	default:
		go k.guard.Wait() // it continues alone
	}
	return k.status
}
