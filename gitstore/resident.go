package gitstore

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A Resident makes the moves that other processes of its clone hand over. Those that come
// while it makes others share the next transaction. Processes that hand nothing over take
// their turns beside it.
type Resident struct {
	store *Store
	offer chan *handed
	ended chan struct{} // closed when it makes no more moves
}

// A handed is a handover that waits for its answer.
type handed struct {
	Handover
	permit Permit
	gone   <-chan struct{}
	over   atomic.Bool // its move is begun, or never will be
	answer chan Answer // of room for one
	entry  *outboxEntry
}

// A Permit is asked whether a move may be made on a board; its error ends the move.
type Permit func(context.Context, *flow.Board, flow.Move) error

// NewResident is a resident for the board of a store, which nobody else may use.
func NewResident(s *Store) *Resident {
	return &Resident{store: s, offer: make(chan *handed, mostJoined), ended: make(chan struct{})}
}

// Take takes a handover, of whose client permit is asked. A move that is not begun when gone
// is closed is not made, and answer says so at once. Else answer waits until the move is
// made, or is not. taken is false if too many wait.
func (r *Resident) Take(h Handover, gone <-chan struct{}, permit Permit) (answer func() Answer, taken bool) {
	one := &handed{Handover: h, permit: permit, gone: gone, answer: make(chan Answer, 1)}
	if r.isOver() {
		return nil, false
	}
	select {
	case r.offer <- one:
	default:
		return nil, false
	}
	return func() Answer {
		select {
		case a := <-one.answer:
			return a
		case <-r.ended:
		case <-one.gone:
			if one.over.CompareAndSwap(false, true) {
				return AnswerRefuse
			}
		}
		select {
		case a := <-one.answer:
			return a
		case <-r.ended:
		}
		select {
		case a := <-one.answer:
			return a
		default:
			return AnswerRefuse
		}
	}, true
}

func (r *Resident) isOver() bool {
	select {
	case <-r.ended:
		return true
	default:
		return false
	}
}

// Run makes moves until the context ends. What waits then is left to its clients.
func (r *Resident) Run(ctx context.Context) {
	defer close(r.ended)
	for {
		select {
		case <-ctx.Done():
			return
		case first := <-r.offer:
			job := r.makeMoves(ctx, first)
			r.store.Packer.startJob(ctx, job)
		}
	}
}

// makeMoves makes the moves that wait, as far as one transaction brings them, and answers
// their clients.
func (r *Resident) makeMoves(ctx context.Context, first *handed) (job *packJob) {
	lasting, end := outlast(ctx, endTurn)
	defer end()
	var chain []*handed
	answer := AnswerRefuse
	defer func() {
		for _, one := range chain {
			one.answer <- answer
		}
	}()
	if !r.hasSettings(lasting, first) { // its client has no reason to wait for others
		first.answer <- AnswerRefuse
		return nil
	}
	tip, release, err := r.takeTurns(lasting)
	if err != nil {
		first.answer <- AnswerRefuse
		return nil
	}
	defer release()
	r.store.Repo.Config.Renew()
	if remote, err := r.store.Authority(lasting); err != nil || remote != "" {
		first.answer <- AnswerRefuse
		return nil
	}
	looked := 0
	for one, at := first, tip; one != nil; one = r.next(chain, looked) {
		looked++
		made, why := r.prepare(lasting, one, base{tip: at, pending: at != tip, committer: one.Committer})
		if made == nil {
			one.answer <- why
			continue
		}
		one.entry, at = made, made.Commit
		chain = append(chain, one)
	}
	if len(chain) == 0 {
		return nil
	}
	entries := make([]*outboxEntry, len(chain))
	for i, one := range chain {
		entries[i] = one.entry
	}
	switch err := r.store.mover.moveRefs(lasting, entries); {
	case errors.Is(err, git.ErrUnsynced):
		answer = AnswerUnsynced
		return nil
	case err != nil:
		return nil
	}
	answer = AnswerLanded
	return r.store.Packer.countMoves(entries[len(entries)-1].Commit, len(entries))
}

