package proc

import (
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// group is a started command: its leader, and our ends of its pipes.
type group struct {
	cmd    *exec.Cmd
	input  *os.File // nil if the command reads no pipe of ours
	output *os.File
	stdout *os.File // nil if standard output goes where standard error does
	tap    *tap
	bond   *bond // nil if the group may outlive this process

	ended   chan struct{} // closed when the leader ended
	drained chan struct{} // closed when nobody holds the output any more
	fed     chan struct{} // closed when the input is copied or refused
}

// start starts c as the leader of a new process group and begins to feed and
// read it.
func start(c Command) (*group, error) {
	g := &group{
		cmd:     exec.Command(c.Path, c.Args...),
		tap:     newTap(c.Excerpt),
		ended:   make(chan struct{}),
		drained: make(chan struct{}),
		fed:     make(chan struct{}),
	}
	g.cmd.Dir = c.Dir
	// A nil environment would mean that of this process to exec.
	g.cmd.Env = append([]string{}, c.Env...)
	g.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}

	theirs, err := g.pipes(c)
	if err == nil {
		err = g.cmd.Start()
	}
	for _, f := range theirs {
		f.Close()
	}
	if err == nil && c.Bound {
		if g.bond, err = bind(g.cmd.Process.Pid, c.Grace); err != nil {
			g.signal(syscall.SIGKILL)
			g.reap()
		}
	}
	if err != nil {
		g.close()
		return nil, err
	}
	go g.watch()
	go g.drain(c)
	go g.feed(c.Stdin)
	return g, nil
}

// pipes connects the command and returns its ends, which are to be closed
// after the start. They are files of ours, and not exec's own copying, because
// exec waits for whoever holds them.
func (g *group) pipes(c Command) (theirs []*os.File, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	g.output = r
	g.cmd.Stdout, g.cmd.Stderr = w, w
	theirs = append(theirs, w)
	if c.Stdout != nil {
		if r, w, err = os.Pipe(); err != nil {
			return theirs, err
		}
		g.stdout = r
		g.cmd.Stdout = w
		theirs = append(theirs, w)
	}

	switch in := c.Stdin.(type) {
	case nil:
	case *os.File:
		g.cmd.Stdin = in
	default:
		r, w, err = os.Pipe()
		if err != nil {
			return theirs, err
		}
		g.input = w
		g.cmd.Stdin = r
		theirs = append(theirs, r)
	}
	return theirs, nil
}

// watch closes ended when the leader ended. Where the system allows it the
// leader stays unreaped until the group is killed, so that the group's number
// cannot belong to somebody else by then.
func (g *group) watch() {
	if err := awaitExit(g.cmd.Process.Pid); err != nil {
		g.reap()
	}
	close(g.ended)
}

func (g *group) drain(c Command) {
	var both sync.WaitGroup
	if g.stdout != nil {
		both.Go(func() { g.tap.pass(g.stdout, c.Stdout) })
	}
	g.tap.pass(g.output, c.Output)
	both.Wait()
	close(g.drained)
}

func (g *group) feed(stdin io.Reader) {
	if g.input != nil {
		// A command that does not read to the end is no error.
		_, _ = io.Copy(g.input, stdin)
		g.input.Close()
	}
	close(g.fed)
}

// signal sends sig to every member of the group. That nobody is left is no
// error.
func (g *group) signal(sig syscall.Signal) {
	_ = syscall.Kill(-g.cmd.Process.Pid, sig)
}

// within waits for all of the events, but no longer than d in total.
func (g *group) within(d time.Duration, events ...<-chan struct{}) {
	late := time.After(d)
	for _, event := range events {
		select {
		case <-event:
		case <-late:
			return
		}
	}
}

// close lets go of the pipes, which ends a copy that is blocked on them.
func (g *group) close() {
	for _, f := range []*os.File{g.output, g.stdout, g.input} {
		if f != nil {
			f.Close()
		}
	}
}

// reap takes the leader off the process table, once, and returns its status.
func (g *group) reap() syscall.WaitStatus {
	_ = g.cmd.Wait() // its error repeats the status, or says that it was called before
	status, _ := g.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return status
}
