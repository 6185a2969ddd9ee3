package gitstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
)

// maxBehind bounds the merges by which an integration branch may lie behind
// its board and still be brought along.
const maxBehind = 10000

// maxStale bounds how often the mirror is moved again because one of the refs
// that go along has moved meanwhile.
const maxStale = 5

// news are the moves that a remote's state has and the mirror lacks, oldest
// first, each replayed, and the marks that they bring. The error is a *Breach,
// or wraps ErrDiverged.
func (s *Store) news(ctx context.Context, name string, mirror, state git.ID) (list []git.ID, marks []git.RefUpdate, err error) {
	chain, breach := s.chain(state, mirror)
	if breach != nil {
		return nil, nil, breach
	}
	for i, id := range chain {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if i == 0 && mirror != "" {
			if e, err := s.Event(id); err != nil || e.Parent != mirror {
				return nil, nil, s.diverged(ctx, name, mirror, state)
			}
		}
		r, err := s.Replay(ctx, id, false)
		if err != nil {
			return nil, nil, &Breach{id, err}
		}
		for _, u := range refUpdates(r.Move, r.Before, r.Commit) {
			if strings.HasPrefix(u.Name, marksPrefix) {
				marks = append(marks, u)
			}
		}
	}
	return chain, marks, nil
}

const (
	marksPrefix = "refs/liza/marks/"
	savedPrefix = "refs/liza/saved/"
)

