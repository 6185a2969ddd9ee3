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
	release, _, err = ts.JoinQueue(ctx)
	return release, err
}

// JoinQueue is Queue, and reports whether another process had the turn before.
func (ts *Turns) JoinQueue(ctx context.Context) (release func(), waited bool, err error) {
	// A process that queues will write, and needs the configuration by then.
	go ts.repo.Config.Config(context.WithoutCancel(ctx), "liza.fsync")
	f, err := OpenLock(ts.repo.commonDir, turnToWrite.file)
	if err != nil {
		return nil, false, fmt.Errorf("queue of writers: %w", err)
	}
	if TryLock(f) == nil {
		MarkHolder(f)
		return func() { f.Close() }, false, nil
	}
	late := time.AfterFunc(longTurn, func() { ts.tellHolder(turnToWrite) })
	defer late.Stop()
	if err := AwaitLock(ctx, f); err != nil {
		return nil, false, fmt.Errorf("queue of writers: %w", err)
	}
	MarkHolder(f)
	return func() { f.Close() }, true, nil
}

// Alone waits for the turn to move refs and the one to write, in this order: no process of
// this clone moves refs of the board meanwhile, also not for others.
func (ts *Turns) Alone(ctx context.Context) (release func(), err error) {
	endMove, err := ts.TakeTurn(ctx, TurnToMove)
	if err != nil {
		return nil, err
	}
	endWrite, err := ts.Queue(ctx)
	if err != nil {
		endMove()
		return nil, err
	}
	return func() { endWrite(); endMove() }, nil
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

// TurnPause is how long a process waits before it tries again to take a turn, or looks
// whether another process has done its work.
const TurnPause = 3 * time.Millisecond

// TryTurn takes a turn. release is nil if another process of this clone has it. The
// kernel ends the turn when its holder dies.
func (ts *Turns) TryTurn(t Turn) (release func(), err error) {
	f, err := OpenLock(ts.repo.commonDir, t.file)
	if err != nil {
		return nil, fmt.Errorf("turn to %s: %w", t.what, err)
	}
	if TryLock(f) != nil {
		return nil, f.Close()
	}
	MarkHolder(f)
	return func() { f.Close() }, nil
}

// TakeTurn waits for a turn.
func (ts *Turns) TakeTurn(ctx context.Context, t Turn) (release func(), err error) {
	waiting := ts.AwaitTurn(t)
	for {
		if release, err = ts.TryTurn(t); release != nil || err != nil {
			return release, err
		}
		waiting.TellHolder()
		if err := Wait(ctx, TurnPause); err != nil {
			return nil, fmt.Errorf("turn to %s: %w", t.what, err)
		}
	}
}

// PushTurn waits for the turn to talk to the remote.
func (ts *Turns) PushTurn(ctx context.Context) (release func(), err error) {
	return ts.TakeTurn(ctx, TurnToPush)
}
