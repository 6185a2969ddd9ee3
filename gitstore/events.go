package gitstore

import (
	"errors"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
)

// An Event is one move on the state chain.
type Event struct {
	Commit git.ID
	Parent git.ID // "" for the root
	Tree   git.ID
	Move   flow.Move
	Told   string // the first line of its message, see [flow.Move.Told]
	// Unknown is the name of an act that only a newer format has; the move then
	// has neither act nor detail. Only [Store.Log] sets it.
	Unknown string
}

// ReadEvent reads one state commit. The error is a *document.Error if its
// message holds no move.
func (h *history) ReadEvent(commit git.ID) (Event, error) {
	c, err := h.readStateCommit(commit)
	if err != nil {
		return Event{}, err
	}
	m, err := decodeMove(commit, c.Message)
	if err != nil {
		return Event{}, err
	}
	return newEvent(c, m), nil
}

func newEvent(c git.Commit, m flow.Move) Event {
	e := Event{Commit: c.ID, Tree: c.Tree, Move: m}
	e.Told, _, _ = strings.Cut(c.Message, "\n")
	if len(c.Parents) > 0 {
		e.Parent = c.Parents[0]
	}
	return e
}

// Events visits the moves from a state commit back to the root, newest
// first, until visit returns false.
func (h *history) Events(from git.ID, visit func(Event) (bool, error)) error {
	return h.visit(from, h.ReadEvent, visit)
}

// Log is [Store.Events] for readers of the log: it shows of moves of a newer
// format what this program knows, where others refuse them.
func (h *history) Log(from git.ID, visit func(Event) (bool, error)) error {
	if _, err := h.BoardAt(from); errors.Is(err, ErrUnreleased) {
		return err
	}
	return h.visit(from, h.readLogged, visit)
}

// readLogged is ReadEvent, but skips keys that it does not know, and the fields
// of an act that it does not know.
func (h *history) readLogged(commit git.ID) (Event, error) {
	c, err := h.readStateCommit(commit)
	if err != nil {
		return Event{}, err
	}
	return logged(c)
}

// logged is the event of a state commit, as readLogged reads it.
func logged(c git.Commit) (Event, error) {
	m, err := decodeMove(c.ID, c.Message)
	if err == nil {
		return newEvent(c, m), nil
	}
	m, unknown, looseErr := decodeLoose(c.Message)
	if looseErr != nil {
		return Event{}, err
	}
	e := newEvent(c, m)
	e.Unknown = unknown
	return e, nil
}

func (h *history) visit(from git.ID, read func(git.ID) (Event, error), visit func(Event) (bool, error)) error {
	for id := from; id != ""; {
		e, err := read(id)
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

// listChain lists the commits after known, or from the root, up to tip, oldest
// first.
func (h *history) listChain(tip, known git.ID) ([]git.ID, *Breach) {
	var list []git.ID
	breach := h.walkChain(tip, known, func(id git.ID) bool {
		list = append(list, id)
		return true
	})
	if breach != nil {
		return nil, breach
	}
	slices.Reverse(list)
	return list, nil
}

// walkChain visits the commits from tip back to the root, or to the one after known, until
// visit returns false. Each was read.
func (h *history) walkChain(tip, known git.ID, visit func(git.ID) bool) *Breach {
	for id := tip; id != "" && id != known; {
		c, err := h.readStateCommit(id)
		if err != nil {
			return &Breach{id, err}
		}
		if !visit(git.ID(strings.Clone(string(id)))) { // the id lies in the text of a commit
			return nil
		}
		id = ""
		if len(c.Parents) > 0 {
			id = c.Parents[0]
		}
	}
	return nil
}

// findCommit reads a commit; ok is false if there is none with that id.
func (h *history) findCommit(id git.ID) (c git.Commit, ok bool, err error) {
	kind, n, err := h.objects.Size(id)
	switch {
	case errors.Is(err, git.ErrNoObject) || err == nil && kind != "commit":
		return git.Commit{}, false, nil
	case err != nil:
		return git.Commit{}, false, err
	case n > git.MaxCommit:
		return git.Commit{}, false, limitRefusal("git cat-file -s "+string(id), "commit %s has %d bytes, at most %d are read", id.Short(), n, git.MaxCommit)
	}
	c, err = h.objects.Commit(id)
	return c, err == nil, err
}
