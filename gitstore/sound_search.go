package gitstore

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A soundSearch remembers which states are sound during the search for the last
// one.
type soundSearch struct {
	repairer *Repairer
	depth    map[git.ID]int // moves from the root to the state; 0 if it is not sound
}

// findNewest is the last sound state that a bad tip and its reflog lead to.
// Without a reflog the tip may be anywhere, and it is the last sound state of
// the repository.
func (r *Repairer) findNewest(ctx context.Context, tip git.ID, log []git.ReflogLine) (git.ID, error) {
	good, err := r.findLastSound(ctx, append([]git.ID{tip}, statesIn(log)...))
	if err != nil || good == tip || good != "" && len(log) > 0 {
		return good, err
	}
	found, err := r.findState(ctx, append(r.listDangling(ctx), tip))
	return cmp.Or(found, good), err
}

// findLastSound is, of the sound states that lead to the heads, the one with
// the most moves behind it; "" if there is none.
func (r *Repairer) findLastSound(ctx context.Context, heads []git.ID) (git.ID, error) {
	return soundSearch{r, map[git.ID]int{}}.findLongest(ctx, heads, nil)
}

// findState is the newest state when neither the state ref nor its reflog leads
// to one. Of all commits, even those that no ref leads to, it takes the one
// that replays from the root and has the highest weight of known states, then
// the most moves, in its chain; "" if there is none. Commits on top of it do
// not matter.
func (r *Repairer) findState(ctx context.Context, loose []git.ID) (git.ID, error) {
	known, err := r.knownStates(ctx)
	if err != nil {
		return "", err
	}
	heads := slices.Collect(maps.Keys(known))
	slices.Sort(heads)
	return soundSearch{r, map[git.ID]int{}}.findLongest(ctx, append(r.listMoves(ctx, loose), heads...), known)
}

// findLongest is, of the sound states that lead to the heads, the one with the
// highest weight of known states, then the most moves, in its chain; "" if
// there is none.
func (r soundSearch) findLongest(ctx context.Context, heads []git.ID, known map[git.ID]int) (git.ID, error) {
	best, passed := git.ID(""), map[git.ID]int{}
	for _, head := range heads {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		states := r.listSound(head)
		for i := len(states) - 1; i >= 0; i-- {
			id := states[i]
			e, err := r.repairer.history.ReadEvent(id)
			if err != nil {
				return "", err
			}
			passed[id] = passed[e.Parent] + known[id]
		}
		for _, id := range states {
			if passed[id] < passed[best] || passed[id] == passed[best] && r.depth[id] <= r.depth[best] {
				break
			}
			if b, err := r.repairer.history.BoardAt(id); err == nil && flow.Check(b) == nil && r.repairer.checkObjects(ctx, id) == nil {
				best = id
				break
			}
		}
	}
	return best, nil
}

// listSound replays the chain of a state and returns its sound states that it
// has not returned before, newest first.
func (r soundSearch) listSound(id git.ID) []git.ID {
	var fresh []git.ID
	for id != "" {
		if _, known := r.depth[id]; known {
			break
		}
		fresh = append(fresh, id)
		c, err := r.repairer.history.readStateCommit(id)
		if err != nil || len(c.Parents) == 0 {
			id = ""
			break
		}
		id = c.Parents[0]
	}
	depth := r.depth[id]
	broken := id != "" && depth == 0
	first := len(fresh)
	for i := len(fresh) - 1; i >= 0; i-- {
		broken = broken || r.repairer.audit.Verify(fresh[i]) != nil || r.repairer.isAhead(fresh[i])
		r.depth[fresh[i]] = 0
		if !broken {
			depth++
			r.depth[fresh[i]] = depth
			first = i
		}
	}
	return fresh[first:]
}

// The weights of known states: one that was fetched from the remote that holds
// the board outweighs all marks, a mark outweighs the last states that this
// clone wrote and verified.
const (
	ownEvidence = 1 << (10 * iota)
	markEvidence
	remoteEvidence = 1 << 40
)

// knownStates are the states that something outside the chain names, with their
// weights.
func (r *Repairer) knownStates(ctx context.Context) (map[git.ID]int, error) {
	left, err := r.history.leftRefs(ctx)
	if err != nil {
		return nil, err
	}
	known := map[git.ID]int{}
	for name, id := range left {
		if strings.HasPrefix(name, layout.MarkRefs) {
			known[id] += markEvidence
		}
	}
	for _, id := range []git.ID{r.audit.readKnown("written"), r.audit.readKnown("verified")} {
		if id != "" {
			known[id] += ownEvidence
		}
	}
	remote, err := r.history.Authority(ctx)
	if err != nil || remote == "" {
		return known, err
	}
	seen, err := r.repo.Refs.Resolve(ctx, layout.RemoteRef(remote, "state"))
	if err == nil && seen != "" { // a ref that cannot be read says nothing
		known[seen] += remoteEvidence
	}
	return known, ctx.Err()
}

// listMoves lists the moves, newest first, that a ref or a loose commit leads
// to. If git cannot walk to all of them, it returns the loose commits.
func (r *Repairer) listMoves(ctx context.Context, loose []git.ID) []git.ID {
	out, err := r.repo.Run(ctx, git.Cmd{Args: []string{"rev-list", "--all", "--author=" + moveAuthor, "--stdin"}, Stdin: joinLines(loose)})
	if err != nil {
		return loose
	}
	var list []git.ID
	for line := range strings.FieldsSeq(string(out)) {
		if _, err := r.history.ReadEvent(git.ID(line)); err == nil { // and not what an agent committed
			list = append(list, git.ID(line))
		}
	}
	return list
}

// listOnTop lists the commits that lead from a state to the loose ones, and
// those of the loose ones among them.
func (r *Repairer) listOnTop(ctx context.Context, good git.ID, loose []git.ID) (passed, ends []git.ID) {
	out, err := r.repo.Run(ctx, git.Cmd{Args: []string{"rev-list", "--ancestry-path", "--stdin"}, Stdin: joinLines(append(loose[:len(loose):len(loose)], "^"+good))})
	if err != nil && len(loose) > 1 { // one that cannot be read must not hide the others
		for _, one := range loose {
			more, end := r.listOnTop(ctx, good, []git.ID{one})
			ends = append(ends, end...)
			passed = lists.Add(passed, more...)
		}
		return passed, ends
	}
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

func joinLines(list []git.ID) []byte {
	var text bytes.Buffer
	for _, id := range list {
		fmt.Fprintln(&text, id)
	}
	return text.Bytes()
}

// statesIn are the states that a reflog names, newest first.
func statesIn(log []git.ReflogLine) []git.ID {
	var list []git.ID
	for _, line := range log {
		for _, id := range []git.ID{line.New, line.Old} {
			if id != "" && !slices.Contains(list[max(0, len(list)-1):], id) {
				list = append(list, id)
			}
		}
	}
	return list
}

// listDangling lists the commits that no ref and no other commit leads to.
func (r *Repairer) listDangling(ctx context.Context) []git.ID {
	// It fails where other objects are broken, and still lists what it found.
	out, _ := r.repo.Git(ctx, "fsck", "--no-reflogs", "--dangling", "--connectivity-only", "--no-progress")
	var list []git.ID
	for line := range strings.Lines(string(out)) {
		if id, ok := strings.CutPrefix(strings.TrimSpace(line), "dangling commit "); ok && r.repo.CheckID(git.ID(id)) == nil {
			list = append(list, git.ID(id))
		}
	}
	return list
}
