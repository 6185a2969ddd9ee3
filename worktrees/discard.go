package worktrees

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow/shell"
)

// discard removes a work tree: first the folder, then git's registration of it. It
// renames each of them before it deletes, so that a killed process leaves nothing
// half removed under its name. Before that it locks the work tree with the reason
// that it is being removed: the next process that finds the lock completes the
// removal. Files that cannot be deleted, for example because a process still writes,
// are left for the next Clear.
func (g *registry) discard(r record) error {
	if !r.half && !r.alien && exists(r.gitDir) {
		if err := g.scratch.replace(filepath.Join(r.gitDir, "locked"), removing+"\n"); err != nil {
			return err
		}
	}
	var folder string
	if !r.alien {
		var err error
		if folder, err = setAside(r.path, filepath.Join(filepath.Dir(r.path), gonePrefix)); err != nil {
			return err
		}
	}
	admin, err := setAside(r.gitDir, g.scratch.path("gone-"))
	if err != nil {
		return err
	}
	for _, garbage := range []string{folder, admin} {
		if garbage != "" {
			_ = removeAll(garbage)
		}
	}
	return nil
}

// discardDead discards a half-made checkout that nobody is at, but for the
// holder of held's lock, which its name may share.
func (g *registry) discardDead(r record, held string) error {
	if stripe(r.name) != stripe(held) {
		unlock, free := g.locks.tryName(r.name)
		if !free {
			return nil
		}
		defer unlock()
	}
	if !halfThere(r.gitDir) {
		return nil
	}
	return g.discard(r)
}

// freed are the records without the half-made checkouts of a branch: those of
// dead processes are discarded, and living ones get time to finish theirs. The
// lock of name is held.
func (g *registry) freed(ctx context.Context, records []record, name, branch string) ([]record, error) {
	for deadline := time.Now().Add(finishing); ; {
		i := slices.IndexFunc(records, func(r record) bool { return r.half && r.name != name && r.has(branch) })
		if i < 0 {
			return records, nil
		}
		if err := g.discardDead(records[i], name); err != nil {
			return nil, err
		}
		if time.Now().After(deadline) {
			return nil, &Obstacle{Path: g.place(records[i]), Reason: "is being made by another process"}
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("worktrees: waiting for another process: %w", ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
		var err error
		if records, err = g.records(ctx); err != nil {
			return nil, err
		}
	}
}

func (g *registry) dropGate(ctx context.Context, name string) error {
	records, err := g.records(ctx)
	if err != nil {
		return err
	}
	r, known := named(records, name)
	if !known {
		return nil
	}
	return g.discard(r)
}

// sweepGates removes private checkouts that nobody holds the lock of.
func (g *registry) sweepGates(ctx context.Context) error {
	return g.scratch.sweepHeld(gatePrefix, func(name string) error { return g.dropGate(ctx, gateName(name)) })
}

// reunited returns the records after mending the links of checkouts whose
// repository was moved as a whole. In a copied repository they lead to the
// original, which is left alone.
func (g *registry) reunited(ctx context.Context) ([]record, error) {
	entries, err := os.ReadDir(g.root)
	if err != nil && !absent(err) {
		return nil, fmt.Errorf("worktrees: %w", err)
	}
	for _, entry := range entries {
		if err := g.reunite(ctx, entry.Name()); err != nil {
			return nil, err
		}
	}
	return g.records(ctx)
}

func (g *registry) reunite(ctx context.Context, name string) error {
	path := g.Path(name)
	target, err := readDotGit(path)
	if err != nil || exists(target) || filepath.Base(filepath.Dir(target)) != "worktrees" {
		return nil
	}
	r := record{gitDir: filepath.Join(g.common, "worktrees", filepath.Base(target))}
	known, err := g.readRecord(ctx, &r)
	if err != nil || !known || !r.gone || filepath.Base(r.path) != name {
		return err
	}
	path = resolved(path)
	err = os.WriteFile(filepath.Join(r.gitDir, "gitdir"), []byte(filepath.Join(path, ".git")+"\n"), 0o666)
	if err == nil {
		err = writeDotGit(path, r.gitDir)
	}
	if err != nil {
		return fmt.Errorf("worktrees: %w", err)
	}
	return nil
}

// checkOwn refuses a folder that some other repository lies in.
func (g *registry) checkOwn(r record) error {
	if r.gone {
		if info, err := os.Lstat(r.path); err == nil && !info.IsDir() {
			return &Obstacle{Path: g.place(r), Reason: "is in the way and not a folder",
				Hint: "mv " + shell.Quote(g.place(r)) + " " + shell.Quote(g.place(r)+".old")}
		}
		return nil
	}
	if r.alien {
		return &Obstacle{Path: g.place(r), Reason: "is in the way, it belongs to another repository",
			Hint: "mv " + shell.Quote(g.place(r)) + " " + shell.Quote(g.place(r)+".old")}
	}
	return nil
}
