package view

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/git-liza/git-liza/flow"
)

// A WaitGroup is the open tasks that wait for the same thing.
type WaitGroup struct {
	For     string        `json:"for"`     // key of a row of waits
	Nobody  bool          `json:"nobody"`  // no registered agent of that role could take any of them
	Count   int           `json:"count"`   // number of all of them
	Tasks   []flow.TaskID `json:"tasks"`   // the first fifty
	Details []string      `json:"details"` // a detail for each of these
}

// A wait is something that tasks wait for.
type wait struct {
	what  string
	label string
	role  flow.Role // of the agents that can take the task, "" if no role is needed
}

// waitsOf are all kinds of waits on the board, in the order in which status shows
// them: the roles that judge follow the work under way, those that do tasks the
// merges.
func waitsOf(b *flow.Board) []wait {
	list := []wait{{"work", "in work", ""}}
	list = append(list, roleWaits(b, flow.Judges, flow.CodeReviewer)...)
	list = append(list, wait{"human", "for a person", ""}, wait{"recheck", "for a recheck", ""}, wait{"merge", "for a merge", ""})
	list = append(list, roleWaits(b, flow.Does, flow.Coder)...)
	return append(list, wait{"held", "held back", ""}, wait{"trust", "for trust", ""}, wait{"tasks", "for other tasks", ""}, wait{"planner", "for planner, human", ""}, wait{"ended", "of ended goals", ""})
}

