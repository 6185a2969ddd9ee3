package view

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/shell"
)

// addAsked adds the tasks that wait for the answer of a person, or of agents whose role
// does not plan: no planner is needed for them.
func (c *collector) addAsked() {
	known := map[board.TaskID]bool{}
	for _, trigger := range c.triggers {
		if trigger.Record == "" {
			known[trigger.Task] = true
		}
	}
	for t := range c.picture.rows.with(board.Status.IsBlocked) {
		if !t.Asks || known[t.ID] || flow.CheckBudget(c.Board, "", t.ID) != nil {
			continue
		}
		item := Item{Kind: "blocked", Subject: string(t.ID), Command: "git liza show " + string(t.ID), since: t.Changed, act: board.ActUnblock, task: t.ID}
		if len(OpenQuestions(c.Board, t.ID)) > 0 {
			c.ask(&item, t.ID)
			c.add(item)
		}
	}
}

// addAsking adds the questions that are asked while the work on a task goes on, but for
// those that agents look for.
func (c *collector) addAsking() {
	var staffed map[board.Role]bool
	for _, t := range c.picture.rows.begun {
		if len(t.Asking) == 0 || t.Status.IsBlocked() {
			continue
		}
		if staffed == nil {
			staffed = staffedRoles(c.Board)
		}
		open := slices.DeleteFunc(OpenQuestions(c.Board, t.ID), func(q *board.Question) bool {
			return staffed[q.To] && !q.IsLeft(c.Board, c.At)
		})
		if len(open) == 0 {
			continue
		}
		item := Item{Subject: string(t.ID), since: t.Changed}
		c.askFirst(&item, open)
		c.add(item)
	}
}

// whyAsked says why the question of a role comes to a person, and by which command agents
// would look for the answer; "" if it is to people.
func whyAsked(b *board.Board, q *board.Question, at time.Time) string {
	switch {
	case q.To == "" || q.To == board.HumanRole:
		return ""
	case q.IsLeft(b, at):
		return fmt.Sprintf("no %s found the answer: ", q.To)
	case !staffedRoles(b)[q.To]:
		return fmt.Sprintf("there is no %s here, git liza rush --agents %s=1: ", q.To, q.To)
	}
	return ""
}

// addPhases adds the goals whose phase has all that it needs but the word of a person, or
// but its gates, and those of which nobody writes what it lacks.
func (c *collector) addPhases() {
	for _, id := range c.goals {
		g, lacks := c.Board.Goal(id), flow.ExitLacks(c.Board, id)
		item := Item{Kind: "phase", Subject: string(id), Command: PhaseOf(c.Board, id).onward(), since: g.PhaseSince, act: board.ActPhase}
		open := slices.ContainsFunc(lacks, func(r *flow.Refusal) bool { return r.Rule == flow.RuleOpen })
		unwritten := slices.IndexFunc(lacks, func(r *flow.Refusal) bool {
			return r.Rule == flow.RuleArtifact && !strings.HasPrefix(r.Hint, "git liza artifact accept") // that is an item of its own
		})
		switch {
		case unwritten >= 0 && !open:
			r := lacks[unwritten]
			item.Text, item.rule, item.Command, item.act = r.Reason+", and no task is open that writes it", r.Rule, r.Hint, 0
		case item.Command == "" || slices.ContainsFunc(lacks, func(r *flow.Refusal) bool { return r.Rule != flow.RuleRole }):
			continue
		case len(lacks) > 0:
			item.Text, item.rule = fmt.Sprintf("the phase %s of %s has what it needs, and a person ends it", g.Phase, id), flow.RuleRole
		case len(board.ExitGates(c.Board, id)) > 0:
			item.Text, item.rule = fmt.Sprintf("the phase %s of %s has what it needs, and its gates run when it is left", g.Phase, id), flow.RuleGate
		default:
			continue
		}
		c.add(item)
	}
}

// addClasses adds the tasks that agents leave alone for what their texts say, or do not say,
// of automation, one for each command.
func (c *collector) addClasses() {
	known, refused := map[string]bool{}, flow.ClassRefusals(c.Board)
	for _, t := range c.picture.rows.all {
		if r := refused[t.ID]; r != nil && !known[r.Hint] {
			known[r.Hint] = true
			c.add(Item{Kind: "class", Subject: string(t.ID), Text: FirstLine(r.Reason), Command: r.Hint, since: t.Changed, rule: r.Rule, act: board.ActClassify})
		}
	}
}

// addPlans adds the approved plans whose tasks are not imported.
func (c *collector) addPlans() {
	for _, id := range c.goals {
		for _, plan := range board.DuePlans(c.Board, id) {
			c.add(Item{Kind: "plan", Subject: plan.Path, Text: fmt.Sprintf("the tasks of %s are not imported yet", plan.Path),
				Command: "git liza plan import " + shell.Quote(plan.Path) + " --goal " + string(id), since: c.Board.Goal(id).PhaseSince, rule: flow.RuleDue, act: board.ActImport, moment: string(plan.Blob)})
		}
	}
}

// addDeferred adds the discoveries that were put off until a time that is over. Those that
// are immediate are known already.
func (c *collector) addDeferred() {
	for _, d := range board.All[*board.Discovery](c.Board, board.Discovered) {
		if d.Deferred == nil || !d.IsOpen(c.At) {
			continue
		}
		item := Item{Kind: "discovery", Subject: string(d.ID), Text: "put off until " + d.Deferred.Until.UTC().Format(time.DateOnly) + ": " + FirstLine(d.Text),
			Command: "git liza task add --record " + string(d.ID) + " --draft", since: d.Deferred.Until, act: board.ActConvert}
		c.list = slices.DeleteFunc(c.list, func(i Item) bool { return i.Kind == item.Kind && i.Subject == item.Subject })
		c.add(item)
	}
}
