package gitstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/gitstore/git"
)

// ErrStateLost is wrapped where refs/liza/state is gone, but refs that only
// moves of a board bring are here. The command line tests it for its rule.
var ErrStateLost = errors.New(git.StateRef + " is gone")

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
	more := ""
	if len(names) > 1 {
		more = fmt.Sprintf(", and %d more such refs", len(names)-1)
	}
	return fmt.Errorf("%w, but its board was here: %s of it is left%s", ErrStateLost, names[0], more)
}

// leftRefs are the marks and saved commits of a board.
func (s *Store) leftRefs(ctx context.Context) (map[string]git.ID, error) {
	all, err := s.Repo.Refs(ctx, "refs/liza")
	for name := range all {
		if !strings.HasPrefix(name, "refs/liza/marks/") && !strings.HasPrefix(name, "refs/liza/saved/") {
			delete(all, name)
		}
	}
	return all, err
}

// found is the newest state that can be found where neither the state ref nor
// its reflog leads to one: of all commits that a ref, or nothing, leads to, the
// one that replays from the root and has the weightiest known states, then the
// most moves, in its chain; "" if there is none. It does not matter what lies
// on top of it.
func (s *Store) found(ctx context.Context, loose []git.ID) (git.ID, error) {
	known, err := s.knownStates(ctx)
	if err != nil {
		return "", err
	}
	heads := slices.Collect(maps.Keys(known))
	slices.Sort(heads)
	return replay{s, map[git.ID]int{}}.longest(ctx, append(s.written(ctx, loose), heads...), known)
}

// How much it says for a chain that a state of it is known: one that the remote
// which holds the board was seen to have outdoes all marks, a mark what this
// clone wrote and verified last.
const (
	ownEvidence = 1 << (10 * iota)
	markEvidence
	remoteEvidence = 1 << 40
)

// knownStates are the states that something outside of the chain names.
func (s *Store) knownStates(ctx context.Context) (map[git.ID]int, error) {
	left, err := s.leftRefs(ctx)
	if err != nil {
		return nil, err
	}
	known := map[git.ID]int{}
	for name, id := range left {
		if strings.HasPrefix(name, "refs/liza/marks/") {
			known[id] += markEvidence
		}
	}
	for _, id := range []git.ID{s.known("written"), s.known("verified")} {
		if id != "" {
			known[id] += ownEvidence
		}
	}
	remote, err := s.Authority(ctx)
	if err != nil || remote == "" {
		return known, err
	}
	seen, err := s.Repo.Resolve(ctx, tracking(remote, "state"))
	if seen != "" {
		known[seen] += remoteEvidence
	}
	return known, err
}

// written lists the commits that a ref or one of the loose ones leads to and
// whose author is that of a move, newest first. Where git cannot walk to all of
// them, the loose ones themselves must do.
func (s *Store) written(ctx context.Context, loose []git.ID) []git.ID {
	out, err := s.Repo.Run(ctx, git.Cmd{Args: []string{"rev-list", "--all", "--author=" + moveAuthor, "--stdin"}, Stdin: lines(loose)})
	if err != nil {
		return loose
	}
	var list []git.ID
	for line := range strings.FieldsSeq(string(out)) {
		if _, err := s.Event(git.ID(line)); err == nil { // and not what an agent committed
			list = append(list, git.ID(line))
		}
	}
	return list
}

// onTop lists the commits that lead from a state to the loose ones, and those
// of these at which they end.
func (s *Store) onTop(ctx context.Context, good git.ID, loose []git.ID) (passed, ends []git.ID) {
	out, err := s.Repo.Run(ctx, git.Cmd{Args: []string{"rev-list", "--ancestry-path", "--stdin"}, Stdin: lines(append(loose[:len(loose):len(loose)], "^"+good))})
	if err != nil {
		return nil, nil
	}
	for line := range strings.FieldsSeq(string(out)) {
		passed = append(passed, git.ID(line))
		if slices.Contains(loose, git.ID(line)) {
			ends = append(ends, git.ID(line))
		}
	}
	return passed, ends
}

func lines(list []git.ID) []byte {
	var text bytes.Buffer
	for _, id := range list {
		fmt.Fprintln(&text, id)
	}
	return text.Bytes()
}

// longest is the sound state with the weightiest known ones, then the most
// moves, in its chain, of those that lead to the heads; "" if there is none.
func (r replay) longest(ctx context.Context, heads []git.ID, known map[git.ID]int) (git.ID, error) {
	best, passed := git.ID(""), map[git.ID]int{}
	for _, head := range heads {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		states := r.sound(head)
		for i := len(states) - 1; i >= 0; i-- {
			id := states[i]
			e, err := r.store.Event(id)
			if err != nil {
				return "", err
			}
			passed[id] = passed[e.Parent] + known[id]
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
func (s *Store) reflogFile() []git.ID {
	data, _ := os.ReadFile(filepath.Join(s.Repo.CommonDir(), "logs", filepath.FromSlash(git.StateRef)))
	var list []git.ID
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) > 1 && s.Repo.CheckID(git.ID(f[1])) == nil {
			list = append(list, git.ID(f[1]))
		}
	}
	slices.Reverse(list)
	return list
}

// dangling lists the commits that no ref, and no other commit, leads to.
func (s *Store) dangling(ctx context.Context) []git.ID {
	// It fails where other objects are broken, and still lists what it found.
	out, _ := s.Repo.Git(ctx, "fsck", "--no-reflogs", "--dangling", "--connectivity-only", "--no-progress")
	var list []git.ID
	for line := range strings.Lines(string(out)) {
		if id, ok := strings.CutPrefix(strings.TrimSpace(line), "dangling commit "); ok && s.Repo.CheckID(git.ID(id)) == nil {
			list = append(list, git.ID(id))
		}
	}
	return list
}
