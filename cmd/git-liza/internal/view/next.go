package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// stepsText formats the first steps for people: a command, which is never cut, and
// beside it why.
func stepsText(steps []Step, width int) string {
	var rows Table
	for _, s := range steps[:min(len(steps), glanceNext)] {
		rows.Add(s.Command, FirstLine(s.Why))
	}
	if len(rows.Rows) == 0 {
		return ""
	}
	rows.Indent = "  "
	text := "\nnext\n"
	for _, row := range rows.Rows {
		if width > 0 && cells(row[0])+8 > width { // no room for a reason
			text += rows.Indent + row[0] + "\n"
			continue
		}
		line := Table{Indent: rows.Indent, Rows: [][]string{row}}
		if column := rows.columns()[0]; width == 0 || column+20 < width {
			line.Rows[0][0] += strings.Repeat(" ", column-cells(row[0]))
		}
		text += line.Text(width)
	}
	return text
}

// steps returns the commands that would advance the board: those of the inbox, then
// those that begin work.
func (p *Picture) steps(in *Inbox, groups []WaitGroup) []Step {
	r := p.reading
	list := []Step{}
	known := map[string]bool{}
	add := func(steps ...Step) {
		for _, s := range steps {
			if !known[s.Command] {
				known[s.Command] = true
				list = append(list, s)
			}
		}
	}
	trusting := false
	for _, i := range in.First(mostShown).Items {
		add(Step{i.Command, i.Text})
		trusting = trusting || i.Kind == "trust"
	}
	if r.Local.Breach != nil {
		return list
	}
	var others []Step // of other goals than the current one, whose steps come first
	put := func(goal board.GoalID, s Step) {
		if goal == r.goal() {
			add(s)
		} else {
			others = append(others, s)
		}
	}
	start := r
	start.Focus = ""
	for _, t := range in.triggers {
		if t.Reason == "no_tasks" {
			put(t.Goal, answerTo(start, t))
		}
	}
	for _, g := range groups {
		if g.For == "merge" {
			add(r.Local.Identity.mergeStep(g.Count))
		}
	}
	for _, id := range servedGoals(r) {
		if n := board.DueLevel(r.Board, id); n > 0 {
			put(id, Step{"git liza goal level pass --goal " + string(id), fmt.Sprintf("the tasks of level %d are done", n)})
		}
	}
	for _, id := range servedGoals(r) {
		if flow.PhaseDue(r.Board, id) {
			put(id, Step{PhaseOf(r.Board, id).onward(), fmt.Sprintf("the phase %s has what it needs", r.Board.Goal(id).Phase)})
		}
	}
	if r.Person.By.IsHuman() { // agents at work go on without a person
		working := rolesAtWork(p)
		groups = lists.Where(groups, func(g WaitGroup) bool { return !working[board.Role(g.For)] })
	}
	for _, s := range startSteps(start, board.ActReview, groups) {
		if review, _, agent := strings.Cut(s.Command, " --as "); !agent || !known[review] { // the inbox has it for the person
			put(goalOfStep(start, s), s)
		}
	}
	for _, s := range startSteps(start, board.ActClaim, groups) {
		if !trusting || !strings.HasPrefix(s.Command, "git liza trust ") { // the inbox has it, perhaps together with others
			put(goalOfStep(start, s), s)
		}
	}
	add(others...)
	return list
}

// A NextStep is the one thing to do next.
type NextStep struct {
	Action  string    `json:"action"`  // the command's name, such as answer; "" if there is nothing to do
	Subject string    `json:"subject"` // a task, a goal, an agent or another name; "" if it is the whole board
	Command string    `json:"command"`
	Why     string    `json:"why"`
	Rule    flow.Rule `json:"rule"` // that asks for it, "" if none does
}