// hasSettings reports whether a client reads the same configuration, as the files are now.
func (r *Resident) hasSettings(ctx context.Context, one *handed) bool {
	r.store.Repo.Config.Renew()
	settings, err := r.store.Repo.Config.Digest(ctx)
	return err == nil && settings == one.Settings
}

// mostCleared is how often moves that wait are moved first. Those that come still later are
// built again.
const mostCleared = 3

// takeTurns waits until no other process moves refs or writes, and has what waits of theirs
// moved. It returns the tip.
func (r *Resident) takeTurns(ctx context.Context) (tip git.ID, release func(), err error) {
	endMove, err := r.store.Repo.Turns.TakeTurn(ctx, git.TurnToMove)
	if err != nil {
		return "", nil, err
	}
	for try := 0; ; try++ {
		endWrite, err := r.store.Repo.Turns.Queue(ctx)
		if err != nil {
			endMove()
			return "", nil, err
		}
		list, tip, err := r.store.mover.readWaiting(ctx)
		if err == nil && tip != "" && (len(list) == 0 || try == mostCleared) {
			return tip, func() { endWrite(); endMove() }, nil
		}
		endWrite()
		if err == nil && tip == "" {
			err = ErrNoBoard
		}
		if err == nil {
			_, err = r.store.mover.moveWaiting(ctx, "")
		}
		if err != nil {
			endMove()
			return "", nil, err
		}
	}
}

// next is the next handover that can share the transaction of a chain, nil if there is none:
// a move with other refs ends it. looked is how many were looked at for it.
func (r *Resident) next(chain []*handed, looked int) *handed {
	if n := len(chain); looked == mostJoined || n > 0 && chain[n-1].entry.movesOthers() {
		return nil
	}
	select {
	case one := <-r.offer:
		return one
	default:
		return nil
	}
}

// prepare writes a move that was handed over. It returns nil, and what its client is told, if
// it is not to be made.
func (r *Resident) prepare(ctx context.Context, one *handed, on base) (*outboxEntry, Answer) {
	select {
	case <-one.gone:
		return nil, AnswerRefuse
	default:
	}
	if !one.over.CompareAndSwap(false, true) {
		return nil, AnswerRefuse // it was answered so
	}
	s := r.store
	if s.Repo.CheckID(one.Tip) != nil {
		return nil, AnswerRefuse
	}
	if settings, err := s.Repo.Config.Digest(ctx); err != nil || settings != one.Settings {
		return nil, AnswerRefuse
	}
	_, source, err := s.boardAt(on.tip, s.current)
	if err != nil {
		return nil, AnswerRefuse
	}
	if on.tip != one.Tip {
		switch _, found, whole, _ := s.findMove(on.tip, one.Tip, one.Request, mostSearched); {
		case found:
			return nil, AnswerLanded // its client made it itself
		case !whole:
			return nil, AnswerRefuse
		case !source.restsOn(one.Handover):
			return nil, AnswerAgain
		}
	}
	m, err := one.decode(source.rules)
	if err != nil || m.Request != one.Request || m.Seen != "" || !isHanded(m.Act) || one.Committer[0] == "" {
		return nil, AnswerRefuse
	}
	if signer, err := s.findSigner(ctx, m.Principal); err != nil || signer != nil {
		return nil, AnswerRefuse // who has the key signs
	}
	t, err := s.prepareMove(ctx, on, one.Request, func(b *flow.Board, _ time.Time) (flow.Move, []git.RefUpdate, error) {
		return m, nil, one.permit(ctx, b, m)
	})
	if err != nil || t.Already {
		return nil, AnswerRefuse
	}
	made := &outboxEntry{outboxMove: outboxMove{Commit: t.Commit, Parent: on.tip, Refs: t.updates, Subject: t.Move.Subject()}}
	if s.mover.checkEntry(ctx, made) != nil { // anybody of this user can write a handover
		return nil, AnswerRefuse
	}
	return made, ""
}
