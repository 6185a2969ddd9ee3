package flow

import (
	"cmp"
	"slices"
	"strings"

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

// maxRoles is how many roles a board may have.
const maxRoles = 50

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

// check refuses a row that no rule could work with.
func (r *RoleRow) check(hint string) *Refusal {
	switch {
	case r.Name == "" || slices.Contains(reservedRoles, r.Name):
		return refuse(RuleForm, hint, "%q cannot be the name of a role", clip(string(r.Name)))
	case r.Capacity == 0:
		return refuse(RuleForm, hint, "the role %s plans, does or judges: it lacks its capacity", r.Name)
	case !r.Has(ToolRead):
		return refuse(RuleForm, hint, "the role %s needs the tool read: no agent works without it", r.Name)
	case r.Has(ToolWrite) && r.Capacity != Does:
		return refuse(RuleForm, hint, "the role %s %s, so it has no tool write", r.Name, r.Capacity)
	case len(r.Kinds) > 0 && r.Capacity != Does:
		return refuse(RuleForm, hint, "the role %s %s, so it has no kinds of tasks", r.Name, r.Capacity)
	case (r.NotHuman || r.Strict) && r.Capacity != Judges:
		return refuse(RuleForm, hint, "the role %s %s: not_human and strict are for roles that judge", r.Name, r.Capacity)
	case r.Artifacts && !r.Has(ToolWrite):
		return refuse(RuleForm, hint, "the role %s has no tool write, so it writes no artifacts", r.Name)
	case len(r.Provider) > 41 || strings.ContainsFunc(r.Provider, notSlug) || strings.Trim(r.Provider, "._-") != r.Provider:
		return refuse(RuleForm, hint, "%q is not the name of a provider", clip(r.Provider))
	case r.Persona != "" && !goodPersona(r.Persona):
		return refuse(RuleForm, hint, "%q is not the path of a persona: it is below the main work tree and ends in .md", clip(r.Persona))
	}
	if i := slices.IndexFunc(r.Tools, func(t Tool) bool {
		return t == 0 || len(lists.Where(r.Tools, func(other Tool) bool { return other == t })) > 1
	}); i >= 0 {
		return refuse(RuleForm, hint, "the role %s names a tool twice", r.Name)
	}
	return cmp.Or(checkGlobs(r.globs(), hint), boundGlobs("the role "+string(r.Name), r.globs(), hint))
}

// globs are all path patterns of the row.
func (r *RoleRow) globs() []string {
	return slices.Concat(r.Writes, lists.Of(r.Denies, func(d Denial) string { return d.Glob }))
}

// goodPersona accepts clean relative paths of Markdown files.
func goodPersona(path string) bool {
	unclean := func(part string) bool {
		return part == "" || part == "." || part == ".." || strings.EqualFold(part, ".git")
	}
	return !slices.ContainsFunc(strings.Split(path, "/"), unclean) && strings.HasSuffix(path, ".md") && !strings.ContainsAny(path, "\\:")
}
