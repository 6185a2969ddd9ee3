package flow

import (
	"cmp"
	"reflect"
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow/board"
)

// GoalMove sets a new goal, which becomes the current one, and opens its first
// sprint.
type GoalMove struct {
	ID    board.GoalID `yaml:"id"`
	Title string       `yaml:"title"`
	Spec  string       `yaml:"spec"`

	Priority int   `yaml:"priority"` // from 1, the first, to 5; 0 is 3
	Texts    texts `yaml:"texts"`    // of the spec

	Pivot board.GoalID `yaml:"pivot"` // the goal that it takes the place of; "" if none waits for that

	Workflow *board.Workflow `yaml:"workflow"` // nil: nothing is bounded
	Phase    board.PhaseID   `yaml:"phase"`    // in which it begins; the first one if the move does not say it
	Every    board.Every     `yaml:"every"`
	Loop     *board.Loop     `yaml:"loop"`
	Class    *board.Class    `yaml:"class"` // of the stories of the loop, if nobody has said one: that of their form
	Tasks    inputs          `yaml:"tasks"` // that it begins with, beside the templates of the phase: the stories of a loop
}

func (g *GoalMove) subject() string { return string(g.ID) }

func (g *GoalMove) ask(_ Move, b *board.Board) Query {
	q := askTextsOf(b, append(g.entered(b), board.TaskInput{Spec: g.Spec}))
	if w := g.Workflow.Of(g.ID); w != nil && checkWorkflowForm(w, g.ID) == nil {
		q.Match = w.Patterns()
	}
	for i := range q.Texts {
		q.Texts[i].Form = g.Loop != nil && q.Texts[i].Path == g.Loop.Path
	}
	return q
}

func (g *GoalMove) fill(p *play) {
	g.Workflow = g.Workflow.Of(g.ID)
	if w := g.Workflow; w != nil && g.Phase == "" && len(w.Phases) > 0 {
		g.Phase = w.Phases[0].Name
	}
	g.Texts = enteredTexts(p)
	if g.Loop != nil && g.Class == nil && p.facts != nil && g.knownClass(p) == nil {
		g.Class = p.facts.Texts[g.Loop.Path].Form
	}
}

// knownClass is the class of the stories of the loop that the board knows, or that they
// declare.
func (g *GoalMove) knownClass(p *play) *board.Class {
	if doc := p.board.Tracked(g.Loop.Path); doc != nil && doc.Blob == g.Loop.Blob && doc.Class != nil {
		return doc.Class
	}
	for _, t := range g.Texts {
		if t.Path == g.Loop.Path {
			return t.Class
		}
	}
	return nil
}

// checkLoop refuses a loop that nobody could work on, or by which nobody is to.
func (g *GoalMove) checkLoop(p *play) *Refusal {
	if r := checkLoopDocument(g.Loop, p, g.Spec); r != nil {
		return r
	}
	class := g.knownClass(p)
	if class == nil {
		class = g.Class
	} else if g.Class != nil {
		return refuse(RuleFact, classifyCommand(g.Loop.Path), "the move says a class of %s, which has one", board.QuoteC(board.Clip(g.Loop.Path)))
	}
	if p.facts != nil && g.Class != nil && !reflect.DeepEqual(p.facts.Texts[g.Loop.Path].Form, g.Class) {
		return refuse(RuleFact, classifyCommand(g.Loop.Path), "the move says another class of %s than its text", board.QuoteC(board.Clip(g.Loop.Path)))
	}
	return checkLoopClass(g.Loop, p, class)
}

// begins is the phase in which the goal begins.
func (g *GoalMove) begins() beginning {
	w := g.Workflow.Of(g.ID)
	switch {
	case w == nil || len(w.Phases) == 0:
		return beginning{}
	case g.Phase == "":
		return beginning{w, &board.Goal{ID: g.ID, Spec: g.Spec}, &w.Phases[0]}
	}
	return beginning{w, &board.Goal{ID: g.ID, Spec: g.Spec}, w.Phase(g.Phase)}
}

// entered are the tasks that the goal begins with.
func (g *GoalMove) entered(b *board.Board) []board.TaskInput {
	begins := g.begins()
	list := templates(b, begins)
	for _, in := range g.Tasks {
		if begins.phase != nil {
			in.Phase = begins.phase.Name
		}
		list = append(list, in)
	}
	return list
}

