package gitstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
)

// An offer is one move on its way to the remote that is the authority.
type offer struct {
	underway
	remote string
	fresh  bool // the mirror was refreshed since the offer began
}

// doRemote makes one move on the remote that is the authority.
func (s *Store) doRemote(ctx context.Context, name string, build Build) (Result, error) {
	u, err := s.begin(build)
	if err != nil {
		return Result{}, err
	}
	o := &offer{underway: u, remote: name}
	result, err := o.raceMoves(ctx)
	s.Packer.startJob(ctx, o.job)
	return result, err
}

func (o *offer) raceMoves(ctx context.Context) (Result, error) {
	for range maxOffers {
		t, entry, err := o.addToOutbox(ctx)
		switch {
		case err == nil && entry == nil:
			return t.Result, nil
		case err != nil && !errors.As(err, new(*hastyError)):
			return Result{}, err
		case err != nil:
			if err := o.refreshMirror(ctx, err); err != nil {
				return Result{}, err
			}
			continue
		}
		f, err := o.awaitOutcome(ctx, entry)
		if err != nil {
			return Result{}, err
		}
		if f.Kind == outcomeLanded {
			return t.Result, nil
		}
		if f.Kind != outcomeAgain {
			return Result{}, f.asError()
		}
		if err := ctx.Err(); err != nil {
			return Result{}, fmt.Errorf("the remote %s may have the move; repeating the command is safe: %w", o.remote, err)
		}
		o.fresh = true
		if err := waitToRetry(ctx, 0); err != nil {
			return Result{}, err
		}
	}
	return Result{}, fmt.Errorf("%w: gave up after %d pushes", ErrConflict, maxOffers)
}

// refreshMirror moves the mirror to the state of the remote, by pushing the
// outbox or by a fetch.
func (o *offer) refreshMirror(ctx context.Context, answer error) error {
	release, err := o.store.Repo.Turns.PushTurn(ctx)
	if err != nil {
		return err
	}
	defer release()
	chain, err := o.store.pusher.collectChain(ctx)
	if err != nil {
		return err
	}
	if len(chain) > 0 {
		if o.fresh = o.push(ctx) == nil; o.fresh {
			return nil
		}
	}
	if _, _, err = o.store.Mirror.refresh(ctx, o.remote); errors.Is(err, ErrOffline) && !errors.Is(answer, ErrNoBoard) {
		return fmt.Errorf("%w; by the board as last fetched: %s", err, answer)
	}
	o.fresh = err == nil
	return err
}

// isHasty reports whether an out-of-date mirror may have caused the error.
func isHasty(err error) bool {
	return flow.IsRefused(err) || errors.Is(err, ErrNoBoard) || errors.Is(err, ErrStateLost)
}

// maxOffers bounds the races that one move may lose. Unlike in one clone, a
// loser does not wait longer each time: the winner backs off, see raceNote.
const maxOffers = 100

// A hastyError is an answer that rests on a mirror which may be out of date, or
// on moves that the remote does not have yet.
type hastyError struct{ err error }

func (e *hastyError) Error() string { return e.err.Error() }

func (e *hastyError) Unwrap() error { return e.err }

// errAlready is wrapped by the hasty answer that the board already has the
// effect of the move.
var errAlready = errors.New("the board says so already")

// addToOutbox builds the move on the last entry of the outbox, or on the
// mirror, and adds it to the outbox. Without an entry the result is final: the
// move had landed before, or there is nothing to do. A *hastyError is not
// final.
func (o *offer) addToOutbox(ctx context.Context) (transaction, *outboxEntry, error) {
	release, err := o.store.Repo.Turns.Queue(ctx)
	if err != nil {
		return transaction{}, nil, err
	}
	defer release()
	list, mirror, err := o.store.pusher.readOutbox(ctx)
	if err != nil {
		return transaction{}, nil, err
	}
	if found, ok, err := o.findLanded(mirror); err != nil || ok {
		return transaction{Result: found}, nil, err
	}
	on := base{tip: mirror, remote: o.remote}
	if len(list) > 0 && isChain(list, mirror) {
		on.tip, on.pending = list[len(list)-1].Commit, true
	}
	t, err := o.store.prepareMove(ctx, on, o.request, o.build)
	if err != nil || t.Already {
		t, err = o.checkAnswer(ctx, on, mirror, t, err)
		return t, nil, err
	}
	entry, err := addEntry(outboxDir(o.store.Repo), outboxMove{Commit: t.Commit, Parent: on.tip, Push: t.push, Refs: t.updates}, list, "")
	return t, entry, err
}

// checkAnswer is the result of addToOutbox when there is nothing to push.
// Pending moves may never land, so an answer that rests on them counts only if
// it holds without them.
func (o *offer) checkAnswer(ctx context.Context, on base, mirror git.ID, t transaction, err error) (transaction, error) {
	if on.pending && o.fresh {
		settled, err := o.store.prepareMove(ctx, base{tip: mirror, remote: o.remote}, o.request, o.build)
		if err != nil || settled.Already {
			return settled, err
		}
	}
	if !on.pending && (o.fresh || err != nil && !isHasty(err)) {
		return t, err
	}
	return t, &hastyError{cmp.Or(err, errAlready)}
}

// awaitOutcome waits until another process has pushed the entry, or pushes it
// when it gets the turn.
func (o *offer) awaitOutcome(ctx context.Context, e *outboxEntry) (outcome, error) {
	f, err := o.store.awaitOutcome(ctx, git.TurnToPush, e, func() error { return o.push(ctx) })
	if errors.Is(err, errNoAnswer) {
		err = fmt.Errorf("waiting for a push to %s, which may have brought the move: %w", o.remote, ctx.Err())
	}
	return f, err
}

// push pushes the outbox for all that wait; this process has the turn.
func (o *offer) push(ctx context.Context) error {
	due, err := o.store.pusher.pushOutbox(ctx, o.remote)
	o.note(due)
	return err
}
