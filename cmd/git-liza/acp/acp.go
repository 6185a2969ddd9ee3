// Package acp speaks the Agent Client Protocol, as its client, to a program
// that runs as any other agent's: one session, one prompt, and answers to what
// the agent asks meanwhile, by the role that it works in.
//
// It promises what proc promises for the process, and that an agent gets at
// files only inside its worktree, and writes only if its role does. Commands
// are run by the agent itself, as its children: no terminals are offered. The
// agent's say about itself is believed as little as any other's: what the
// session has brought is on the board.
package acp

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/transcript"
	"github.com/git-liza/git-liza/flow"
)

// A Prompt is what an agent is asked, and where.
type Prompt struct {
	Role     flow.Role
	Text     string
	Dir      string // the worktree
	Model    string // "" is the agent's own choice
	Resume   string // a session of the agent's that goes on, if the agent can; "" begins one
	ReadOnly bool   // also a coder may only read; other roles never write

	Follow io.Writer // receives what happens in lines for people; may be nil
}

const (
	// An agent whose session is called off has this long to say how it ended.
	farewell = 2 * time.Second
	// What it has said is taken in within this time after it is gone.
	leaving = 5 * time.Second
)

// Run runs c as an agent and asks it p. Standard input and output of c are the
// protocol's; all other fields keep their meaning, and what the agent says in
// the protocol counts against c.Idle. The error is one of proc.Run: the
// program could not be started, or its worktree is gone.
//
// The report's End is Succeeded if the agent ended its turn, Failed if it said
// that it could not (Error says why), NoEnd if it said neither. An agent that
// has answered is done: its input is closed, it has c.Grace (0 is 5 s) to leave
// by itself, and that it is ended then does not show in the result, which says
// that it exited with code 0.
func Run(ctx context.Context, c proc.Command, p Prompt) (proc.Result, transcript.Report, error) {
	if ctx.Err() != nil {
		return proc.Result{Code: -1, Reason: proc.Canceled}, transcript.Report{}, nil
	}
	root, err := os.OpenRoot(p.Dir)
	if err != nil {
		return proc.Result{}, transcript.Report{}, fmt.Errorf("%w: %w", proc.ErrFolder, err)
	}
	defer root.Close()
	input, stdin := io.Pipe()
	defer input.Close()
	if c.Grace <= 0 {
		c.Grace = leaving
	}
	s := newSession(p, c.Env, root, stdin)
	c.Stdin, c.Stdout = input, s.wire

	// The process outlives ctx by the time that it has for its farewell.
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	go s.hold(context.WithoutCancel(ctx))
	var called atomic.Bool
	left := make(chan struct{})
	go func() {
		defer close(left)
		called.Store(s.attend(ctx, running, c.Grace))
		stop()
	}()

	result, err := proc.Run(running, c)
	stop()
	<-left
	s.wire.Close()
	input.Close()
	within(leaving, s.over, nil)
	switch {
	case err != nil:
		return proc.Result{}, transcript.Report{}, err
	case called.Load():
		result.Reason = proc.Canceled
	case result.Reason == proc.Canceled:
		result.Code, result.Reason = 0, proc.Exited
	}
	return result, s.record.report(), nil
}

// attend returns when the process is to be ended: after ctx, with a farewell,
// which it reports; or some time after the agent has answered.
func (s *session) attend(ctx, running context.Context, grace time.Duration) (called bool) {
	select {
	case <-running.Done():
		return false
	case <-ctx.Done():
		go s.cancel()
		within(farewell, s.over, running.Done())
		return true
	case <-s.over:
	}
	within(grace, ctx.Done(), running.Done())
	return false
}

// within waits until one of two events happens, but no longer than d.
func within(d time.Duration, event, other <-chan struct{}) {
	select {
	case <-event:
	case <-other:
	case <-time.After(d):
	}
}
