package gitstore

import (
	"slices"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/git"
)

// mostEvents bounds the moves that a [Delta] reads: a reader that is further behind
// reads the whole board anew.
const mostEvents = 200

// A Delta is what lies between two states of the board.
type Delta struct {
	From, To git.ID
	Events   []Event     // oldest first; of a whole one the newest, at most 200
	Keys     []board.Key // of the documents that differ, in order of their paths; none of a whole one
	Whole    bool        // To does not continue From, or is too far ahead: everything may differ
}

// Delta returns what lies between two states. Without from ("") it is whole. It reads the
// moves between, and only folders that differ, whatever the number of moves.
func (h *history) Delta(from, to git.ID) (Delta, error) {
	d := Delta{From: from, To: to, Whole: true}
	err := h.Log(to, func(e Event) (bool, error) {
		if e.Commit == from {
			d.Whole = false
			return false, nil
		}
		if len(d.Events) == mostEvents {
			return false, nil
		}
		d.Events = append(d.Events, e)
		return true, nil
	})
	slices.Reverse(d.Events)
	if err != nil || d.Whole {
		return d, err
	}
	err = h.visitDifferences(from, to, func(path string, _ [2]git.Entry) error {
		key, ok := keyOf(path)
		if !ok {
			d.Whole = true
		}
		d.Keys = append(d.Keys, key)
		return nil
	})
	if d.Whole {
		d.Keys = nil
	}
	return d, err
}
