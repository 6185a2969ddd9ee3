package flow

import (
	"slices"

	"github.com/git-liza/git-liza/flow/lists"
)

// checkTracked refuses a board whose documents of tracked paths are damaged, or
// that lacks the text of an open goal.
func (k checker) checkTracked() *Refusal {
	for _, id := range k.IDs(Tracked) {
		doc, ok := k.load(Key{Tracked, id}).(*TrackedPath)
		if !ok || TrackedID(doc.Path) != id {
			return breach("the tracked path %s stands in a wrong place", id)
		}
		if r := k.checkPath(doc); r != nil {
			return r
		}
	}
	return firstRefusal(k.IDs(Goals), func(id string) *Refusal { return k.checkSpec(k.Goal(GoalID(id))) })
}

// checkPath refuses a tracked path whose sections or verdicts are out of order.
func (k checker) checkPath(doc *TrackedPath) *Refusal {
	for i, s := range doc.Sections {
		if s.Anchor == "" || i > 0 && doc.Sections[i-1].Anchor >= s.Anchor {
			return breach("the sections of %s are out of order", quoteC(doc.Path))
		}
	}
	for i, v := range doc.Verdicts {
		if !slices.Contains(doc.ReviewBy, v.Role) || i > 0 && doc.Verdicts[i-1].Role >= v.Role {
			return breach("the verdicts on %s are out of order, or of a role that nobody asked for", quoteC(doc.Path))
		}
	}
	return nil
}

// checkSpec refuses an open goal whose spec is not tracked.
func (k checker) checkSpec(g *Goal) *Refusal {
	if g != nil && g.Status == InProgress && !k.tracks(g.Spec) {
		return breach("the spec of %s is not tracked", g.ID)
	}
	return nil
}

// tracks reports whether the board has the text of every reference. What did not
// fit into the move that entered it is not tracked, or compared as a whole.
func (k checker) tracks(refs ...string) bool {
	return !slices.ContainsFunc(refs, func(ref string) bool {
		path, anchor := splitRef(ref)
		if path == "" {
			return false
		}
		doc := k.trackedPaths().find(path)
		return doc == nil && !k.fullOfTexts() || doc != nil && anchor != "" && doc.section(anchor) == nil && !k.fullOfSections(doc)
	})
}

// fullOfTexts reports whether a move can have been too small for all texts.
func (k checker) fullOfTexts() bool {
	return len(k.IDs(Tracked))*(textSize+k.Settings().Config.TextLimit) >= maxTexts
}

// fullOfSections reports whether a move can have been too small for all sections
// of a text.
func (k checker) fullOfSections(doc *TrackedPath) bool {
	next := textSize + k.Settings().Config.TextLimit
	size := next + lists.Sum(doc.Sections, func(s TrackedSection) int { return textSize + len(s.Anchor) })
	return len(doc.Sections) >= MaxSections || size > maxAnchors || k.fullOfTexts()
}
