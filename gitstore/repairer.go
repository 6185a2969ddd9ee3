package gitstore

import (
	"context"
	"errors"
	"slices"

	"github.com/git-liza/git-liza/flow"
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

	PassAhead bool // a state that is dated more than a minute ahead of this machine's clock is not sound
}

// isAhead reports whether a repair passes over a state for its date.
func (r *Repairer) isAhead(id git.ID) bool {
	if !r.PassAhead {
		return false
	}
	e, err := r.history.ReadEvent(id)
	return err == nil && e.Move.At.Sub(r.history.Now()) > maxAhead
}

// A Repaired is the result of a repair.
type Repaired struct {
	Was        git.ID    // the tip before, "" if the state ref was gone or held no id
	Is         git.ID    // the tip now; "" if no state replays and nothing has moved
	Remade     int       // objects of boards that were lost and follow from the moves
	Kept       []git.ID  // the newest readable states that were passed over, under refs/liza/rescue/
	Board      git.ID    // the tree of a newer state, under refs/liza/rescue/; "" if there is none or it is unreadable
	Unreadable []git.ID  // commits that were passed over and that no ref keeps: they or their ancestors are unreadable
	Dropped    []Dropped // the moves that are no longer on the board, newest first, at most 50
	Count      int       // of all dropped moves that are known
	Incomplete bool      // a dropped move is unreadable, and there may be more before it
}

// Repair moves the state ref back to the last state of its history or reflog
// that replays from the root. Under refs/liza/rescue/ it keeps the newest
// passed state that is readable with all its ancestors, the tree of a newer
// one, and the saved commits and marks of the dropped moves. It keeps no ref to
// an unreadable history, because `git gc` would fail. If the ref is gone, or
// has no reflog, it takes the newest state that any commit of the repository
// leads to, and keeps what lies on top of it. Was and Is are equal if the tip
// is sound and nothing has moved. It sets aside torn files of objects. Errors
// wrap ErrNoBoard.
func (r *Repairer) Repair(ctx context.Context) (Repaired, error) {
	release, err := r.repo.Turns.Alone(ctx)
	if err != nil {
		return Repaired{}, err
	}
	defer release()
	return r.repair(ctx)
}

func (r *Repairer) repair(ctx context.Context) (Repaired, error) {
	if _, err := r.setAsideTorn(ctx); err != nil {
		return Repaired{}, err
	}
	log, err := r.repo.Refs.ReadReflog(ctx, layout.State)
	if err != nil {
		return Repaired{}, err
	}
	log = r.eachMove(log)
	tip, err := r.history.Tip(ctx)
	if broken := errors.Is(err, git.ErrBrokenRef); broken || errors.Is(err, ErrStateLost) {
		return r.restoreRef(ctx, log, broken)
	}
	if err != nil {
		return Repaired{}, err
	}
	return r.goBack(ctx, tip, log)
}

// goBack moves the state ref back from a tip, where it is not sound.
func (r *Repairer) goBack(ctx context.Context, tip git.ID, log []git.ReflogLine) (Repaired, error) {
	if err := r.audit.refuseNewer(tip); err != nil {
		return Repaired{Was: tip}, err
	}
	good, err := r.findNewest(ctx, tip, log)
	remade := 0
	if err == nil && good != tip {
		if remade = r.remake(ctx, tip); remade > 0 {
			good, err = r.findNewest(ctx, tip, log)
		}
	}
	if err != nil || good == "" || good == tip {
		return Repaired{Was: tip, Is: good, Remade: remade}, err
	}
	rescue := &rescue{Repaired: Repaired{Was: tip, Is: good, Remade: remade}, repairer: r, folder: r.rescueName(tip)}
	rescue.updates = []git.RefUpdate{{Name: layout.State, Old: tip, New: good}}
	if err := rescue.keepPassed(ctx, r.listPassed(tip, good, log), log); err != nil {
		return Repaired{Was: tip}, err
	}
	if err := rescue.freeRefs(ctx, tip); err != nil {
		return Repaired{Was: tip}, err
	}
	if err := rescue.move(ctx); err != nil {
		return Repaired{Was: tip}, err
	}
	return rescue.Repaired, nil
}

// remake writes the objects of boards up to a tip that are lost again, as far as each board follows
// from its move and the board before it, and returns their number.
func (r *Repairer) remake(ctx context.Context, tip git.ID) (made int) {
	var chain []git.Commit
	for id := tip; ; {
		c, err := r.history.readStateCommit(id)
		if err != nil || ctx.Err() != nil {
			return 0
		}
		if chain = append(chain, c); len(c.Parents) != 1 {
			break
		}
		id = c.Parents[0]
	}
	before, source := r.history.emptyBoard()
	for _, c := range slices.Backward(chain) {
		m, _, err := decodeSigned(c.ID, c.Message, source.format)
		if err != nil {
			return made
		}
		after, err := flow.Apply(before.Within(ctx), m, nil)
		if err != nil {
			return made
		}
		d := &draft{snapshot: source}
		if tree, err := d.applyEdits(after.Changes()); err != nil || tree != c.Tree {
			return made
		}
		for _, o := range d.drafted {
			if _, lost := d.objects.ReadKind(o.ID, o.Kind, int64(len(o.Data))); lost != nil {
				if _, err := d.objects.Write(o.Kind, o.Data); err != nil {
					return made
				}
				made++
			}
		}
		if d.objects.Flush() != nil {
			return made
		}
		if before, source, err = r.history.boardOf(c, r.history.past); err != nil {
			return made
		}
	}
	return made
}

// rescueName is the folder of the refs that keep a tip.
func (r *Repairer) rescueName(tip git.ID) string {
	return layout.RescueFolder(r.history.Now(), tip.Short())
}

// restoreRef creates the missing state ref. It writes a broken one in place:
// without its file the older value in packed-refs would count.
func (r *Repairer) restoreRef(ctx context.Context, log []git.ReflogLine, broken bool) (Repaired, error) {
	loose := r.listDangling(ctx)
	good, err := r.findLastSound(ctx, statesIn(log))
	if err == nil && good == "" {
		good, err = r.findState(ctx, loose)
	}
	if err != nil || good == "" {
		return Repaired{}, err
	}
	onTop, ends := r.listOnTop(ctx, good, loose)
	rescue := &rescue{Repaired: Repaired{Is: good, Count: len(onTop)}, repairer: r}
	if !broken {
		rescue.updates = []git.RefUpdate{{Name: layout.State, New: good}}
	}
	for _, id := range onTop[:min(len(onTop), maxDropped)] {
		if c, err := r.history.readStateCommit(id); err == nil {
			rescue.Dropped = append(rescue.Dropped, droppedMove(id, c))
		}
	}
	for _, id := range ends {
		if err := rescue.keepState(ctx, id); err != nil {
			return Repaired{}, err
		}
	}
	passed := slices.DeleteFunc(r.listPassed("", good, log), func(p passedState) bool { return slices.Contains(onTop, p.id) })
	if len(passed) > 0 {
		rescue.folder = r.rescueName(passed[0].id)
		if err := rescue.keepPassed(ctx, passed, log); err != nil {
			return Repaired{}, err
		}
		if err := rescue.freeRefs(ctx, passed[0].id); err != nil {
			return Repaired{}, err
		}
	}
	if broken {
		if err := r.repo.Refs.RewriteBroken(ctx, layout.State, good); err != nil {
			return Repaired{}, err
		}
	}
	if err := rescue.move(ctx); err != nil {
		return Repaired{}, err
	}
	return rescue.Repaired, nil
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
