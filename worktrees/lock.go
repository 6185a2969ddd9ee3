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
	return t.lock(ctx, stripe(name))
}

// tryName takes the lock of a name if nobody has it; false if somebody has, or
// where no lock can be taken.
func (t *Trees) tryName(name string) (unlock func(), free bool) {
	f, err := t.openPrivate(lockFile(stripe(name)))
	if err != nil {
		return nil, false
	}
	if flock(f, syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		f.Close()
		return nil, false
	}
	return func() { f.Close() }, true
}

// stripe is the lock that a name shares with others.
func stripe(name string) string {
	h := fnv.New32a()
	h.Write([]byte(name))
	return fmt.Sprintf("%x", h.Sum32()%stripes)
}

func lockFile(key string) string { return "worktrees-" + key + ".lock" }

// lock takes a kernel lock, which cannot outlive its holder.
func (t *Trees) lock(ctx context.Context, key string) (unlock func(), err error) {
	f, err := t.openPrivate(lockFile(key))
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
