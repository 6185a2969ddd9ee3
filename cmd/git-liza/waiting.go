package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/flow"
)

// A waitGroup is the open tasks that wait for the same.
type waitGroup struct {
	For     string        `json:"for"`     // a row of waits
	Nobody  bool          `json:"nobody"`  // no registered agent of that role could take any
	Count   int           `json:"count"`   // of all of them
	Tasks   []flow.TaskID `json:"tasks"`   // the first fifty
	Details []string      `json:"details"` // a word beside each of these
}

// A wait is something that tasks wait for.
type wait struct {
	what   string
	label  string
	role   flow.Role     // of the agents who can take it, zero if no role is needed
	states []flow.Status // whose tasks wait for it, unless somebody has them already
}

// waits are in the order in which status shows them.
var waits = []wait{
	{"work", "in work", 0, nil},
	{"code-reviewer", "for a reviewer", flow.CodeReviewer, []flow.Status{flow.ReadyForReview}},
	{"merge", "for a merge", 0, []flow.Status{flow.Approved}},
	{"coder", "for a coder", flow.Coder, []flow.Status{flow.Unclaimed, flow.Rejected, flow.IntegrationFailed, flow.Claimed}},
	{"trust", "for trust", 0, nil},
	{"tasks", "for other tasks", 0, nil},
	{"planner", "for planner, human", 0, []flow.Status{flow.Draft, flow.Blocked}},
}

// waiting groups the open tasks by what each waits for.
func (l look) waiting(tasks []flow.Summary, agents []agentView) []waitGroup {
	open := unmerged(tasks)
	groups := map[string]*waitGroup{}
	for _, t := range tasks {
		what, detail := l.waitsFor(t, open)
		g := groups[what]
		if g == nil {
			g = &waitGroup{For: what}
			groups[what] = g
		}
		if g.Count++; g.Count <= glanceIDs {
			g.Tasks, g.Details = append(g.Tasks, t.ID), append(g.Details, detail)
		}
	}
	list := []waitGroup{}
	for _, w := range waits {
		if g := groups[w.what]; g != nil {
			able := func(a agentView) bool { return a.Role == w.role && a.Degraded == "" }
			g.Nobody = w.role != 0 && !slices.ContainsFunc(agents, able)
			list = append(list, *g)
		}
	}
	return list
}

// unheard are the roles that tasks wait for and whose agents no supervisor
// speaks for: none has said anything, or all have fallen silent. Who is
// registered by hand is somebody's, and nobody knows whether that one is there.
func unheard(groups []waitGroup, agents []agentView) []flow.Role {
	roles := []flow.Role{}
	for _, w := range waits {
		heard := func(a agentView) bool {
			return a.Role == w.role && a.Presence != nil && a.Dead == 0 && !a.Presence.Silent(a.Presence.at)
		}
		waited := func(g waitGroup) bool { return g.For == w.what }
		if w.role != 0 && slices.ContainsFunc(groups, waited) && !slices.ContainsFunc(agents, heard) {
			roles = append(roles, w.role)
		}
	}
	return roles
}

// unmerged are the tasks that others need and that are not merged. What is
// not among the tasks is archived, and the rules know whether it was merged.
func unmerged(tasks []flow.Summary) map[flow.TaskID]bool {
	open := map[flow.TaskID]bool{}
	for _, t := range tasks {
		for _, d := range t.DependsOn {
			open[d] = false
		}
	}
	for _, t := range tasks {
		if _, needed := open[t.ID]; needed {
			open[t.ID] = t.Status != flow.Merged
		}
	}
	return open
}

// waitsFor is what an open task waits for, "" for a final one, and a word to
// go with it. Whether paths collide is left to the rules, when somebody claims.
func (l look) waitsFor(t flow.Summary, open map[flow.TaskID]bool) (what, detail string) {
	for _, w := range waits {
		if slices.Contains(w.states, t.Status) {
			what = w.what
		}
	}
	switch {
	case t.Lease.After(l.at):
		return "work", l.holder(t.Coder)
	case t.ReviewLease.After(l.at):
		return "work", l.holder(t.Reviewer)
	case what == "coder":
		if i := slices.IndexFunc(t.DependsOn, func(d flow.TaskID) bool { return open[d] }); i >= 0 {
			return "tasks", "after " + string(t.DependsOn[i])
		}
		if _, barred := l.barred[t.ID]; barred {
			return "trust", "its verify"
		}
	}
	words := map[flow.Status]string{flow.Draft: "draft", flow.Rejected: "rejected", flow.IntegrationFailed: "merge failed", flow.Claimed: "lease ended", flow.Blocked: t.Reason}
	return what, words[t.Status]
}

// holder is who has a task, for people.
func (l look) holder(by flow.Actor) string {
	if l.dead[by] != 0 {
		return string(by) + ", dead"
	}
	return string(by)
}

