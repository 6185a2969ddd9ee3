package worktrees

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A checkout borrows the clone's objects: a gc typed inside drops its own copy of what the
// clone has, and the clone's gc knows none of its refs. So a ref of the clone, its pin, leads
// to what came in and to what was brought, as long as the checkout's entry is there. It names
// a commit without files whose parents are what is new, and what the pin named before.

// pinsLock is the lock on all pins and on what the remote of the checkouts has.
const pinsLock = "pins"

// pin is the name of the ref that keeps what a checkout borrows.
func (r record) pin() string { return layout.PinRefs + filepath.Base(r.gitDir) }

// give returns the clone's branches and tags for a checkout that is new, or is told of what has
// changed. The remote of all checkouts has them then, and before that their pins.
func (i *insides) give(ctx context.Context, r record, isNew bool) (map[string]ID, error) {
	unlock, err := i.registry.locks.lock(ctx, pinsLock)
	if err != nil {
		return nil, err
	}
	defer unlock()
	refs, err := i.packedRefs(ctx)
	if err != nil {
		return nil, err
	}
	text, _ := os.ReadFile(filepath.Join(i.scratch.path(originName), "packed-refs"))
	given, pins, changed := i.parsePacked(string(text)), map[string]ID{}, []ID{}
	for name, id := range refs {
		if strings.HasPrefix(name, layout.PinRefs) {
			pins[name] = id
			delete(refs, name)
		} else if given[name] != id {
			changed = append(changed, id)
		}
	}
	if r.name[0] != '.' { // nobody works in a private one
		pins[r.pin()] += ""
	}
	err = i.movePins(ctx, pins, func(name string, old ID) []ID {
		switch {
		case name == r.pin() && (isNew || old == ""):
			return append(slices.Collect(maps.Values(refs)), r.head)
		case len(changed) == 0:
			return nil
		}
		return append(changed, old)
	})
	if err != nil {
		return nil, err
	}
	return refs, i.writeOrigin(refs)
}

// parsePacked reads the text of packed-refs.
func (i *insides) parsePacked(text string) map[string]ID {
	refs := map[string]ID{}
	for line := range strings.Lines(text) {
		if id, name, _ := strings.Cut(strings.TrimSpace(line), " "); i.repo.CheckID(ID(id)) == nil {
			refs[name] = ID(id)
		}
	}
	return refs
}

// keep has the pin of a checkout lead to commits too that were brought.
func (i *insides) keep(ctx context.Context, r record, commits ...ID) error {
	unlock, err := i.registry.locks.lock(ctx, pinsLock)
	if err != nil {
		return err
	}
	defer unlock()
	old, err := i.repo.Refs.Resolve(ctx, r.pin())
	if err != nil {
		return err
	}
	return i.movePins(ctx, map[string]ID{r.pin(): old}, func(string, ID) []ID { return append(commits, old) })
}

// movePins has pins lead to other objects, and those that shall lead to none stay.
func (i *insides) movePins(ctx context.Context, pins map[string]ID, leadTo func(name string, old ID) []ID) error {
	objects, err := i.repo.Objects(ctx)
	if err != nil {
		return err
	}
	var updates []git.RefUpdate
	for name, old := range pins {
		pin, err := writePin(objects, leadTo(name, old))
		if err != nil {
			return err
		}
		if pin != "" && pin != old {
			updates = append(updates, git.RefUpdate{Name: name, Old: old, New: pin})
		}
	}
	if err := objects.Flush(); err != nil {
		return err
	}
	return i.repo.Refs.MoveRefs(ctx, updates, "git liza: what checkouts borrow")
}

// writePin writes the commit that leads to others, which is the same for the same ones, "" for
// none.
func writePin(objects *git.Objects, ids []ID) (ID, error) {
	parents := map[ID]bool{}
	for _, id := range ids {
		kind, text, _ := objects.Read(id)
		for kind == "tag" {
			line, _, _ := strings.Cut(string(text), "\n")
			id = ID(strings.TrimPrefix(line, "object "))
			kind, text, _ = objects.Read(id)
		}
		if kind == "commit" {
			parents[id] = true
		}
	}
	if len(parents) == 0 {
		return "", nil
	}
	tree, err := objects.WriteTree(nil)
	if err != nil {
		return "", err
	}
	text := fmt.Appendf(nil, "tree %s\n", tree)
	for _, id := range slices.Sorted(maps.Keys(parents)) {
		text = fmt.Appendf(text, "parent %s\n", id)
	}
	return objects.WriteCommit(append(text, "author git liza <> 0 +0000\ncommitter git liza <> 0 +0000\n\nwhat a checkout borrows\n"...))
}

// dropPins removes the pins of checkouts whose entries are gone.
func (g *registry) dropPins(ctx context.Context) error {
	pins, err := g.repo.Refs.List(ctx, layout.PinRefs)
	var updates []git.RefUpdate
	for name, old := range pins {
		if !fileExists(filepath.Join(g.common, "worktrees", strings.TrimPrefix(name, layout.PinRefs))) {
			updates = append(updates, git.RefUpdate{Name: name, Old: old})
		}
	}
	return errors.Join(err, g.repo.Refs.MoveRefs(ctx, updates, "git liza: a checkout is gone"))
}
