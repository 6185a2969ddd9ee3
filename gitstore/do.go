package gitstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	mathrand "math/rand/v2"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// maxTries bounds the races that one move may lose. The wait between them grows
// to half a second, so that a move gives up after about five seconds.
const maxTries = 24

// maxStrays bounds the tries that fail although the state ref has not moved:
// another ref is then not where it should be. A winner's transaction moves one ref after
// the other, on a busy machine for a tenth of a second: the waits add up to three.
const maxStrays = 7

// A Build makes a move for the board that it will be applied to; it is called
// again after every lost race. The refs move in the same transaction, after
// those that follow from the move itself. If a remote is the authority, they
// move only in this clone, after the remote has the move.
type Build func(b *board.Board, at time.Time) (flow.Move, []git.RefUpdate, error)

// A Result is a move that is on the blackboard.
type Result struct {
	Already bool // the board already had the effect; nothing was written
	Move    flow.Move
	Commit  git.ID // the state commit; the tip if nothing was written
	Before  *board.Board
	After   *board.Board
	job     *packJob
}

// A base is the state commit that a move is built on, "" for the first move.
type base struct {
	tip     git.ID
	remote  string // the authority, "" if this clone is its own
	pending bool   // the remote does not have it yet
}

// A transaction is a move that is written but not yet on the blackboard.
type transaction struct {
	Result
	updates []git.RefUpdate // of this clone
	push    []git.RefUpdate // of the remote, if there is one
}

// Do makes one move: it reads the tip once, builds the move for that board,
// gathers facts from git, applies the rules, writes, and swaps the refs. After
// a lost race it starts again. It never builds on a tip that does not replay.
// If a remote is the authority, Do swaps the refs of the remote, and those of
// this clone follow.
//
// Errors are *flow.Refusal, *Breach or *document.Error, or wrap ErrNoBoard,
// ErrStateLost, ErrConflict, ErrClock, ErrForeignRef, git.ErrRefLocked,
// git.ErrDamaged, git.ErrUnsynced, ErrOffline, ErrDiverged, or the error of
// build or Permit. After an error the board is unchanged, unless the error says
// that a remote may have the move; repeating it is safe.
func (s *Store) Do(ctx context.Context, build Build) (Result, error) {
	result, err := s.makeMove(ctx, build)
	if err == nil && !result.Already && s.Landed != nil {
		s.Landed(ctx, result)
	}
	return result, err
}

// makeMove is [Store.Do] without what is called afterwards.
func (s *Store) makeMove(ctx context.Context, build Build) (Result, error) {
	remote, err := s.Authority(ctx)
	if err != nil {
		return Result{}, err
	}
	if remote != "" {
		return s.doRemote(ctx, remote, build)
	}
	return s.propose(ctx, build)
}

// waitToRetry waits before the next try, longer each time. Jitter keeps losers
// from colliding again.
func waitToRetry(ctx context.Context, try int) error {
	limit := min(10*time.Millisecond<<try, 500*time.Millisecond)
	return git.Wait(ctx, time.Duration(mathrand.Int64N(int64(limit))))
}

// RandomID is 16 random hexadecimal digits, the form of ids of requests,
// generations and boards.
func RandomID() (string, error) {
	var raw [8]byte
	if _, err := rand.Read(raw[:]); err != nil {
		return "", err
	}
	return hex.EncodeToString(raw[:]), nil
}

// tryMove makes the move on one tip. The error wraps git.ErrRefMoved if the
// race was lost.
func (s *Store) tryMove(ctx context.Context, tip git.ID, request board.Request, build Build) (Result, error) {
	t, err := s.prepareMove(ctx, base{tip: tip}, request, build)
	if err != nil || t.Already {
		return t.Result, err
	}
	if err := s.Repo.Refs.MoveRefs(ctx, t.updates, "liza: "+t.Move.Subject()); err != nil {
		// A transaction that failed or was interrupted may have happened all
		// the same.
		found := git.ID("")
		if !errors.Is(err, git.ErrUnsynced) {
			found = s.completeLanded(context.WithoutCancel(ctx), tip, request)
		}
		if found == "" {
			return Result{}, err
		}
		if found != t.Commit { // a process that had the move before made it
			r, _, err := s.findRequest(found, tip, request)
			return r, err
		}
	}
	s.Audit.rememberWritten(t.Commit)
	t.job = s.Packer.countMoves(t.Commit, 1)
	return t.Result, nil
}

