// Package acp speaks the Agent Client Protocol, as its client, to a program that runs
// like any other agent's. It has one session and one prompt, and it answers the agent's
// requests by the agent's role.
//
// It gives the guarantees of proc for the process. An agent reads files only inside its
// worktree through this package, and writes them only if its role may. The agent runs
// commands itself, as its children: no terminals are offered. What the agent says of
// itself does not count as its result; the board has that.
package acp

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/transcript"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/flow/board"
)

// A Prompt is what an agent is asked, and where.
type Prompt struct {
	Role   board.Role
	Writes bool // whether the role changes files
	Text   string
	Dir    string // the worktree
	Model  string // "" leaves the choice to the agent
	Resume string // the agent's session to continue, if the agent can; "" begins one

	Follow io.Writer // receives lines for people about what happens; may be nil

	// Update is called with what is known of the session, each time when the agent has
	// told something about it; nil is never.
	Update func(transcript.Report)
	// Messages has what else the agent is told. For each message its turn is called off,
	// and its next turn begins with the message. It may be nil.
	Messages <-chan string
}

const (
	// maxCancel is how long a cancelled session may take to say how it ended.
	maxCancel = 2 * time.Second
	// maxDrain is how long the rest of the messages is read after the agent has ended.
	maxDrain = 5 * time.Second
)

// Run runs c as an agent and sends it the prompt p. Standard input and output of c are
// the protocol's. All other fields keep their meaning, and a message of the agent ends
// silence as c.Idle counts it. The error is one of proc.Run: the program could not be
// started, or its worktree is gone.
//
// The report's End is Succeeded if the agent ended its turn, Failed if it said that it
// could not (Error says why), NoEnd if it said neither. After its answer the agent's
// input is closed, and it has c.Grace (0 is 5 s) to end by itself. If it has to be
// ended then, the result still says that it exited with code 0.
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
		c.Grace = maxDrain
	}
	s := newSession(p, c.Env, root, stdin)
	c.Stdin, c.Stdout = input, s.wire

	// The process outlives ctx, so that it can answer the cancellation.
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	go s.converse(context.WithoutCancel(ctx))
	go s.takeMessages()
	var called atomic.Bool
	left := make(chan struct{})
	go func() {
		defer close(left)
		called.Store(s.awaitEnd(ctx, running, c.Grace))
		stop()
	}()

	result, err := proc.Run(running, c)
	stop()
	<-left
	s.wire.Close()
	input.Close()
	waitEither(maxDrain, s.over, nil)
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

// awaitEnd returns when the process has to be ended: after ctx, with a cancellation,
// which it reports, or some time after the agent has answered.
func (s *session) awaitEnd(ctx, running context.Context, grace time.Duration) (called bool) {
	select {
	case <-running.Done():
		return false
	case <-ctx.Done():
		go s.cancel()
		waitEither(maxCancel, s.over, running.Done())
		return true
	case <-s.over:
	}
	waitEither(grace, ctx.Done(), running.Done())
	return false
}

// waitEither waits until one of two events happens, but at most d.
func waitEither(d time.Duration, event, other <-chan struct{}) {
	select {
	case <-event:
	case <-other:
	case <-time.After(d):
	}
}
