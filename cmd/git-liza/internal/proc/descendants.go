package proc

import (
	"os/exec"
	"syscall"
)

// descendants are the processes of a command that we can track.
type descendants interface {
	// signal sends sig to each of them. It is no error if all have ended.
	signal(sig syscall.Signal)
	// interrupt sends SIGINT to the leader alone.
	interrupt()
	// kill kills them all; the leader stays unreaped.
	kill()
	// reap reaps the leader, once, and returns its wait status.
	reap() syscall.WaitStatus
}

// processGroup is the process group of a command that is a child of this process. A
// process that leaves the group is not tracked.
type processGroup struct{ *exec.Cmd }

// startGroup starts a command as the leader of a process group. The channel is closed
// when the leader has ended.
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

// watch closes ended when the leader has ended. Where the system allows it, the leader
// stays unreaped until the group is killed: until then no other group can get the
// group's number.
func (p processGroup) watch(ended chan<- struct{}) {
	if err := awaitExit(p.Process.Pid); err != nil {
		p.reap()
	}
	close(ended)
}

func (p processGroup) signal(sig syscall.Signal) { _ = syscall.Kill(-p.Process.Pid, sig) }

func (p processGroup) interrupt() { _ = p.Process.Signal(syscall.SIGINT) }

func (p processGroup) kill() { p.signal(syscall.SIGKILL) }

func (p processGroup) reap() syscall.WaitStatus {
	_ = p.Wait() // its error repeats the status, or says that Wait was called before
	status, _ := p.ProcessState.Sys().(syscall.WaitStatus)
	return status
}

// closedChannel is the channel gone of descendants whose end cannot be observed.
func closedChannel() <-chan struct{} {
	gone := make(chan struct{})
	close(gone)
	return gone
}
