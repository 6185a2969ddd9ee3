package view

import (
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// A Head is the first line of a dashboard: the goal that status speaks of, and how far it
// is.
type Head struct {
	Goal     board.GoalID
	Title    string
	Others   int    // goals in progress beside it
	State    string // of the board, such as RUNNING
	Running  bool
	Decides  bool           // a checkpoint waits for a decision
	Since    time.Time      // since when it is in that state, if it does not run
	Sprint   board.SprintID // "" between two
	Planned  int            // tasks of the sprint
	Final    int            // of these
	Deadline time.Time      // of the sprint; zero: none
	Progress string         // how much of the goal's work is merged, "" without tasks
	Cost     board.Cost     // of the goal, as far as it is known
	Remote   string         // what is wrong with the remote, "" if nothing is
}

// Head returns the first line of a dashboard. It costs less than [Picture.Status].
func (p *Picture) Head() Head {
	r := p.reading
	c := r.Board.Settings().Control
	h := Head{State: c.State.String(), Running: c.State.IsRunning(), Decides: c.NeedsDecision(), Since: c.At}
	if goal := r.Board.Goal(r.goal()); goal != nil {
		h.Goal, h.Title, h.Cost = goal.ID, goal.Title, goal.Usage.Cost
	}
	h.Others = len(lists.Where(r.Board.GoalsInProgress(), func(goal *board.Goal) bool { return goal.ID != h.Goal }))
	if sprint := r.Board.Sprint(r.Board.OpenSprint(r.goal())); sprint != nil {
		h.Sprint, h.Deadline = sprint.ID, sprint.Deadline
		h.Planned, h.Final = board.PlannedTasks(r.Board, sprint)
	}
	h.Progress = p.rows.of[r.goal()].progress(r.Board.Goal(r.goal()))
	if r.Local.Remote.Parted {
		h.Remote = r.Local.Remote.line(r.At)
	}
	return h
}
