package flow

import (
	"slices"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// checkTracked refuses a board whose documents of tracked paths are damaged, or
// that lacks the text of an open goal.
func checkTracked(b *board.Board) *Refusal {
	for _, id := range b.IDs(board.Tracked) {
		doc, ok := b.Load(board.Key{Folder: board.Tracked, ID: id}).(*board.TrackedPath)
		if !ok || board.TrackedID(doc.Path) != id {
			return breach("the tracked path %s stands in a wrong place", id)
		}
		if r := checkTrackedPath(doc); r != nil {
			return r
		}
	}
	return firstRefusal(b.IDs(board.Goals), func(id string) *Refusal { return checkSpec(b, b.Goal(board.GoalID(id))) })
}

// checkTrackedPath refuses a tracked path whose sections or verdicts are out of order.
func checkTrackedPath(doc *board.TrackedPath) *Refusal {
	for i, s := range doc.Sections {
		if s.Anchor == "" || i > 0 && doc.Sections[i-1].Anchor >= s.Anchor {
			return breach("the sections of %s are out of order", board.QuoteC(doc.Path))
		}
	}
	for i, v := range doc.Verdicts {
		if !slices.Contains(doc.ReviewBy, v.Role) || i > 0 && doc.Verdicts[i-1].Role >= v.Role {
			return breach("the verdicts on %s are out of order, or of a role that nobody asked for", board.QuoteC(doc.Path))
		}
	}
	return nil
}

// checkSpec refuses an open goal whose spec is not tracked.
func checkSpec(b *board.Board, g *board.Goal) *Refusal {
	if g != nil && g.Status == board.InProgress && !tracksAll(b, g.Spec) {
		return breach("the spec of %s is not tracked", g.ID)
	}
	return nil
}

// tracksAll reports whether the board has the text of every reference. What did not
// fit into the move that entered it is not tracked, or compared as a whole.
func tracksAll(b *board.Board, refs ...string) bool {
	return !slices.ContainsFunc(refs, func(ref string) bool {
		path, anchor := board.SplitRef(ref)
		if path == "" {
			return false
		}
		doc := b.Tracked(path)
		return doc == nil && !fullOfTexts(b) || doc != nil && anchor != "" && doc.Section(anchor) == nil && !fullOfSections(b, doc)
	})
}

// fullOfTexts reports whether a move can have been too small for all texts.
func fullOfTexts(b *board.Board) bool {
	return len(b.IDs(board.Tracked))*(textSize+b.Settings().Config.TextLimit) >= maxTexts
}

// fullOfSections reports whether a move can have been too small for all sections
// of a text.
func fullOfSections(b *board.Board, doc *board.TrackedPath) bool {
	next := textSize + b.Settings().Config.TextLimit
	size := next + lists.Sum(doc.Sections, func(s board.TrackedSection) int { return textSize + len(s.Anchor) })
	return len(doc.Sections) >= board.MaxSections || size > maxAnchors || fullOfTexts(b)
}