// kept reports whether a ref is one that moves bring and that then stays.
func kept(ref string) bool {
	return strings.HasPrefix(ref, marksPrefix) || strings.HasPrefix(ref, savedPrefix)
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
func (s *Store) advance(ctx context.Context, step shift) (behind, err error) {
	b, err := s.BoardAt(step.to)
	if err != nil {
		return nil, err
	}
	for range maxStale {
		var branch *git.RefUpdate
		if branch, behind, err = s.mayFollow(ctx, b, step.from == ""); err != nil {
			return nil, err
		}
		updates, refsErr := s.along(ctx, step, branch)
		if refsErr != nil {
			return nil, refsErr
		}
		err = s.Repo.MoveRefs(ctx, updates, "liza: "+step.remote+" is at "+step.to.Short())
		if err == nil && branch != nil && branch.Old != "" && s.Follower != nil {
			behind = s.Follower.Follow(ctx, branch.Old, branch.New)
		}
		if !errors.Is(err, git.ErrRefMoved) {
			break
		}
		if now, nowErr := s.Repo.Resolve(ctx, git.StateRef); nowErr != nil || now != step.from && now != step.to {
			break
		}
	}
	if err == nil {
		s.wrote(step.to)
	}
	return behind, err
}

// along are the updates of a step, without those refs that are no longer where
// they should be or have got there already.
func (s *Store) along(ctx context.Context, step shift, branch *git.RefUpdate) ([]git.RefUpdate, error) {
	var updates []git.RefUpdate
	// A refspec that somebody configured lets git move it in a push.
	now, err := s.Repo.Resolve(ctx, git.StateRef)
	if err != nil {
		return nil, err
	}
	if now != step.to {
		updates = append(updates, git.RefUpdate{Name: git.StateRef, Old: step.from, New: step.to})
	}
	if branch != nil {
		updates = append(updates, *branch)
	}
	for _, u := range step.refs {
		now, err := s.Repo.Resolve(ctx, u.Name)
		if err != nil {
			return nil, err
		}
		if now != u.New && (now == u.Old || u.Any) {
			u.Old = now
			updates = append(updates, u)
		}
	}
	for what, id := range map[string]git.ID{"state": step.seen.state, "integration": step.seen.integration} {
		now, err := s.Repo.Resolve(ctx, tracking(step.remote, what))
		if err != nil {
			return nil, err
		}
		if id != "" && now != id {
			updates = append(updates, git.RefUpdate{Name: tracking(step.remote, what), New: id, Any: true})
		}
	}
	return updates, nil
}

// mayFollow is the step of the local integration branch to where the board has
// it: nil where it is there, where something else has moved it, and where it
// cannot come along now, which behind explains.
func (s *Store) mayFollow(ctx context.Context, b *flow.Board, create bool) (step *git.RefUpdate, behind, err error) {
	name, want := integrationRef(b), b.Settings().Integration.Tip
	now, err := s.Repo.Resolve(ctx, name)
	if err != nil || now == want {
		return nil, nil, err
	}
	if _, here, err := s.commit(want); err != nil || !here {
		return nil, fmt.Errorf("%s is not here", want.Short()), err
	}
	if now == "" {
		if create {
			step = &git.RefUpdate{Name: name, New: want}
		}
		return step, nil, nil
	}
	before, err := s.precedes(now, want)
	if err != nil {
		return nil, nil, err
	}
	if !before {
		return nil, s.foreign(ctx, b, now), nil
	}
	if s.Follower != nil {
		if err := s.Follower.MayFollow(ctx, now, want); err != nil {
			return nil, err, nil
		}
	}
	return &git.RefUpdate{Name: name, Old: now, New: want}, nil, nil
}

// precedes reports whether integration was at one commit before it came to
// another: it is among the first parents.
func (s *Store) precedes(from, to git.ID) (bool, error) {
	for range maxBehind {
		if to == from {
			return true, nil
		}
		c, here, err := s.commit(to)
		if err != nil || !here || len(c.Parents) == 0 {
			return false, err
		}
		to = c.Parents[0]
	}
	return false, nil
}

// refresh brings the mirror to where the remote is, by a push of what waits or
// by a look.
func (o *offer) refresh(ctx context.Context, answer error) error {
	release, err := o.store.Repo.PushTurn(ctx)
	if err != nil {
		return err
	}
	defer release()
	chain, err := o.store.collect(ctx)
	if err != nil {
		return err
	}
	if len(chain) > 0 {
		due, err := o.store.deliver(ctx, o.remote)
		if due != nil {
			o.due = due
		}
		if o.fresh = err == nil; o.fresh {
			return nil
		}
	}
	if _, _, err = o.store.refresh(ctx, o.remote); errors.Is(err, ErrOffline) && !errors.Is(answer, ErrNoBoard) {
		return fmt.Errorf("%w; as this clone saw the board last: %s", err, answer)
	}
	o.fresh = err == nil
	return err
}

// hasty reports whether an error may be the mirror's being old.
func hasty(err error) bool {
	var refusal *flow.Refusal
	return errors.As(err, &refusal) || errors.Is(err, ErrNoBoard) || errors.Is(err, ErrStateLost)
}

// maxLooks bounds how often a remote is looked at again that seems to lack what
// it had. A fetch outlives the process that was killed beside it, and can leave
// its older view in the ref that a later one is read from.
const maxLooks = 3

// refresh brings the mirror to where the remote is, and returns the moves that
// it got. It runs while this process has the turn to push.
func (s *Store) refresh(ctx context.Context, name string) (step shift, news []git.ID, err error) {
	for look := range maxLooks {
		if err := git.Wait(ctx, time.Duration(look)*100*time.Millisecond); err != nil {
			return step, nil, err
		}
		found, err := s.fetch(ctx, name)
		if err != nil {
			return shift{}, nil, err
		}
		if step, news, err = s.pull(ctx, name, found); !errors.Is(err, ErrDiverged) || look == maxLooks-1 {
			return step, news, err
		}
	}
	return step, news, err
}

// pull moves the mirror to what was fetched.
func (s *Store) pull(ctx context.Context, name string, found heads) (shift, []git.ID, error) {
	mirror, err := s.Repo.Resolve(ctx, git.StateRef)
	if err != nil {
		return shift{}, nil, err
	}
	step := shift{remote: name, from: mirror, to: found.state, seen: found}
	if found.state == "" {
		if mirror != "" {
			err = boardless(name, mirror)
		}
		return step, nil, err
	}
	news, marks, err := s.news(ctx, name, mirror, found.state)
	if err != nil {
		return step, nil, err
	}
	step.refs = marks
	release, err := s.Repo.Queue(ctx)
	if err != nil {
		return step, nil, err
	}
	defer release()
	step.behind, err = s.advance(ctx, step)
	return step, news, err
}
