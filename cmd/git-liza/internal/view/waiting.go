package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// A WaitGroup is the open tasks that wait for the same thing.
type WaitGroup struct {
	For     string         `json:"for"`              // key of a row of waits
	Nobody  bool           `json:"nobody"`           // no registered agent of that role could take any of them
	Count   int            `json:"count"`            // number of all of them
	Tasks   []board.TaskID `json:"tasks"`            // the first fifty
	Details []string       `json:"details"`          // a detail for each of these
	Chains  []string       `json:"chains,omitempty"` // of those that wait for others, what each of the first ones waits for in the end
}

// A wait is something that tasks wait for.
type wait struct {
	what  string
	label string
	role  board.Role // of the agents that can take the task, "" if no role is needed
}

// waitsOf are all kinds of waits on the board, in the order in which status shows
// them: the roles that judge follow the work under way, those that do tasks the
// merges.
func waitsOf(b *board.Board) []wait {
	list := []wait{{"work", "in work", ""}}
	list = append(list, roleWaits(b, board.Judges, board.CodeReviewer)...)
	list = append(list, wait{"human", "for a person", ""}, wait{"recheck", "for approval again", ""}, wait{"merge", "for a merge", ""})
	list = append(list, roleWaits(b, board.Does, board.Coder)...)
	return append(list, wait{"budget", "for the budget", ""}, wait{"held", "held back", ""}, wait{"level", "for lower levels", ""}, wait{"trust", "for trust", ""}, wait{"tasks", "for other tasks", ""}, wait{"planner", "for planner, human", ""}, wait{"ended", "of ended goals", ""})
}

// roleWaits are the waits for the roles of a capacity, the first of them first.
func roleWaits(b *board.Board, c board.Capacity, first board.Role) []wait {
	label := "for a " + first.String()
	if first == board.CodeReviewer {
		label = "for a reviewer"
	}
	list := []wait{{first.String(), label, first}}
	if b == nil {
		return list
	}
	for _, row := range b.Roles() {
		if row.Capacity == c && row.Name != first {
			list = append(list, wait{row.Name.String(), "for " + row.Name.String(), row.Name})
		}
	}
	return list
}

// Waiting groups the open tasks by what they wait for, in the order of waits. A
// submission that several roles judge is in the group of each. Where the budget of a goal is
// spent, no session begins, and its tasks wait for no role.
func (p *Picture) Waiting() []WaitGroup { return p.waiting(p.Agents()) }

func (p *Picture) waiting(agents []Agent) []WaitGroup {
	p.groupTasks()
	list := []WaitGroup{}
	spent := map[board.GoalID]bool{}
	if b := p.reading.Board; b != nil {
		for _, g := range b.GoalsInProgress() {
			spent[g.ID] = flow.CheckBudget(b, g.ID, "") != nil
		}
	}
	var unpaid rowList
	for _, w := range waitsOf(p.reading.Board) {
		members := p.groups[w.what]
		if w.role != "" {
			unpaid = append(unpaid, lists.Where(members, func(r *row) bool { return spent[r.Goal] && r.what == w.what })...)
			members = lists.Where(members, func(r *row) bool { return !spent[r.Goal] })
		} else if w.what == "budget" {
			members = unpaid
		}
		if len(members) == 0 {
			continue
		}
		able := func(a Agent) bool { return a.Role == w.role && a.Degraded == "" }
		g := WaitGroup{For: w.what, Count: len(members), Nobody: w.role != "" && !slices.ContainsFunc(agents, able)}
		for _, r := range members[:min(len(members), mostShown)] {
			detail := ""
			if r.what == w.what {
				detail = r.detail
			}
			g.Tasks, g.Details = append(g.Tasks, r.ID), append(g.Details, detail)
		}
		if w.what == "tasks" {
			for _, id := range g.Tasks[:min(len(g.Tasks), glanceNames)] {
				g.Chains = append(g.Chains, string(id)+" waits for "+board.ChainOf(p.reading.Board, id).String())
			}
		}
		list = append(list, g)
	}
	return list
}

