package flow

import (
	"reflect"
	"slices"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// RoleMove adds, replaces or removes a role.
type RoleMove struct {
	Row     board.RoleRow `yaml:"row"` // of a removal, the name alone
	Remove  bool          `yaml:"remove"`
	Replace bool          `yaml:"replace"`
}

func (r *RoleMove) subject() string { return string(r.Row.Name) }

func (r *RoleMove) already(p *play) bool {
	old := p.board.Role(r.Row.Name)
	return !r.Remove && old != nil && reflect.DeepEqual(*old, r.Row)
}

func (r *RoleMove) check(p *play) *Refusal {
	name, old := r.Row.Name, p.board.Role(r.Row.Name)
	if r.Remove {
		return r.checkRemoval(p)
	}
	if refusal := checkRoleRow(&r.Row, "git liza help role"); refusal != nil {
		return refusal
	}
	switch {
	case old != nil && !r.Replace:
		return refuse(RuleExists, "git liza role add FILE --replace", "there is a role %s already", name)
	case old != nil && old.Capacity != r.Row.Capacity:
		return refuse(RuleProtected, "git liza role remove "+string(name), "the role %s %s, and its capacity does not change: remove it and add it anew", name, old.Capacity)
	case old != nil:
		return nil
	case len(p.board.IDs(board.RolesFolder)) >= maxRoles:
		return refuse(RuleLimit, "git liza role list", "a board has at most %d roles", maxRoles)
	}
	if id := taskLikeAgent(p.board, name); id != "" {
		return refuse(RuleExists, "git liza show "+string(id), "the task %s is named as an agent of %s would be", id, name)
	}
	return nil
}

// taskLikeAgent is a task, live or archived, whose id would be that of an agent
// of the role; "" if there is none.
func taskLikeAgent(b *board.Board, role board.Role) board.TaskID {
	for _, folder := range []board.Folder{board.Tasks, board.Archive} {
		if id := lists.Find(b.IDs(folder), func(id string) bool { return board.AgentID(id).Role() == role }); id != nil {
			return board.TaskID(*id)
		}
	}
	return ""
}

// checkRemoval refuses to remove a role that the board needs.
func (r *RoleMove) checkRemoval(p *play) *Refusal {
	name := r.Row.Name
	if p.board.Role(name) == nil {
		return refuse(RuleNotFound, "git liza role list", "the board has no role %s", board.Clip(string(name)))
	}
	if name == board.Coder {
		return refuse(RuleProtected, "git liza help role", "tasks that name no role are done by %s: the role stays", name.One())
	}
	for _, id := range p.board.IDs(board.Agents) {
		if board.AgentID(id).Role() == name {
			return refuse(RuleHeld, "git liza agents remove "+id, "%s is registered and has the role %s", id, name)
		}
	}
	if rule := lists.Find(p.board.ReviewRules(), func(rule board.ReviewRule) bool { return rule.Role == name }); rule != nil {
		return refuse(RuleOpen, rule.Dropping(p.board.ReviewRules()), "the board asks for the verdict of %s", name)
	}
	return r.checkOpenUses(p)
}

// checkOpenUses refuses to remove a role that open tasks or questions name.
func (r *RoleMove) checkOpenUses(p *play) *Refusal {
	name := r.Row.Name
	for _, s := range p.board.Tasks() {
		if p.board.Interrupted() {
			return nil
		}
		if t := p.board.Task(s.ID); !s.Status.Final() && t != nil && t.NeedsRole(name) {
			return refuse(RuleOpen, "git liza show "+string(s.ID), "%s needs the role %s", s.ID, name)
		}
	}
	for _, w := range board.OpenWorkflows(p.board) {
		if i := slices.IndexFunc(w.Phases, func(f board.WorkflowPhase) bool { return slices.Contains(f.Roles, name) }); i >= 0 {
			return refuse(RuleOpen, "git liza goal show "+string(w.Goal), "the phase %s of %s is for the role %s", w.Phases[i].Name, w.Goal, name)
		}
		if l := board.LoopOf(p.board, w.Goal); l != nil && l.Judge == name {
			return refuse(RuleOpen, "git liza goal show "+string(w.Goal), "the loop of %s is judged by %s", w.Goal, name)
		}
	}
	for _, q := range board.All[*board.Question](p.board, board.Questions) {
		if q.At.IsZero() && q.To == name {
			return refuse(RuleOpen, "git liza show "+string(q.Task), "the question %s is to %s", q.ID, name)
		}
	}
	return nil
}

func (r *RoleMove) apply(p *effect) {
	key := board.Key{Folder: board.RolesFolder, ID: string(r.Row.Name)}
	if r.Remove {
		p.put(key, nil)
		return
	}
	row := r.Row
	p.put(key, &row)
}

// checkRoles refuses roles that no rule could work with, and rules of review that
// nobody can satisfy.
func checkRoles(b *board.Board) *Refusal {
	if b.Role(board.Coder) == nil || b.Role(board.Coder).Capacity != board.Does {
		return breach("the board has no role %s that does tasks", board.Coder)
	}
	for _, id := range b.IDs(board.RolesFolder) {
		if row := b.Role(board.Role(id)); row == nil || checkRoleRow(row, "git liza role list") != nil {
			return breach("the role %s is none that a board can have", id)
		}
	}
	rules := b.ReviewRules()
	if !slices.ContainsFunc(rules, board.ReviewRule.Everything) {
		return breach("no rule of review is for every submission")
	}
	if r := lists.Find(rules, func(r board.ReviewRule) bool { return r.Role != board.HumanRole && !isJudge(b, r.Role) }); r != nil {
		return breach("a rule of review asks for the verdict of %s, which does not judge", r.Role)
	}
	return nil
}
