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

// Loop says whether agents may do the work, story after story.
type Loop string

// What a loop may be.
const (
	Allowed     Loop = "allowed"
	Discouraged Loop = "discouraged"
	Forbidden   Loop = "forbidden"
)

// SecondLook says whether somebody beside the usual reviewers looks at the work.
type SecondLook string

// What a second look may be.
const (
	ByPerson    SecondLook = "person"    // no work without the verdict of a person
	Suggested   SecondLook = "suggested" // that of a security-reviewer
	Optional    SecondLook = "optional"
	Unnecessary SecondLook = "unnecessary"
)

// A Source says where a class comes from.
type Source string

// The sources of classes.
const (
	Declared Source = "declared" // by the file
	Inferred Source = "inferred" // from its form
	Person   Source = "person"
)

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
	return choose(v, text, ByPerson, Suggested, Optional, Unnecessary)
}

// UnmarshalText refuses other sources.
func (v *Source) UnmarshalText(text []byte) error { return choose(v, text, Declared, Inferred, Person) }

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
