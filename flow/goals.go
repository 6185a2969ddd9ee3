package flow

import (
	"cmp"
	"slices"
	"time"
)

// GoalMove sets a new goal, which becomes the current one, and opens its first
// sprint. On boards of rules version 1 the last goal must have ended, and its
// sprint goes on.
type GoalMove struct {
	ID    GoalID `yaml:"id"`
	Title string `yaml:"title"`
	Spec  string `yaml:"spec"`

	Priority int   `yaml:"priority,since=2"` // from 1, the first, to 5; 0 is 3
	Texts    texts `yaml:"texts,since=2"`    // of the spec
}

func (g *GoalMove) subject() string { return string(g.ID) }

func (g *GoalMove) ask(_ Move, b *Board) Query { return b.askTexts([]TaskInput{{Spec: g.Spec}}) }

func (g *GoalMove) fill(p *play) { g.Texts = p.textCheck().entered() }

func (g *GoalMove) check(p *play) *Refusal {
	s := p.Settings()
	if old := p.Goal(s.Goal); !p.HasRules(2) && old != nil && old.Status == InProgress {
		return refuse(RuleOpen, "git liza goal done", "the goal %s is still in progress", old.ID)
	}
	if p.load(Key{Goals, string(g.ID)}) != nil {
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
	if p.facts != nil && !p.facts.Texts[specPath(g.Spec)].exists() {
		return refuse(RuleSpec, "git liza adopt COMMIT --reason R", "the spec '%s' does not exist on %s", g.Spec, s.Integration.Name)
	}
	if anchor := specAnchor(g.Spec); p.facts != nil && p.HasRules(2) && p.facts.Texts[specPath(g.Spec)].lacks(anchor) {
		return refuse(RuleSpec, "git liza help goal", "the spec '%s' of %s has no heading '#%s' on %s", specPath(g.Spec), g.ID, clip(anchor), s.Integration.Name)
	}
	return p.textCheck().compare(g.Texts)
}

func (g *GoalMove) refs(_ Move, b *Board) []RefMove {
	if !b.HasRules(2) {
		return nil
	}
	return []RefMove{{Name: MarkRef(string(b.calendar().next(g.ID))), State: true}}
}

func (g *GoalMove) apply(p *effect) {
	made := &Goal{ID: g.ID, Title: g.Title, Spec: g.Spec, Status: InProgress, Created: p.move.At, CreatedBy: p.move.By}
	if p.HasRules(2) {
		made.Priority = cmp.Or(g.Priority, usualPriority)
	}
	p.put(Key{Goals, string(g.ID)}, made)
	p.change(func(s *Settings) {
		s.Goal = g.ID
		s.Next.Goal++
	})
	if p.HasRules(2) {
		p.startSprint(time.Time{})
	}
}

// usualPriority is that of a goal for which nobody says one.
const usualPriority = 3

// AlignMove adds a line to the goal's alignment history. A full history drops
// its oldest line, which stays in the log.
type AlignMove struct {
	Text string `yaml:"text"`
}

func (a *AlignMove) check(*play) *Refusal { return present("the text", a.Text, "git liza align TEXT") }

func (a *AlignMove) apply(p *effect) {
	p.goal(func(g *Goal) {
		g.Alignment = latest(append(slices.Clip(g.Alignment), Alignment{Text: a.Text, By: p.move.By, At: p.move.At}))
	})
}

// latest is the end of a history, as long as a document may hold.
func latest[T any](list []T) []T { return list[max(0, len(list)-MaxList):] }

// SprintStartMove opens the next sprint. Tasks that were added between sprints,
// or carried over, belong to it already. The move may add other open tasks, as
// planned or as stretch.
type SprintStartMove struct {
	Deadline time.Time `yaml:"deadline"`
	Planned  taskIDs   `yaml:"planned"`
	Stretch  taskIDs   `yaml:"stretch"`
}

func (s *SprintStartMove) subject() string { return "" }

func (s *SprintStartMove) check(p *play) *Refusal {
	if open := p.OpenSprint(p.goalID()); open != "" {
		return refuse(RuleSprint, "git liza sprint close", "%s is still open", open)
	}
	if !s.Deadline.IsZero() && !s.Deadline.After(p.move.At) {
		return refuse(RuleForm, "git liza help sprint", "the deadline %s is in the past", s.Deadline.Format(time.RFC3339))
	}
	for _, id := range slices.Concat(s.Planned, s.Stretch) {
		t := p.Task(id)
		if t == nil {
			return refuse(RuleNotFound, "git liza list", "there is no task %s", id)
		}
		if t.Status.Final() {
			return refuse(RuleFinal, "git liza list", "%s is %s and belongs to no further sprint", id, t.Status)
		}
		if p.HasRules(2) && t.Goal != p.goalID() {
			return refuse(RuleGoal, "git liza goal list", "%s belongs to the goal %s, and the sprint to %s", id, t.Goal, p.goalID())
		}
		if slices.Contains(s.Planned, id) && slices.Contains(s.Stretch, id) {
			return refuse(RuleForm, "git liza help sprint", "%s is either planned or stretch, not both", id)
		}
	}
	return nil
}

func (s *SprintStartMove) refs(m Move, b *Board) []RefMove {
	return []RefMove{{Name: MarkRef(string(b.calendar().forTasks(m.Goal))), State: true}}
}

func (s *SprintStartMove) apply(p *effect) {
	opened := p.startSprint(s.Deadline)
	for i, list := range [][]TaskID{s.Planned, s.Stretch} {
		for _, id := range list {
			t := p.Task(id).clone()
			t.Sprint, t.Stretch = opened.ID, i == 1
			p.keep(t)
		}
	}
	p.recordPlan(opened)
}

// recordPlan enters the tasks of a sprint that begins, in the order of their
// creation.
func (p *effect) recordPlan(begun *Sprint) {
	if !p.HasRules(2) {
		return
	}
	s := *begun
	for _, t := range p.Tasks() {
		switch {
		case t.Sprint != s.ID:
		case t.Stretch:
			s.Stretch = append(s.Stretch, t.ID)
		default:
			s.Planned = append(s.Planned, t.ID)
		}
	}
	p.put(Key{Sprints, string(s.ID)}, &s)
}

func sprintOpen(p *play) *Refusal {
	if p.OpenSprint(p.goalID()) == "" {
		return refuse(RuleSprint, "git liza sprint start", "no sprint is open")
	}
	return nil
}

// SprintCloseMove ends the open sprint; unfinished tasks pass to the next one.
type SprintCloseMove struct {
	Abort  bool   `yaml:"abort"`
	Reason string `yaml:"reason"`
}

func (s *SprintCloseMove) check(p *play) *Refusal {
	if p.move.By.IsHuman() {
		return nil
	}
	if s.Abort {
		return refuse(RuleRole, "git liza sprint close", "only a human aborts a sprint")
	}
	for _, t := range p.Tasks() {
		if t.Sprint == p.OpenSprint(p.goalID()) && !t.Stretch && !t.Status.Final() {
			return refuse(RuleOpen, "git liza sprint show", "%s is planned and %s: a sprint closes when its planned tasks are final, or when a human says so", t.ID, t.Status)
		}
	}
	return nil
}

func (s *SprintCloseMove) apply(p *effect) {
	goal := p.goalID()
	open := *p.Sprint(p.OpenSprint(goal))
	open.Status, open.Ended, open.Reason = Completed, p.move.At, s.Reason
	if s.Abort {
		open.Status = Aborted
	}
	next := p.reserveSprint(goal)
	for _, short := range p.Tasks() {
		if short.Sprint != open.ID || short.Status.Final() {
			continue
		}
		t := p.Task(short.ID).clone()
		t.Sprint = next
		p.keep(t)
		if len(open.Carried) < MaxList {
			open.Carried = append(open.Carried, t.ID)
		}
	}
	p.put(Key{Sprints, string(open.ID)}, &open)
}

// RetroMove stores a sprint's retrospective.
type RetroMove struct {
	Sprint SprintID `yaml:"sprint"`
	Text   string   `yaml:"text"`
}

func (r *RetroMove) subject() string { return string(r.Sprint) }

func (r *RetroMove) check(p *play) *Refusal {
	if p.Sprint(r.Sprint) == nil {
		return refuse(RuleNotFound, "git liza sprint show", "there is no sprint %s", r.Sprint)
	}
	return present("the retrospective", r.Text, "git liza sprint retro --message M")
}

func (r *RetroMove) apply(p *effect) {
	s := *p.Sprint(r.Sprint)
	s.Retro = r.Text
	p.put(Key{Sprints, string(s.ID)}, &s)
}
