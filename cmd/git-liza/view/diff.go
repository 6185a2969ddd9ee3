package view

import (
	"github.com/git-liza/git-liza/cmd/git-liza/patch"
	"github.com/git-liza/git-liza/gitstore"
)

// An Edit is the difference of a document between two states of the board.
type Edit struct {
	Path  string `json:"path"`
	Kind  string `json:"change"` // added, removed or changed
	Patch string `json:"patch"`  // lines in git's form
}

// Changes returns the differences between two states for display, with color
// for a terminal.
func Changes(list []gitstore.Difference, color bool) []Edit {
	changes := []Edit{}
	for _, d := range list {
		changes = append(changes, Edit{d.Path, changeKind(d), patch.Format(d.Path, patch.Side{Text: d.Old}, patch.Side{Text: d.New}, color)})
	}
	return changes
}

func changeKind(d gitstore.Difference) string {
	switch {
	case d.Old == "":
		return "added"
	case d.New == "":
		return "removed"
	}
	return "changed"
}
