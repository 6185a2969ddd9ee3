package flow

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/git-liza/git-liza/flow/lists"
)

// A calendar knows the sprints of goals: each goal in progress has one that is open, or
// the number reserved for its next one.
type calendar struct{ *Board }

func (c *Board) calendar() calendar { return calendar{c} }

// numbered is the sprint of a number.
func numbered(n int) SprintID { return SprintID("sprint-" + strconv.Itoa(n)) }

// open is the open sprint of a goal, "" if none is open.
func (c calendar) open(goal GoalID) SprintID {
	if g := c.Goal(goal); g != nil {
		return g.Sprint
	}
	return ""
}

// next is the sprint that a goal opens next.
func (c calendar) next(goal GoalID) SprintID {
	if g := c.Goal(goal); g != nil && g.Next != "" {
		return g.Next
	}
	return numbered(c.Settings().Next.Sprint)
}

// forTasks is the sprint of new tasks of a goal: the open one, else the next; of a
// goal that has ended the last one, because no sprint of it comes.
func (c calendar) forTasks(goal GoalID) SprintID {
	if g := c.Goal(goal); g != nil && g.Status != InProgress {
		return c.forRecords(goal)
	}
	return cmp.Or(c.open(goal), c.next(goal))
}

// last is the open sprint of a goal, else the one that was opened last.
func (c calendar) last(goal GoalID) SprintID {
	if open := c.open(goal); open != "" {
		return open
	}
	var last SprintID
	for _, s := range All[*Sprint](c.Board, Sprints) {
		if s.Goal == goal && (len(s.ID) > len(last) || len(s.ID) == len(last) && s.ID > last) {
			last = s.ID
		}
	}
	return last
}

// forRecords is the sprint in whose folder records of a goal stand.
func (c calendar) forRecords(goal GoalID) SprintID {
	return cmp.Or(c.last(goal), numbered(max(c.Settings().Next.Sprint-1, 1)))
}

// goals are the goals in progress: by priority, then by age.
func (c calendar) goals() []*Goal {
	list := lists.Where(All[*Goal](c.Board, Goals), func(g *Goal) bool { return g.Status == InProgress })
	slices.SortStableFunc(list, func(x, y *Goal) int {
		return cmp.Or(cmp.Compare(x.Priority, y.Priority), x.Created.Compare(y.Created))
	})
	return list
}

// GoalsInProgress are the goals in progress, as supervisors serve them: by priority,
// then by age.
func (b *Board) GoalsInProgress() []*Goal { return b.calendar().goals() }

// openSprints are the open sprints of all goals.
func (c calendar) openSprints() []SprintID {
	list := lists.Of(c.goals(), func(g *Goal) SprintID { return g.Sprint })
	return slices.DeleteFunc(list, func(id SprintID) bool { return id == "" })
}

// OpenSprint is the open sprint of a goal, "" between two.
func (b *Board) OpenSprint(goal GoalID) SprintID { return b.calendar().open(goal) }

// setSprint records which sprint of a goal is open, and which is reserved for
// its next one; "" is none.
func (p *effect) setSprint(goal GoalID, open, next SprintID) {
	g := *p.board.Goal(goal)
	g.Sprint, g.Next = open, next
	p.put(Key{Goals, string(g.ID)}, &g)
}

// startSprint opens the next sprint of the move's goal.
func (p *effect) startSprint(deadline time.Time) *Sprint {
	goal := p.goalID()
	s := &Sprint{ID: p.board.calendar().next(goal), Goal: goal, Status: InProgress, Started: p.move.At, Deadline: deadline}
	if s.ID == numbered(p.board.Settings().Next.Sprint) {
		p.change(func(set *Settings) { set.Next.Sprint++ })
	}
	p.put(Key{Sprints, string(s.ID)}, s)
	p.setSprint(goal, s.ID, "")
	return s
}

// reserveSprint is the number of the next sprint of a goal that has none open.
func (p *effect) reserveSprint(goal GoalID) SprintID {
	next := numbered(p.board.Settings().Next.Sprint)
	p.change(func(s *Settings) { s.Next.Sprint++ })
	p.setSprint(goal, "", next)
	return next
}

// sprintPhase sets the phase of all open sprints when a checkpoint begins or
// ends.
func (p *effect) sprintPhase(to Phase) {
	for _, id := range p.board.calendar().openSprints() {
		if s := p.board.Sprint(id); s != nil {
			c := *s
			c.Status = to
			p.put(Key{Sprints, string(c.ID)}, &c)
		}
	}
}

// plan is what a sprint planned when it began; nil if none is kept.
func (c calendar) plan(id SprintID) *SprintPlan {
	plan, _ := c.load(Key{PlannedDocs, string(id)}).(*SprintPlan)
	return plan
}

// PlanOf is what a sprint planned when it began; nil if it planned nothing.
func PlanOf(b *Board, id SprintID) *SprintPlan { return b.calendar().plan(id) }

// keepPlan writes what a sprint plans as it begins. An empty plan says nothing.
func (c calendar) keepPlan(p *effect, plan *SprintPlan) {
	if len(plan.Planned)+len(plan.Stretch) > 0 {
		p.put(Key{PlannedDocs, string(plan.Sprint)}, plan)
	}
}

// countArchived counts an archived task in the sprint that planned it, by -1 one that comes
// back.
func (c calendar) countArchived(p *effect, t *Task, by int) {
	if s := c.Sprint(t.Sprint); s != nil && !t.Stretch {
		counted := *s
		counted.Archived += by
		p.put(Key{Sprints, string(s.ID)}, &counted)
	}
}

// checkGoals refuses goals whose sprints do not fit their states.
func (k checker) checkGoals() *Refusal {
	reserved := map[SprintID]bool{"": false}
	for _, id := range k.IDs(Goals) {
		g := k.Goal(GoalID(id))
		if g == nil {
			return breach("the goal %s stands in a wrong place", id)
		}
		twice := reserved[g.Next]
		reserved[g.Next] = g.Next != ""
		open := k.Sprint(g.Sprint)
		for _, w := range []demand{
			{g.Priority < 1 || g.Priority > 5, "has a priority that is not between 1 and 5"},
			{g.Status == InProgress && (g.Sprint == "") == (g.Next == ""), "has not one sprint, open or reserved"},
			{g.Status != InProgress && (g.Sprint != "" || g.Next != ""), "has ended, and a sprint of it has not"},
			{g.Sprint != "" && (open == nil || ended(open) || open.Goal != g.ID), "has an open sprint that is not on the board, has ended or belongs to another goal"},
			{twice, "has reserved the sprint of another goal"},
			{g.Next != "" && k.Sprint(g.Next) != nil, "has reserved a sprint that is there already"},
		} {
			if w.broken {
				return breach("the goal %s %s", g.ID, w.reason)
			}
		}
	}
	return nil
}
