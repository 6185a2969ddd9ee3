package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Turns are the kernel locks by which the processes of a clone take turns.
type Turns struct {
	repo *Repo

	told string // the last notice of the process that keeps others waiting; under repo.mu
}

// Queue waits for this clone's turn to write, so that its processes do not
// waste work on each other; correctness never depends on it. The kernel lets
// go of it when the holder dies. The error is fs.ErrPermission or
// syscall.EROFS in a repository that cannot be written, or the context's.
func (ts *Turns) Queue(ctx context.Context) (release func(), err error) {
	// Whoever queues will write: have the configuration ready by then.
	go ts.repo.Config(context.WithoutCancel(ctx), "liza.fsync")
	f, err := ts.OpenLock(turnToWrite.file)
	if err != nil {
		return nil, fmt.Errorf("queue of writers: %w", err)
	}
	if TryLock(f) == nil {
		markHolder(f)
		return func() { f.Close() }, nil
	}
	late := time.AfterFunc(slow, func() { ts.tellHolder(turnToWrite) })
	defer late.Stop()
	locked := make(chan error, 1)
	go func() { locked <- flock(f, syscall.LOCK_EX) }()
	select {
	case err := <-locked:
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("queue of writers: %w", err)
		}
		markHolder(f)
		return func() { f.Close() }, nil
	case <-ctx.Done():
		go func() { // a wait for the kernel cannot be called off
			<-locked
			f.Close()
		}()
		return nil, fmt.Errorf("queue of writers: %w", ctx.Err())
	}
}

// OpenLock opens a file of the folder liza that processes lock.
func (ts *Turns) OpenLock(name string) (*os.File, error) {
	path := filepath.Join(ts.repo.commonDir, "liza", name)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	if errors.Is(err, os.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return nil, err
		}
		f, err = os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	}
	return f, err
}

// TryLock takes the kernel lock on an open file, which ends when the file is
// closed or its process ends. The error is syscall.EWOULDBLOCK where another
// process has it.
func TryLock(f *os.File) error { return flock(f, syscall.LOCK_EX|syscall.LOCK_NB) }

// flock takes a kernel lock on an open file, past interrupting signals.
func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if err != syscall.EINTR {
			return err
		}
	}
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

// PushWait is how long a process waits before it looks again whether it is its
// turn to talk to the remote, or whether somebody has pushed its move.
const PushWait = 3 * time.Millisecond

// TryPushTurn takes the turn to talk to the remote, nil if another process of this
// clone has it. The kernel lets go when the holder dies.
func (ts *Turns) TryPushTurn() (release func(), err error) {
	f, err := ts.OpenLock(TurnToPush.file)
	if err != nil {
		return nil, fmt.Errorf("turn to push: %w", err)
	}
	if TryLock(f) != nil {
		return nil, f.Close()
	}
	markHolder(f)
	return func() { f.Close() }, nil
}

// PushTurn waits for the turn.
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
