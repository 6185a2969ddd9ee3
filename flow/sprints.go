package flow

import (
	"cmp"
	"strconv"
	"time"

	"github.com/git-liza/git-liza/flow/board"
)

// numbered is the sprint of a number.
func numbered(n int) board.SprintID { return board.SprintID("sprint-" + strconv.Itoa(n)) }

// nextSprint is the sprint that a goal opens next.
func nextSprint(b *board.Board, goal board.GoalID) board.SprintID {
	if g := b.Goal(goal); g != nil && g.Next != "" {
		return g.Next
	}
	return numbered(b.Settings().Next.Sprint)
}

// sprintForTasks is the sprint of new tasks of a goal: the open one, else the next; of a
// goal that has ended the last one, because no sprint of it comes.
func sprintForTasks(b *board.Board, goal board.GoalID) board.SprintID {
	if g := b.Goal(goal); g != nil && g.Status != board.InProgress {
		return sprintForRecords(b, goal)
	}
	return cmp.Or(b.OpenSprint(goal), nextSprint(b, goal))
}

// lastSprint is the open sprint of a goal, else the one that was opened last.
func lastSprint(b *board.Board, goal board.GoalID) board.SprintID {
	if open := b.OpenSprint(goal); open != "" {
		return open
	}
	var last board.SprintID
	for _, s := range board.All[*board.Sprint](b, board.Sprints) {
		if s.Goal == goal && (len(s.ID) > len(last) || len(s.ID) == len(last) && s.ID > last) {
			last = s.ID
		}
	}
	return last
}

// sprintForRecords is the sprint in whose folder records of a goal stand.
func sprintForRecords(b *board.Board, goal board.GoalID) board.SprintID {
	return cmp.Or(lastSprint(b, goal), numbered(max(b.Settings().Next.Sprint-1, 1)))
}

// setSprint records which sprint of a goal is open, and which is reserved for
// its next one; "" is none.
func setSprint(p *effect, goal board.GoalID, open, next board.SprintID) {
	g := *p.board.Goal(goal)
	g.Sprint, g.Next = open, next
	p.put(board.Key{Folder: board.Goals, ID: string(g.ID)}, &g)
}

// startSprint opens the next sprint of the move's goal.
func startSprint(p *effect, deadline time.Time) *board.Sprint {
	goal := p.goalID()
	s := &board.Sprint{ID: nextSprint(p.board, goal), Goal: goal, Status: board.InProgress, Started: p.move.At, Deadline: deadline}
	if s.ID == numbered(p.board.Settings().Next.Sprint) {
		p.change(func(set *board.Settings) { set.Next.Sprint++ })
	}
	p.put(board.Key{Folder: board.Sprints, ID: string(s.ID)}, s)
	setSprint(p, goal, s.ID, "")
	return s
}

// reserveSprint is the number of the next sprint of a goal that has none open.
func reserveSprint(p *effect, goal board.GoalID) board.SprintID {
	next := numbered(p.board.Settings().Next.Sprint)
	p.change(func(s *board.Settings) { s.Next.Sprint++ })
	setSprint(p, goal, "", next)
	return next
}

// setSprintPhase sets the phase of all open sprints when a checkpoint begins or
// ends.
func setSprintPhase(p *effect, to board.Phase) {
	for _, id := range board.OpenSprints(p.board) {
		if s := p.board.Sprint(id); s != nil {
			c := *s
			c.Status = to
			p.put(board.Key{Folder: board.Sprints, ID: string(c.ID)}, &c)
		}
	}
}

// keepSprintPlan writes what a sprint plans as it begins. An empty plan says nothing.
func keepSprintPlan(p *effect, plan *board.SprintPlan) {
	if len(plan.Planned)+len(plan.Stretch) > 0 {
		p.put(board.Key{Folder: board.PlannedDocs, ID: string(plan.Sprint)}, plan)
	}
}

// countArchived counts an archived task in the sprint that planned it, by -1 one that comes
// back.
func countArchived(p *effect, t *board.Task, by int) {
	if s := p.board.Sprint(t.Sprint); s != nil && !t.Stretch {
		counted := *s
		counted.Archived += by
		p.put(board.Key{Folder: board.Sprints, ID: string(s.ID)}, &counted)
	}
}

// checkGoals refuses goals whose sprints do not fit their states.
func checkGoals(b *board.Board) *Refusal {
	reserved := map[board.SprintID]bool{"": false}
	for _, id := range b.IDs(board.Goals) {
		g := b.Goal(board.GoalID(id))
		if g == nil {
			return breach("the goal %s stands in a wrong place", id)
		}
		twice := reserved[g.Next]
		reserved[g.Next] = g.Next != ""
		open := b.Sprint(g.Sprint)
		for _, w := range []demand{
			{g.Priority < 1 || g.Priority > 5, "has a priority that is not between 1 and 5"},
			{g.Status == board.InProgress && (g.Sprint == "") == (g.Next == ""), "has not one sprint, open or reserved"},
			{g.Status != board.InProgress && (g.Sprint != "" || g.Next != ""), "has ended, and a sprint of it has not"},
			{g.Sprint != "" && (open == nil || ended(open) || open.Goal != g.ID), "has an open sprint that is not on the board, has ended or belongs to another goal"},
			{twice, "has reserved the sprint of another goal"},
			{g.Next != "" && b.Sprint(g.Next) != nil, "has reserved a sprint that is there already"},
		} {
			if w.broken {
				return breach("the goal %s %s", g.ID, w.reason)
			}
		}
	}
	return nil
}