// groupTasks finds what each task waits for, unless that is known.
func (p *Picture) groupTasks() {
	if p.groups != nil {
		return
	}
	p.groups = map[string]rowList{}
	p.over, p.holds, p.levels = endedGoals(p.reading), board.HoldsOf(p.reading.Board), laddersOf(p.reading.Board)
	for _, r := range p.rows.all {
		p.group(r)
	}
}

// group puts a task into the groups of what it waits for.
func (p *Picture) group(r *row) {
	if !r.Status.Final() {
		for _, d := range r.DependsOn {
			if p.rows.byID[d] == nil {
				p.needs.on(d)
			}
		}
	}
	r.what, r.detail = waitsFor(&p.reading, r.Summary, p.needs, p.holds, p.levels)
	r.level = p.levels.mark(r.Summary)
	r.roles = nil
	if texts := p.reading.outdated(r.Summary); len(texts) > 0 {
		r.what, r.detail = "recheck", texts[0]+" changed"
	}
	if p.over[r.Goal] && r.what != "" && r.what != "work" && r.what != "merge" {
		r.what, r.detail = "ended", string(r.Goal)
	} else if unheldWaits()[r.Status] == forReview {
		for _, role := range flow.Takers(r.Summary, board.ActReview, p.reading.At) {
			if role.String() != r.what {
				r.roles = append(r.roles, role)
			}
		}
	}
	for _, name := range r.groups() {
		members := p.groups[name]
		members.insert(r)
		p.groups[name] = members
	}
}

// ungroup takes a task out of its groups.
func (p *Picture) ungroup(r *row) {
	for _, name := range r.groups() {
		members := p.groups[name]
		members.remove(r)
		p.groups[name] = members
	}
}

// groups returns what the task waits for; nothing if it is final.
func (r *row) groups() []string {
	if r.what == "" {
		return nil
	}
	return append([]string{r.what}, lists.Of(r.roles, board.Role.String)...)
}

// endedGoals are the goals whose open tasks agents no longer take.
func endedGoals(r Reading) map[board.GoalID]bool {
	over := map[board.GoalID]bool{}
	if r.Board == nil {
		return over
	}
	for _, g := range board.All[*board.Goal](r.Board, board.Goals) {
		over[g.ID] = !g.Status.IsInProgress()
	}
	return over
}

// unheardRoles returns the roles that tasks wait for and that no supervisor is active
// for: none has written a presence, or all are silent. An agent that was
// registered by hand does not count, because nothing shows whether it is active.
func unheardRoles(waits []wait, groups []WaitGroup, agents []Agent) []board.Role {
	roles := []board.Role{}
	for _, w := range waits {
		heard := func(a Agent) bool {
			return a.Role == w.role && a.Presence != nil && a.Dead == 0 && !a.Presence.Silent(a.Presence.at)
		}
		waited := func(g WaitGroup) bool { return g.For == w.what }
		if w.role != "" && slices.ContainsFunc(groups, waited) && !slices.ContainsFunc(agents, heard) {
			roles = append(roles, w.role)
		}
	}
	return roles
}

// waitsFor returns what an open task waits for, "" for a final one, and a
// detail: of a submission that somebody reviews the review, else the first role
// that has to judge it. It does not check whether paths collide: the rules do at
// the claim. on are the needs of tasks, holds those of [board.HoldsOf].
func waitsFor(r *Reading, t *board.Summary, on *needs, holds board.Holds, levels ladders) (what, detail string) {
	if what, detail = workOrNeed(r, t, on); what != "" {
		return what, detail
	}
	what = unheldWaits()[t.Status]
	switch {
	case what == forReview:
		what = append(flow.Takers(t, board.ActReview, r.At), board.CodeReviewer)[0].String()
	case what == forWork:
		if h := flow.HoldOn(holds, t); h != nil {
			detail = h.Decision + " of " + h.Checkpoint
			if flow.Allows(t.Status, board.ActSubmit) {
				detail += ", lease ended"
			}
			return "held", detail
		}
		if levels.keeps(t) {
			return "level", fmt.Sprintf("level %d", t.Level)
		}
		if _, untrusted := r.Local.Untrusted[t.ID]; untrusted {
			return "trust", "its verify"
		}
		what = flow.Takers(t, board.ActClaim, r.At)[0].String()
	}
	if t.Status.IsBlocked() {
		return what, t.Reason
	}
	return what, unheldWords[t.Status]
}

