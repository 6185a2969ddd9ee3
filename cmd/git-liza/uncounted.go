package main

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// fewMoves bounds how far back a clone first looks for uncounted sessions.
// Later it reads only new moves.
const fewMoves = 1000

// A noted is what a clone remembers of one move: that it began a goal or a
// sprint, or recorded a session that did not report its usage.
type noted struct {
	Kind byte // 'g', 's' or 'u'
	At   int64
	Goal board.GoalID `json:",omitempty"` // of the move, "" if it names none
}

// A counted holds the notes of the moves up to a tip, newest first.
type counted struct {
	Tip   git.ID
	Notes []noted
}

// uncounted returns the number of sessions of a goal, or of a sprint of it, that
// did not report their usage. act began it at the time began; it ended at ended, the
// zero time if it has not. Moves that this clone has read before are not read
// again: liza/cache/uncounted names the last of them and holds their notes,
// newest first. The file is derived and safe to delete.
func (l look) uncounted(ctx context.Context, act board.Act, goal board.GoalID, began, ended time.Time) (n int, err error) {
	path := privateFile(l.clone.Repo, "cache", "uncounted")
	var kept counted
	if text, err := os.ReadFile(path); err != nil || json.Unmarshal(text, &kept) != nil {
		kept = counted{}
	}
	if kept.Tip != l.reading.Tip {
		notes, err := l.noteUncounted(ctx, kept.Tip, kept.Notes)
		if err != nil {
			return 0, err
		}
		kept = counted{l.reading.Tip, notes}
		_ = git.ReplaceJSON(path, kept) // a failure only costs time
	}
	kind := noteKind(act)
	for _, one := range kept.Notes {
		if one.Kind == kind && one.At <= began.Unix() {
			break
		}
		if of := cmp.Or(one.Goal, goal); of == goal && one.Kind == 'u' && one.At >= began.Unix() && (ended.IsZero() || one.At <= ended.Unix()) {
			n++
		}
	}
	return n, nil
}

func noteKind(act board.Act) byte {
	switch act {
	case board.ActGoal, board.ActInit:
		return 'g'
	case board.ActSprintStart:
		return 's'
	}
	return 0
}

// uncountedOfGoal is [look.uncounted] of the goal that the reading is about.
func (l look) uncountedOfGoal(ctx context.Context) (int, error) {
	goal := l.reading.Board.Goal(cmp.Or(l.reading.About, l.reading.Board.Settings().Goal))
	if goal == nil || goal.Usage.Sessions == 0 {
		return 0, nil
	}
	return l.uncounted(ctx, board.ActGoal, goal.ID, goal.Created, goal.Ended)
}

// noteUncounted returns the notes of the moves up to the tip. known are the
// notes of the moves up to an earlier one.
func (l look) noteUncounted(ctx context.Context, upTo git.ID, known []noted) ([]noted, error) {
	var news []noted
	moves, met := 0, false
	err := l.clone.Store.Events(l.reading.Tip, func(e gitstore.Event) (bool, error) {
		if met = e.Commit == upTo; met {
			return false, nil
		}
		kind := noteKind(e.Move.Act)
		if d, ok := e.Move.Detail.(*flow.SessionMove); ok && !d.Counted() {
			kind = 'u'
		}
		if kind != 0 {
			news = append(news, noted{kind, e.Move.At.Unix(), e.Move.Goal})
		}
		moves++
		return moves < fewMoves, ctx.Err()
	})
	if met {
		news = append(news, known...)
	}
	return news, err // otherwise the board was replaced, or moved too far
}
