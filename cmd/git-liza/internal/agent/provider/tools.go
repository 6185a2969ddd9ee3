package provider

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
)

// PerRole is a list of words for each of three kinds of roles, which have the names of
// the roles that a board begins with.
type PerRole struct {
	Planner      []string `yaml:"planner"`       // roles that neither write nor judge
	Coder        []string `yaml:"coder"`         // roles that write
	CodeReviewer []string `yaml:"code-reviewer"` // roles that judge
}

// For is the list for agents of a role, by what the role may do. nil is a role of which
// nothing is known; it gets the fewest permissions.
func (p PerRole) For(row *board.RoleRow) []string {
	switch {
	case row == nil:
		return p.Planner
	case row.Has(board.ToolWrite):
		return p.Coder
	case row.Capacity == board.Judges:
		return p.CodeReviewer
	}
	return p.Planner
}

// Tools are the names that a program has for its tools, by what they do.
type Tools struct {
	Read  []string `yaml:"read"`
	Write []string `yaml:"write"`
	Run   []string `yaml:"run"`
	Web   []string `yaml:"web"`
}

// named are the names of the tools that a role may use.
func (t Tools) named(row *board.RoleRow) (names []string) {
	for _, one := range []struct {
		tool  board.Tool
		names []string
	}{{board.ToolRun, t.Run}, {board.ToolWrite, t.Write}, {board.ToolRead, t.Read}, {board.ToolWeb, t.Web}} {
		if one.tool == board.ToolRead || row != nil && row.Has(one.tool) {
			names = append(names, one.names...)
		}
	}
	return names
}

// listsTools reports whether the tools of a session in the role are exactly those that
// its arguments or variables name.
func (r Row) listsTools(row *board.RoleRow) bool {
	return slices.ContainsFunc(slices.Concat(r.Args, r.Roles.For(row), r.EnvSet, r.EnvFor.For(row)),
		func(word string) bool { return strings.Contains(word, "{tools") })
}

// UnfitReason says why agents of a role cannot use the provider: it cannot be kept from what
// the role may not do, or lacks what the role needs. It is "" if they can.
func (r Row) UnfitReason(row *board.RoleRow) string {
	listed := r.listsTools(row)
	switch {
	case !row.Has(board.ToolRun) && (!listed || len(r.Tools.Run) == 0):
		return fmt.Sprintf("%s cannot be kept from running commands, which %s may not", r.Name, row.Name)
	case row.Has(board.ToolWeb) && listed && len(r.Tools.Web)+len(r.Web) == 0:
		return fmt.Sprintf("%s cannot read the web, which %s does", r.Name, row.Name)
	}
	return ""
}

// For is the provider as agents of a role run it. Where the role may not run commands, or
// runs in a container, which can only read git's data, the supervisor reports for the agent.
func (p Provider) For(row *board.RoleRow) Provider {
	if row != nil && !row.Has(board.ToolRun) || p.Launcher.Contains() && p.ownCommand() == "" {
		p.Commit = BySupervisor
	}
	return p
}
