package worktrees

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"syscall"
)

// stripes is how many locks the names share: enough that checkouts of
// different names rarely wait for each other, few enough to leave lying about.
const stripes = 16

// lockName waits until no other process of ours makes or removes the checkout
// called name; what is half-made then belongs to a dead one.
func (t *Trees) lockName(ctx context.Context, name string) (unlock func(), err error) {
	h := fnv.New32a()
	h.Write([]byte(name))
	return t.lock(ctx, fmt.Sprintf("%x", h.Sum32()%stripes))
}

// lock takes a kernel lock, which cannot outlive its holder.
func (t *Trees) lock(ctx context.Context, key string) (unlock func(), err error) {
	f, err := t.openPrivate("worktrees-" + key + ".lock")
	if err != nil {
		return nil, fmt.Errorf("worktrees: %w", err)
	}
	done := make(chan error, 1)
	go func() { done <- flock(f, syscall.LOCK_EX) }()
	select {
	case err := <-done:
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("worktrees: %w", err)
		}
		return func() { f.Close() }, nil
	case <-ctx.Done():
		go func() { // a wait for the kernel cannot be called off
			<-done
			f.Close()
		}()
		return nil, fmt.Errorf("worktrees: waiting for another process: %w", ctx.Err())
	}
}

// openPrivate opens a file below liza/ in the shared git directory.
func (t *Trees) openPrivate(name string) (*os.File, error) {
	path := t.private(name)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	if errors.Is(err, os.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return nil, err
		}
		f, err = os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	}
	return f, err
}

func (t *Trees) private(name string) string { return filepath.Join(t.common, "liza", name) }

// flock takes a kernel lock on an open file, past interrupting signals.
func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if err != syscall.EINTR {
			return err
		}
	}
}
