package gitstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
)

// An Event is one move on the state chain.
type Event struct {
	Commit git.ID
	Parent git.ID // "" for the root
	Tree   git.ID
	Move   flow.Move
}

// Event reads one state commit. Errors are *document.Error where its message
// holds no move.
func (s *Store) Event(commit git.ID) (Event, error) {
	c, err := s.commitObject(commit)
	if err != nil {
		return Event{}, err
	}
	m, err := decodeMove(commit, c.Message)
	if err != nil {
		return Event{}, err
	}
	e := Event{Commit: commit, Tree: c.Tree, Move: m}
	if len(c.Parents) > 0 {
		e.Parent = c.Parents[0]
	}
	return e, nil
}

// History visits the moves from a state commit back to the root, newest
// first, until visit returns false.
func (s *Store) History(from git.ID, visit func(Event) (bool, error)) error {
	for id := from; id != ""; {
		e, err := s.Event(id)
		if err != nil {
			return err
		}
		more, err := visit(e)
		if err != nil || !more {
			return err
		}
		id = e.Parent
	}
	return nil
}

// ErrNoState is wrapped by Rev when a name stands for no state of the board.
// The command line tests it to say where the states are listed.
var ErrNoState = errors.New("no such state of the board")

// Rev is the state commit that a name stands for: a time (the last move not
// after it), a mark's name, an abbreviated or full id, or any revision git
// knows, such as refs/liza/state~3. Errors wrap ErrNoBoard or ErrNoState.
func (s *Store) Rev(ctx context.Context, name string) (git.ID, error) {
	tip, err := s.Tip(ctx)
	if err != nil {
		return "", err
	}
	if at, ok := ParseTime(name); ok {
		return s.lastBefore(tip, at)
	}
	if mark, err := s.Repo.Resolve(ctx, flow.MarkRef(name)); err == nil && mark != "" {
		return mark, nil
	}
	id, err := s.Repo.ParseCommit(ctx, name)
	if err == nil {
		if _, notOne := s.Event(id); notOne == nil {
			return id, nil
		}
	} else if !errors.Is(err, git.ErrNoCommit) {
		return "", err
	}
	return "", fmt.Errorf("%w: %q", ErrNoState, name)
}

// lastBefore finds the last move that is not after a time.
func (s *Store) lastBefore(tip git.ID, at time.Time) (git.ID, error) {
	found := git.ID("")
	err := s.History(tip, func(e Event) (bool, error) {
		if e.Move.At.After(at) {
			return true, nil
		}
		found = e.Commit
		return false, nil
	})
	if err == nil && found == "" {
		err = fmt.Errorf("%w: there was none yet at %s", ErrNoState, at.Format(time.RFC3339))
	}
	return found, err
}

// ParseTime reads a time as people write it: RFC 3339, or without its zone, its
// seconds or its clock, and then in UTC.
func ParseTime(s string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"} {
		if at, err := time.Parse(layout, s); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}