// checkWorkflow refuses a workflow or a loop that the goal could not be worked on by, and
// leaves the tasks of its first phase for the effect.
func (g *GoalMove) checkWorkflow(p *play) *Refusal {
	if g.Loop != nil {
		if r := g.checkLoop(p); r != nil {
			return r
		}
	}
	if g.Workflow == nil {
		if len(g.Tasks) > 0 {
			return refuse(RuleForm, workflowHelp, "a goal that begins with tasks needs a workflow")
		}
		if g.Phase != "" {
			return refuse(RuleForm, workflowHelp, "a goal without phases is in none of them")
		}
		return nil
	}
	if r := checkWorkflow(p, g.Workflow, g.ID); r != nil {
		return r
	}
	if g.Workflow.Phase(g.Phase) == nil {
		return refuse(RulePhase, workflowHelp, "%s has no phase %s; its phases are %s", g.Workflow.Name, shownPhase(g.Phase), g.Workflow.Names())
	}
	p.workflow = g.Workflow
	if list := g.entered(p.board); len(list) > 0 {
		if r := p.enterTasks(list, nil); r != nil {
			return r
		}
		p.begun, p.added, p.repointed = p.added, nil, nil
	}
	return nil
}

func (g *GoalMove) check(p *play) *Refusal {
	s := p.board.Settings()
	if p.board.Load(board.Key{Folder: board.Goals, ID: string(g.ID)}) != nil {
		return refuse(RuleExists, "git liza goal show", "there is a goal %s already", g.ID)
	}
	for _, need := range [][2]string{{"id", string(g.ID)}, {"title", g.Title}, {"spec", g.Spec}} {
		if r := present("the goal's "+need[0], need[1], "git liza help goal"); r != nil {
			return r
		}
	}
	if g.Priority < 0 || g.Priority > 5 {
		return refuse(RuleForm, "git liza help goal", "priority %d of %s is not between 1 and 5", g.Priority, g.ID)
	}
	if old := p.board.Goal(g.Pivot); g.Pivot != "" && (old == nil || old.Status != board.InProgress || old.Hold == nil || old.Hold.Decision != "PIVOT") {
		return refuse(RuleDecision, "git liza goal list", "%s does not wait for a goal to take its place", board.Clip(string(g.Pivot)))
	}
	if p.facts != nil && !p.facts.Texts[board.SpecPath(g.Spec)].exists() {
		return refuse(RuleSpec, "git liza adopt COMMIT --reason R", "the spec '%s' does not exist on %s", g.Spec, s.Integration.Name)
	}
	if anchor := specAnchor(g.Spec); p.facts != nil && p.facts.Texts[board.SpecPath(g.Spec)].lacks(anchor) {
		return refuse(RuleSpec, "git liza help goal", "the spec '%s' of %s has no heading '#%s' on %s", board.SpecPath(g.Spec), g.ID, board.Clip(anchor), s.Integration.Name)
	}
	return cmp.Or(g.checkWorkflow(p), checkRecorded(p, g.Texts))
}

func (g *GoalMove) refs(_ Move, b *board.Board) []RefMove {
	return []RefMove{{Name: board.MarkRef(string(nextSprint(b, g.ID))), State: true}}
}

func (g *GoalMove) apply(p *effect) {
	g.pivot(p)
	made := &board.Goal{ID: g.ID, Title: g.Title, Spec: g.Spec, Status: board.InProgress, Created: p.move.At, CreatedBy: p.move.By}
	made.Priority = cmp.Or(g.Priority, usualPriority)
	p.put(board.Key{Folder: board.Goals, ID: string(g.ID)}, made)
	p.change(func(s *board.Settings) {
		s.Goal = g.ID
		s.Next.Goal++
	})
	startSprint(p, time.Time{})
	if g.Workflow != nil || g.Loop != nil || g.Every != 0 {
		g.begin(p)
	}
}

// begin lets the goal stand in the first phase of its workflow, with its tasks.
func (g *GoalMove) begin(p *effect) {
	if g.Workflow != nil {
		setWorkflow(p, g.ID, g.Workflow, g.Phase, g.Every)
	}
	editGoal(p, func(made *board.Goal) {
		made.Every, made.Loop = g.Every, board.CopyOf(g.Loop)
		made.Added += len(p.begun)
	})
	if g.Class != nil {
		doc := *p.board.Tracked(g.Loop.Path)
		doc.Class = g.Class
		p.put(board.Key{Folder: board.Tracked, ID: board.TrackedID(doc.Path)}, &doc)
	}
	for _, t := range p.begun {
		t.Sprint = sprintForTasks(p.board, g.ID)
		p.keep(t)
		passNumber(p, t.ID)
	}
	if len(p.begun) > 0 {
		recordPlan(p, p.board.Sprint(p.board.OpenSprint(g.ID)))
	}
}