// Next returns what is to be done next by [Reading.Person]: the first item of
// its inbox, else for an agent its own work, else the first step that would
// advance the board. Of a claim it says whether a text discourages it.
func (p *Picture) Next() NextStep {
	n, is := focusedStep(p)
	if !is {
		n = p.first()
	}
	if caution := board.Caution(p.reading.Board, board.TaskID(n.Subject)); caution != "" && n.Action == board.ActClaim.Command() {
		n.Why += "; caution: " + caution
	}
	return n
}

// focusedStep is the step about the task of the focus, of which nothing is stopped; none if it
// needs no person.
func focusedStep(p *Picture) (n NextStep, is bool) {
	r, in := p.reading, p.Inbox()
	if r.Focus == "" || len(in.Items) > 0 && in.Items[0].stops {
		return n, false
	}
	for _, i := range in.Items {
		if i.task == r.Focus || i.Subject == string(r.Focus) {
			return StepTo(i.Command, i.Subject, i.Text, i.rule), true
		}
	}
	working := rolesAtWork(p)
	groups := lists.Where(p.Waiting(), func(g WaitGroup) bool { return slices.Contains(g.Tasks, r.Focus) && !working[board.Role(g.For)] })
	for _, s := range append(startSteps(r, board.ActReview, groups), startSteps(r, board.ActClaim, groups)...) {
		return StepTo(s.Command, string(r.Focus), s.Why, ""), true
	}
	return n, false
}

// first is the next step.
func (p *Picture) first() NextStep {
	in := p.Inbox()
	if len(in.Items) > 0 {
		i := in.Items[0]
		return StepTo(i.Command, i.Subject, i.Text, i.rule)
	}
	if !p.reading.Person.By.IsHuman() {
		return nextOfAgent(p.reading, in, p.rows)
	}
	if steps := p.steps(in, p.Waiting()); len(steps) > 0 {
		return StepTo(steps[0].Command, subjectOf(p.reading, steps[0].Command), steps[0].Why, "")
	}
	return NextStep{Command: "git liza status", Why: "nothing needs you"}
}

// Lacking is what has to be mended before anything else is worth a step: there is no goal,
// its spec is no file, its phase can never end. nil if nothing is.
func (p *Picture) Lacking() *flow.Refusal {
	b := p.reading.Board
	g := b.Goal(p.reading.goal())
	if p.reading.Local.Breach != nil || g == nil {
		return nil
	}
	gone := flow.SpecGone(b, g.ID)
	if len(b.GoalsInProgress()) == 0 {
		if len(p.Inbox().Items) > 0 {
			return nil
		}
		return &flow.Refusal{Rule: flow.RuleGoal, Reason: fmt.Sprintf("no goal is in progress: %s is %s", g.ID, g.Status), Hint: "git liza goal set TITLE"}
	}
	if g.Status.IsInProgress() && gone != nil {
		return gone
	}
	for _, r := range flow.ExitLacks(b, g.ID) {
		if r.Rule == flow.RuleGate {
			return r
		}
	}
	return nil
}

// StepTo is the step of a command about a subject.
func StepTo(command, subject, why string, rule flow.Rule) NextStep {
	return NextStep{actionOf(command), subject, command, why, rule}
}

// TakeStep is the step that brings merged work to the branch that people work on. It is
// worth doing when nothing else is: as a call it would come with each merge.
func TakeStep(command string, integration board.Branch) NextStep {
	return StepTo(command, integration.Name, lacksMerged, "")
}

