package gitstore

import (
	"context"
	"errors"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/git"
)

// An underway is one move on its way to a board: what a [proposal], which lands by a
// transaction of this clone, and an [offer], which lands by a push, have in common.
type underway struct {
	store   *Store
	request board.Request
	build   Build
	begun   bool
	looked  git.ID // the tip up to which the request was searched for
	job     *packJob
}

func (s *Store) begin(build Build) (underway, error) {
	request, err := RandomID()
	return underway{store: s, request: board.Request(request), build: build}, err
}

// note keeps the packing that is due, nil for none, until the move is made.
func (u *underway) note(due *packJob) {
	if due != nil {
		u.job = due
	}
}

// findLanded searches the moves that the board got since the last search for the request:
// what a process that was killed had begun may have landed, and so may a push without an
// answer.
func (u *underway) findLanded(tip git.ID) (Result, bool, error) {
	if !u.begun || tip == u.looked {
		u.begun, u.looked = true, tip
		return Result{}, false, nil
	}
	since := u.looked
	u.looked = tip
	return u.store.findRequest(tip, since, u.request)
}

// findRequest searches the moves up to a state, after an earlier one, for a request.
func (s *Store) findRequest(tip, since git.ID, request board.Request) (Result, bool, error) {
	found, landed, err := s.findMove(tip, since, request)
	if err != nil || !landed {
		return Result{}, false, err
	}
	r, err := s.Audit.ReplayMove(context.Background(), found.Commit, false)
	return Result{Move: r.Move, Commit: r.Commit, Before: r.Before, After: r.After}, err == nil, err
}

// errNoAnswer is the error of a wait for an outcome that the context ended.
var errNoAnswer = errors.New("no answer yet")

// awaitOutcome waits until another process has ended the entry, or has work do it when
// this process gets the turn. The error is that of work where there is no outcome, or
// errNoAnswer.
func (s *Store) awaitOutcome(ctx context.Context, turn git.Turn, e *outboxEntry, work func() error) (outcome, error) {
	defer e.withdraw()
	waiting := s.Repo.Turns.AwaitTurn(turn)
	for {
		there := git.StillAt(e.file, e.path)
		if f, known := e.readOutcome(); known {
			return f, nil
		}
		if !there {
			return outcome{Kind: outcomeAgain}, nil
		}
		release, err := s.Repo.Turns.TryTurn(turn)
		if err != nil {
			return outcome{}, err
		}
		if release != nil {
			if _, known := e.readOutcome(); !known {
				err = work()
			}
			release()
			if f, known := e.readOutcome(); !known && err != nil {
				return f, err
			}
			waiting = s.Repo.Turns.AwaitTurn(turn)
		} else if git.Wait(ctx, git.TurnPause) != nil {
			return outcome{}, errNoAnswer
		}
		waiting.TellHolder()
	}
}
