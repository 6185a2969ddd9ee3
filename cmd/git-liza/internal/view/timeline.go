package view

import (
	"cmp"
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// A Timeline is what was done when, task by task and agent by agent. It is built from the
// moves of a board, oldest first.
type Timeline struct {
	begun, last time.Time
	tasks       map[board.TaskID]*course
	agents      map[board.Actor]*course
	turns       []turn
	sprints     map[board.SprintID]gitstore.SprintStep
	closed      map[board.SprintID]int // how many turns came before the move that ended a sprint
}

// A course is what was done on a task or by an agent.
type course struct {
	goal  board.GoalID // of a task
	bars  []Bar
	state int       // place of the bar of its present state, -1 if it has none
	holds []int     // places of the bars of claims and reviews that go on
	left  time.Time // when the agent was unregistered, zero if it is there
}

// A turn is a change of a task's state, goal or sprint.
type turn struct {
	gitstore.TaskStep
	at time.Time
}

// The kinds of [Bar].
const (
	StateBar   = "state"
	ClaimBar   = "claim"
	ReviewBar  = "review"
	SessionBar = "session"
	GateBar    = "gate"
	WaitBar    = "wait"
)

// A Bar is a span of time in the life of a task or of an agent.
type Bar struct {
	Kind string    `json:"kind"`
	Name string    `json:"name"` // the state, the outcome of the session, the gate; "" of others
	With string    `json:"with"` // of a task's bar the agent, of an agent's the task
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	Open bool      `json:"open"` // it goes on
}

// NewTimeline returns the timeline of no moves.
func NewTimeline() *Timeline {
	return &Timeline{tasks: map[board.TaskID]*course{}, agents: map[board.Actor]*course{}, sprints: map[board.SprintID]gitstore.SprintStep{}, closed: map[board.SprintID]int{}}
}

// Add adds the next move. A time before that of the move before it counts as that.
func (t *Timeline) Add(s gitstore.Step) {
	at := s.Move.At
	if at.Before(t.last) {
		at = t.last
	}
	if t.begun.IsZero() {
		t.begun = at
	}
	t.last = at
	t.addMove(s.Move, at)
	for _, sprint := range s.Sprints {
		t.sprints[sprint.ID] = sprint
		if _, known := t.closed[sprint.ID]; !known && !sprint.Ended.IsZero() {
			t.closed[sprint.ID] = len(t.turns)
		}
	}
	for _, step := range s.Tasks {
		t.turns = append(t.turns, turn{step, at})
		t.addState(step, at)
	}
}

// addMove adds what an actor did.
func (t *Timeline) addMove(m flow.Move, at time.Time) {
	switch d := m.Detail.(type) {
	case *flow.ClaimMove:
		t.endHolds(m.Task, "", ClaimBar, at)
		t.hold(m, ClaimBar, at)
	case *flow.ReviewMove:
		t.endHolds(m.Task, m.By, ReviewBar, at)
		t.hold(m, ReviewBar, at)
	case *flow.ApproveMove, *flow.RejectMove:
		t.endHolds(m.Task, m.By, ReviewBar, at)
	case *flow.ReleaseMove:
		if !t.endHolds(m.Task, m.By, ReviewBar, at) { // somebody released it for another
			t.endHolds(m.Task, "", ReviewBar, at)
		}
	case *flow.SubmitMove:
		if d.Receipt != nil {
			t.addGates(m.Task, []board.Receipt{*d.Receipt}, at)
		}
	case *flow.MergeMove:
		t.addGates(m.Task, d.Receipts, at)
	case *flow.SessionMove:
		t.addSession(m, d, at)
	case *flow.UnregisterMove:
		if c := t.agents[board.Actor(d.Agent)]; c != nil {
			c.left = at
		}
	}
}

func (t *Timeline) task(id board.TaskID) *course { return courseOf(t.tasks, id) }

func (t *Timeline) agent(by board.Actor) *course {
	c := courseOf(t.agents, by)
	c.left = time.Time{}
	return c
}

// courseOf returns the course of a task or an agent, which begins if there is none.
func courseOf[K comparable](all map[K]*course, id K) *course {
	if all[id] == nil {
		all[id] = &course{state: -1}
	}
	return all[id]
}

// hold begins a claim or a review.
func (t *Timeline) hold(m flow.Move, kind string, at time.Time) {
	of, by := t.task(m.Task), t.agent(m.By)
	of.holds = append(of.holds, of.add(Bar{Kind: kind, With: string(m.By), From: at, To: at, Open: true}))
	by.holds = append(by.holds, by.add(Bar{Kind: kind, With: string(m.Task), From: at, To: at, Open: true}))
}

func (c *course) add(b Bar) int {
	c.bars = append(c.bars, b)
	return len(c.bars) - 1
}

// endHolds ends the claims or reviews of a task that an actor holds, of all actors if
// it is "". It is false if there are none.
func (t *Timeline) endHolds(id board.TaskID, by board.Actor, kind string, at time.Time) bool {
	of, ended := t.task(id), false
	for _, i := range slices.Clone(of.holds) {
		who := of.bars[i].With
		if of.bars[i].Kind != kind || by != "" && who != string(by) {
			continue
		}
		of.end(kind, who, at)
		if c := t.agents[board.Actor(who)]; c != nil {
			c.end(kind, string(id), at)
		}
		ended = true
	}
	return ended
}

// end ends a claim or review with an agent or of a task.
func (c *course) end(kind, with string, at time.Time) {
	c.holds = slices.DeleteFunc(c.holds, func(i int) bool {
		b := &c.bars[i]
		if b.Kind != kind || b.With != with {
			return false
		}
		b.To, b.Open = at, false
		return true
	})
}

// addState ends the bar of a task's state and begins the next, and ends claims and reviews
// that the next state does not have.
func (t *Timeline) addState(step gitstore.TaskStep, at time.Time) {
	c := t.task(step.ID)
	c.goal = step.Goal
	if step.From == step.To {
		return
	}
	if c.state >= 0 {
		c.bars[c.state].To, c.bars[c.state].Open = at, false
	}
	c.state = c.add(Bar{Kind: StateBar, Name: step.To.String(), From: at, To: at, Open: !step.To.Final()})
	if !flow.Allows(step.To, board.ActSubmit) {
		t.endHolds(step.ID, "", ClaimBar, at)
	}
	if !flow.Allows(step.To, board.ActApprove) {
		t.endHolds(step.ID, "", ReviewBar, at)
	}
}

// addGates adds the runs of gates that ended with a move, the last of them last.
func (t *Timeline) addGates(id board.TaskID, list []board.Receipt, at time.Time) {
	c := t.task(id)
	for _, r := range slices.Backward(list) {
		took, err := time.ParseDuration(r.Duration)
		if err != nil {
			took = 0
		}
		from := t.within(at.Add(-max(took, 0)), at)
		c.add(Bar{Kind: GateBar, Name: r.Gate, With: string(r.By), From: from, To: at})
		at = from
	}
}

// within returns a time between the first move and another time.
func (t *Timeline) within(from, to time.Time) time.Time {
	if from.Before(t.begun) || from.After(to) { // it began before the board, or its length overflows
		return t.begun
	}
	return from
}

// addSession adds a session that ended with its move.
func (t *Timeline) addSession(m flow.Move, d *flow.SessionMove, at time.Time) {
	const longest = 1e9 // seconds, as the rules allow
	from := t.within(at.Add(-time.Duration(min(max(d.Usage.Seconds, 0), longest))*time.Second), at)
	t.agent(m.By).add(Bar{Kind: SessionBar, Name: d.Outcome, With: string(m.Task), From: from, To: at})
	if m.Task != "" {
		t.task(m.Task).add(Bar{Kind: SessionBar, Name: d.Outcome, With: string(m.By), From: from, To: at})
	}
}

// A Lane is the bars of one task or agent, oldest first.
type Lane struct {
	ID   string `json:"id"`
	Bars []Bar  `json:"bars"`
}

// Lanes are what a [Timeline] shows of a span of time.
type Lanes struct {
	From  time.Time `json:"from"`
	To    time.Time `json:"to"`
	Lanes []Lane    `json:"lanes"` // those that changed last first
	Left  int       `json:"left"`  // how many more there are
}

// A Window says which lanes are asked for: those of a span of time, after the first ones so
// many. Bars that begin before the span are cut, also those that go on after it.
type Window struct {
	From, To time.Time
	Goal     board.GoalID            // only tasks of this goal, unless it is ""
	Only     func(board.TaskID) bool // only tasks for which it is true, unless it is nil
	Skip     int
	Most     int
}

// Tasks returns the lanes of tasks.
func (t *Timeline) Tasks(w Window) Lanes {
	found := map[string]*course{}
	for id, c := range t.tasks {
		if (w.Goal == "" || c.goal == w.Goal) && (w.Only == nil || w.Only(id)) {
			found[string(id)] = c
		}
	}
	return t.lanes(w, found)
}

// Task returns the lane of one task, without bars if there is none.
func (t *Timeline) Task(id board.TaskID, w Window) Lane { return t.tasks[id].lane(string(id), w) }

// Agent returns the lane of one agent or person, without bars if there is none.
func (t *Timeline) Agent(by board.Actor, w Window) Lane { return t.agents[by].lane(string(by), w) }

// lane returns the lane of a course, which may be nil.
func (c *course) lane(id string, w Window) Lane {
	if c == nil {
		return Lane{id, []Bar{}}
	}
	return Lane{id, c.cut(w.From, w.To)}
}

// Agents returns the lanes of agents and persons.
func (t *Timeline) Agents(w Window) Lanes {
	found := map[string]*course{}
	for id, c := range t.agents {
		found[string(id)] = c
	}
	return t.lanes(w, found)
}

func (t *Timeline) lanes(w Window, found map[string]*course) Lanes {
	all := Lanes{From: w.From, To: w.To, Lanes: []Lane{}}
	last := map[string]time.Time{}
	for id, c := range found {
		if bars := c.cut(w.From, w.To); len(bars) > 0 {
			all.Lanes = append(all.Lanes, Lane{id, bars})
			for _, b := range bars {
				if b.From.After(last[id]) {
					last[id] = b.From
				}
			}
		}
	}
	slices.SortStableFunc(all.Lanes, func(x, y Lane) int {
		return cmp.Or(last[y.ID].Compare(last[x.ID]), cmp.Compare(len(x.ID), len(y.ID)), cmp.Compare(x.ID, y.ID))
	})
	all.Lanes = all.Lanes[min(w.Skip, len(all.Lanes)):]
	all.Left = max(len(all.Lanes)-w.Most, 0)
	all.Lanes = all.Lanes[:len(all.Lanes)-all.Left]
	return all
}

// Span returns the times of the first move and of the last; both are zero without moves.
// idle is true if no task is open: then nothing goes on after the last.
func (t *Timeline) Span() (first, last time.Time, idle bool) {
	idle = true
	for _, c := range t.tasks {
		if c.state >= 0 && c.bars[c.state].Open {
			idle = false
			break
		}
	}
	return t.begun, t.last, idle
}