func waitRows(groups []waitGroup) [][]string {
	var rows [][]string
	for _, w := range waits {
		i := slices.IndexFunc(groups, func(g waitGroup) bool { return g.For == w.what })
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
			// Beside several, a long one would hide the tasks behind it.
			if d := firstLine(g.Details[i]); d != "" && (g.Count == 1 || cells(d) <= glanceWord) {
				part += " (" + d + ")"
			}
			parts = append(parts, part)
		}
		rows = append(rows, []string{label, strconv.Itoa(g.Count), strings.Join(parts, ", ")})
	}
	return rows
}

// A step is a command that would move the board on.
type step struct {
	Command string `json:"command"`
	Why     string `json:"why"`
}

func stepRows(steps []step) [][]string {
	var rows [][]string
	for _, s := range steps[:min(len(steps), glanceNext)] {
		rows = append(rows, []string{s.Command, firstLine(s.Why)})
	}
	return rows
}

// next are the commands that would move the board on, most pressing first.
func (l look) next(groups []waitGroup, tasks []flow.Summary) []step {
	list := append(l.governing(), l.bereft(tasks)...)
	counts := map[string]int{}
	for _, g := range groups {
		counts[g.For] = g.Count
	}
	// Triggers go through the whole board; most of the time there can be none.
	current := l.board.Settings().Goal
	planned := slices.ContainsFunc(tasks, func(t flow.Summary) bool { return t.Goal == current })
	if !planned || counts["planner"] > 0 || len(l.board.IDs(flow.Discovered)) > 0 {
		for _, t := range l.board.Triggers() {
			list = append(list, answerTo(t))
		}
		list = list[:min(len(list), glanceIDs)]
	}
	if n := counts["merge"]; n > 0 {
		list = append(list, l.self.mergeStep(n))
	}
	if counts["code-reviewer"] > 0 {
		list = append(list, l.take(flow.ActReview, flow.CodeReviewer))
	}
	for _, t := range tasks {
		if known, barred := l.barred[t.ID]; barred && counts["trust"] > 0 {
			list = append(list, known)
		}
	}
	if counts["coder"] > 0 {
		list = append(list, l.take(flow.ActClaim, flow.Coder))
	}
	goal := l.board.Goal(l.board.Settings().Goal)
	if len(groups) == 0 && planned && goal != nil && goal.Status == flow.InProgress {
		list = append(list, step{goalDone, "every task is final"})
	}
	known := map[string]bool{}
	return slices.DeleteFunc(list, func(s step) bool {
		again := known[s.Command]
		known[s.Command] = true
		return again
	})
}

// governing are the steps that let work go on at all.
func (l look) governing() []step {
	c, breaker := l.board.Settings().Control, l.board.Breaker()
	switch {
	case breaker.Tripped:
		return []step{{"git liza breaker reset --resolution R", "the circuit breaker is tripped: " + breaker.Pattern}}
	case c.State == flow.Checkpoint && c.Decision == "":
		return []step{{c.Onward(), "the checkpoint waits for a decision"}}
	case c.State != flow.Running:
		return []step{{c.Onward(), "nothing new is claimed while the board is " + c.State.String()}}
	}
	if spent := l.board.Budget(""); spent != nil {
		return []step{{spent.Hint, spent.Reason}}
	}
	return []step{}
}

// answers are what a planner or human types for each reason to be needed;
// %s is the task or record.
var answers = map[string]string{
	"no_tasks":            "git liza task add --from FILE",
	"blocked":             "git liza unblock %s",
	"exhausted":           "git liza supersede %s --by FILE --reason R",
	"integration_failed":  "git liza unblock %s",
	"immediate_discovery": "git liza convert %s",
}

func answerTo(t flow.Trigger) step {
	command := answers[t.Reason]
	if strings.Contains(command, "%s") {
		about := string(t.Task)
		if t.Record != "" {
			about = string(t.Record)
		}
		command = fmt.Sprintf(command, about)
	}
	return step{command, strings.ReplaceAll(t.Reason, "_", " ") + ": " + t.Text}
}

// take is the best task that an idle agent of a role could have now, or why
// there is none.
func (l look) take(act flow.Act, role flow.Role) step {
	caller := l.free(role)
	id, refusal := l.board.Best(act, caller, l.at, nil)
	if refusal != nil {
		return step{refusal.Hint, refusal.Reason}
	}
	if known, barred := l.barred[id]; barred && act == flow.ActClaim {
		return known
	}
	t := l.board.Task(id)
	if t == nil {
		return step{"git liza fsck", string(id) + " cannot be read"}
	}
	return step{fmt.Sprintf("git liza %s %s --as %s", act, id, caller.By), t.Title}
}

// goalDone ends a goal whose tasks are all final.
const goalDone = "git liza goal done"
