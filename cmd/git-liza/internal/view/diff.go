package view

import (
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view/patch"
	"github.com/git-liza/git-liza/flow/lists"
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
	return append([]Edit{}, lists.Of(list, func(d gitstore.Difference) Edit {
		return Edit{d.Path, changeKind(d), patch.Format(d.Path, patch.Side{Text: d.Old}, patch.Side{Text: d.New}, color)}
	})...)
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

// PatchText presents a patch or a range-diff, as git prints it without color, on a
// terminal.
func PatchText(text string, color bool) string { return patch.Show(text, color) }

// PatchNotes presents a patch in an editor, with the numbers of the lines that findings
// name.
func PatchNotes(text string) string { return patch.Numbered(text) }
