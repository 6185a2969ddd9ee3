package proc

import (
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// running is a started command with its descendants and our ends of its pipes.
type running struct {
	descendants descendants
	family      func() []string // as in Command.Began
	input       *os.File        // nil if the command does not read a pipe of this process
	output      *os.File
	stdout      *os.File // nil if standard output goes where standard error does
	tap         *tap

	ended   <-chan struct{} // closed when the leader ended
	gone    <-chan struct{} // closed when no descendant is left, or that cannot be found out
	drained chan struct{}   // closed when no process has the output open any more
	fed     chan struct{}   // closed when the input is copied or refused
}

// start starts c and begins to feed and to read it.
func start(c Command) (*running, error) {
	g := &running{family: func() []string { return nil }, tap: newTap(c.Excerpt), drained: make(chan struct{}), fed: make(chan struct{})}
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Dir = c.Dir
	// With a nil environment exec would pass that of this process.
	cmd.Env = append([]string{}, c.Env...)
	theirs, err := g.pipes(cmd, c)
	if err == nil {
		err = g.launch(cmd, c)
	}
	for _, f := range theirs {
		f.Close()
	}
	if err != nil {
		g.closePipes()
		return nil, err
	}
	if c.Began != nil {
		c.Began(g.family)
	}
	go g.drainOutput(c)
	go g.feedInput(c.Stdin)
	return g, nil
}

// pipes connects the command and returns its ends, which are to be closed
// after the start. They are files of ours, because exec's own copying waits for every
// process that has them open.
func (g *running) pipes(cmd *exec.Cmd, c Command) (theirs []*os.File, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	g.output = r
	cmd.Stdout, cmd.Stderr = w, w
	theirs = append(theirs, w)
	if c.Stdout != nil {
		if r, w, err = os.Pipe(); err != nil {
			return theirs, err
		}
		g.stdout = r
		cmd.Stdout = w
		theirs = append(theirs, w)
	}

	switch in := c.Stdin.(type) {
	case nil:
	case *os.File:
		cmd.Stdin = in
	default:
		r, w, err = os.Pipe()
		if err != nil {
			return theirs, err
		}
		g.input = w
		cmd.Stdin = r
		theirs = append(theirs, r)
	}
	return theirs, nil
}

func (g *running) drainOutput(c Command) {
	var both sync.WaitGroup
	if g.stdout != nil {
		both.Go(func() { g.tap.passOutput(g.stdout, c.Stdout) })
	}
	g.tap.passOutput(g.output, c.Output)
	both.Wait()
	close(g.drained)
}

func (g *running) feedInput(stdin io.Reader) {
	if g.input != nil {
		// It is no error if a command does not read to the end.
		_, _ = io.Copy(g.input, stdin)
		g.input.Close()
	}
	close(g.fed)
}

// waitFor waits for all of the events, but at most d in total.
func (g *running) waitFor(d time.Duration, events ...<-chan struct{}) {
	late := time.After(d)
	for _, event := range events {
		select {
		case <-event:
		case <-late:
			return
		}
	}
}

// closePipes closes the pipes, which ends a copy that is blocked on them.
func (g *running) closePipes() {
	for _, f := range []*os.File{g.output, g.stdout, g.input} {
		if f != nil {
			f.Close()
		}
	}
}
