package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
)

// stepRows returns rows with the first steps for people.
func stepRows(steps []Step) [][]string {
	var rows [][]string
	for _, s := range steps[:min(len(steps), glanceNext)] {
		rows = append(rows, []string{s.Command, FirstLine(s.Why)})
	}
	return rows
}

// Next returns the commands that would advance the board, most urgent first.
// groups and tasks are the board's.
func (r Reading) Next(groups []WaitGroup, tasks []flow.Summary) []Step {
	list := append(r.resumeSteps(), r.releaseSteps(tasks)...)
	counts := map[string]int{}
	for _, g := range groups {
		counts[g.For] = g.Count
	}
	// Triggers reads the whole board, and mostly there can be none.
	if r.unplanned(tasks) || counts["planner"] > 0 || len(r.Board.IDs(flow.Discovered)) > 0 {
		for _, t := range r.Board.Triggers(r.goals()...) {
			list = append(list, answerTo(t, r.goal()))
		}
		list = list[:min(len(list), mostShown)]
	}
	if n := counts["merge"]; n > 0 {
		list = append(list, r.Local.Identity.mergeStep(n))
	}
	list = append(list, r.startSteps(flow.ActReview, groups)...)
	for _, t := range tasks {
		if known, untrusted := r.Local.Untrusted[t.ID]; untrusted && counts["trust"] > 0 {
			list = append(list, known)
		}
	}
	list = append(list, r.startSteps(flow.ActClaim, groups)...)
	if reached := r.reached(tasks); len(reached) > 0 {
		if r.Local.Take != "" {
			list = append(list, Step{r.Local.Take, "what was merged is on " + r.Board.Settings().Integration.Name})
		}
		for _, id := range reached {
			command := "git liza goal done"
			if id != r.goal() {
				command += " " + string(id)
			}
			list = append(list, Step{command, "every task is final"})
		}
	}
	known := map[string]bool{}
	return slices.DeleteFunc(list, func(s Step) bool {
		again := known[s.Command]
		known[s.Command] = true
		return again
	})
}

// served returns the goals in progress that status speaks of. Under rules version 1
// the current goal has all tasks.
func (r Reading) served() (list []flow.GoalID) {
	for _, g := range openGoals(r.Board, "") {
		if !r.Only || g.ID == r.goal() {
			list = append(list, g.ID)
		}
	}
	return list
}

// unplanned reports whether a goal in progress has no tasks outside the archive.
func (r Reading) unplanned(tasks []flow.Summary) bool {
	return slices.ContainsFunc(r.served(), func(id flow.GoalID) bool {
		return !slices.ContainsFunc(tasks, func(t flow.Summary) bool { return t.Goal == id })
	})
}

// reached returns the goals in progress that have tasks, all of which are final.
func (r Reading) reached(tasks []flow.Summary) []flow.GoalID {
	return slices.DeleteFunc(r.served(), func(id flow.GoalID) bool {
		of := func(t flow.Summary) bool { return t.Goal == id }
		open := func(t flow.Summary) bool { return !t.Status.Final() && (of(t) || !r.Board.HasRules(2)) }
		return !slices.ContainsFunc(tasks, of) || slices.ContainsFunc(tasks, open)
	})
}

// GoalReached reports whether a goal is in progress and has tasks that are all final.
// Then people can take the merged work and end the goal.
func (r Reading) GoalReached(tasks []flow.Summary) bool { return len(r.reached(tasks)) > 0 }

// releaseSteps returns the steps that release what agents of dead supervisors
// hold, if no rush does.
func (r Reading) releaseSteps(tasks []flow.Summary) []Step {
	var list []Step
	if len(r.Local.Dead) == 0 {
		return list
	}
	for i := range tasks {
		t := &tasks[i]
		release := "git liza release " + string(t.ID)
		if t.Lease.After(r.At) {
			list = r.Local.addRelease(list, release, t.Coder)
		}
		for _, j := range t.Judges {
			if len(t.Judges) > 1 {
				release = "git liza release " + string(t.ID) + " --role " + j.Role.String()
			}
			if j.Lease.After(r.At) {
				list = r.Local.addRelease(list, release, j.By)
			}
		}
	}
	return list
}

