package flow

import (
	"cmp"

	"github.com/git-liza/git-liza/flow/board"
)

// goalOpen refuses acts on a goal that has ended.
func goalOpen(p *play) *Refusal {
	switch g := p.board.Goal(p.goalID()); {
	case g != nil && g.Status == board.InProgress:
		return nil
	case g != nil:
		return refuse(RuleNotFound, "git liza goal list", "the goal %s is %s, not in progress", g.ID, g.Status)
	}
	return refuse(RuleNotFound, "git liza goal show", "no goal is in progress")
}

// CompleteMove ends a goal that was reached. A person says what becomes of its
// open tasks if there are any.
type CompleteMove struct {
	Reason string       `yaml:"reason"`
	Open   board.Fate   `yaml:"open_tasks"`
	To     board.GoalID `yaml:"to"` // of tasks that are moved

	Tip      board.ObjectID  `yaml:"tip"`      // of integration, on which the gates of goals ran; "" if there are none
	Receipts []board.Receipt `yaml:"receipts"` // of these gates
}

func (c *CompleteMove) subject() string { return "goal" }

func (c *CompleteMove) check(p *play) *Refusal {
	goal := p.goalID()
	open := board.OpenTasksOf(p.board, goal)
	tasks := "tasks"
	if len(open) == 1 {
		tasks = "task"
	}
	switch {
	case !p.move.By.IsHuman():
		return c.checkAgent(p, open)
	case c.To != "" && c.Open != board.TasksMoved:
		return refuse(RuleForm, "git liza help goal", "open tasks pass to %s only if they are moved", c.To)
	case c.Open == 0 && len(open) > 0:
		return refuse(RuleOpen, "git liza list --goal "+string(goal),
			"%d open %s in %s, first %s (%s): --force abandon gives them up, keep leaves them, GOAL passes them on",
			len(open), tasks, goal, open[0].ID, open[0].Status)
	case c.Open == board.TasksMoved:
		if to := p.board.Goal(c.To); to == nil || to.ID == goal || to.Status != board.InProgress {
			return refuse(RuleGoal, "git liza goal list", "%q is no other goal in progress to which open tasks can pass", board.Clip(string(c.To)))
		}
		if r := c.checkMoved(p, open); r != nil {
			return r
		}
	case c.Open == board.TasksAbandoned:
		if r := checkAbandoned(p.board, goal, open); r != nil {
			return r
		}
	}
	return c.gates(p)
}

// ask asks for the tree on which gates ran.
func (c *CompleteMove) ask(_ Move, b *board.Board) Query {
	if len(c.Receipts) == 0 {
		return Query{}
	}
	return Query{Submission: b.Settings().Integration.Tip}
}

// gates refuses to complete a goal whose gates have not passed on integration.
func (c *CompleteMove) gates(p *play) *Refusal {
	hint := "git liza goal done " + string(p.goalID())
	if len(c.Receipts) > 0 && c.Tip != p.board.Settings().Integration.Tip {
		return refuse(RuleTip, hint, "integration is at %s, the gates of the goal ran at %s", p.board.Settings().Integration.Tip.Short(), c.Tip.Short())
	}
	return cmp.Or(checkReceipts(p, board.AtGoal, c.Receipts, hint), checkPassed(p, board.AtGoal, c.Receipts, "", nil, hint))
}

// checkAgent refuses an agent that ends a goal with open tasks, or without any.
func (c *CompleteMove) checkAgent(p *play, open []*board.Summary) *Refusal {
	goal := p.goalID()
	if c.Open != 0 || c.To != "" {
		return refuse(RuleRole, "git liza goal done", "only a human says what becomes of open tasks")
	}
	if len(open) > 0 {
		return refuse(RuleOpen, "git liza list", "%s is %s: a goal completes when all its tasks are final, or when a human says so", open[0].ID, open[0].Status)
	}
	if p.board.Goal(goal).Added == 0 {
		return refuse(RuleOpen, "git liza task add --from FILE", "the goal has no tasks yet: only a human can say that it is reached")
	}
	return cmp.Or(checkComplete(p), checkExits(p.board, goal), c.gates(p))
}

// checkExits refuses agents to complete a goal before the last phase of its workflow is
// done.
func checkExits(b *board.Board, goal board.GoalID) *Refusal {
	w, g := board.FindWorkflow(b, goal), b.Goal(goal)
	if w == nil || g == nil {
		return nil
	}
	if last := w.Phases[len(w.Phases)-1].Name; g.Phase != last {
		return refuse(RulePhase, "git liza goal show "+string(goal), "%s is in the phase %s, the last one is %s", goal, g.Phase, last)
	}
	for _, r := range ExitLacks(b, goal) {
		return r
	}
	return nil
}

