package gitstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrStateLost is wrapped where refs/liza/state is gone, but refs that only
// moves of a board bring are here. The command line tests it for its rule.
var ErrStateLost = errors.New(StateRef + " is gone")

// lost tells a repository that never had a board, whose error wraps
// ErrNoBoard, from one that lost its state ref.
func (s *Store) lost(ctx context.Context) error {
	left, err := s.leftRefs(ctx)
	if err != nil {
		return err
	}
	if len(left) == 0 {
		return ErrNoBoard
	}
	names := make([]string, 0, len(left))
	for name := range left {
		names = append(names, name)
	}
	slices.Sort(names)
	return fmt.Errorf("%w, but its board was here: %s of it, and %d more such refs, are left", ErrStateLost, names[0], len(names)-1)
}

// leftRefs are the marks and saved commits of a board.
func (s *Store) leftRefs(ctx context.Context) (map[string]ID, error) {
	all, err := s.Repo.Refs(ctx, "refs/liza")
	for name := range all {
		if !strings.HasPrefix(name, "refs/liza/marks/") && !strings.HasPrefix(name, "refs/liza/saved/") {
			delete(all, name)
		}
	}
	return all, err
}

// found is the newest state that can be found where the state ref is gone: the
// last one of its reflog, or else of all commits that nothing refers to, that
// replays from the root and has the most marks in its chain; "" if there is
// none.
func (s *Store) found(ctx context.Context) (ID, error) {
	left, err := s.leftRefs(ctx)
	if err != nil {
		return "", err
	}
	marks := map[ID]bool{}
	var marked []ID
	for name, id := range left {
		if strings.HasPrefix(name, "refs/liza/marks/") && !marks[id] {
			marks[id] = true
			marked = append(marked, id)
		}
	}
	r := replay{s, map[ID]int{}}
	if best, err := r.longest(ctx, s.reflogFile(), marks); err != nil || best != "" {
		return best, err
	}
	return r.longest(ctx, append(s.dangling(ctx), marked...), marks)
}

// longest is the sound state with the most marks, then the most moves, in its
// chain, of those that lead to the heads; "" if there is none.
func (r replay) longest(ctx context.Context, heads []ID, marks map[ID]bool) (ID, error) {
	best, passed := ID(""), map[ID]int{}
	for _, head := range heads {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if _, err := r.store.Event(head); err != nil {
			continue // an ordinary commit
		}
		states := r.sound(head)
		for i := len(states) - 1; i >= 0; i-- {
			id := states[i]
			e, err := r.store.Event(id)
			if err != nil {
				return "", err
			}
			if passed[id] = passed[e.Parent]; marks[id] {
				passed[id]++
			}
		}
		for _, id := range states {
			if passed[id] < passed[best] || passed[id] == passed[best] && r.depth[id] <= r.depth[best] {
				break
			}
			if r.store.holds(id) {
				best = id
				break
			}
		}
	}
	return best, nil
}

// reflogFile lists the commits that the state ref has stood at, newest first.
// git shows no reflog of a ref that is not there.
func (s *Store) reflogFile() []ID {
	data, _ := os.ReadFile(filepath.Join(s.Repo.CommonDir(), "logs", filepath.FromSlash(StateRef)))
	var list []ID
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) > 1 && s.Repo.checkID(ID(f[1])) == nil {
			list = append(list, ID(f[1]))
		}
	}
	slices.Reverse(list)
	return list
}

// dangling lists the commits that no ref, and no other commit, leads to.
func (s *Store) dangling(ctx context.Context) []ID {
	// It fails where other objects are broken, and still lists what it found.
	out, _ := s.Repo.Git(ctx, "fsck", "--no-reflogs", "--dangling", "--connectivity-only", "--no-progress")
	var list []ID
	for line := range strings.Lines(string(out)) {
		if id, ok := strings.CutPrefix(strings.TrimSpace(line), "dangling commit "); ok && s.Repo.checkID(ID(id)) == nil {
			list = append(list, ID(id))
		}
	}
	return list
}
