package flow

import (
	"time"

	"github.com/git-liza/git-liza/flow/board"
)

// A Move is one change of the blackboard as plain data: the actor, the act, the
// task and the time. It is the body of one commit on refs/liza/state.
// Everything else in that commit, except its committer and signature, derives
// from it.
type Move struct {
	Act        board.Act        `yaml:"act"`
	Task       board.TaskID     `yaml:"task"`    // "" where the act has no single task
	Goal       board.GoalID     `yaml:"goal_id"` // see [GoalOf]
	By         board.Actor      `yaml:"by"`
	Principal  string           `yaml:"principal"`
	At         time.Time        `yaml:"at"` // whole seconds, UTC
	Generation board.Generation `yaml:"generation"`
	Request    board.Request    `yaml:"request"`
	Seen       board.ObjectID   `yaml:"seen"` // the state commit that a signer read
	Detail     Detail           `yaml:",inline"`
}

// A Caller makes moves: the actor, the account behind it ("" if there is none)
// and the generation of a registered agent.
type Caller struct {
	By         board.Actor
	Principal  string
	Generation board.Generation
}

// Move is a move by the caller, without time and request.
func (c Caller) Move(act board.Act, task board.TaskID, d Detail) Move {
	return Move{Act: act, Task: task, By: c.By, Principal: c.Principal, Generation: c.Generation, Detail: d}
}

// A Detail holds the fields that belong to one act. [NewDetail] makes them.
type Detail interface {
	// check refuses what act and state alone do not show.
	check(*play) *Refusal
	// apply writes the effect, after check has passed.
	apply(*effect)
}

// The optional methods of a detail. The rules table asserts which details have
// them, so that a misspelt name or signature does not go unnoticed.
type (
	// An asker needs answers of git before its move is judged for the first
	// time.
	asker interface {
		ask(Move, *board.Board) Query
	}

	// A filler has fields that callers leave out, because they follow from the
	// board and from the answers of git. The play has no rule, and no task if
	// the board lacks it.
	filler interface {
		Detail
		fill(*play)
	}

	// A refMover moves refs together with the state ref, see [Move.Refs].
	refMover interface {
		refs(Move, *board.Board) []RefMove
	}

	// A repeater reports whether the board already has the effect of its move,
	// see [Already].
	repeater interface{ already(*play) bool }

	// An admitter refuses moves that only replay accepts, see
	// [Admissible].
	admitter interface{ admit(*play) *Refusal }

	// A titled detail names the subject of a move that is not about one task,
	// for the first line of the commit; "" names none.
	titled interface{ subject() string }
)

// NewDetail is an empty detail for an act, for decoding; nil if there is no
// such act.
func NewDetail(a board.Act) Detail {
	for i := range rules {
		if rules[i].act == a {
			return rules[i].detail()
		}
	}
	return nil
}

// A RefMove is a ref that moves together with the state ref.
type RefMove struct {
	Name  string         // full name
	Old   board.ObjectID // "" where the ref must not exist yet
	New   board.ObjectID // "" deletes
	State bool           // New is the state commit of this move
}

// Refs are the refs that must move in the same transaction as this move on the
// board before it: saved attempts, marks, integration. They follow from the
// move alone, so that a judge finds missing ones and extra ones.
func (m Move) Refs(before *board.Board) []RefMove {
	with, ok := m.Detail.(refMover)
	if !ok {
		return nil
	}
	return with.refs(m, before)
}

func saved(id board.TaskID, s *board.Save) []RefMove {
	if s == nil {
		return nil
	}
	return []RefMove{{Name: id.SavedRef(s.Number), New: s.Commit}}
}
