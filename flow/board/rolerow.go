package board

import (
	"cmp"
	"slices"

	"github.com/git-liza/git-liza/flow/glob"
	"github.com/git-liza/git-liza/flow/lists"
)

// A RoleRow says what agents of a role may do, the document roles/<name>.yaml.
type RoleRow struct {
	Name     Role     `yaml:"name"`
	Capacity Capacity `yaml:"capacity"`
	About    string   `yaml:"about"`  // one line for lists
	Writes   []string `yaml:"writes"` // globs; agents change nothing else; empty is no such bound
	Denies   []Denial `yaml:"denies"`
	Kinds    []Kind   `yaml:"kinds"` // of the tasks that the role does; empty is all
	Tools    []Tool   `yaml:"tools"`
	Provider string   `yaml:"provider"`  // a name of the catalogue; "" leaves the choice to the machine
	Model    string   `yaml:"model"`     // "" is the provider's own choice
	Persona  string   `yaml:"persona"`   // a path in the main work tree; "" is the built-in text of that name
	NotHuman bool     `yaml:"not_human"` // of a judge: no person's verdict counts for it
	Strict   bool     `yaml:"strict"`    // of a judge: a finding names a file and a line of the submission

	Artifacts bool `yaml:"artifacts"` // it writes only the artifacts of the phase of its task, where there is one
}

// A Denial is a glob that agents of a role may not change, except in tasks of
// some kinds.
type Denial struct {
	Glob   string `yaml:"glob"`
	Except []Kind `yaml:"except"`
}

// Has reports whether agents of the role may use the tool.
func (r *RoleRow) Has(t Tool) bool { return slices.Contains(r.Tools, t) }

// Role is the row of that name; nil if the board has none.
func (c *Board) Role(name Role) *RoleRow {
	if name == "" {
		return nil
	}
	if row, ok := c.Load(Key{RolesFolder, string(name)}).(*RoleRow); ok && row.Name == name {
		return row
	}
	return nil
}

// Roles are all rows: planning, doing, judging ones, each by name.
func (c *Board) Roles() []*RoleRow {
	byName := All[*RoleRow](c, RolesFolder)
	slices.SortStableFunc(byName, func(x, y *RoleRow) int { return cmp.Compare(x.Capacity, y.Capacity) })
	return byName
}

// CapacityOf is the capacity of an agent's role; zero for people and for roles
// that the board lacks.
func (c *Board) CapacityOf(by Actor) Capacity {
	if row := c.Role(by.Role()); row != nil {
		return row.Capacity
	}
	return 0
}

// BuiltinRoles are the roles that a new board begins with: the three of every board,
// other judges by name, then those that write the artifacts of the phase of their task
// and nothing else, by name.
func BuiltinRoles() []*RoleRow {
	judge := func(name Role, about string) *RoleRow {
		return &RoleRow{Name: name, Capacity: Judges, About: about, Tools: []Tool{ToolRead, ToolRun}}
	}
	gates := judge("gates", "runs verify and the gates of the board, and judges by their results alone")
	gates.Provider, gates.NotHuman = "gates", true
	writer := func(name Role, about string) *RoleRow {
		return &RoleRow{Name: name, Capacity: Does, About: about, Artifacts: true,
			Kinds: []Kind{Docs, Spec}, Tools: []Tool{ToolRead, ToolWrite, ToolRun, ToolWeb}, Denies: []Denial{{Glob: "contracts/**"}, {Glob: ".liza/**"}}}
	}
	return []*RoleRow{
		{Name: Planner, Capacity: Plans, About: "cuts a goal into tasks", Tools: []Tool{ToolRead, ToolRun}},
		{Name: Coder, Capacity: Does, About: "does tasks", Tools: []Tool{ToolRead, ToolWrite, ToolRun},
			Denies: []Denial{{Glob: "specs/**", Except: []Kind{Spec}}, {Glob: "contracts/**"}, {Glob: ".liza/**"}}},
		judge(CodeReviewer, "judges whether a submission does its task"),
		judge("docs-reviewer", "judges whether documentation is true, complete and clear"),
		gates,
		judge("refactor-reviewer", "judges structure: duplication, names, boundaries"),
		judge("security-reviewer", "judges what an attacker could do with a submission"),
		writer("architect", "designs what is built, and records why"),
		writer("manager", "cuts a design into a plan"),
		writer("researcher", "finds out what is wanted, and by whom"),
		writer("spec-writer", "writes down what the work has to do"),
	}
}

// Globs are all path patterns of the row.
func (r *RoleRow) Globs() []string {
	return slices.Concat(r.Writes, lists.Of(r.Denies, func(d Denial) string { return d.Glob }))
}

// Declared are the paths that a task owns, and those beyond them that its intent names.
func Declared(t *Task) []glob.Glob {
	globs := glob.ParseAll(t.Owns)
	if t.Intent != nil {
		globs = append(globs, glob.ParseAll(t.Intent.Extend)...)
	}
	return globs
}

// Foreign says of a path, changed in the work on a task, whether never names it, or no task owns
// it and this one's intent does not declare it. A task that owns nothing may change what it
// likes, and so may nobody's, which is nil.
func (b *Board) Foreign(t *Task) func(path string) bool {
	never, bounded := glob.ParseAll(b.Settings().Config.Never), t != nil && len(t.Owns) > 0
	var owned []glob.Glob
	if bounded {
		owned = Declared(t)
		for _, s := range b.Summaries() {
			owned = append(owned, OwnedGlobs(b, s)...)
		}
	}
	return func(path string) bool {
		return glob.MatchesAny(never, path) || bounded && !glob.MatchesAny(owned, path)
	}
}

// RoleBounds are what a role may change in tasks of a kind, whatever the task
// says.
type RoleBounds struct {
	Role   Role
	Kind   Kind
	Writes []glob.Glob // nothing else; no bound if there are none
	Denies []glob.Glob
	Never  []glob.Glob // what no agent changes
}

// Bounds are what the row alone says.
func (r *RoleRow) Bounds(kind Kind) RoleBounds {
	return RoleBounds{Role: r.Name, Kind: kind, Writes: glob.ParseAll(r.Writes), Denies: glob.ParseAll(r.denied(kind))}
}

// Denied are the globs of paths that agents of the role may not change in tasks
// of a kind.
func (b *Board) Denied(role Role, kind Kind) []string {
	row := b.Role(role)
	if row == nil || !row.Has(ToolWrite) {
		return nil
	}
	return append(row.denied(kind), b.Settings().Config.Never...)
}

// denied are the globs that the row denies in tasks of a kind.
func (r *RoleRow) denied(kind Kind) []string {
	binding := lists.Where(r.Denies, func(d Denial) bool { return !slices.Contains(d.Except, kind) })
	return lists.Of(binding, func(d Denial) string { return d.Glob })
}
