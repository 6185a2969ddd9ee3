package main

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// fewMoves bounds how far back a clone first looks for uncounted sessions.
// Later it reads only new moves.
const fewMoves = 1000

// A noted is what a clone remembers of one move: that it began a goal or a
// sprint, or recorded a session that did not report its usage.
type noted struct {
	kind byte // 'g', 's' or 'u'
	at   int64
	goal flow.GoalID // of the move, "" if it names none
}

// uncounted returns the number of sessions of a goal, or of a sprint of it, that
// did not report their usage. act began it at the time began; it ended at ended, the
// zero time if it has not. Moves that this clone has read before are not read
// again: liza/cache/uncounted names the last of them and holds their notes,
// newest first. The file is derived and safe to delete.
func (l look) uncounted(ctx context.Context, act flow.Act, goal flow.GoalID, began, ended time.Time) (n int, err error) {
	path := filepath.Join(l.Repo.CommonDir(), layout.Private, "cache", "uncounted")
	tip, notes := readUncounted(path)
	if tip != l.Tip {
		if notes, err = l.noteUncounted(ctx, tip, notes); err != nil {
			return 0, err
		}
		writeUncounted(path, l.Tip, notes)
	}
	kind := noteKind(act)
	for _, one := range notes {
		if one.kind == kind && one.at <= began.Unix() {
			break
		}
		if of := cmp.Or(one.goal, goal); of == goal && one.kind == 'u' && one.at >= began.Unix() && (ended.IsZero() || one.at <= ended.Unix()) {
			n++
		}
	}
	return n, nil
}

func noteKind(act flow.Act) byte {
	switch act {
	case flow.ActGoal, flow.ActInit:
		return 'g'
	case flow.ActSprintStart:
		return 's'
	}
	return 0
}

// noteUncounted returns the notes of the moves up to the tip. known are the
// notes of the moves up to an earlier one.
func (l look) noteUncounted(ctx context.Context, upTo git.ID, known []noted) ([]noted, error) {
	var news []noted
	moves, met := 0, false
	err := l.Store.Events(l.Tip, func(e gitstore.Event) (bool, error) {
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

func readUncounted(path string) (tip git.ID, notes []noted) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", nil
	}
	words := strings.Fields(string(data))
	if len(words) == 0 {
		return "", nil
	}
	for _, word := range words[1:] {
		number, goal, _ := strings.Cut(word[1:], ":")
		at, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return "", nil
		}
		notes = append(notes, noted{word[0], at, flow.GoalID(goal)})
	}
	return git.ID(words[0]), notes
}

// writeUncounted replaces the file atomically. A failure only costs time.
func writeUncounted(path string, tip git.ID, notes []noted) {
	text := []byte(tip)
	for _, one := range notes {
		text = strconv.AppendInt(append(text, ' ', one.kind), one.at, 10)
		if one.goal != "" {
			text = append(append(text, ':'), one.goal...)
		}
	}
	_ = git.ReplaceFile(path, append(text, '\n'))
}
