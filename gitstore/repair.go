package gitstore

import (
	"context"
	"strconv"
	"strings"
)

// rescueRefs is where what a repair puts aside is kept.
const rescueRefs = "refs/liza/rescue/"

// Repair moves the state ref back to the last state of its history or reflog
// that replays from the root, and keeps the bad tip, with the saved commits
// and marks of the moves that it drops, under refs/liza/rescue/. It returns
// both; they are the same where the tip is sound, and good is "" where no
// state is: nothing has moved then. Errors wrap ErrNoBoard.
func (s *Store) Repair(ctx context.Context) (bad, good ID, err error) {
	release, err := s.Repo.Queue(ctx)
	if err != nil {
		return "", "", err
	}
	defer release()
	tip, err := s.tip(ctx)
	if err != nil {
		return "", "", err
	}
	if err := s.newer(tip); err != nil {
		return tip, "", err
	}
	good, err = s.lastSound(ctx, tip)
	if err != nil || good == "" || good == tip {
		return tip, good, err
	}
	rescue := rescueRefs + strconv.FormatInt(s.Now().Unix(), 10) + "-" + tip.Short()
	updates := []RefUpdate{{Name: StateRef, Old: tip, New: good}, {Name: rescue + "/state", New: tip, Any: true}}
	dropped, err := s.droppedRefs(ctx, tip, good, rescue)
	if err != nil {
		return tip, "", err
	}
	return tip, good, s.Repo.MoveRefs(ctx, append(updates, dropped...), "liza: fsck --repair")
}

// A replay remembers which states were found to be sound while looking for
// the last one.
type replay struct {
	store *Store
	depth map[ID]int // moves from the root to it; 0 where it is not sound
}

// lastSound is the sound state with the most moves behind it, on the chain
// below the tip or in the reflog; "" if there is none.
func (s *Store) lastSound(ctx context.Context, tip ID) (ID, error) {
	r := replay{s, map[ID]int{}}
	best := ID("")
	for _, id := range append([]ID{tip}, s.reflog(ctx)...) {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		for _, id := range r.sound(id) {
			if r.depth[id] <= r.depth[best] {
				break
			}
			if s.holds(id) {
				best = id
				break
			}
		}
	}
	return best, nil
}

// sound replays what leads to a state and returns the sound states on the way
// that it has not returned before, newest first.
func (r replay) sound(id ID) []ID {
	var fresh []ID
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
func (s *Store) holds(id ID) bool {
	b, err := s.BoardAt(id)
	return err == nil && b.Check() == nil
}

// reflog lists the commits that the state ref has stood at, newest first, as
// far as git can tell.
func (s *Store) reflog(ctx context.Context) []ID {
	out, _ := s.Repo.Git(ctx, "reflog", "show", "--format=%H", StateRef)
	var list []ID
	for line := range strings.FieldsSeq(string(out)) {
		list = append(list, ID(line))
	}
	return list
}

// droppedRefs moves the saved commits and marks that only moves after the
// good state name out of the way of those that will take their names.
func (s *Store) droppedRefs(ctx context.Context, tip, good ID, rescue string) ([]RefUpdate, error) {
	named := s.allRefs(good)
	var list []RefUpdate
	for name := range s.allRefs(tip) {
		if named[name] || !strings.HasPrefix(name, "refs/liza/") {
			continue
		}
		now, err := s.Repo.Resolve(ctx, name)
		if err != nil {
			return nil, err
		}
		if now != "" {
			list = append(list, RefUpdate{Name: name, Old: now},
				RefUpdate{Name: rescue + strings.TrimPrefix(name, "refs/liza"), New: now, Any: true})
		}
	}
	return list, nil
}

// allRefs are the names of all refs that the moves up to a state brought, as
// far as the moves can be read.
func (s *Store) allRefs(tip ID) map[string]bool {
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