// workOrNeed is [waitsFor] of a task that somebody works on or that needs another one, ""
// of others.
func workOrNeed(r *Reading, t *board.Summary, on *needs) (what, detail string) {
	if t.Lease.After(r.At) {
		return "work", r.Local.holder(t.Coder)
	}
	if reviewer, lease := t.Reviewing(r.At); lease.After(r.At) {
		return "work", r.Local.holder(reviewer)
	}
	if needed, said := unmetNeed(t, on); needed != "" {
		return "tasks", said
	}
	return "", ""
}

// unheldWords are details of what unheld tasks in a state wait for.
var unheldWords = map[board.Status]string{board.Draft: "draft", board.Rejected: "rejected", board.IntegrationFailed: "merge failed", board.Claimed: "lease ended"}

// Unheld tasks wait for a role by what can be done with them.
const (
	forReview = "review"
	forWork   = "claim"
)

// unheldWaits has for each state what unheld tasks in it wait for. The rules table
// is searched once, not for each task.
var unheldWaits = sync.OnceValue(func() map[board.Status]string {
	what := map[board.Status]string{}
	for _, status := range board.Statuses() {
		switch {
		case status.NeedsPlanner():
			what[status] = "planner"
		case flow.Allows(status, board.ActClaim):
			what[status] = forWork
		case flow.Allows(status, board.ActMerge):
			what[status] = "merge"
		case flow.Allows(status, board.ActReview):
			what[status] = forReview
		}
	}
	return what
})

// holder names for people the agent that has a task.
func (l Local) holder(by board.Actor) string {
	if l.Dead[board.AgentID(by)] != 0 {
		return string(by) + ", dead"
	}
	return string(by)
}

// waitRows formats the groups for people, in the order of waits.
func waitRows(waits []wait, groups []WaitGroup) [][]string {
	var rows [][]string
	for _, w := range waits {
		i := slices.IndexFunc(groups, func(g WaitGroup) bool { return g.For == w.what })
		if i < 0 {
			continue
		}
		g := groups[i]
		label := w.label
		if g.Nobody {
			label += " (none registered)"
		}
		var parts []string
		for i, id := range g.Tasks {
			if i == glanceNames {
				parts = append(parts, "…")
				break
			}
			part := string(id)
			// Among several tasks, a long detail would hide the tasks after
			// it.
			if d := FirstLine(g.Details[i]); d != "" && len(g.Chains) == 0 && (g.Count == 1 || cells(d) <= glanceWord) {
				part += " (" + d + ")"
			}
			parts = append(parts, part)
		}
		rows = append(rows, []string{label, strconv.Itoa(g.Count), strings.Join(parts, ", ")})
		rows = append(rows, lists.Of(g.Chains, func(chain string) []string { return []string{"  " + chain} })...)
	}
	return rows
}

// Verifying returns the tasks that wait for an agent that does them and have a verify
// command, which a machine must allow first. It looks at no more waiting tasks than JSON
// names.
func (p *Picture) Verifying() []*board.Summary {
	var list []*board.Summary
	looked := 0
	for t := range p.rows.with(func(s board.Status) bool { return unheldWaits()[s] == forWork }) {
		if what, _ := waitsFor(&p.reading, t.Summary, nil, nil, nil); what == "work" {
			continue
		}
		if looked++; looked > mostShown {
			break
		}
		if t.Verify != "" {
			list = append(list, t.Summary)
		}
	}
	return list
}

// Verifies reports whether an open task has a verify command.
func (p *Picture) Verifies() bool {
	return slices.ContainsFunc(p.rows.all, func(r *row) bool { return r.Verify != "" && !r.Status.Final() })
}
