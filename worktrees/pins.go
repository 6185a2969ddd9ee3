package worktrees

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A checkout borrows the clone's objects: a gc typed inside drops its own copy of what the
// clone has, and the clone's gc knows none of its refs. So refs of the clone, the pins, lead to
// what came in and to what was brought: commits without files whose parents are what is new,
// and what the pin named before.

// givenPin keeps what the remote of all checkouts has had since there was none.
const givenPin = layout.PinRefs + "@given"

// pinsLock is the lock on all pins and on what the remote of the checkouts has.
const pinsLock = "pins"

// pin is the name of the ref that keeps what was brought from a checkout.
func (r record) pin() string { return layout.PinRefs + filepath.Base(r.gitDir) }

// give returns the clone's branches, but for those of tasks, and its tags, also as a text of
// packed-refs, for a checkout that is new, or is told of what has changed. The remote of all
// checkouts has them then, and before that the pin, which begins anew where no checkout has been
// given anything.
func (i *insides) give(ctx context.Context, isNew bool) (refs map[string]ID, text string, err error) {
	unlock, err := i.registry.locks.lock(ctx, pinsLock)
	if err != nil {
		return nil, "", err
	}
	defer unlock()
	refs, err = i.repo.Refs.List(ctx, "refs/heads/", "refs/tags/", layout.PinRefs)
	dirs, dirsErr := i.registry.gitDirNames()
	if err := cmp.Or(err, dirsErr); err != nil {
		return nil, "", err
	}
	old := refs[givenPin]
	maps.DeleteFunc(refs, func(name string, _ ID) bool {
		return strings.HasPrefix(name, layout.TaskRefs) || strings.HasPrefix(name, layout.PinRefs)
	})
	text = packed(refs)
	given, _ := os.ReadFile(filepath.Join(i.scratch.path(originName), "packed-refs"))
	if old == "" || text != string(given) {
		changed, adds := maps.Clone(refs), !isNew || len(dirs) > 2
		if old != "" && adds {
			before := i.parsePacked(string(given))
			maps.DeleteFunc(changed, func(name string, id ID) bool { return before[name] == id })
		}
		if len(changed) > 0 {
			pin, err := i.movePin(ctx, givenPin, old, changed, adds)
			if err == nil {
				err = i.repo.Refs.MoveRefs(ctx, pin, "git liza: what checkouts borrow")
			}
			if err != nil {
				return nil, "", err
			}
		}
	}
	return refs, text, i.writeOrigin(ctx, text)
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

// keep returns what has the pin of a checkout lead to commits too that were brought. The lock of
// the checkout is held.
func (i *insides) keep(ctx context.Context, r record, commits ...ID) ([]git.RefUpdate, error) {
	old, err := i.repo.Refs.Resolve(ctx, r.pin())
	if err != nil {
		return nil, err
	}
	brought := map[string]ID{}
	for _, id := range commits {
		brought[string(id)] = id
	}
	return i.movePin(ctx, r.pin(), old, brought, true)
}

// movePin returns what has a pin lead to what refs name, and, if it adds them, to what it led to
// before.
func (i *insides) movePin(ctx context.Context, name string, old ID, refs map[string]ID, adds bool) ([]git.RefUpdate, error) {
	objects := i.repo.Objects(ctx)
	parents := map[ID]bool{old: adds && old != ""}
	for ref, id := range refs {
		kind, text := "commit", []byte(nil)
		if strings.HasPrefix(ref, "refs/tags/") {
			kind, text, _ = objects.Read(id)
		}
		for kind == "tag" {
			line, _, _ := strings.Cut(string(text), "\n")
			id = ID(strings.TrimPrefix(line, "object "))
			kind, text, _ = objects.Read(id)
		}
		parents[id] = parents[id] || kind == "commit"
	}
	maps.DeleteFunc(parents, func(_ ID, is bool) bool { return !is })
	tree, err := objects.WriteTree(nil)
	if err != nil {
		return nil, err
	}
	commit := fmt.Appendf(nil, "tree %s\n", tree)
	for _, id := range slices.Sorted(maps.Keys(parents)) {
		commit = fmt.Appendf(commit, "parent %s\n", id)
	}
	pin, err := objects.WriteCommit(append(commit, "author git liza <> 0 +0000\ncommitter git liza <> 0 +0000\n\nwhat checkouts borrow\n"...))
	if err == nil {
		err = objects.Flush()
	}
	if err != nil || pin == old || len(parents) == 0 {
		return nil, err
	}
	return []git.RefUpdate{{Name: name, Old: old, New: pin}}, nil
}

// dropLost drops the refs inside whose objects are gone, over which git there fails. Of the clone's
// it knows which are there, and whoever takes over the task's branch says what is wrong with that.
func (i *insides) dropLost(ctx context.Context, r record, root *os.Root, refs, known map[string]ID) error {
	var asked []byte
	for name, id := range refs {
		if id != known[strings.Replace(name, "refs/remotes/origin/", "refs/heads/", 1)] && name != "refs/heads/"+taskBranch(r.name) {
			asked = fmt.Appendln(asked, id+"^{}")
		}
	}
	if asked == nil {
		return nil
	}
	out, err := i.isolation.run(ctx, r, git.Cmd{Args: []string{"cat-file", "--batch-check"}, Stdin: asked,
		Env: append(git.Apart(i.repo.ObjectDir(), filepath.Join(r.inside(), "objects")), "GIT_NO_LAZY_FETCH=1")})
	answers := pathSet(strings.ReplaceAll(string(out), "\n", "\x00"))
	isLost := func(_ string, id ID) bool { return answers[string(id)+"^{} missing"] }
	lost := maps.Clone(refs)
	maps.DeleteFunc(lost, func(name string, id ID) bool { return !isLost(name, id) })
	if err != nil || len(lost) == 0 {
		return err
	}
	lock, err := root.OpenFile("packed-refs.lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666) // git's own
	if errors.Is(err, fs.ErrExist) {
		return heldLock(filepath.Join(r.inside(), "packed-refs.lock"))
	}
	if err != nil {
		return err
	}
	defer root.Remove("packed-refs.lock")
	text, _ := readIn(root, "packed-refs") // without one, none is packed
	kept := i.parsePacked(text)
	maps.DeleteFunc(kept, isLost)
	err = errors.Join(lock.Close(), writeIn(root, "packed-refs", []byte(packed(kept)), 0o666))
	for name := range lost {
		_ = root.Remove(name) // it may only have been packed
	}
	if i.repo.Notice != nil {
		i.repo.Notice(r.name + ": refs inside are dropped, since their objects are gone: " + strings.Join(slices.Sorted(maps.Keys(lost)), ", "))
	}
	return err
}

// renewShallow has history inside end where the clone's does, and at those commits where it
// ended that the clone lacks.
func renewShallow(ctx context.Context, repo *git.Repo, root *os.Root) error {
	text, err := git.ReadSmall(filepath.Join(repo.CommonDir(), "shallow"))
	if err != nil && !isAbsent(err) {
		return err
	}
	ends, objects := string(text), repo.Objects(ctx)
	inner, _ := readIn(root, "shallow") // without one, it is whole
	for _, id := range strings.Fields(inner) {
		if repo.CheckID(ID(id)) != nil || strings.Contains(ends, id) {
			continue
		}
		if _, _, err := objects.Read(ID(id)); errors.Is(err, git.ErrNoObject) {
			ends += id + "\n"
		}
	}
	switch {
	case strings.TrimSpace(ends) == inner:
		return nil
	case ends == "":
		return root.Remove("shallow")
	}
	return writeIn(root, "shallow", []byte(ends), 0o666)
}

// dropPins removes the pins of checkouts whose entries are gone, and the pin of what was given
// where none is left.
func (g *registry) dropPins(ctx context.Context) error {
	pins, err := g.repo.Refs.List(ctx, layout.PinRefs)
	dirs, dirsErr := g.gitDirNames()
	var updates []git.RefUpdate
	for name, old := range pins {
		entry := "worktrees/" + strings.TrimPrefix(name, layout.PinRefs)
		if dirsErr == nil && !slices.Contains(dirs, entry) && (name != givenPin || len(dirs) == 1) {
			updates = append(updates, git.RefUpdate{Name: name, Old: old})
		}
	}
	return errors.Join(err, dirsErr, g.repo.Refs.MoveRefs(ctx, updates, "git liza: a checkout is gone"))
}

// dropPin removes the pin of a checkout that is gone.
func (g *registry) dropPin(ctx context.Context, r record) error {
	old, err := g.repo.Refs.Resolve(ctx, r.pin())
	if err != nil || old == "" {
		return err
	}
	return g.repo.Refs.MoveRefs(ctx, []git.RefUpdate{{Name: r.pin(), Old: old}}, "git liza: a checkout is gone")
}
