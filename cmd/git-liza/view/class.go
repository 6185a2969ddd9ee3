package view

import (
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/automation"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// A Class says how far the work of a file may be automated.
type Class struct {
	Path string        `json:"path"` // from the root of the repository
	Blob flow.ObjectID `json:"blob"`
	automation.Class
}

// Flow is the class as the board keeps what a person says.
func (c Class) Flow() *flow.Class {
	return &flow.Class{Type: string(c.Type), Scope: string(c.Scope), Loop: string(c.Loop), SecondLook: string(c.SecondLook), Source: string(c.Source)}
}

// Recorded puts the word of a person, if the board has one, in place of what the text says.
func (c *Class) Recorded(is *flow.Class) {
	if is.Source == flow.ClassByPerson {
		c.Class = automation.Class{Type: automation.Type(is.Type), Scope: automation.Scope(is.Scope), Loop: automation.Loop(is.Loop),
			SecondLook: automation.SecondLook(is.SecondLook), Source: flow.ClassByPerson, Evidence: []automation.Evidence{}}
	}
}

// Text describes the class, with a line for each piece of evidence.
func (c Class) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s; loop %s; second look %s\n", plaintext.Line(c.Path), c.Type, c.Scope, c.Loop, c.SecondLook)
	if c.Source == automation.Declared {
		fmt.Fprintf(&b, "  declared on line %d\n", c.Evidence[0].Line)
		return b.String()
	}
	if c.Source == flow.ClassByPerson {
		b.WriteString("  said by a person, not by the text\n")
		return b.String()
	}
	fmt.Fprintf(&b, "  %s by rule %s: %s\n", c.Source, c.Rule, c.Rule.Meaning())
	for _, one := range c.Evidence {
		fmt.Fprintf(&b, "  line %d: %s\n", one.Line, plaintext.Line(one.Text))
	}
	return b.String()
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
