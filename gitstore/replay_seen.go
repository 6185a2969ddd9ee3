package gitstore

import (
	"errors"
	"fmt"

	"github.com/git-liza/git-liza/gitstore/git"
)

// maxSeen is how many moves a move may be behind the state that its actor saw.
const maxSeen = 1000

// keepTrail bounds how many links a store remembers.
const keepTrail = 20 * maxSeen

// A link is the part of a move in the chain that [Audit.checkSeen] needs.
type link struct {
	parent  git.ID
	request string
}

// checkSeen refuses a move that was made for another chain, or repeated: the
// state that its actor saw must be on the chain, and no move after that state
// may have the same request. A signed move always names that state.
func (a *Audit) checkSeen(r Replay) error {
	if r.Signature != "" {
		if _, err := parseSignature(r.Signature); err != nil {
			return err
		}
	}
	switch seen := r.Move.Seen; {
	case r.Parent == "" && seen != "":
		return errors.New("the first move says that its actor saw a board")
	case seen == r.Parent:
		return nil
	case seen == "" && r.Signature != "":
		return errors.New("it is signed, but does not name the state that its actor saw")
	case seen == "":
		return nil
	}
	return a.findSeen(r)
}

// findSeen walks from the parent to the state that the actor saw.
func (a *Audit) findSeen(r Replay) error {
	id := r.Parent
	for range maxSeen {
		if id == r.Move.Seen {
			return nil
		}
		l, err := a.readLink(id)
		if err != nil {
			return err
		}
		if l.request == string(r.Move.Request) {
			return fmt.Errorf("its request %s was made already, by %s", r.Move.Request, id.Short())
		}
		if id = l.parent; id == "" {
			return fmt.Errorf("its actor saw %s, which is not on this chain", r.Move.Seen.Short())
		}
	}
	return fmt.Errorf("its actor saw %s, which is not among the %d moves before it", r.Move.Seen.Short(), maxSeen)
}

func (a *Audit) readLink(id git.ID) (link, error) {
	if l, ok := a.trail[id]; ok {
		return l, nil
	}
	e, err := a.history.ReadEvent(id)
	if err != nil {
		return link{}, err
	}
	if len(a.trail) >= keepTrail {
		clear(a.trail)
	}
	l := link{e.Parent, string(e.Move.Request)}
	a.trail[id] = l
	return l, nil
}
