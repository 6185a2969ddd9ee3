package gitstore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// maxBehind bounds the merges by which an integration branch may lie behind
// its board and still be brought along.
const maxBehind = 10000

// maxStale bounds how often the mirror is moved again because one of the refs
// that go along has moved meanwhile.
const maxStale = 5

// listNews are the moves that a remote's state has and the mirror lacks, oldest
// first, each replayed, and the marks that they bring. The error is a *Breach,
// or wraps ErrDiverged.
func (m *Mirror) listNews(ctx context.Context, name string, mirror, state git.ID) (list []git.ID, marks []git.RefUpdate, err error) {
	chain, breach := m.history.listChain(state, mirror)
	if breach != nil {
		return nil, nil, breach
	}
	for i, id := range chain {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if i == 0 && mirror != "" {
			if e, err := m.history.ReadEvent(id); err != nil || e.Parent != mirror {
				return nil, nil, m.divergedError(ctx, name, mirror, state)
			}
		}
		r, err := m.audit.ReplayMove(ctx, id, false)
		if err != nil {
			return nil, nil, &Breach{id, err}
		}
		for _, u := range refUpdates(r.Move, r.Before, r.Commit) {
			if strings.HasPrefix(u.Name, layout.MarkRefs) {
				marks = append(marks, u)
			}
		}
	}
	return chain, marks, nil
}

// A shift is one step of a mirror: the state ref moves, and what follows from
// the moves in between.
type shift struct {
	remote   string
	from, to git.ID
	seen     heads           // what the remote has now, "" where it is not known
	refs     []git.RefUpdate // that go along where they stand as expected
	behind   error           // why the integration branch could not come along
}

// advance moves the mirror while the queue is held. behind says why the
// integration branch could not come along. The error wraps git.ErrRefMoved where
// the mirror is elsewhere than where the step begins.
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
		err = m.repo.MoveRefs(ctx, updates, "liza: "+step.remote+" is at "+step.to.Short())
		if err == nil && branch != nil && branch.Old != "" && m.settler.Follower != nil {
			behind = m.settler.Follower.Follow(ctx, branch.Old, branch.New)
		}
		if !errors.Is(err, git.ErrRefMoved) {
			break
		}
		if now, nowErr := m.repo.Resolve(ctx, layout.State); nowErr != nil || now != step.from && now != step.to {
			break
		}
	}
	if err == nil {
		m.audit.rememberWritten(step.to)
	}
	return behind, err
}

// refsAlong are the updates of a step, without those refs that are no longer where
// they should be or have got there already.
func (m *Mirror) refsAlong(ctx context.Context, step shift, branch *git.RefUpdate) ([]git.RefUpdate, error) {
	var updates []git.RefUpdate
	// A refspec that somebody configured lets git move it in a push.
	now, err := m.repo.Resolve(ctx, layout.State)
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
		now, err := m.repo.Resolve(ctx, u.Name)
		if err != nil {
			return nil, err
		}
		if now != u.New && (now == u.Old || u.Any) {
			u.Old = now
			updates = append(updates, u)
		}
	}
	for what, id := range map[string]git.ID{"state": step.seen.state, "integration": step.seen.integration} {
		now, err := m.repo.Resolve(ctx, layout.RemoteRef(step.remote, what))
		if err != nil {
			return nil, err
		}
		if id != "" && now != id {
			updates = append(updates, git.RefUpdate{Name: layout.RemoteRef(step.remote, what), New: id, Any: true})
		}
	}
	return updates, nil
}

// integrationStep is the step of the local integration branch to where the board has
// it: nil where it is there, where something else has moved it, and where it
// cannot come along now, which behind explains.
func (m *Mirror) integrationStep(ctx context.Context, b *flow.Board, create bool) (step *git.RefUpdate, behind, err error) {
	name, want := b.Settings().Integration.Ref(), b.Settings().Integration.Tip
	now, err := m.repo.Resolve(ctx, name)
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
