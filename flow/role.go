package flow

import (
	"fmt"
	"slices"
	"strings"
)

// A Role names a row of the board, such as coder: what an agent may do. The zero
// value is no role, as people have none.
type Role string

// The roles of every board, and the one that only review rules and verdicts
// name.
const (
	Planner      Role = "planner"
	Coder        Role = "coder"
	CodeReviewer Role = "code-reviewer"
	HumanRole    Role = "human"
)

// reservedRoles are words that name other things where a role can stand.
var reservedRoles = []Role{HumanRole, "all", "task", "goal", "sprint", "question", "board", "candidate", "queue"}

// FirstRoles are the roles that every board has.
func FirstRoles() []Role { return []Role{Planner, Coder, CodeReviewer} }

// String is the role's name, such as code-reviewer.
func (r Role) String() string { return string(r) }

// One is an agent of the role in a sentence, such as "an architect".
func (r Role) One() string {
	if r != "" && strings.IndexByte("aeiou", r[0]) >= 0 {
		return "an " + string(r)
	}
	return "a " + string(r)
}

// UnmarshalText accepts 2 to 31 of a-z and hyphens, neither first nor last a
// hyphen. Whether the board has the role is a question of its rules.
func (r *Role) UnmarshalText(text []byte) error {
	if !goodRole(string(text)) || Role(text) != HumanRole && slices.Contains(reservedRoles, Role(text)) {
		return fmt.Errorf("%q is no role (2 to 31 of a-z and -, such as security-reviewer)", clip(string(text)))
	}
	*r = Role(text)
	return nil
}

func goodRole(s string) bool {
	return len(s) >= 2 && len(s) <= 31 && s[0] != '-' && s[len(s)-1] != '-' &&
		!strings.ContainsFunc(s, func(r rune) bool { return (r < 'a' || r > 'z') && r != '-' })
}

// A Capacity is what agents of a role do with a task. The zero value is none.
type Capacity uint8

// The capacities of roles.
const (
	Plans Capacity = iota + 1
	Does
	Judges
)

var capacityNames = names{"capacity", "plans", "does", "judges"}

// String is the capacity's name.
func (c Capacity) String() string { return capacityNames.name(uint8(c)) }

// MarshalText writes the name; the zero value is an error.
func (c Capacity) MarshalText() ([]byte, error) { return capacityNames.marshal(uint8(c)) }

// UnmarshalText accepts exactly the names of [Capacity.String].
func (c *Capacity) UnmarshalText(text []byte) error { return unmarshalName(c, text, capacityNames) }

// A Tool is a kind of tools that agents of a role may use. The zero value is
// none.
type Tool uint8

// The kinds of tools: reading files, writing them, running commands, reading
// from the network.
const (
	ToolRead Tool = iota + 1
	ToolWrite
	ToolRun
	ToolWeb
)

var toolNames = names{"tool", "read", "write", "run", "web"}

// String is the tool's name.
func (t Tool) String() string { return toolNames.name(uint8(t)) }

// MarshalText writes the name; the zero value is an error.
func (t Tool) MarshalText() ([]byte, error) { return toolNames.marshal(uint8(t)) }

// UnmarshalText accepts exactly the names of [Tool.String].
func (t *Tool) UnmarshalText(text []byte) error { return unmarshalName(t, text, toolNames) }