// pivot ends the goal that the new one replaces by the decision at a checkpoint, and
// the checkpoint.
func (g *GoalMove) pivot(p *effect) {
	if old := p.board.Goal(g.Pivot); g.Pivot != "" && old != nil {
		endGoal(p, old.ID, board.Aborted, "pivot: "+old.Hold.Message)
	}
	c := p.board.Settings().Control
	old := p.board.Goal(c.Goal)
	if c.State != board.Checkpoint || c.Decision != "PIVOT" || old == nil || old.Status != board.InProgress {
		return
	}
	endGoal(p, old.ID, board.Aborted, "pivot: "+c.Message)
	if !p.board.Breaker().Tripped {
		setSprintPhase(p, board.InProgress)
		setControl(p, board.Running, "pivot: "+c.Message)
	}
}

// usualPriority is that of a goal for which nobody says one.
const usualPriority = 3

// AlignMove adds a line to the goal's alignment history, and ends the hold that it
// answers. A full history drops its oldest line, which stays in the log.
type AlignMove struct {
	Text    string `yaml:"text"`
	Answers string `yaml:"answers"` // the checkpoint whose hold ends
}

func (a *AlignMove) check(p *play) *Refusal {
	if h := p.board.Goal(p.goalID()).Hold; a.Answers != "" && (h == nil || h.Checkpoint != a.Answers || h.Decision == "PIVOT") {
		return refuse(RuleDecision, "git liza goal list", "no hold of %s waits for an answer", board.Clip(a.Answers))
	}
	return present("the text", a.Text, "git liza record alignment TEXT")
}

func (a *AlignMove) apply(p *effect) {
	editGoal(p, func(g *board.Goal) {
		g.Alignment = latest(append(slices.Clip(g.Alignment), board.Alignment{Text: a.Text, By: p.move.By, At: p.move.At}))
		if a.Answers != "" {
			g.Hold = nil
		}
	})
}

// latest is the end of a history, as long as a document may hold.
func latest[T any](list []T) []T { return list[max(0, len(list)-board.MaxList):] }

// SprintStartMove opens the next sprint. Tasks that were added between sprints,
// or carried over, belong to it already. The move may add other open tasks, as
// planned or as stretch.
type SprintStartMove struct {
	Deadline time.Time      `yaml:"deadline"`
	Planned  board.TaskIDs  `yaml:"planned"`
	Stretch  board.TaskIDs  `yaml:"stretch"`
	Sprint   board.SprintID `yaml:"sprint"` // that it opens
}

func (s *SprintStartMove) fill(p *play) {
	s.Sprint = cmp.Or(s.Sprint, nextSprint(p.board, p.goalID()))
}

func (s *SprintStartMove) already(p *play) bool { return sprintPassed(p, s.Sprint, false) }

func (s *SprintStartMove) subject() string { return "" }

func (s *SprintStartMove) check(p *play) *Refusal {
	if open := p.board.OpenSprint(p.goalID()); open != "" {
		return refuse(RuleSprint, "git liza sprint close", "%s is still open", open)
	}
	if !s.Deadline.IsZero() && !s.Deadline.After(p.move.At) {
		return refuse(RuleForm, "git liza help sprint", "the deadline %s is in the past", s.Deadline.Format(time.RFC3339))
	}
	for _, id := range slices.Concat(s.Planned, s.Stretch) {
		t := p.board.Task(id)
		if t == nil {
			return refuse(RuleNotFound, "git liza list", "there is no task %s", id)
		}
		if t.Status.Final() {
			return refuse(RuleFinal, "git liza list", "%s is %s and belongs to no further sprint", id, t.Status)
		}
		if t.Goal != p.goalID() {
			return refuse(RuleGoal, "git liza goal list", "%s belongs to the goal %s, and the sprint to %s", id, t.Goal, p.goalID())
		}
		if slices.Contains(s.Planned, id) && slices.Contains(s.Stretch, id) {
			return refuse(RuleForm, "git liza help sprint", "%s is either planned or stretch, not both", id)
		}
	}
	return checkStart(p, s)
}

func (s *SprintStartMove) refs(m Move, b *board.Board) []RefMove {
	return []RefMove{{Name: board.MarkRef(string(sprintForTasks(b, m.Goal))), State: true}}
}

