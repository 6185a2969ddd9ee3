package templates

import (
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/shell"
)

// A Spec says where the current text of a spec is, and how it differs from the text
// that the work began with.
type Spec struct {
	Path   string // from the root of the repository
	Anchor string // of the section that counts; "" if all of the file does
	Basis  bool   // the task is based on it, beside its spec
	Tip    board.ObjectID
	Base   board.ObjectID // the commit that the work began from; "" if there is nothing to compare with
	Reread bool           // Base is what integration had when the role began to review the task the last time

	Text Cut // for who judges: the section that counts, or the file, at Tip

	Missing   string // why Tip has no such file, such as "it was removed"; "" if it has one
	NoSection bool   // no heading at Tip has the anchor
	New       bool   // Base has no such file
	Change    SpecChange
	Patch     string // the lines that differ; "" if only git can show them
	Left      int    // how many bytes of the patch were left out at its end
}

// A Cut is a text of which a prompt has the first lines, or all.
type Cut struct {
	Text string
	More bool // than these lines
}

// Cutting returns the whole lines at the beginning of a text that have at most so many bytes.
func Cutting(text string, most int) Cut {
	if len(text) <= most {
		return Cut{text, false}
	}
	return Cut{text[:strings.LastIndexByte(text[:most], '\n')+1], true}
}

// A SpecChange says what differs between the texts of a spec at Base and at Tip.
type SpecChange uint8

const (
	Same      SpecChange = iota // nothing, or there is nothing to compare with
	Elsewhere                   // only parts outside of the section that counts
	Changed                     // the section that counts, or the file if all of it does
)

// At returns the text of the spec at a commit as git names it, quoted for a shell.
func (s Spec) At(commit board.ObjectID) string { return shell.Quote(string(commit) + ":" + s.Path) }

// Name returns the path on one line.
func (s Spec) Name() string { return shell.Quote(s.Path) }

// Section returns the anchor with its #, on one line.
func (s Spec) Section() string { return shell.Quote("#" + s.Anchor) }

// From names Base for people.
func (s Spec) From() string {
	if s.Reread {
		return "the last review, at " + s.Base.Short()
	}
	return "the base " + s.Base.Short()
}

// Compare returns the command that shows all that differs.
func (s Spec) Compare() string {
	return "git diff " + string(s.Base) + " " + string(s.Tip) + " -- " + shell.Pathspec(s.Path)
}

// IsNotable reports whether there is more to say than where the text is.
func (s Spec) IsNotable() bool { return s.Missing != "" || s.NoSection || s.Change != Same }

// HasChanged reports whether the text that counts differs.
func (s Spec) HasChanged() bool { return s.Change == Changed }

// IsElsewhere reports whether only other sections differ.
func (s Spec) IsElsewhere() bool { return s.Change == Elsewhere }