// nextOfAgent returns the step of an agent: what it holds, what it waits for, or
// what it could take.
func nextOfAgent(r Reading, in *Inbox, tasks *rows) NextStep {
	by := r.Person.By
	step := func(t board.TaskID, command, why string) NextStep { return StepTo(command, string(t), why, "") }
	for _, t := range tasks.all {
		switch {
		case t.Coder == by && t.Lease.After(r.At):
			if held := r.Board.Task(t.ID); held != nil && held.Intent == nil {
				return step(t.ID, "git liza intent "+string(t.ID)+" --summary S --validation V", "you hold it: "+t.Title)
			}
			return step(t.ID, "git liza submit "+string(t.ID), "you hold it: "+t.Title)
		case t.IsReviewedBy(by):
			return step(t.ID, "git liza show "+string(t.ID)+" --patch", "you review it: "+t.Title)
		}
	}
	act := map[board.Capacity]board.Act{board.Does: board.ActClaim, board.Judges: board.ActReview}[r.Board.CapacityOf(by)]
	if act == 0 {
		for _, g := range r.Board.GoalsInProgress() {
			if h := g.Hold; h != nil && h.Decision != "PIVOT" && r.Board.CapacityOf(by) == board.Plans {
				return step("", answerHold(h, g, r.goal()), "decision: "+h.Decision+": "+FirstLine(h.Message))
			}
		}
		for _, t := range in.triggers {
			if t.Reason == "no_tasks" {
				s := answerTo(r, t)
				return step("", s.Command, s.Why)
			}
		}
		return NextStep{Command: "git liza status", Why: "nothing needs a " + by.Role().String()}
	}
	id, refusal := flow.Best(r.Board, act, r.Person, r.At, nil)
	if refusal == nil {
		return step(id, fmt.Sprintf("git liza %s %s", act, id), "it is the best that you can take")
	}
	for t := range tasks.with(func(s board.Status) bool { return flow.Allows(s, board.ActReview) }) {
		if t.Coder == by {
			return step(t.ID, "git liza await "+string(t.ID), "it waits for its verdict")
		}
	}
	return NextStep{Command: refusal.Hint, Why: refusal.Reason, Rule: refusal.Rule}
}

// Text formats the step for people: why, and the command.
func (n NextStep) Text() string {
	return plaintext.Line(n.Why) + "\n" + plaintext.Line(n.Command) + "\n"
}

// actionOf returns the name of the command of git liza, or the command's first two
// words.
func actionOf(command string) string {
	words := strings.Fields(command)
	if len(words) > 2 && words[1] == "liza" {
		return words[2]
	}
	return strings.Join(words[:min(2, len(words))], " ")
}

// subjectOf returns the first argument of a command of git liza that is the id of a task or
// a goal, "" if none is.
func subjectOf(r Reading, command string) string {
	words := strings.Fields(command)
	for _, word := range words[min(3, len(words)):] {
		var id board.TaskID // goals have ids by the same rules
		if id.UnmarshalText([]byte(word)) == nil && (r.Board.Task(id) != nil || r.Board.Goal(board.GoalID(id)) != nil) {
			return word
		}
	}
	return ""
}

// goalOfStep returns the goal of the task that a step names, the current one if it names none.
func goalOfStep(r Reading, s Step) board.GoalID {
	if id := subjectOf(r, s.Command); id != "" {
		if t := r.Board.Task(board.TaskID(id)); t != nil {
			return cmp.Or(t.Goal, r.goal())
		}
	}
	return r.goal()
}

// CanTake reports whether people can take the merged work: a goal is reached, or no task
// of one in progress is open.
func (p *Picture) CanTake() bool {
	busy := func(id board.GoalID) bool { return p.rows.of[id].open() > 0 }
	return len(p.reached()) > 0 || !slices.ContainsFunc(servedGoals(p.reading), busy)
}

// servedGoals returns the goals in progress that status speaks of.
func servedGoals(r Reading) []board.GoalID {
	served := lists.Where(r.Board.GoalsInProgress(), func(g *board.Goal) bool { return !r.Only || g.ID == r.goal() })
	return lists.Of(served, func(g *board.Goal) board.GoalID { return g.ID })
}

// reached returns the goals in progress that have tasks, all of which are final.
func (p *Picture) reached() []board.GoalID {
	b := p.reading.Board
	return slices.DeleteFunc(servedGoals(p.reading), func(id board.GoalID) bool {
		of := p.rows.of[id]
		added := of.sum() > 0
		if g := b.Goal(id); g != nil {
			added = g.Added > 0 // in the archive too
		}
		return !added || of.open() > 0
	})
}

