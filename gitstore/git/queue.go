package git

import (
	"context"
	"fmt"
	"time"
)

// Turns are the kernel locks by which the processes of a clone take turns.
type Turns struct {
	repo *Repo

	told string // the last notice of the process that keeps others waiting; under repo.mu
}

// Queue waits for the turn to write, so that the processes of a clone do not make
// moves that lose against each other; correctness never depends on it. The kernel
// ends the turn when its holder dies. The error is fs.ErrPermission or syscall.EROFS
// in a repository that cannot be written, or the context's.
func (ts *Turns) Queue(ctx context.Context) (release func(), err error) {
	// A process that queues will write, and needs the configuration by then.
	go ts.repo.Config.Config(context.WithoutCancel(ctx), "liza.fsync")
	f, err := OpenLock(ts.repo.commonDir, turnToWrite.file)
	if err != nil {
		return nil, fmt.Errorf("queue of writers: %w", err)
	}
	if TryLock(f) == nil {
		markHolder(f)
		return func() { f.Close() }, nil
	}
	late := time.AfterFunc(longTurn, func() { ts.tellHolder(turnToWrite) })
	defer late.Stop()
	if err := AwaitLock(ctx, f); err != nil {
		return nil, fmt.Errorf("queue of writers: %w", err)
	}
	markHolder(f)
	return func() { f.Close() }, nil
}

// Wait waits for a time, or until the context ends, whose error it returns then.
func Wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// PushWait is how long a process waits before it tries again to take the turn to talk
// to the remote, or looks whether another process has pushed its move.
const PushWait = 3 * time.Millisecond

// TryPushTurn takes the turn to talk to the remote. release is nil if another process
// of this clone has the turn. The kernel ends the turn when its holder dies.
func (ts *Turns) TryPushTurn() (release func(), err error) {
	f, err := OpenLock(ts.repo.commonDir, TurnToPush.file)
	if err != nil {
		return nil, fmt.Errorf("turn to push: %w", err)
	}
	if TryLock(f) != nil {
		return nil, f.Close()
	}
	markHolder(f)
	return func() { f.Close() }, nil
}

// PushTurn waits for the turn to talk to the remote.
func (ts *Turns) PushTurn(ctx context.Context) (release func(), err error) {
	waiting := ts.AwaitTurn(TurnToPush)
	for {
		if release, err = ts.TryPushTurn(); release != nil || err != nil {
			return release, err
		}
		waiting.TellHolder()
		if err := Wait(ctx, PushWait); err != nil {
			return nil, fmt.Errorf("turn to push: %w", err)
		}
	}
}
