package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"github.com/git-liza/git-liza/flow/layout"
)

// A kernel lock belongs to an open file. The kernel lets go of it when the last
// process that has the file open closes it or dies. Go opens files so that a
// child has one, and the lock with it, only if it is given the file.

// OpenLock opens a file of the folder liza in a shared git directory, for
// processes to lock. It makes the file and the folder where they are missing.
func OpenLock(commonDir, name string) (*os.File, error) {
	path := filepath.Join(commonDir, layout.Private, name)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	if errors.Is(err, os.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return nil, err
		}
		f, err = os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	}
	return f, err
}

// TryLock takes the kernel lock on an open file without waiting. The error is
// syscall.EWOULDBLOCK where somebody else has it.
func TryLock(f *os.File) error { return flock(f, syscall.LOCK_EX|syscall.LOCK_NB) }

// ShareLock takes a kernel lock on an open file that others can share. It waits
// while somebody has the file locked alone.
func ShareLock(f *os.File) error { return flock(f, syscall.LOCK_SH) }

// AwaitLock waits for the kernel lock on an open file until the context ends,
// whose error it returns then. After any error the file is the callee's, which
// closes it.
func AwaitLock(ctx context.Context, f *os.File) error {
	locked := make(chan error, 1)
	go func() { locked <- flock(f, syscall.LOCK_EX) }()
	select {
	case err := <-locked:
		if err != nil {
			f.Close()
		}
		return err
	case <-ctx.Done():
		go func() { // a wait for the kernel cannot be called off
			<-locked
			f.Close()
		}()
		return ctx.Err()
	}
}

// HoldLock opens a file as [OpenLock] does and waits for its kernel lock until the context
// ends, whose error it returns then.
func HoldLock(ctx context.Context, commonDir, name string) (unlock func(), err error) {
	f, err := OpenLock(commonDir, name)
	if err != nil {
		return nil, err
	}
	if err := AwaitLock(ctx, f); err != nil {
		return nil, err
	}
	return func() { Unlock(f) }, nil
}

// TryHoldLock is HoldLock without waiting: unlock is nil if somebody else has the lock.
func TryHoldLock(commonDir, name string) (unlock func(), err error) {
	f, err := OpenLock(commonDir, name)
	if err != nil {
		return nil, err
	}
	if err = TryLock(f); err == nil {
		return func() { Unlock(f) }, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, nil
	}
	return nil, err
}

// Unlock lets go of the lock on an open file and closes it. Closing alone keeps
// the lock for a moment where a child that is just being forked has the file open.
func Unlock(f *os.File) {
	_ = flock(f, syscall.LOCK_UN)
	f.Close()
}

// LocksAt takes the kernel lock on an open file without waiting, and reports whether
// it has the lock and the file is still the one at path: other processes remove
// lock files of that kind when they have locked them.
func LocksAt(f *os.File, path string) bool { return TryLock(f) == nil && StillAt(f, path) }

// StillAt reports whether the open file is the one at path. A lock on a file
// that its holder removes counts only if it is.
func StillAt(f *os.File, path string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(path)
	return err == nil && os.SameFile(opened, now)
}

// flock asks the kernel for a lock on an open file again when a signal interrupts it.
func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