func (s *SprintStartMove) apply(p *effect) {
	opened := startSprint(p, s.Deadline)
	for i, list := range [][]board.TaskID{s.Planned, s.Stretch} {
		for _, id := range list {
			t := p.board.Task(id).Clone()
			t.Sprint, t.Stretch = opened.ID, i == 1
			p.keep(t)
		}
	}
	recordPlan(p, opened)
}

// recordPlan enters the tasks of a sprint that begins, in the order of their
// creation.
func recordPlan(p *effect, begun *board.Sprint) {
	plan := &board.SprintPlan{Sprint: begun.ID}
	for _, t := range p.board.Tasks() {
		switch {
		case t.Sprint != plan.Sprint:
		case t.Stretch:
			plan.Stretch = append(plan.Stretch, t.ID)
		default:
			plan.Planned = append(plan.Planned, t.ID)
		}
	}
	s := *begun
	keepSprintPlan(p, plan)
	p.put(board.Key{Folder: board.Sprints, ID: string(s.ID)}, &s)
}

func sprintOpen(p *play) *Refusal {
	if p.board.OpenSprint(p.goalID()) == "" {
		return refuse(RuleSprint, "git liza sprint start", "no sprint is open")
	}
	return nil
}

// SprintCloseMove ends the open sprint; unfinished tasks pass to the next one.
type SprintCloseMove struct {
	Abort  bool           `yaml:"abort"`
	Reason string         `yaml:"reason"`
	Sprint board.SprintID `yaml:"sprint"` // that it closes
}

func (s *SprintCloseMove) fill(p *play) {
	s.Sprint = cmp.Or(s.Sprint, p.board.OpenSprint(p.goalID()))
}

func (s *SprintCloseMove) already(p *play) bool { return sprintPassed(p, s.Sprint, true) }

func (s *SprintCloseMove) check(p *play) *Refusal {
	if s.Abort && !p.move.By.IsHuman() {
		return refuse(RuleRole, "git liza sprint close", "only a human aborts a sprint")
	}
	return checkClose(p, s)
}

func (s *SprintCloseMove) apply(p *effect) {
	goal := p.goalID()
	open := *p.board.Sprint(p.board.OpenSprint(goal))
	open.Status, open.Ended, open.Reason = board.Completed, p.move.At, s.Reason
	if s.Abort {
		open.Status = board.Aborted
	}
	next := reserveSprint(p, goal)
	for _, short := range p.board.Tasks() {
		if short.Sprint != open.ID || short.Status.Final() {
			continue
		}
		t := p.board.Task(short.ID).Clone()
		t.Sprint = next
		p.keep(t)
		if len(open.Carried) < board.MaxList {
			open.Carried = append(open.Carried, t.ID)
		}
	}
	p.put(board.Key{Folder: board.Sprints, ID: string(open.ID)}, &open)
}

// RetroMove stores a sprint's retrospective.
type RetroMove struct {
	Sprint board.SprintID `yaml:"sprint"`
	Text   string         `yaml:"text"`

	Gaps      []string `yaml:"spec_gaps"`
	Contracts []string `yaml:"contract_observations"`
	Actions   []string `yaml:"actions"`
}

func (r *RetroMove) subject() string { return string(r.Sprint) }

func (r *RetroMove) check(p *play) *Refusal {
	if p.board.Sprint(r.Sprint) == nil {
		return refuse(RuleNotFound, "git liza sprint show", "there is no sprint %s", r.Sprint)
	}
	parts := [][]string{r.Gaps, r.Contracts, r.Actions}
	for _, list := range parts {
		for _, text := range list {
			if text == "" || len(text) > 1024 || len(list) > 20 {
				return refuse(RuleLimit, "git liza help sprint retro", "a list of a retrospective has at most 20 texts of 1 to 1024 bytes")
			}
		}
	}
	if len(slices.Concat(parts...)) > 0 {
		return nil
	}
	return present("the retrospective", r.Text, "git liza sprint retro --message M")
}

func (r *RetroMove) apply(p *effect) {
	s := *p.board.Sprint(r.Sprint)
	s.Retro = r.Text
	if len(r.Gaps)+len(r.Contracts)+len(r.Actions) > 0 {
		s.Words = &board.Retrospective{Gaps: r.Gaps, Contracts: r.Contracts, Actions: r.Actions, By: p.move.By, At: p.move.At}
	}
	p.put(board.Key{Folder: board.Sprints, ID: string(s.ID)}, &s)
}
