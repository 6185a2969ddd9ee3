package worktrees

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// discardCheckout removes a work tree: first the folder, then git's registration of it. It
// renames each of them before it deletes, so that a killed process leaves nothing
// half removed under its name. Before that it locks the work tree with the reason
// that it is being removed: the next process that finds the lock completes the
// removal. Files that cannot be deleted, for example because a process still writes,
// are left for the next Clear.
func (g *registry) discardCheckout(r record) error {
	if !r.half && !r.alien && fileExists(r.gitDir) {
		if err := g.scratch.replaceFile(filepath.Join(r.gitDir, "locked"), removing+"\n"); err != nil {
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

// discardDead discards a half-made checkout if its process is dead.
func (g *registry) discardDead(r record) error {
	unlock, free := g.locks.tryName(r.name)
	if !free {
		return nil
	}
	defer unlock()
	return g.discardHalfMade(r)
}

// discardHalfMade discards a checkout that was half-made when its record was read, unless
// it was finished meanwhile. The caller holds the lock of its name.
func (g *registry) discardHalfMade(r record) error {
	if !isHalfMade(r.gitDir) {
		return nil
	}
	return g.discardCheckout(r)
}

// freeBranch returns the records without the half-made checkouts of a branch. It
// discards those of dead processes, and gives living ones time to finish theirs. The
// caller holds the lock of name.
func (g *registry) freeBranch(ctx context.Context, records []record, name, branch string) ([]record, error) {
	for deadline := time.Now().Add(finishing); ; {
		i := slices.IndexFunc(records, func(r record) bool { return r.half && r.name != name && r.hasBranch(branch) })
		if i < 0 {
			return records, nil
		}
		discard := g.discardDead
		if lockStripe(records[i].name) == lockStripe(name) {
			discard = g.discardHalfMade
		}
		if err := discard(records[i]); err != nil {
			return nil, err
		}
		if time.Now().After(deadline) {
			return nil, &Obstacle{Path: g.pathOf(records[i]), Reason: "is being made by another process"}
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
	r, known := findRecord(records, name)
	if !known {
		return nil
	}
	return g.discardCheckout(r)
}

// sweepGates removes private checkouts whose lock no process holds.
func (g *registry) sweepGates(ctx context.Context) error {
	return g.scratch.sweepHeld(gatePrefix, func(name string) error { return g.dropGate(ctx, gateName(name)) })
}

// repairRecords mends the links of checkouts whose repository was moved as a whole,
// as git-worktree(1) does with repair, and returns the records. In a copied
// repository the links lead to the original, and it does not change them.
func (g *registry) repairRecords(ctx context.Context) ([]record, error) {
	entries, err := os.ReadDir(g.root)
	if err != nil && !isAbsent(err) {
		return nil, fmt.Errorf("worktrees: %w", err)
	}
	for _, entry := range entries {
		if err := g.repairLinks(entry.Name()); err != nil {
			return nil, err
		}
	}
	return g.records(ctx)
}

func (g *registry) repairLinks(name string) error {
	path := resolveLinks(g.Path(name))
	if !isInside(path, g.common) {
		return nil
	}
	inside := filepath.Join(path, ".git")
	entry, err := git.EntryOf(g.common, inside)
	if err != nil {
		return nil
	}
	named, err := git.ReadSmall(filepath.Join(entry, "gitdir"))
	if err == nil && strings.TrimSpace(string(named)) != inside {
		err = os.WriteFile(filepath.Join(entry, "gitdir"), []byte(inside+"\n"), 0o666)
	}
	if err != nil {
		return fmt.Errorf("worktrees: %w", err)
	}
	return nil
}

// checkOwn refuses a folder that belongs to another repository.
func (g *registry) checkOwn(r record) error {
	if r.gone {
		if info, err := os.Lstat(r.path); err == nil && !info.IsDir() {
			return &Obstacle{Path: g.pathOf(r), Reason: "is in the way and not a folder",
				Hint: "mv " + shell.Quote(g.pathOf(r)) + " " + shell.Quote(g.pathOf(r)+".old")}
		}
		return nil
	}
	if r.alien {
		return &Obstacle{Path: g.pathOf(r), Reason: "is in the way, it belongs to another repository",
			Hint: "mv " + shell.Quote(g.pathOf(r)) + " " + shell.Quote(g.pathOf(r)+".old")}
	}
	return nil
}