// prepareMove builds and writes the move; only the swap of the refs is left.
func (s *Store) prepareMove(ctx context.Context, on base, request board.Request, build Build) (transaction, error) {
	before, source, err := s.readyBoard(ctx, on)
	if err != nil {
		return transaction{}, err
	}
	at, err := s.after(before.At())
	if err != nil {
		return transaction{}, err
	}
	before = before.Within(ctx)
	m, extra, err := build(before, at)
	if err != nil {
		return transaction{}, err
	}
	if on.tip == "" && m.Act != board.ActInit {
		return transaction{}, ErrNoBoard
	}
	if s.Permit != nil {
		if err := s.Permit(ctx, before, m); err != nil {
			return transaction{}, err
		}
	}
	m.At, m.Request = at, request
	m.Normalize()
	if m.Goal == "" {
		m.Goal = flow.GoalOf(before, m)
	}
	if flow.Already(before, m) {
		return transaction{Result: Result{Already: true, Move: m, Commit: on.tip, Before: before, After: before}}, nil
	}
	m, after, err := s.applyMove(ctx, before, m)
	if err != nil {
		return transaction{}, err
	}
	q := flow.Ask(before, m)
	if err := s.Repo.Flusher.MakeDurable(ctx, append([]git.ID{q.Tip, q.Submission, q.Descendant, q.Merge}, q.Saves...)...); err != nil {
		return transaction{}, err
	}
	t := transaction{Result: Result{Move: m, Before: before, After: after}}
	commit, err := s.writeMove(ctx, on, &draft{snapshot: source}, t.Result)
	if err != nil {
		return transaction{}, err
	}
	t.Commit = commit
	if on.remote != "" {
		t.push, err = s.Mirror.outgoingRefs(ctx, on, t.Result)
		t.updates = append(s.Mirror.incomingRefs(t.Result), extra...)
		return t, err
	}
	moved, err := s.Settler.refsToMove(ctx, m, before, commit)
	if err != nil {
		return transaction{}, err
	}
	state := git.RefUpdate{Name: layout.State, Old: on.tip, New: commit}
	updates := append([]git.RefUpdate{state}, moved...)
	t.updates = append(updates, extra...)
	return t, nil
}

// readyBoard is the board to build on. It first completes the refs of the last
// move.
func (s *Store) readyBoard(ctx context.Context, on base) (*board.Board, snapshot, error) {
	if on.tip == "" {
		before, source := s.emptyBoard()
		if err := s.explainLost(ctx); !errors.Is(err, ErrNoBoard) {
			return nil, source, err
		}
		return before, source, nil
	}
	before, source, err := s.boardAt(on.tip, s.current)
	if err != nil || on.pending {
		return before, source, err
	}
	if err := s.Audit.Vouch(ctx, on.tip); err != nil {
		return nil, source, err
	}
	return before, source, s.Settler.completeRefs(ctx, on.tip, before)
}

// applyMove gathers the facts of the move and applies the rules.
func (s *Store) applyMove(ctx context.Context, before *board.Board, m flow.Move) (flow.Move, *board.Board, error) {
	if format := before.Settings().Format; format > 0 && format < board.NewestFormat {
		if _, err := encodeMove(m, "", format); err != nil {
			return m, nil, err
		}
	}
	facts, err := s.Commits.factsOnce(ctx, flow.Ask(before, m))
	if err != nil {
		return m, nil, err
	}
	m = flow.Fill(before, m, &facts)
	after, err := flow.Apply(before, m, &facts)
	if err != nil {
		return m, nil, err
	}
	if r := flow.Admissible(before, m, &facts); r != nil {
		return m, nil, r
	}
	return m, after, nil
}

// CheckMove is the answer of [Store.Do] to a move, without making the move: nil
// if the rules allow it.
func (s *Store) CheckMove(ctx context.Context, before *board.Board, m flow.Move) error {
	_, err := s.Foresee(ctx, before, m)
	return err
}

// Foresee is [Store.CheckMove], and returns the board as it would be after the move.
func (s *Store) Foresee(ctx context.Context, before *board.Board, m flow.Move) (*board.Board, error) {
	at, err := s.after(before.At())
	if err != nil {
		return nil, err
	}
	request, err := RandomID()
	if err != nil {
		return nil, err
	}
	m.At, m.Request = at, board.Request(request)
	m.Normalize()
	if m.Goal == "" {
		m.Goal = flow.GoalOf(before, m)
	}
	_, after, err := s.applyMove(ctx, before.Within(ctx), m)
	return after, err
}

// writeMove stores the documents that changed and the commit of the move.
func (s *Store) writeMove(ctx context.Context, on base, d *draft, r Result) (git.ID, error) {
	tree, err := d.applyEdits(r.After.Changes())
	if err != nil {
		return "", err
	}
	name, email, err := s.Repo.Config.Identity(ctx)
	if err != nil {
		return "", err
	}
	committer, err := identLine(name, email, s.Now())
	if err != nil {
		return "", err
	}
	subject := r.Move.Told(r.Before, r.After)
	if err := cmp.Or(r.Before.Err(), r.After.Err()); err != nil {
		return "", err
	}
	raw, err := s.signCommit(ctx, d.snapshot, stateCommit{tree, on.tip, r.Move, subject, committer})
	if err != nil {
		return "", err
	}
	id := d.addObject("commit", raw)
	return id, d.flush()
}

// completeLanded returns the commit of a request among the moves after since, "" if it is not
// there, and completes the refs of the last move. If that fails, the next move completes
// them.
func (s *Store) completeLanded(ctx context.Context, since git.ID, request board.Request) git.ID {
	tip, err := s.Repo.Refs.Resolve(ctx, layout.State)
	if err != nil || tip == since {
		return ""
	}
	e, landed, err := s.findMove(tip, since, request)
	if err != nil || !landed {
		return ""
	}
	_ = s.Settler.Settle(ctx)
	return e.Commit
}

// findMove searches the moves from a state back to an earlier one for that of a request.
func (s *Store) findMove(from, until git.ID, request board.Request) (move Event, found bool, err error) {
	err = s.Events(from, func(e Event) (bool, error) {
		if e.Move.Request == request {
			move, found = e, true
		}
		return !found && e.Commit != until && e.Parent != until, nil
	})
	return move, found && err == nil, err
}
