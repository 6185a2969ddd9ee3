package worktrees

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Private calls f with the folder of a checkout of commit that nobody else
// uses, and removes it afterwards, along with those that dead processes have
// left. Git works in it, HEAD is detached; no hook is run. The error is f's,
// or tells why there is no checkout.
func (t *Trees) Private(ctx context.Context, commit ID, f func(dir string) error) error {
	if err := t.sweepGates(ctx); err != nil {
		return err
	}
	gate, release, err := t.newGate()
	if err != nil {
		return err
	}
	defer release()
	// What cannot be removed now is swept by the next call; f's answer stands.
	defer func() { _ = t.dropGate(context.WithoutCancel(ctx), gate) }()
	tree, err := t.make(ctx, record{}, checkout{name: gate, commit: commit})
	if err != nil {
		return err
	}
	return f(tree.Path)
}

// newGate makes up a name, and holds a kernel lock that says it is in use. The
// lock's file is there before the checkout, and after it.
func (t *Trees) newGate() (name string, release func(), err error) {
	if err := os.MkdirAll(t.private(""), 0o777); err != nil {
		return "", nil, fmt.Errorf("private checkout: %w", err)
	}
	for {
		f, err := os.CreateTemp(t.private(""), "gate-*.lock")
		if err != nil {
			return "", nil, fmt.Errorf("private checkout: %w", err)
		}
		// A sweeper may have been faster, and removes it then.
		if flock(f, syscall.LOCK_EX|syscall.LOCK_NB) != nil || !stillAt(f) {
			f.Close()
			continue
		}
		return gateName(f.Name()), func() {
			os.Remove(f.Name())
			f.Close()
		}, nil
	}
}

func gateName(lock string) string {
	return "." + strings.TrimSuffix(filepath.Base(lock), ".lock")
}

func stillAt(f *os.File) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(f.Name())
	return err == nil && os.SameFile(opened, now)
}

// sweepGates removes private checkouts that nobody holds the lock of.
func (t *Trees) sweepGates(ctx context.Context) error {
	locks, err := filepath.Glob(filepath.Join(globbed(t.private("")), "gate-*.lock"))
	if err != nil {
		return err
	}
	for _, path := range locks {
		if err := t.sweepGate(ctx, path); err != nil {
			return err
		}
	}
	return nil
}

func (t *Trees) sweepGate(ctx context.Context, lock string) error {
	f, err := os.OpenFile(lock, os.O_RDWR, 0)
	if absent(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("private checkout: %w", err)
	}
	defer f.Close()
	if flock(f, syscall.LOCK_EX|syscall.LOCK_NB) != nil || !stillAt(f) {
		return nil
	}
	if err := t.dropGate(ctx, gateName(lock)); err != nil {
		return err
	}
	os.Remove(lock)
	return nil
}

func (t *Trees) dropGate(ctx context.Context, name string) error {
	records, err := t.records(ctx)
	if err != nil {
		return err
	}
	r, known := named(records, name)
	if !known {
		return nil
	}
	return t.discard(r)
}
