package view

import (
	"slices"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// A Role is a row of the board with its agents and the rules that ask for it.
type Role struct {
	Row      board.RoleRow
	Agents   []board.AgentID    // that are registered
	Required []board.ReviewRule // the rules of review that name it
	Stranger bool               // it is not built in
}

// Roles returns the roles of the board in its order, and the role human. builtin reports
// whether a role is one of the program's own.
func Roles(b *board.Board, builtin func(board.Role) bool) []Role {
	return append(lists.Of(b.Roles(), func(row *board.RoleRow) Role { return RoleOf(b, row, builtin) }), HumanRole(b))
}

// HumanRole returns the role for which people judge. The board has no row of it, and no
// agent has it.
func HumanRole(b *board.Board) Role {
	return Role{Required: rulesOf(b, board.HumanRole), Row: board.RoleRow{Name: board.HumanRole, Capacity: board.Judges,
		About: "a person, with git liza approve ID --commit SHA --role human"}}
}

// RoleOf returns a row of the board with its agents and rules.
func RoleOf(b *board.Board, row *board.RoleRow, builtin func(board.Role) bool) Role {
	role := Role{Row: *row, Stranger: !builtin(row.Name), Required: rulesOf(b, row.Name)}
	all := lists.Of(b.IDs(board.Agents), func(id string) board.AgentID { return board.AgentID(id) })
	role.Agents = lists.Where(all, func(id board.AgentID) bool { return id.Role() == row.Name })
	return role
}

// rulesOf returns the rules of review that ask for a role.
func rulesOf(b *board.Board, role board.Role) []board.ReviewRule {
	return lists.Where(b.ReviewRules(), func(rule board.ReviewRule) bool { return rule.Role == role })
}

// Object returns the role for JSON: the keys of its row, agents, required and
// stranger.
func (v Role) Object() Object {
	return ObjectOf(&v.Row).With("agents", append([]board.AgentID{}, v.Agents...)).With("required", Rules(v.Required)).With("stranger", v.Stranger)
}

// Rules returns rules of review for JSON.
func Rules(list []board.ReviewRule) []Object {
	return append([]Object{}, lists.Of(list, func(rule board.ReviewRule) Object { return ObjectOf(&rule) })...)
}

// Line says what agents of the role do, and with which tools.
func (v Role) Line() string {
	return string(v.Row.Name) + " " + v.Row.Capacity.String() + ": " + toolsText(v.Row.Tools)
}

// Text describes the role in rows.
func (v Role) Text(width int) string {
	t := Table{}
	add := func(key string, values ...string) {
		if text := strings.Join(values, ", "); text != "" {
			t.Add(key, text)
		}
	}
	add("role", string(v.Row.Name))
	add("capacity", v.Row.Capacity.String())
	add("about", v.Row.About)
	add("tools", toolsText(v.Row.Tools))
	add("kinds", kindNames(v.Row.Kinds)...)
	add("writes", v.Row.Writes...)
	for _, d := range v.Row.Denies {
		line := d.Glob
		if len(d.Except) > 0 {
			line += " except in tasks of kind " + strings.Join(kindNames(d.Except), ", ")
		}
		add("denied", line)
	}
	add("provider", v.Row.Provider)
	add("model", v.Row.Model)
	add("persona", v.Row.Persona)
	if v.Row.NotHuman {
		add("not human", "no person's verdict counts for it")
	}
	if v.Row.Strict {
		add("strict", "each finding names a file and a line of the submission")
	}
	for _, id := range v.Agents {
		add("agent", string(id))
	}
	for _, rule := range v.Required {
		add("asked for", ruleScope(rule))
	}
	return t.Text(width)
}

// RoleTable lists roles, a line each.
func RoleTable(list []Role) *Table {
	t := &Table{Rows: [][]string{{"ROLE", "CAPACITY", "TOOLS", "AGENTS", "ASKED FOR"}}}
	for _, v := range list {
		asked := lists.Of(v.Required, ruleScope)
		agents := strconv.Itoa(len(v.Agents))
		if v.Row.Name == board.HumanRole {
			agents = "people"
		}
		t.Add(string(v.Row.Name), v.Row.Capacity.String(), toolsText(v.Row.Tools), agents, strings.Join(asked, "; "))
	}
	return t
}

// RuleText says what a rule of review asks for.
func RuleText(rule board.ReviewRule) string {
	return ruleScope(rule) + " need " + string(rule.Role)
}

// ruleScope names the submissions that a rule of review is for.
func ruleScope(rule board.ReviewRule) string {
	if len(rule.Kinds) == 0 && len(rule.Paths) == 0 {
		return "all submissions"
	}
	text := "submissions"
	if len(rule.Kinds) > 0 {
		text += " of kind " + strings.Join(kindNames(rule.Kinds), ", ")
	}
	if len(rule.Paths) > 0 {
		text += " that touch " + strings.Join(rule.Paths, ", ")
	}
	return text
}

func kindNames(kinds []board.Kind) []string { return lists.Of(kinds, board.Kind.String) }

func toolsText(tools []board.Tool) string {
	tools = slices.Clone(tools)
	slices.Sort(tools)
	return strings.Join(lists.Of(tools, board.Tool.String), ", ")
}
