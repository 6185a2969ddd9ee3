package board

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/shell"
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

// ReservedRoles are words that name other things where a role can stand.
var ReservedRoles = []Role{HumanRole, "all", "task", "goal", "sprint", "question", "board", "candidate", "queue"}

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
	if !goodRole(string(text)) || Role(text) != HumanRole && slices.Contains(ReservedRoles, Role(text)) {
		return fmt.Errorf("%q is no role (2 to 31 of a-z and -, such as security-reviewer)", Clip(string(text)))
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

// Everything reports whether the rule is for every submission.
func (r ReviewRule) Everything() bool { return len(r.Kinds) == 0 && len(r.Paths) == 0 }

// Dropping is the command that takes the rule away. The last of the rules for
// everything is replaced.
func (r ReviewRule) Dropping(rules []ReviewRule) string {
	rest := slices.DeleteFunc(slices.Clone(rules), r.Equal)
	if !slices.ContainsFunc(rest, ReviewRule.Everything) {
		return "git liza role require OTHER --in-place-of " + string(r.Role)
	}
	kinds := lists.Of(r.Kinds, func(kind Kind) string { return " --kinds " + kind.String() })
	paths := lists.Of(r.Paths, func(glob string) string { return " --paths " + shell.Quote(glob) })
	return "git liza role require " + string(r.Role) + " --remove" + strings.Join(kinds, "") + strings.Join(paths, "")
}

// Equal reports whether two rules ask for the same, in whatever order.
func (r ReviewRule) Equal(o ReviewRule) bool {
	return r.Role == o.Role && sameSet(r.Kinds, o.Kinds) && sameSet(r.Paths, o.Paths)
}

// sameSet reports whether two lists have the same elements.
func sameSet[T comparable](x, y []T) bool {
	within := func(list, other []T) bool {
		return !slices.ContainsFunc(list, func(one T) bool { return !slices.Contains(other, one) })
	}
	return within(x, y) && within(y, x)
}

// ReviewRules is the document reviews.yaml: whose verdicts submissions need.
type ReviewRules struct {
	List []ReviewRule `yaml:"list"`
}

// A ReviewRule asks for the verdict of a role. Empty kinds match every task,
// empty paths every submission.
type ReviewRule struct {
	Role  Role     `yaml:"role"` // of a row that judges, or human
	Kinds []Kind   `yaml:"kinds"`
	Paths []string `yaml:"paths"` // globs; one changed path that matches is enough
}
