package view

import (
	"cmp"
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// A Tally is how many tasks stood in which state at a time.
type Tally struct {
	At     time.Time      `json:"at"`
	States map[string]int `json:"states"` // no state without tasks
}

// Tallies returns the tasks by state at times that are evenly spread, the first and the
// last of a span included; only those of a goal, unless it is "".
func (t *Timeline) Tallies(goal board.GoalID, from, to time.Time, n int) []Tally {
	if t.begun.IsZero() || to.Before(from) || n < 2 {
		return []Tally{}
	}
	type place struct {
		status board.Status
		goal   board.GoalID
	}
	now := map[board.TaskID]place{}
	counts := map[board.Status]int{}
	list, next := make([]Tally, 0, n), 0
	for i := range n {
		at := from.Add(to.Sub(from) / time.Duration(n-1) * time.Duration(i))
		if i == n-1 {
			at = to
		}
		for ; next < len(t.turns) && !t.turns[next].at.After(at); next++ {
			s := &t.turns[next]
			if was := now[s.ID]; was.status != 0 && (goal == "" || was.goal == goal) {
				counts[was.status]--
			}
			now[s.ID] = place{s.To, s.Goal}
			if goal == "" || s.Goal == goal {
				counts[s.To]++
			}
		}
		states := map[string]int{}
		for status, count := range counts {
			if count > 0 {
				states[status.String()] = count
			}
		}
		list = append(list, Tally{at, states})
	}
	return list
}

// A Burndown is how many planned tasks of a sprint were open when.
type Burndown struct {
	Sprint   board.SprintID `json:"sprint"`
	Goal     board.GoalID   `json:"goal"`
	Started  time.Time      `json:"started"`
	Deadline *time.Time     `json:"deadline"` // null if it has none
	Ended    *time.Time     `json:"ended"`    // null while it is open
	Points   []BurnPoint    `json:"points"`   // where a number changed, oldest first
}

// A BurnPoint is the planned tasks of a sprint from a time on.
type BurnPoint struct {
	At      time.Time `json:"at"`
	Planned int       `json:"planned"`
	Open    int       `json:"open"`
}

// Burndowns returns the sprints that began until a time, newest first; only those of a goal,
// unless it is "".
func (t *Timeline) Burndowns(goal board.GoalID, until time.Time) []Burndown {
	of := map[board.SprintID]*Burndown{}
	for id, s := range t.sprints {
		if (goal == "" || s.Goal == goal) && !s.Started.After(until) {
			of[id] = &Burndown{Sprint: id, Goal: s.Goal, Started: s.Started, Deadline: timeOrNil(s.Deadline), Points: []BurnPoint{}}
			if !s.Ended.After(until) {
				of[id].Ended = timeOrNil(s.Ended)
			}
		}
	}
	t.burn(of, until)
	list := make([]Burndown, 0, len(of))
	for _, b := range of {
		list = append(list, *b)
	}
	slices.SortStableFunc(list, func(x, y Burndown) int {
		return cmp.Or(y.Started.Compare(x.Started), cmp.Compare(len(y.Sprint), len(x.Sprint)), cmp.Compare(y.Sprint, x.Sprint))
	})
	return list
}

// burn fills in the points of burndowns.
func (t *Timeline) burn(of map[board.SprintID]*Burndown, until time.Time) {
	now := map[board.TaskID]gitstore.TaskStep{}
	counts := map[board.SprintID]BurnPoint{}
	begin := func(at time.Time) {
		for id, b := range of {
			if len(b.Points) == 0 && !b.Started.After(at) {
				b.mark(b.Started, counts[id])
			}
		}
	}
	count := func(s gitstore.TaskStep, n int) {
		if c := counts[s.Sprint]; s.To != 0 && !s.Stretch {
			c.Planned += n
			if !s.To.Final() {
				c.Open += n
			}
			counts[s.Sprint] = c
		}
	}
	for i, s := range t.turns {
		if s.at.After(until) {
			break
		}
		begin(s.at)
		was := now[s.ID]
		now[s.ID] = s.TaskStep
		count(was, -1)
		count(s.TaskStep, 1)
		for _, id := range []board.SprintID{was.Sprint, s.Sprint} {
			if b := of[id]; b != nil && !b.Started.After(s.at) && (b.Ended == nil || i < t.closed[id]) { // what is open then passes to the next one
				b.change(s.at, counts[id])
			}
		}
	}
	begin(until)
	for _, b := range of {
		end := until
		if b.Ended != nil {
			end = *b.Ended
		}
		b.mark(end, b.Points[len(b.Points)-1])
	}
}

// change adds a point if its numbers differ from those before.
func (b *Burndown) change(at time.Time, p BurnPoint) {
	if last := b.Points[len(b.Points)-1]; last.Planned != p.Planned || last.Open != p.Open {
		b.mark(at, p)
	}
}

// mark adds a point, or changes the last one if it has the same time.
func (b *Burndown) mark(at time.Time, p BurnPoint) {
	p.At = at
	if last := len(b.Points) - 1; last >= 0 && !b.Points[last].At.Before(at) {
		b.Points[last] = p
		return
	}
	b.Points = append(b.Points, p)
}

func timeOrNil(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}