// phase is that of a task which passes to another goal: its own if the workflow of that
// goal has it, else the one that the goal is in.
func (c *CompleteMove) phase(p *play, t *board.Task) board.PhaseID {
	w := board.FindWorkflow(p.board, c.To)
	switch {
	case w == nil:
		return ""
	case t.Phase == board.AnyPhase || w.Phase(t.Phase) != nil:
		return t.Phase
	}
	return p.board.Goal(c.To).Phase
}

// checkMoved refuses to pass tasks to a goal in whose phases they have no place.
func (c *CompleteMove) checkMoved(p *play, open []*board.Summary) *Refusal {
	w := board.FindWorkflow(p.board, c.To)
	for _, s := range open {
		t := p.board.Task(s.ID)
		if w == nil || t == nil {
			continue
		}
		if f := w.Phase(c.phase(p, t)); f != nil && !f.Admits(t) {
			return refuse(RulePhase, "git liza goal show "+string(c.To), "the phase %s of %s has no tasks of the kind %s that %s does, as %s is", f.Name, c.To, t.Kind, t.Doer().One(), t.ID)
		}
	}
	return nil
}

// checkAbandoned refuses to give up tasks of a goal whose work would be lost,
// or that tasks of other goals need.
func checkAbandoned(b *board.Board, goal board.GoalID, open []*board.Summary) *Refusal {
	given := map[board.TaskID]bool{}
	for _, s := range open {
		if t := b.Task(s.ID); t != nil && t.Attempt != nil {
			return refuse(RuleOpen, "git liza task abandon "+string(s.ID)+" --reason R", "%s has work that must be saved first", s.ID)
		}
		given[s.ID] = true
	}
	for _, other := range b.Summaries() {
		if other.Goal == goal || other.Status.Final() {
			continue
		}
		for _, need := range other.DependsOn {
			if given[need] {
				return refuse(RuleDependants, "git liza task edit "+string(other.ID)+" --depends-on IDS", "%s of %s needs %s", other.ID, other.Goal, need)
			}
		}
	}
	return nil
}

func (c *CompleteMove) apply(p *effect) {
	goal := p.goalID()
	recordGates(p, board.AtGoal, "", c.Receipts)
	for _, s := range board.OpenTasksOf(p.board, goal) {
		t := p.board.Task(s.ID).Clone()
		switch c.Open {
		case board.TasksAbandoned:
			dropBlock(t, p)
			t.Status, t.Abandoned = board.Abandoned, "goal "+string(goal)+" done"
			t.AbandonedBy = p.move.By
		case board.TasksMoved:
			t.Phase = c.phase(p.play, t)
			t.Goal, t.Sprint = c.To, sprintForTasks(p.board, c.To)
			to := *p.board.Goal(c.To)
			to.Added++
			p.put(board.Key{Folder: board.Goals, ID: string(to.ID)}, &to)
			clearLevels(p, c.To, t.Level)
		default:
			continue
		}
		p.keep(t)
	}
	endGoal(p, goal, board.Completed, c.Reason)
}

func (c *CompleteMove) already(p *play) bool { return p.ended(board.Completed) }

// ended reports whether the goal of the move is in that final state.
func (p *play) ended(as board.Phase) bool {
	g := p.board.Goal(p.goalID())
	return g != nil && g.Status == as
}

// AbortMove ends a goal that is given up.
type AbortMove struct {
	Reason string `yaml:"reason"`
}

func (a *AbortMove) subject() string { return "goal" }

func (a *AbortMove) check(*play) *Refusal {
	return present("the reason", a.Reason, "git liza goal abort --reason R")
}

func (a *AbortMove) already(p *play) bool { return p.ended(board.Aborted) }

func (a *AbortMove) apply(p *effect) { endGoal(p, p.goalID(), board.Aborted, a.Reason) }

// endGoal ends a goal, its open sprint and what a decision holds back of it.
func endGoal(p *effect, goal board.GoalID, to board.Phase, reason string) {
	over := *p.board.Goal(goal)
	over.Status, over.Ended, over.Reason, over.Hold = to, p.move.At, reason, nil
	p.put(board.Key{Folder: board.Goals, ID: string(goal)}, &over)
	if open := p.board.Sprint(p.board.OpenSprint(goal)); open != nil {
		over := *open
		over.Status, over.Ended, over.Reason = board.Completed, p.move.At, reason
		p.put(board.Key{Folder: board.Sprints, ID: string(over.ID)}, &over)
	}
	setSprint(p, goal, "", "")
	if left := p.board.GoalsInProgress(); len(left) > 0 && p.board.Settings().Goal == goal {
		p.change(func(s *board.Settings) { s.Goal = left[0].ID })
	}
}
