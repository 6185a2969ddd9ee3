package view

import (
	"fmt"

	"github.com/git-liza/git-liza/flow/automation"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// A Class says how far the work of a file may be automated.
type Class struct {
	Path string         `json:"path"` // from the root of the repository
	Blob board.ObjectID `json:"blob"`
	board.Class
}

// ClassOf is the class of a text as the board has it for its blob, else as it was read. doc
// may be nil.
func ClassOf(path string, blob board.ObjectID, read board.Class, doc *board.TrackedPath) Class {
	if doc != nil && doc.Blob == blob && doc.Class != nil {
		read = *doc.Class
	}
	read.Evidence = append([]automation.Evidence{}, read.Evidence...)
	return Class{path, blob, read}
}

// Text describes the class, with a line for each piece of evidence.
func (c Class) Text() string {
	text := fmt.Sprintf("%s: %s, %s; loop %s; second look %s\n", plaintext.Line(c.Path), c.Type, c.Scope, c.Loop, c.SecondLook)
	switch c.Source {
	case automation.Declared:
		text += "  declared by the text\n"
	case automation.Person:
		text += "  said by a person, not by the text\n"
	default:
		text += "  inferred from the form of the text; it binds nobody\n"
	}
	for _, one := range c.Evidence {
		text += fmt.Sprintf("  line %d: %s\n", one.Line, plaintext.Line(one.Text))
	}
	return text
}

// An Unclassified is a file whose class cannot be said.
type Unclassified struct {
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Reason string `json:"reason"`
}

// Text is a line as compilers print it.
func (u Unclassified) Text() string {
	return fmt.Sprintf("%s:%d: %s\n", plaintext.Line(u.Path), u.Line, plaintext.Line(u.Reason))
}
