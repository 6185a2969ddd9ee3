package gitstore

import (
	"context"
	"errors"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A Repairer resets a state ref that does not replay, or is gone, to a state
// that replays.
type Repairer struct {
	repo    *git.Repo
	history *history
	audit   *Audit
	remotes *Remotes
}

// A Repaired is the result of a repair.
type Repaired struct {
	Was     git.ID    // the tip before, "" if the state ref was gone
	Is      git.ID    // the tip now; "" if no state replays and nothing has moved
	Kept    []git.ID  // the tips that were passed over, under refs/liza/rescue/
	Dropped []Dropped // the moves that are no longer on the board, newest first, at most 50
	Count   int       // of all dropped moves
}

// Repair moves the state ref back to the last state of its history or reflog
// that replays from the root. It keeps the bad tip, with the saved commits and
// marks of the dropped moves, under refs/liza/rescue/. If the ref is gone, or
// has no reflog, it takes the newest state that any commit of the repository
// leads to, and keeps what lies on top of it. Was and Is are equal if the tip
// is sound and nothing has moved. Errors wrap ErrNoBoard.
func (r *Repairer) Repair(ctx context.Context) (Repaired, error) {
	release, err := r.repo.Queue(ctx)
	if err != nil {
		return Repaired{}, err
	}
	defer release()
	tip, err := r.history.Tip(ctx)
	if errors.Is(err, ErrStateLost) {
		return r.restoreRef(ctx)
	}
	if err != nil {
		return Repaired{}, err
	}
	if err := r.audit.refuseNewer(tip); err != nil {
		return Repaired{Was: tip}, err
	}
	good, err := r.findNewest(ctx, tip)
	if err != nil || good == "" || good == tip {
		return Repaired{Was: tip, Is: good}, err
	}
	rescue := r.rescueName(tip)
	updates := []git.RefUpdate{{Name: layout.State, Old: tip, New: good}, {Name: rescue + "/state", New: tip, Any: true}}
	refs, err := r.droppedRefs(ctx, tip, good, rescue)
	if err != nil {
		return Repaired{Was: tip}, err
	}
	if err := r.repo.MoveRefs(ctx, append(updates, refs...), "liza: fsck --repair"); err != nil {
		return Repaired{Was: tip}, err
	}
	r.audit.rememberWritten(good)
	done := Repaired{Was: tip, Is: good, Kept: []git.ID{tip}}
	done.Dropped, done.Count = r.history.listDropped(tip, good)
	return done, nil
}

// rescueName is the folder of the refs that keep a tip.
func (r *Repairer) rescueName(tip git.ID) string {
	return layout.RescueFolder(r.history.Now(), tip.Short())
}

// restoreRef creates the missing state ref.
func (r *Repairer) restoreRef(ctx context.Context) (Repaired, error) {
	loose := r.listDangling(ctx)
	good, err := r.findLastSound(ctx, r.readReflogFile())
	if err == nil && good == "" {
		good, err = r.findState(ctx, loose)
	}
	if err != nil || good == "" {
		return Repaired{}, err
	}
	passed, ends := r.listOnTop(ctx, good, loose)
	done := Repaired{Is: good, Kept: ends, Count: len(passed)}
	updates := []git.RefUpdate{{Name: layout.State, New: good}}
	for _, id := range ends {
		updates = append(updates, git.RefUpdate{Name: r.rescueName(id) + "/state", New: id, Any: true})
	}
	for _, id := range passed[:min(len(passed), maxDropped)] {
		if c, err := r.history.readStateCommit(id); err == nil {
			done.Dropped = append(done.Dropped, droppedMove(id, c))
		}
	}
	if err := r.repo.MoveRefs(ctx, updates, "liza: fsck --repair"); err != nil {
		return Repaired{}, err
	}
	r.audit.rememberWritten(good)
	return done, nil
}

// droppedRefs moves the saved commits and marks of the dropped moves to the
// rescue folder, so that new moves can use their names.
func (r *Repairer) droppedRefs(ctx context.Context, tip, good git.ID, rescue string) ([]git.RefUpdate, error) {
	named := r.allRefs(good)
	var list []git.RefUpdate
	for name := range r.allRefs(tip) {
		if named[name] || !strings.HasPrefix(name, layout.Refs) {
			continue
		}
		now, err := r.repo.Resolve(ctx, name)
		if err != nil {
			return nil, err
		}
		if now != "" {
			list = append(list, git.RefUpdate{Name: name, Old: now},
				git.RefUpdate{Name: rescue + strings.TrimPrefix(name, layout.Root), New: now, Any: true})
		}
	}
	return list, nil
}

// allRefs are the names of all refs that the moves up to a state created, as
// far as the moves can be read.
func (r *Repairer) allRefs(tip git.ID) map[string]bool {
	names := map[string]bool{}
	for id := tip; id != ""; {
		c, err := r.history.readStateCommit(id)
		if err != nil {
			break
		}
		e := Event{Commit: id}
		if len(c.Parents) > 0 {
			e.Parent = c.Parents[0]
		}
		if e.Move, err = decodeMove(id, c.Message); err == nil {
			refs, _ := r.history.refsOfMove(e)
			for _, u := range refs {
				names[u.Name] = true
			}
		}
		id = e.Parent
	}
	return names
}
