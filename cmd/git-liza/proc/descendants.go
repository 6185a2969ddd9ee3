package proc

import (
	"os/exec"
	"syscall"
)

// descendants are the processes of a command that we can track.
type descendants interface {
	// signal sends sig to each of them. It is no error if none is left.
	signal(sig syscall.Signal)
	// kill ends them all; the leader stays unreaped.
	kill()
	// reap takes the leader off the process table, once, and returns its status.
	reap() syscall.WaitStatus
}

// processGroup is the process group of a command that is a child of ours. A process
// that leaves the group is not tracked.
type processGroup struct{ *exec.Cmd }

// startGroup starts a command as the leader of a process group. The channel is
// closed when it ended.
func startGroup(cmd *exec.Cmd) (processGroup, <-chan struct{}, error) {
	p := processGroup{cmd}
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
// cannot belong to another group by then.
func (p processGroup) watch(ended chan<- struct{}) {
	if err := awaitExit(p.Process.Pid); err != nil {
		p.reap()
	}
	close(ended)
}

func (p processGroup) signal(sig syscall.Signal) { _ = syscall.Kill(-p.Process.Pid, sig) }

func (p processGroup) kill() { p.signal(syscall.SIGKILL) }

func (p processGroup) reap() syscall.WaitStatus {
	_ = p.Wait() // its error repeats the status, or says that it was called before
	status, _ := p.ProcessState.Sys().(syscall.WaitStatus)
	return status
}

// closedChannel is the channel gone of descendants of which it is not known whether
// any are left.
func closedChannel() <-chan struct{} {
	gone := make(chan struct{})
	close(gone)
	return gone
}
