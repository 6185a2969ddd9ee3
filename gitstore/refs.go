package gitstore

import (
	"context"
	"errors"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// refsOfMove are the refs that followed from an earlier move.
func (h *history) refsOfMove(e Event) ([]git.RefUpdate, error) {
	before, source := h.emptyBoard()
	if e.Parent != "" {
		c, err := h.readStateCommit(e.Parent)
		if err != nil {
			return nil, err
		}
		source.root = c.Tree
		before = board.Open(source, c.AuthorTime.UTC())
	}
	return refUpdates(e.Move, before, e.Commit), before.Err()
}

// refUpdates are the updates of refs that follow from a move.
func refUpdates(m flow.Move, before *board.Board, commit git.ID) []git.RefUpdate {
	var list []git.RefUpdate
	for _, r := range m.Refs(before) {
		u := git.RefUpdate{Name: r.Name, Old: r.Old, New: r.New}
		if r.State {
			u.New = commit
		}
		list = append(list, u)
	}
	return list
}

// isKeptRef reports whether a ref is a mark or a saved commit: moves create
// them, and they stay.
func isKeptRef(ref string) bool {
	return strings.HasPrefix(ref, layout.MarkRefs) || strings.HasPrefix(ref, layout.SavedRefs)
}

// integrationPrecedes reports whether integration was at one commit before
// another: it is among the first parents.
func (h *history) integrationPrecedes(from, to git.ID) (bool, error) {
	for range maxBehind {
		if to == from {
			return true, nil
		}
		c, here, err := h.findCommit(to)
		if err != nil || !here || len(c.Parents) == 0 {
			return false, err
		}
		to = c.Parents[0]
	}
	return false, nil
}

// LastNaming is the commit that the last move with a saved ref or mark gives
// it, "" if none of the last moves up to tip, at most most of them, has it.
func (h *history) LastNaming(ctx context.Context, tip git.ID, ref string, most int) (git.ID, error) {
	var named git.ID
	err := h.Events(tip, func(e Event) (bool, error) {
		if most--; most < 0 {
			return false, nil
		}
		if strings.HasPrefix(ref, layout.SavedRefs) && !strings.HasPrefix(ref, layout.SavedRefs+string(e.Move.Task)+"/") {
			return true, ctx.Err()
		}
		list, err := h.refsOfMove(e)
		for _, u := range list {
			if u.Name == ref {
				named = u.New
			}
		}
		return named == "", errors.Join(err, ctx.Err())
	})
	return named, err
}
