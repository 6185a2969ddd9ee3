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

// guardName is what a guard is called. On its command line follow place and words
// of its mark.
const guardName = "git-liza: guard of a session"

// A guardSpec is the command that a guard starts. Words need not be UTF-8, which JSON strings are.
type guardSpec struct {
	Path      []byte
	Args, Env [][]byte
	Grace     time.Duration
}

func newGuardSpec(cmd *exec.Cmd, grace time.Duration) guardSpec {
	w := guardSpec{Path: []byte(cmd.Path), Grace: grace}
	for _, word := range cmd.Args {
		w.Args = append(w.Args, []byte(word))
	}
	for _, entry := range cmd.Env {
		w.Env = append(w.Env, []byte(entry))
	}
	return w
}

// start starts the command as the leader of a process group, which dies with us.
func (w guardSpec) start() (pid int, err error) {
	attr := &syscall.ProcAttr{Files: []uintptr{0, 1, 2}, Env: []string{},
		Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}}
	for _, entry := range w.Env {
		attr.Env = append(attr.Env, string(entry))
	}
	var args []string
	for _, word := range w.Args {
		args = append(args, string(word))
	}
	return syscall.ForkExec(string(w.Path), args, attr)
}

// Every program that runs commands can be their guard, also a test: this comes
// before its main function. Here the main goroutine has the main thread, whose
// end is the one that the command's PR_SET_PDEATHSIG waits for.
func init() {
	if len(os.Args) > 0 && os.Args[0] == guardName {
		syscall.Exit(runGuard(os.NewFile(3, "orders"), os.NewFile(4, "reports")))
	}
}

// runGuard starts the command that it is ordered to, and lives until none of its
// descendants is left. At the end of its orders it ends them.
func runGuard(orders, reports *os.File) (code int) {
	unix.CloseOnExec(3)
	unix.CloseOnExec(4)
	unix.CloseOnExec(5) // the record, whose lock says that we live
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
	go func() {
		_, _ = io.Copy(io.Discard, orders)
		endAll(w.Grace)
	}()
	reapAll(leader, func(status syscall.WaitStatus) { fmt.Fprintln(reports, wordEnded, uint32(status)) })
	fmt.Fprintln(reports, wordGone)
	return 0
}

// catchSignals takes the signals that call programs off, which are for those that it
// guards. They are not ignored, since its children would ignore them as well.
func catchSignals() {
	for _, sig := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM} {
		if !signal.Ignored(sig) {
			signal.Notify(make(chan os.Signal, 1), sig)
		}
	}
}

// closeStreams lets go of the command's pipes and of its folder.
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

// reapAll reaps whoever ends until nobody is left, and tells of the leader.
func reapAll(leader int, ended func(syscall.WaitStatus)) {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.ECHILD:
			return
		case pid == leader:
			leader = 0 // the number may be another's from now on
			ended(status)
		}
	}
}

// endAll ends everybody. It returns only if those who are left are not for this
// user to end.
func endAll(grace time.Duration) {
	self := os.Getpid()
	signalDescendants(self, syscall.SIGTERM)
	signalDescendants(self, syscall.SIGCONT)
	time.Sleep(grace)
	for pause := time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		if found, killed := killDescendants(self); found && !killed {
			syscall.Exit(1)
		}
		time.Sleep(pause) // who waits for a disk dies when that answers, and who moves on all the time is met one day
	}
}