// roleWaits are the waits for the roles of a capacity, the first of them first.
func roleWaits(b *flow.Board, c flow.Capacity, first flow.Role) []wait {
	label := "for a " + first.String()
	if first == flow.CodeReviewer {
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
// submission that several roles judge is in the group of each. tasks and agents
// are the board's.
func (r Reading) Waiting(tasks []flow.Summary, agents []Agent) []WaitGroup {
	needs, holds := r.unmetNeeds(tasks), flow.HoldsOf(r.Board)
	over := inProgress{r}.endedGoals()
	outdated := r.Outdated(tasks)
	groups := map[string]*WaitGroup{}
	for i := range tasks {
		t := &tasks[i]
		what, detail := r.waitsFor(t, needs, holds)
		if texts := outdated[t.ID]; len(texts) > 0 {
			what, detail = "recheck", texts[0]+" changed"
		}
		if over[t.Goal] && what != "" && what != "work" && what != "merge" {
			join(groups, t.ID, "ended", string(t.Goal))
			continue
		}
		join(groups, t.ID, what, detail)
		if unheldWaits()[t.Status] != forReview {
			continue
		}
		for _, role := range t.Takers(flow.ActReview, r.At) {
			if role.String() != what {
				join(groups, t.ID, role.String(), "")
			}
		}
	}
	list := []WaitGroup{}
	for _, w := range waitsOf(r.Board) {
		if g := groups[w.what]; g != nil {
			able := func(a Agent) bool { return a.Role == w.role && a.Degraded == "" }
			g.Nobody = w.role != "" && !slices.ContainsFunc(agents, able)
			list = append(list, *g)
		}
	}
	return list
}

// endedGoals are the goals whose open tasks agents no longer take; under rules
// version 1 they take them all.
func (r inProgress) endedGoals() map[flow.GoalID]bool {
	over := map[flow.GoalID]bool{}
	if r.Board == nil || !r.Board.HasRules(2) {
		return over
	}
	for _, id := range r.Board.IDs(flow.Goals) {
		g := r.Board.Goal(flow.GoalID(id))
		over[flow.GoalID(id)] = g != nil && !g.Status.IsInProgress()
	}
	return over
}

// join adds a task to the group of what it waits for.
func join(groups map[string]*WaitGroup, id flow.TaskID, what, detail string) {
	g := groups[what]
	if g == nil {
		g = &WaitGroup{For: what}
		groups[what] = g
	}
	if g.Count++; g.Count <= mostShown {
		g.Tasks, g.Details = append(g.Tasks, id), append(g.Details, detail)
	}
}

// unheardRoles returns the roles that tasks wait for and that no supervisor is active
// for: none has written a presence, or all are silent. An agent that was
// registered by hand does not count, because nothing shows whether it is active.
func unheardRoles(waits []wait, groups []WaitGroup, agents []Agent) []flow.Role {
	roles := []flow.Role{}
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

// A need is a task on which another one depends.
type need struct {
	said     string // of one that does not count as merged
	reverted bool
}

// unmetNeeds returns the tasks that others depend on. Dependencies outside of tasks are archived: they are merged, and only
// the rules know whether they were reverted.
func (r Reading) unmetNeeds(tasks []flow.Summary) map[flow.TaskID]need {
	needs := map[flow.TaskID]need{}
	archived := map[flow.TaskID]bool{}
	for i := range tasks {
		for _, d := range tasks[i].DependsOn {
			needs[d] = need{}
			archived[d] = archived[d] || !tasks[i].Status.Final()
		}
	}
	for i := range tasks {
		id := tasks[i].ID
		if _, needed := needs[id]; !needed {
			continue
		}
		delete(archived, id)
		switch {
		case !tasks[i].Status.IsMerged():
			needs[id] = need{said: "after " + string(id)}
		case tasks[i].Reverted:
			needs[id] = r.needOf(r.Board.Task(id))
		}
	}
	if r.Board == nil || !r.Board.HasRules(3) {
		return needs
	}
	for id, open := range archived {
		if open {
			needs[id] = r.needOf(r.Board.Task(id))
		}
	}
	return needs
}

// needOf returns a task on which another one depends as a need.
func (r Reading) needOf(t *flow.Task) need {
	switch {
	case t == nil || flow.Stands(r.Board, t):
		return need{}
	case t.Reverted != nil:
		return need{string(t.ID) + " is reverted", true}
	}
	return need{said: "after " + string(t.ID)}
}

// unmetNeed returns the first task that a task waits for: to be claimed for each that does
// not count as merged, to be merged for each that was reverted. It is "" if there is none.
func unmetNeed(t *flow.Summary, needs map[flow.TaskID]need) (flow.TaskID, string) {
	waits := unheldWaits()[t.Status]
	for _, d := range t.DependsOn {
		if n := needs[d]; n.said != "" && (waits == forWork || waits == "merge" && n.reverted) {
			return d, n.said
		}
	}
	return "", ""
}

// waitsFor returns what an open task waits for, "" for a final one, and a
// detail: of a submission that somebody reviews the review, else the first role
// that has to judge it. It does not check whether paths collide: the rules do at
// the claim. needs are those of [Reading.unmetNeeds], holds those of [flow.HoldsOf].
func (r Reading) waitsFor(t *flow.Summary, needs map[flow.TaskID]need, holds flow.Holds) (what, detail string) {
	what = unheldWaits()[t.Status]
	reviewer, lease := t.Reviewing(r.At)
	needed, said := unmetNeed(t, needs)
	switch {
	case t.Lease.After(r.At):
		return "work", r.Local.holder(t.Coder)
	case lease.After(r.At):
		return "work", r.Local.holder(reviewer)
	case what == forReview:
		what = append(t.Takers(flow.ActReview, r.At), flow.CodeReviewer)[0].String()
	case needed != "":
		return "tasks", said
	case what == forWork:
		if h := holds.On(t); h != nil {
			return "held", h.Decision + " of " + h.Checkpoint
		}
		if _, untrusted := r.Local.Untrusted[t.ID]; untrusted {
			return "trust", "its verify"
		}
		what = t.Takers(flow.ActClaim, r.At)[0].String()
	}
	if t.Status.IsBlocked() {
		return what, t.Reason
	}
	return what, unheldWords[t.Status]
}

// unheldWords are details of what unheld tasks in a state wait for.
var unheldWords = map[flow.Status]string{flow.Draft: "draft", flow.Rejected: "rejected", flow.IntegrationFailed: "merge failed", flow.Claimed: "lease ended"}

// Unheld tasks wait for a role by what can be done with them.
const (
	forReview = "review"
	forWork   = "claim"
)

// unheldWaits has for each state what unheld tasks in it wait for. The rules table
// is searched once, not for each task.
var unheldWaits = sync.OnceValue(func() map[flow.Status]string {
	what := map[flow.Status]string{}
	for _, status := range flow.Statuses() {
		switch {
		case status.NeedsPlanner():
			what[status] = "planner"
		case status.Allows(flow.ActClaim):
			what[status] = forWork
		case status.Allows(flow.ActMerge):
			what[status] = "merge"
		case status.Allows(flow.ActReview):
			what[status] = forReview
		}
	}
	return what
})

// holder names for people the agent that has a task.
func (l Local) holder(by flow.Actor) string {
	if l.Dead[flow.AgentID(by)] != 0 {
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
			if d := FirstLine(g.Details[i]); d != "" && (g.Count == 1 || cells(d) <= glanceWord) {
				part += " (" + d + ")"
			}
			parts = append(parts, part)
		}
		rows = append(rows, []string{label, strconv.Itoa(g.Count), strings.Join(parts, ", ")})
	}
	return rows
}

// Verifying returns the tasks that wait for an agent that does them and have a verify command,
// which a machine must allow first. It looks at no more waiting tasks than JSON
// names.
func (r Reading) Verifying(tasks []flow.Summary) []*flow.Summary {
	var list []*flow.Summary
	looked := 0
	for i := range tasks {
		t := &tasks[i]
		if what, _ := r.waitsFor(t, nil, nil); what == "work" || unheldWaits()[t.Status] != forWork {
			continue
		}
		if looked++; looked > mostShown {
			break
		}
		if t.Verify != "" {
			list = append(list, t)
		}
	}
	return list
}