// addRelease adds the step that releases what an agent holds if its supervisor
// is dead.
func (l Local) addRelease(list []Step, command string, by flow.Actor) []Step {
	pid := l.Dead[flow.AgentID(by)]
	if pid == 0 {
		return list
	}
	return append(list, Step{command, fmt.Sprintf("held by %s, whose supervisor (process %d) is dead; a rush here releases it too", by, pid)})
}

// resumeSteps returns the steps without which no work can continue.
func (r Reading) resumeSteps() []Step {
	c, breaker := r.Board.Settings().Control, r.Board.Breaker()
	switch {
	case breaker.Tripped:
		return []Step{{"git liza breaker reset --resolution R", "the circuit breaker is tripped: " + breaker.Pattern}}
	case c.NeedsDecision():
		return []Step{{c.Onward(), "the checkpoint waits for a decision"}}
	case !c.State.IsRunning():
		return []Step{{c.Onward(), "nothing new is claimed while the board is " + c.State.String()}}
	}
	if spent := r.Board.Budget(r.goal(), ""); spent != nil {
		return []Step{{spent.Hint, spent.Reason}}
	}
	return []Step{}
}

// answers are the commands of a planner or human for each trigger. %s is the
// task or record.
var answers = map[string]string{
	"no_tasks":            "git liza task add --from FILE",
	"blocked":             "git liza unblock %s",
	"exhausted":           "git liza supersede %s --by FILE --reason R",
	"integration_failed":  "git liza unblock %s",
	"immediate_discovery": "git liza convert %s",
}

// answerTo returns the step that answers a trigger. usual is the goal that commands
// mean which name none.
func answerTo(t flow.Trigger, usual flow.GoalID) Step {
	command := answers[t.Reason]
	if t.Reason == "no_tasks" && t.Goal != usual {
		command += " --goal " + string(t.Goal)
	}
	if strings.Contains(command, "%s") {
		about := string(t.Task)
		if t.Record != "" {
			about = string(t.Record)
		}
		command = fmt.Sprintf(command, about)
	}
	return Step{command, strings.ReplaceAll(t.Reason, "_", " ") + ": " + t.Text}
}

// startSteps returns a step for each group that waits for a role to begin work
// by an act.
func (r Reading) startSteps(act flow.Act, groups []WaitGroup) []Step {
	var list []Step
	for _, g := range groups {
		role := flow.Role(g.For)
		row := r.Board.Role(role)
		switch {
		case role == flow.HumanRole && act == flow.ActReview:
			list = append(list, Step{"git liza review " + string(g.Tasks[0]), "a person has to judge it"})
		case row == nil || row.Capacity != act.Capacity():
		case row.NotHuman:
			list = append(list, Step{"git liza rush --agents " + g.For + "=1", "agents alone judge " + string(g.Tasks[0]) + " as " + g.For})
		default:
			list = append(list, r.startStep(act, role))
		}
	}
	return list
}

// startStep returns the step that begins work by an act on the best task for an
// idle agent of a role, or a step that shows why there is none.
func (r Reading) startStep(act flow.Act, role flow.Role) Step {
	caller := r.FreeAgent(role)
	id, refusal := r.Board.Best(act, caller, r.At, func(t flow.Summary) bool { return r.Only && t.Goal != r.goal() })
	if refusal != nil {
		return Step{refusal.Hint, refusal.Reason}
	}
	if known, untrusted := r.Local.Untrusted[id]; untrusted && act == flow.ActClaim {
		return known
	}
	t := r.Board.Task(id)
	if t == nil {
		return Step{"git liza fsck", string(id) + " cannot be read"}
	}
	return Step{fmt.Sprintf("git liza %s %s --as %s", act, id, caller.By), t.Title}
}
