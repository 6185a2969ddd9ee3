package flow

import (
	"cmp"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// maxRoles is how many roles a board may have.
const maxRoles = 50

// checkRoleRow refuses a row that no rule could work with.
func checkRoleRow(r *board.RoleRow, hint string) *Refusal {
	switch {
	case r.Name == "" || slices.Contains(board.ReservedRoles, r.Name):
		return refuse(RuleForm, hint, "%q cannot be the name of a role", board.Clip(string(r.Name)))
	case r.Capacity == 0:
		return refuse(RuleForm, hint, "the role %s plans, does or judges: it lacks its capacity", r.Name)
	case !r.Has(board.ToolRead):
		return refuse(RuleForm, hint, "the role %s needs the tool read: no agent works without it", r.Name)
	case r.Has(board.ToolWrite) && r.Capacity != board.Does:
		return refuse(RuleForm, hint, "the role %s %s, so it has no tool write", r.Name, r.Capacity)
	case len(r.Kinds) > 0 && r.Capacity != board.Does:
		return refuse(RuleForm, hint, "the role %s %s, so it has no kinds of tasks", r.Name, r.Capacity)
	case (r.NotHuman || r.Strict) && r.Capacity != board.Judges:
		return refuse(RuleForm, hint, "the role %s %s: not_human and strict are for roles that judge", r.Name, r.Capacity)
	case r.Artifacts && !r.Has(board.ToolWrite):
		return refuse(RuleForm, hint, "the role %s has no tool write, so it writes no artifacts", r.Name)
	case len(r.Provider) > 41 || strings.ContainsFunc(r.Provider, board.NotSlug) || strings.Trim(r.Provider, "._-") != r.Provider:
		return refuse(RuleForm, hint, "%q is not the name of a provider", board.Clip(r.Provider))
	case r.Persona != "" && !goodPersona(r.Persona):
		return refuse(RuleForm, hint, "%q is not the path of a persona: it is below the main work tree and ends in .md", board.Clip(r.Persona))
	}
	if i := slices.IndexFunc(r.Tools, func(t board.Tool) bool {
		return t == 0 || len(lists.Where(r.Tools, func(other board.Tool) bool { return other == t })) > 1
	}); i >= 0 {
		return refuse(RuleForm, hint, "the role %s names a tool twice", r.Name)
	}
	return cmp.Or(checkGlobs(r.Globs(), hint), boundGlobs("the role "+string(r.Name), r.Globs(), hint))
}

// goodPersona accepts clean relative paths of Markdown files.
func goodPersona(path string) bool {
	unclean := func(part string) bool {
		return part == "" || part == "." || part == ".." || strings.EqualFold(part, ".git")
	}
	return !slices.ContainsFunc(strings.Split(path, "/"), unclean) && strings.HasSuffix(path, ".md") && !strings.ContainsAny(path, "\\:")
}