// answerTo returns the step that answers a trigger.
func answerTo(r Reading, t flow.Trigger) Step {
	command := "git liza task add --from FILE"
	switch {
	case t.Record != "":
		command = "git liza task add --record " + string(t.Record) + " --draft"
	case t.Task != "":
		command = board.Unblocking(r.Board, t.Task, r.Person.By)
	case t.Reason == "decision":
		g := r.Board.Goal(t.Goal)
		command = answerHold(g.Hold, g, r.goal())
	case t.Goal != r.goal():
		command += " --goal " + string(t.Goal)
	}
	return Step{command, strings.ReplaceAll(t.Reason, "_", " ") + ": " + t.Text}
}

// startSteps returns a step for each group that waits for a role to begin work
// by an act.
func startSteps(r Reading, act board.Act, groups []WaitGroup) []Step {
	var list []Step
	for _, g := range groups {
		role := board.Role(g.For)
		row := r.Board.Role(role)
		switch {
		case role == board.HumanRole && act == board.ActReview:
			list = append(list, judgeStep(r, g.Tasks[0]))
		case row == nil || row.Capacity != flow.CapacityOf(act):
		case row.NotHuman:
			list = append(list, Step{"git liza rush --agents " + g.For + "=1", "agents alone judge " + string(g.Tasks[0]) + " as " + g.For})
		default:
			list = append(list, startStep(r, act, role))
		}
	}
	return list
}

// judgeStep returns the step by which a person judges a task. Whoever coded it gets the
// step by which it is judged all the same.
func judgeStep(r Reading, id board.TaskID) Step {
	refusal := flow.Opens(r.Board, board.ActReview, id, r.Person, r.At)
	if refusal != nil && refusal.Rule == flow.RuleSelfReview && r.Person.By.IsHuman() {
		return Step{refusal.Hint, "another person has to judge it, or: " + refusal.Reason}
	}
	return Step{"git liza review " + string(id), "a person has to judge it"}
}

// startStep returns the step that begins work by an act on the best task for an
// idle agent of a role, of the current goal if it has one, or a step that shows why there
// is none.
func startStep(r Reading, act board.Act, role board.Role) Step {
	caller := r.FreeAgent(role)
	var own *flow.Refusal // of a submission that the person coded, and does not judge under another name
	only := r.Only || len(r.Board.GoalsInProgress()) > 1
	skip := func(t board.Summary) bool {
		if only && t.Goal != r.goal() || r.Focus != "" && t.ID != r.Focus {
			return true
		}
		if act != board.ActReview || !r.Person.By.IsHuman() {
			return false
		}
		its := flow.Opens(r.Board, act, t.ID, r.Person, r.At)
		if its == nil || its.Rule != flow.RuleSelfReview {
			return false
		}
		own = cmp.Or(own, its)
		return true
	}
	id, refusal := flow.Best(r.Board, act, caller, r.At, skip)
	if refusal != nil && only != r.Only { // the current goal has none
		only = r.Only
		id, refusal = flow.Best(r.Board, act, caller, r.At, skip)
	}
	if refusal != nil && own != nil {
		refusal = own
	}
	if refusal != nil {
		return Step{refusal.Hint, refusal.Reason}
	}
	if known, untrusted := r.Local.Untrusted[id]; untrusted && act == board.ActClaim {
		return known
	}
	t := r.Board.Task(id)
	if t == nil {
		return Step{"git liza fsck", string(id) + " cannot be read"}
	}
	switch {
	case !r.Person.By.IsHuman():
		return Step{fmt.Sprintf("git liza %s %s --as %s", act, id, caller.By), t.Title}
	case act == board.ActClaim:
		why := fmt.Sprintf("%s waits for %s: %s", id, role.One(), t.Title)
		if caution := board.Caution(r.Board, id); caution != "" {
			why += "; caution: " + caution
		}
		return Step{board.RushCommand(r.Board, role), why}
	}
	return Step{"git liza review " + string(id), t.Title}
}
