package gitstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// maxBehind bounds the merges by which an integration branch may be behind its
// board and still be moved forward.
const maxBehind = 10000

// maxStale bounds how often the mirror is moved again because another ref of
// its transaction has moved.
const maxStale = 5

// listNews are the moves in a remote's state that the mirror lacks, oldest first, and the
// marks that they create. Each is replayed. The error is a
// *Breach, a *flow.Refusal of a newer format, or wraps ErrDiverged.
func (m *Mirror) listNews(ctx context.Context, name string, mirror, state git.ID) (list []git.ID, marks []git.RefUpdate, err error) {
	chain, breach := m.history.listChain(state, mirror)
	if breach != nil {
		return nil, nil, breach
	}
	if err := m.audit.refuseNewer(state); err != nil {
		return nil, nil, err
	}
	if mirror != "" && len(chain) > 0 {
		if e, err := m.history.ReadEvent(chain[0]); err != nil || e.Parent != mirror {
			return nil, nil, m.divergedError(ctx, name, mirror, state)
		}
	}
	found := make([][]git.RefUpdate, len(chain))
	replay := listedReplay(chain, partMoves)
	replay.each = func(place int, r Replay) error {
		found[len(found)-1-place] = slices.DeleteFunc(refUpdates(r.Move, r.Before, r.Commit), func(u git.RefUpdate) bool { return !strings.HasPrefix(u.Name, layout.MarkRefs) })
		return nil
	}
	_, breach, err = m.audit.replayEach(ctx, replay)
	if breach != nil {
		return nil, nil, breach
	}
	return chain, slices.Concat(found...), err
}

// A shift is one step of a mirror: the state ref moves, and the refs that
// follow from the moves in between.
type shift struct {
	remote   string
	from, to git.ID
	seen     heads           // the heads of the remote now, "" if unknown
	refs     []git.RefUpdate // that move too if they are where they should be
	behind   error           // why the integration branch could not move
}

// advance moves the mirror; the caller holds the queue. behind says why the
// integration branch could not move. The error wraps git.ErrRefMoved if the
// mirror is not where the step begins.
func (m *Mirror) advance(ctx context.Context, step shift) (behind, err error) {
	b, err := m.history.BoardAt(step.to)
	if err != nil {
		return nil, err
	}
	for range maxStale {
		var branch *git.RefUpdate
		if branch, behind, err = m.integrationStep(ctx, b, step.from == ""); err != nil {
			return nil, err
		}
		updates, refsErr := m.refsAlong(ctx, step, branch)
		if refsErr != nil {
			return nil, refsErr
		}
		err = m.repo.Refs.MoveRefs(ctx, updates, "liza: "+step.remote+" is at "+step.to.Short())
		if err == nil && branch != nil && branch.Old != "" && m.settler.Follower != nil {
			behind = m.settler.Follower.Follow(ctx, branch.Old, branch.New)
		}
		if !errors.Is(err, git.ErrRefMoved) {
			break
		}
		if now, nowErr := m.repo.Refs.Resolve(ctx, layout.State); nowErr != nil || now != step.from && now != step.to {
			break
		}
	}
	if err == nil {
		m.audit.rememberWritten(step.to)
	}
	return behind, err
}

// refsAlong are the updates of a step, without refs that are not where they
// should be or have moved already.
func (m *Mirror) refsAlong(ctx context.Context, step shift, branch *git.RefUpdate) ([]git.RefUpdate, error) {
	var updates []git.RefUpdate
	// A refspec in the configuration makes git move the ref in a push.
	now, err := m.repo.Refs.Resolve(ctx, layout.State)
	if err != nil {
		return nil, err
	}
	if now != step.to {
		updates = append(updates, git.RefUpdate{Name: layout.State, Old: step.from, New: step.to})
	}
	if branch != nil {
		updates = append(updates, *branch)
	}
	for _, u := range step.refs {
		now, err := m.repo.Refs.Resolve(ctx, u.Name)
		if err != nil {
			return nil, err
		}
		if now != u.New && (now == u.Old || u.Any) {
			u.Old = now
			updates = append(updates, u)
		}
	}
	for what, id := range map[string]git.ID{"state": step.seen.state, "integration": step.seen.integration} {
		now, err := m.repo.Refs.Resolve(ctx, layout.RemoteRef(step.remote, what))
		if err != nil {
			return nil, err
		}
		if id != "" && now != id {
			updates = append(updates, git.RefUpdate{Name: layout.RemoteRef(step.remote, what), New: id, Any: true})
		}
	}
	return updates, nil
}

// integrationStep is the update of the local integration branch to its tip on
// the board. It is nil if the branch is there, if something else has moved it,
// and if it cannot move now; behind gives the reason.
func (m *Mirror) integrationStep(ctx context.Context, b *board.Board, create bool) (step *git.RefUpdate, behind, err error) {
	name, want := b.Settings().Integration.Ref(), b.Settings().Integration.Tip
	now, err := m.repo.Refs.Resolve(ctx, name)
	if err != nil || now == want {
		return nil, nil, err
	}
	if _, here, err := m.history.findCommit(want); err != nil || !here {
		return nil, fmt.Errorf("%s is not here", want.Short()), err
	}
	if now == "" {
		if create {
			step = &git.RefUpdate{Name: name, New: want}
		}
		return step, nil, nil
	}
	before, err := m.history.integrationPrecedes(now, want)
	if err != nil {
		return nil, nil, err
	}
	if !before {
		return nil, m.settler.foreignError(ctx, b, now), nil
	}
	if m.settler.Follower != nil {
		if err := m.settler.Follower.MayFollow(ctx, now, want); err != nil {
			return nil, err, nil
		}
	}
	return &git.RefUpdate{Name: name, Old: now, New: want}, nil, nil
}
