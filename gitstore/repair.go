package gitstore

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
)

// maxDropped is how many of the moves that a repair drops are named.
const maxDropped = 50

// A Repaired board is what a repair found and did.
type Repaired struct {
	Was     git.ID    // the tip before, "" where the state ref was gone
	Is      git.ID    // the tip now; "" where no state replays, and nothing has moved
	Kept    []git.ID  // the tips that were passed over, under refs/liza/rescue/
	Dropped []Dropped // the moves that are no longer on the board, newest first, at most 50
	Count   int       // of all moves that are no longer on the board
}

// A Dropped move is one that a repair took off the board. Its commit is kept
// under refs/liza/rescue/.
type Dropped struct {
	Commit  git.ID      `json:"commit"`
	Subject string      `json:"subject"`        // such as "claim task-3 by coder-1"
	Act     string      `json:"act,omitempty"`  // "" where the commit holds no move that can be read
	Task    flow.TaskID `json:"task,omitempty"` // that it was about
}

// Repair moves the state ref back to the last state of its history or reflog
// that replays from the root, and keeps the bad tip, with the saved commits
// and marks of the moves that it drops, under refs/liza/rescue/. Where the ref
// is gone, or no reflog tells where it was, it is the newest state that any
// commit of the repository leads to, and what lies on top of it is kept. Was
// and Is are the same where the tip is sound: nothing has moved then. Errors
// wrap ErrNoBoard.
func (s *Store) Repair(ctx context.Context) (Repaired, error) {
	release, err := s.Repo.Queue(ctx)
	if err != nil {
		return Repaired{}, err
	}
	defer release()
	tip, err := s.Tip(ctx)
	if errors.Is(err, ErrStateLost) {
		return s.restore(ctx)
	}
	if err != nil {
		return Repaired{}, err
	}
	if err := s.newer(tip); err != nil {
		return Repaired{Was: tip}, err
	}
	good, err := s.newest(ctx, tip)
	if err != nil || good == "" || good == tip {
		return Repaired{Was: tip, Is: good}, err
	}
	rescue := s.rescue(tip)
	updates := []git.RefUpdate{{Name: git.StateRef, Old: tip, New: good}, {Name: rescue + "/state", New: tip, Any: true}}
	refs, err := s.droppedRefs(ctx, tip, good, rescue)
	if err != nil {
		return Repaired{Was: tip}, err
	}
	if err := s.Repo.MoveRefs(ctx, append(updates, refs...), "liza: fsck --repair"); err != nil {
		return Repaired{Was: tip}, err
	}
	s.wrote(good)
	done := Repaired{Was: tip, Is: good, Kept: []git.ID{tip}}
	done.Dropped, done.Count = s.dropped(tip, good)
	return done, nil
}

// rescue is the name below which a tip is kept.
func (s *Store) rescue(tip git.ID) string {
	return git.RescueRefs + strconv.FormatInt(s.Now().Unix(), 10) + "-" + tip.Short()
}

// newest is the last sound state that a bad tip and its reflog lead to. Where
// there is no reflog, somebody may have set the tip anywhere: then it is the
// last one that is found at all.
func (s *Store) newest(ctx context.Context, tip git.ID) (git.ID, error) {
	log := s.reflog(ctx)
	good, err := s.lastSound(ctx, append([]git.ID{tip}, log...))
	if err != nil || good == tip || good != "" && len(log) > 0 {
		return good, err
	}
	found, err := s.found(ctx, append(s.dangling(ctx), tip))
	return cmp.Or(found, good), err
}

// restore makes the state ref again.
func (s *Store) restore(ctx context.Context) (Repaired, error) {
	loose := s.dangling(ctx)
	good, err := s.lastSound(ctx, s.reflogFile())
	if err == nil && good == "" {
		good, err = s.found(ctx, loose)
	}
	if err != nil || good == "" {
		return Repaired{}, err
	}
	passed, ends := s.onTop(ctx, good, loose)
	done := Repaired{Is: good, Kept: ends, Count: len(passed)}
	updates := []git.RefUpdate{{Name: git.StateRef, New: good}}
	for _, id := range ends {
		updates = append(updates, git.RefUpdate{Name: s.rescue(id) + "/state", New: id, Any: true})
	}
	for _, id := range passed[:min(len(passed), maxDropped)] {
		if c, err := s.commitObject(id); err == nil {
			done.Dropped = append(done.Dropped, droppedMove(id, c))
		}
	}
	if err := s.Repo.MoveRefs(ctx, updates, "liza: fsck --repair"); err != nil {
		return Repaired{}, err
	}
	s.wrote(good)
	return done, nil
}

