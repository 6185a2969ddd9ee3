package automation

import (
	"fmt"
	"slices"
	"strings"
)

// A Type says what kind of work a file asks for.
type Type string

// The types of work.
const (
	Conceptual Type = "conceptual"
	Mechanical Type = "mechanical"
	Mixed      Type = "mixed"
)

// A Scope says whether the file bounds the work.
type Scope string

// The scopes.
const (
	Bounded   Scope = "bounded"
	Unbounded Scope = "unbounded"
)

// Loop says whether agents may do the work in a loop, story after story.
type Loop string

// What a loop may be.
const (
	Allowed     Loop = "allowed"
	Discouraged Loop = "discouraged"
	Forbidden   Loop = "forbidden"
)

// SecondLook says whether somebody beside the usual reviewers should look at the work.
type SecondLook string

// What a second look may be.
const (
	Suggested   SecondLook = "suggested"
	Optional    SecondLook = "optional"
	Unnecessary SecondLook = "unnecessary"
)

// A Source says where a class comes from.
type Source string

// The sources of classes.
const (
	Declared Source = "declared" // by the file
	Inferred Source = "inferred" // by the rules
)

// A Basis is the rule that gave a class.
type Basis string

// The rules.
const (
	Block    Basis = "declared"
	Checks   Basis = "checks"
	Design   Basis = "design"
	OpenEnd  Basis = "open-ended"
	Paths    Basis = "paths"
	Ordinary Basis = "otherwise"
)

// Rules are the rules in their order, with what they say for people; the first that fits
// gives the class.
var Rules = []struct {
	Name    Basis
	Meaning string
}{
	{Block, "it has a block automation"},
	{Checks, "it asks for checks only, and declares no code"},
	{Design, "it asks for design or research, names no path, and declares no code"},
	{OpenEnd, "it leaves open where to end: as needed, where appropriate, throughout"},
	{Paths, "it says which paths are allowed and which are excluded"},
	{Ordinary, "no other rule fits"},
}

// Meaning is what the rule says for people.
func (v Basis) Meaning() string {
	for _, rule := range Rules {
		if rule.Name == v {
			return rule.Meaning
		}
	}
	return ""
}

// UnmarshalText refuses other types.
func (v *Type) UnmarshalText(text []byte) error {
	return choose(v, text, Conceptual, Mechanical, Mixed)
}

// UnmarshalText refuses other scopes.
func (v *Scope) UnmarshalText(text []byte) error { return choose(v, text, Bounded, Unbounded) }

// UnmarshalText refuses other answers.
func (v *Loop) UnmarshalText(text []byte) error {
	return choose(v, text, Allowed, Discouraged, Forbidden)
}

// UnmarshalText refuses other answers.
func (v *SecondLook) UnmarshalText(text []byte) error {
	return choose(v, text, Suggested, Optional, Unnecessary)
}

// UnmarshalText refuses other sources.
func (v *Source) UnmarshalText(text []byte) error { return choose(v, text, Declared, Inferred) }

// UnmarshalText refuses other rules.
func (v *Basis) UnmarshalText(text []byte) error {
	return choose(v, text, Block, Checks, Design, OpenEnd, Paths, Ordinary)
}

// choose sets a value to one of those that there are.
func choose[T ~string](to *T, text []byte, known ...T) error {
	if !slices.Contains(known, T(text)) {
		var list []string
		for _, one := range known {
			list = append(list, string(one))
		}
		last := len(list) - 1
		return fmt.Errorf("%.40q is neither %s nor %s", text, strings.Join(list[:last], ", "), list[last])
	}
	*to = T(text)
	return nil
}
