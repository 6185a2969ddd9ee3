package proc

import (
	"os/exec"
	"syscall"
)

// kin is whom a command has brought into the world, as far as it is followed.
type kin interface {
	// signal sends sig to each of them. That nobody is left is no error.
	signal(sig syscall.Signal)
	// kill ends them all; the leader stays unreaped.
	kill()
	// reap takes the leader off the process table, once, and returns its status.
	reap() syscall.WaitStatus
}

// pack is the process group of a command that is a child of ours. Who leaves it
// is not followed.
type pack struct{ *exec.Cmd }

// runPack starts a command as the leader of a process group. The channel is
// closed when it ended.
func runPack(cmd *exec.Cmd) (pack, <-chan struct{}, error) {
	p := pack{cmd}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return p, nil, err
	}
	ended := make(chan struct{})
	go p.watch(ended)
	return p, ended, nil
}

// watch closes ended when the leader ended. Where the system allows it the
// leader stays unreaped until the group is killed, so that the group's number
// cannot belong to somebody else by then.
func (p pack) watch(ended chan<- struct{}) {
	if err := awaitExit(p.Process.Pid); err != nil {
		p.reap()
	}
	close(ended)
}

func (p pack) signal(sig syscall.Signal) { _ = syscall.Kill(-p.Process.Pid, sig) }

func (p pack) kill() { p.signal(syscall.SIGKILL) }

func (p pack) reap() syscall.WaitStatus {
	_ = p.Wait() // its error repeats the status, or says that it was called before
	status, _ := p.ProcessState.Sys().(syscall.WaitStatus)
	return status
}

// unfollowed is the channel gone of kin of which nobody can tell whether any
// are left.
func unfollowed() <-chan struct{} {
	gone := make(chan struct{})
	close(gone)
	return gone
}
