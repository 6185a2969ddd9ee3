package proc

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// guardName is the name of a guard on its command line. The place and the words of its
// mark follow there.
const guardName = "git-liza: guard of a session"

// A guardSpec is the command that a guard starts. Its words need not be UTF-8, as JSON
// strings would have to be.
type guardSpec struct {
	Path      []byte
	Args, Env [][]byte
	Grace     time.Duration
	Domain    *domainSpec
}

// A domainSpec is a [Domain].
type domainSpec struct {
	Read, Write [][]byte
	Sockets     bool
	Ports       []uint16
}

func newGuardSpec(cmd *exec.Cmd, c Command) guardSpec {
	w := guardSpec{[]byte(cmd.Path), converted[[]byte](cmd.Args), converted[[]byte](cmd.Env), c.Grace, nil}
	if d := c.Domain; d != nil {
		w.Domain = &domainSpec{converted[[]byte](d.Read), converted[[]byte](d.Write), d.Sockets, d.Ports}
	}
	return w
}

// converted is a list of texts in their other form, not nil.
func converted[To, From ~string | ~[]byte](list []From) []To {
	texts := make([]To, len(list))
	for i, text := range list {
		texts[i] = To(text)
	}
	return texts
}

// start starts the command as the leader of a process group. The kernel kills the
// command when this process dies.
func (w guardSpec) start() (pid int, err error) {
	attr := &syscall.ProcAttr{Files: []uintptr{0, 1, 2}, Env: converted[string](w.Env),
		Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}}
	if w.Domain == nil {
		return syscall.ForkExec(string(w.Path), converted[string](w.Args), attr)
	}
	orders, err := w.orders()
	if err != nil {
		return 0, err
	}
	defer orders.Close()
	attr.Files, attr.Env = append(attr.Files, orders.Fd()), []string{}
	return syscall.ForkExec("/proc/self/exe", []string{shimName}, attr)
}

// Every program that runs commands can be their guard, also a test: this runs before
// its main function. During init the main goroutine runs on the main thread, and the
// command's PR_SET_PDEATHSIG waits for the end of that thread.
func init() {
	if len(os.Args) > 0 && os.Args[0] == guardName {
		syscall.Exit(runGuard(os.NewFile(3, "orders"), os.NewFile(4, "reports")))
	}
}

// runGuard starts the command in its orders, and runs until none of its descendants is
// left. When its orders end, it ends them.
func runGuard(orders, reports *os.File) (code int) {
	unix.CloseOnExec(3)
	unix.CloseOnExec(4)
	unix.CloseOnExec(5) // the record, whose lock says that this process lives
	var w guardSpec
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return 1
	}
	if err := json.NewDecoder(orders).Decode(&w); err != nil {
		return 1
	}
	catchSignals()
	leader, err := w.start()
	if err != nil {
		errno, _ := err.(syscall.Errno)
		fmt.Fprintln(reports, wordFailed, int(errno))
		return 1
	}
	if err := closeStreams(); err != nil {
		return 1
	}
	fmt.Fprintln(reports, wordStarted, leader)
	over := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, orders)
		close(over)
		endAll(w.Grace)
	}()
	reapAll(leader, func(status syscall.WaitStatus) { fmt.Fprintln(reports, wordEnded, uint32(status)) })
	fmt.Fprintln(reports, wordGone)
	<-over
	return 0
}

// catchSignals catches the signals that end programs, which are meant for the guarded
// processes. It does not ignore them, because its children would inherit that.
func catchSignals() {
	for _, sig := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM} {
		if !signal.Ignored(sig) {
			signal.Notify(make(chan os.Signal, 1), sig)
		}
	}
}

// closeStreams closes the command's pipes in this process, and leaves its folder.
func closeStreams() error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	for fd := range 3 {
		if err := unix.Dup3(int(null.Fd()), fd, 0); err != nil {
			return err
		}
	}
	return os.Chdir("/")
}

// reapAll reaps all descendants until none is left, and reports the end of the leader.
func reapAll(leader int, ended func(syscall.WaitStatus)) {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.ECHILD:
			return
		case pid == leader:
			leader = 0 // another process may get the number from now on
			ended(status)
		}
	}
}

// endAll ends all descendants. It ends this process too if all that are left belong to
// other users.
func endAll(grace time.Duration) {
	self := os.Getpid()
	signalDescendants(self, syscall.SIGTERM)
	signalDescendants(self, syscall.SIGCONT)
	time.Sleep(grace)
	for pause := time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		if found, killed := killDescendants(self); found && !killed {
			syscall.Exit(1)
		}
		time.Sleep(pause) // a process that waits for a disk dies when the disk answers
	}
}