// dropped lists the moves that lead to the bad tip and not to the good one,
// and how many they are.
func (s *Store) dropped(bad, good git.ID) ([]Dropped, int) {
	kept := map[git.ID]bool{}
	if chain, breach := s.chain(good, ""); breach == nil {
		for _, id := range chain {
			kept[id] = true
		}
	}
	var list []Dropped
	n := 0
	for id := bad; id != "" && !kept[id]; n++ {
		c, err := s.commitObject(id)
		if err != nil {
			break
		}
		if n < maxDropped {
			list = append(list, droppedMove(id, c))
		}
		id = ""
		if len(c.Parents) > 0 {
			id = c.Parents[0]
		}
	}
	return list, n
}

func droppedMove(id git.ID, c git.Commit) Dropped {
	if m, err := decodeMove(id, c.Message); err == nil {
		return Dropped{id, m.Subject(), m.Act.String(), m.Task}
	}
	first, _, _ := strings.Cut(flow.Clean(c.Message), "\n")
	return Dropped{Commit: id, Subject: flow.Excerpt(first, 100)}
}

// A replay remembers which states were found to be sound while looking for
// the last one.
type replay struct {
	store *Store
	depth map[git.ID]int // moves from the root to it; 0 where it is not sound
}

// lastSound is the sound state with the most moves behind it of those that lead
// to the heads; "" if there is none.
func (s *Store) lastSound(ctx context.Context, heads []git.ID) (git.ID, error) {
	return replay{s, map[git.ID]int{}}.longest(ctx, heads, nil)
}

// sound replays what leads to a state and returns the sound states on the way
// that it has not returned before, newest first.
func (r replay) sound(id git.ID) []git.ID {
	var fresh []git.ID
	for id != "" {
		if _, known := r.depth[id]; known {
			break
		}
		fresh = append(fresh, id)
		c, err := r.store.commitObject(id)
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
		broken = broken || r.store.Verify(fresh[i]) != nil
		r.depth[fresh[i]] = 0
		if !broken {
			depth++
			r.depth[fresh[i]] = depth
			first = i
		}
	}
	return fresh[first:]
}

// holds reports whether a state's invariants hold.
func (s *Store) holds(id git.ID) bool {
	b, err := s.BoardAt(id)
	return err == nil && b.Check() == nil
}

// reflog lists the commits that the state ref has stood at, newest first, as
// far as git can tell.
func (s *Store) reflog(ctx context.Context) []git.ID {
	out, _ := s.Repo.Git(ctx, "reflog", "show", "--format=%H", git.StateRef)
	var list []git.ID
	for line := range strings.FieldsSeq(string(out)) {
		list = append(list, git.ID(line))
	}
	return list
}

// droppedRefs moves the saved commits and marks that only moves after the
// good state name out of the way of those that will take their names.
func (s *Store) droppedRefs(ctx context.Context, tip, good git.ID, rescue string) ([]git.RefUpdate, error) {
	named := s.allRefs(good)
	var list []git.RefUpdate
	for name := range s.allRefs(tip) {
		if named[name] || !strings.HasPrefix(name, "refs/liza/") {
			continue
		}
		now, err := s.Repo.Resolve(ctx, name)
		if err != nil {
			return nil, err
		}
		if now != "" {
			list = append(list, git.RefUpdate{Name: name, Old: now},
				git.RefUpdate{Name: rescue + strings.TrimPrefix(name, "refs/liza"), New: now, Any: true})
		}
	}
	return list, nil
}

// allRefs are the names of all refs that the moves up to a state brought, as
// far as the moves can be read.
func (s *Store) allRefs(tip git.ID) map[string]bool {
	names := map[string]bool{}
	for id := tip; id != ""; {
		c, err := s.commitObject(id)
		if err != nil {
			break
		}
		e := Event{Commit: id}
		if len(c.Parents) > 0 {
			e.Parent = c.Parents[0]
		}
		if e.Move, err = decodeMove(id, c.Message); err == nil {
			refs, _ := s.refsOf(e)
			for _, u := range refs {
				names[u.Name] = true
			}
		}
		id = e.Parent
	}
	return names
}
