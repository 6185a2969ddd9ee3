package gitstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A proposal is one move on its way to the refs of this clone.
//
// A process that finds the queue free and no move waiting keeps the queue and moves the
// refs itself. Under contention it holds the queue only to build its move on the last one
// that waits and to add it to those. Then one process after the other takes the turn to
// move refs, for all that wait, see [mover].
type proposal struct {
	underway
	joined bool // a move of it has waited: others may have made it
}

// An awaited is what a process waits for: that its move lands, or, with a move that was not
// written, that the moves do on which its answer rests.
type awaited struct {
	transaction
	answer error
	entry  *outboxEntry // nil if nothing is to be waited for
	on     git.ID       // the state that it was built on
	closed bool         // nothing was built, because the refs have to move first
}

// propose makes one move in a clone that holds the board itself.
func (s *Store) propose(ctx context.Context, build Build) (Result, error) {
	u, err := s.begin(build)
	if err != nil {
		return Result{}, err
	}
	p := &proposal{underway: u}
	result, err := p.makeMove(ctx)
	s.Packer.startJob(ctx, p.job)
	return result, err
}

// makeMove makes the move. If it was interrupted after the move had waited, others may have
// moved the refs to it.
func (p *proposal) makeMove(ctx context.Context) (Result, error) {
	result, err := p.raceMoves(ctx)
	if err != nil && ctx.Err() != nil && p.joined {
		return p.giveUp(ctx)
	}
	return result, err
}

// sharedTries is how many races a move loses before it takes the turn to move refs first,
// so that nothing of this clone is in its way.
const sharedTries = 4

func (p *proposal) raceMoves(ctx context.Context) (Result, error) {
	strays := 0
	for try := 0; try < maxTries; {
		a, err := p.moveOrWait(ctx, try >= sharedTries)
		if err == nil && a.entry != nil {
			p.joined = true
			err = p.awaitLanding(ctx, a)
			if err == nil && a.closed {
				continue
			}
			err = cmp.Or(err, a.answer)
		}
		if !errors.Is(err, git.ErrRefMoved) {
			return a.Result, err
		}
		if now, resolveErr := p.store.Repo.Refs.Resolve(ctx, layout.State); resolveErr == nil && now == a.on {
			if strays++; strays == maxStrays {
				return Result{}, fmt.Errorf("%w: %w", ErrForeignRef, err)
			}
		}
		if err := waitToRetry(ctx, try); err != nil {
			return Result{}, err
		}
		try++
	}
	return Result{}, fmt.Errorf("%w: gave up after %d attempts", ErrConflict, maxTries)
}

// moveOrWait moves the refs if nobody else writes, and else adds the move to those that
// wait. Alone it first takes the turn to move refs.
func (p *proposal) moveOrWait(ctx context.Context, alone bool) (awaited, error) {
	turns := p.store.Repo.Turns
	if alone {
		release, err := turns.TakeTurn(ctx, git.TurnToMove)
		if err != nil {
			return awaited{}, err
		}
		defer release()
		if err := p.moveWaiting(ctx, ""); err != nil {
			return awaited{}, err
		}
	}
	release, waited, err := turns.JoinQueue(ctx)
	if err != nil {
		return awaited{}, err
	}
	defer release()
	list, tip, err := p.store.mover.readWaiting(ctx)
	if err != nil {
		return awaited{}, err
	}
	if found, ok, err := p.findLanded(ctx, tip); err != nil || ok {
		return awaited{transaction: transaction{Result: found}}, err
	}
	if alone || tip == "" || len(list) == 0 && !waited {
		result, err := p.store.tryMove(ctx, tip, p.request, p.build)
		p.note(result.job)
		return awaited{transaction: transaction{Result: result}, on: tip}, err
	}
	return p.joinWaiting(ctx, list, tip)
}

// joinWaiting adds the move to those that wait.
func (p *proposal) joinWaiting(ctx context.Context, list []*outboxEntry, tip git.ID) (awaited, error) {
	end, open := chainEnd(list, tip)
	a := awaited{on: end, closed: !open}
	wait := outboxMove{Commit: end, Parent: end}
	if open {
		a.transaction, a.answer = p.store.prepareMove(ctx, base{tip: end, pending: end != tip}, p.request, p.build)
		switch {
		case a.answer == nil && !a.Already:
			wait = outboxMove{Commit: a.Commit, Parent: end, Refs: a.updates, Subject: a.Move.Subject()}
		case end == tip || ctx.Err() != nil:
			return a, a.answer
		}
	}
	var err error
	a.entry, err = addEntry(waitingDir(p.store.Repo), wait, list, "-"+rand.Text()[:8])
	return a, err
}

// awaitLanding waits until the entry has landed. The error wraps git.ErrRefMoved if
// the move is to be built again.
func (p *proposal) awaitLanding(ctx context.Context, a awaited) error {
	f, err := p.store.awaitOutcome(ctx, git.TurnToMove, a.entry, func() error { return p.moveWaiting(ctx, a.Commit) })
	if err != nil {
		return err
	}
	return f.asError()
}

// endTurn is how long a process that was interrupted goes on moving refs for others, and
// waits for the process that may be moving them for it.
const endTurn = 2 * time.Second

// ErrMayBeMade is wrapped, beside the error of the context, when a process was interrupted
// while another one has its move. The command line tests it for its hint.
var ErrMayBeMade = errors.New("the move may yet be made")

// giveUp is the result of a move whose process was interrupted while it waited. It has
// taken its entry back, and once nobody moves refs, the board says whether it landed.
func (p *proposal) giveUp(ctx context.Context) (Result, error) {
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTurn)
	defer cancel()
	release, err := p.store.Repo.Turns.TakeTurn(after, git.TurnToMove)
	if err != nil {
		return Result{}, fmt.Errorf("%w: %w", ErrMayBeMade, ctx.Err())
	}
	defer release()
	tip, err := p.store.Repo.Refs.Resolve(after, layout.State)
	if err != nil {
		return Result{}, err
	}
	if found, ok, err := p.findLanded(after, tip); ok || err != nil {
		return found, err
	}
	return Result{}, ctx.Err()
}

// moveWaiting moves the refs for all that wait; this process has the turn. own is the
// commit of its move.
func (p *proposal) moveWaiting(ctx context.Context, own git.ID) error {
	due, err := p.store.mover.moveWaiting(ctx, own)
	p.note(due)
	return err
}

// findLanded searches the board for the request, and completes the refs of a move that
// landed.
func (p *proposal) findLanded(ctx context.Context, tip git.ID) (Result, bool, error) {
	found, ok, err := p.underway.findLanded(tip)
	if ok {
		_ = p.store.Settler.Settle(ctx) // if that fails, the next move completes the refs
	}
	return found, ok, err
}
