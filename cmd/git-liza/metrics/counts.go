// Package metrics counts what the moves of a board say of its tasks, verdicts and
// sessions. It reads no repository and asks no clock: moves are given to it, and so is
// the time. doc/design/metrics.md defines each number.
package metrics

import (
	"cmp"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// Counts are what was counted of the moves of a chain, from its first one on. The zero
// value has counted none.
type Counts struct {
	tip      flow.ObjectID // of the last move that was counted
	last     moment
	tasks    []*task // in order of creation
	sprints  []*sprint
	verdicts []verdict
	failures []failure
	sessions []session

	byID  map[flow.TaskID]*task
	names map[string]string // one string for each name, however often moves say it
}

// A moment is a move: its number from 1 on, because several share a second, and its time
// in seconds since 1970. The zero value is no moment.
type moment struct {
	n  int
	at int64
}

// A task holds what happened to a task.
type task struct {
	id          flow.TaskID
	stays       []stay
	memberships []membership
	claims      []claim
	reviews     []review
	drift       int  // at its merge
	adopted     bool // a person brought it to integration, so no drift was counted
	reverts     []flow.TaskID
	reverted    moment
}

// A stay is a state that a task came to at a moment.
type stay struct {
	status flow.Status
	since  moment
}

// isClaimed and isSubmitted are the states in which somebody can be at work on a task.
func isClaimed(s flow.Status) bool   { return s == flow.Claimed }
func isSubmitted(s flow.Status) bool { return s == flow.ReadyForReview }

// A membership is in the goal and the sprint to which a task came at a moment.
type membership struct {
	goal    flow.GoalID
	sprint  flow.SprintID
	stretch bool
	since   moment
}

// A claim began an iteration.
type claim struct {
	by flow.Actor
	at moment
}

// A review of a task lasts from when it was taken to its verdict, its release or the end of
// its lease.
type review struct {
	by         flow.Actor
	role       flow.Role // of which it was, "" if the move left it open
	begun, end int64
	over       bool // end is not the end of a lease, which can be renewed
}

// A sprint holds the times of a sprint that has begun.
type sprint struct {
	id                      flow.SprintID
	goal                    flow.GoalID
	begun, ended            moment
	started, deadline, over int64 // times of its document; 0 is none
}

// A verdict is an approval or a rejection.
type verdict struct {
	task     flow.TaskID
	by       flow.Actor
	role     flow.Role
	approved bool
	at       moment
}

// A failure is an attempt to merge approved work that failed.
type failure struct {
	task flow.TaskID
	at   moment
}

// A session holds what a session of an agent used, once it has ended.
type session struct {
	task     flow.TaskID
	goal     flow.GoalID
	sprint   flow.SprintID
	by       flow.Actor
	role     flow.Role
	provider string
	model    string
	outcome  string
	used     flow.Usage // of one session; its other numbers are 0 if it did not report them
	counted  bool
	at       moment
}

// Tip is the state commit of the last move that was counted, "" if none was.
func (n *Counts) Tip() flow.ObjectID { return n.tip }

// At is the time of the last move that was counted.
func (n *Counts) At() time.Time { return time.Unix(n.last.at, 0).UTC() }

// Add counts a move; moves come oldest first.
func (n *Counts) Add(s gitstore.Step) {
	if n.byID == nil {
		n.index()
	}
	n.tip, n.last = s.Commit, moment{n.last.n + 1, s.Move.At.Unix()}
	for _, one := range s.Sprints {
		n.enterSprint(one)
	}
	for _, one := range s.Tasks {
		n.enterTask(one)
	}
	n.countDetail(s.Move)
}

// index makes the maps that are not kept on disk.
func (n *Counts) index() {
	n.byID, n.names = make(map[flow.TaskID]*task, len(n.tasks)), map[string]string{}
	for _, t := range n.tasks {
		n.byID[t.id] = t
	}
}

// named returns a string that does not keep the text of a whole move in memory.
func named[T ~string](n *Counts, name T) T {
	if known, ok := n.names[string(name)]; ok {
		return T(known)
	}
	own := string(append([]byte(nil), name...))
	n.names[own] = own
	return T(own)
}

func (n *Counts) enterSprint(one gitstore.SprintStep) {
	s := n.sprintOf(one.ID)
	if s == nil {
		s = &sprint{id: named(n, one.ID), begun: n.last}
		n.sprints = append(n.sprints, s)
	}
	s.goal, s.started, s.deadline, s.over = named(n, one.Goal), seconds(one.Started), seconds(one.Deadline), seconds(one.Ended)
	switch {
	case s.over == 0:
		s.ended = moment{}
	case s.ended.n == 0:
		s.ended = n.last
	}
}

// seconds is a time as a moment has it, 0 for none.
func seconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

func (n *Counts) enterTask(one gitstore.TaskStep) {
	t := n.byID[one.ID]
	if t == nil {
		t = &task{id: named(n, one.ID)}
		n.tasks, n.byID[t.id] = append(n.tasks, t), t
	}
	if len(t.stays) == 0 || t.status() != one.To {
		t.stays = append(t.stays, stay{one.To, n.last})
	}
	if was := t.membership(); len(t.memberships) == 0 || was.goal != one.Goal || was.sprint != one.Sprint || was.stretch != one.Stretch {
		t.memberships = append(t.memberships, membership{named(n, one.Goal), named(n, one.Sprint), one.Stretch, n.last})
	}
	if !isSubmitted(one.To) {
		for i := range t.reviews {
			t.reviews[i].finish(n.last.at)
		}
	}
}

// status is the present state of the task.
func (t *task) status() flow.Status { return t.stays[len(t.stays)-1].status }

// membership is that of the task now.
func (t *task) membership() membership {
	if len(t.memberships) == 0 {
		return membership{}
	}
	return t.memberships[len(t.memberships)-1]
}

// finish ends a review, unless its lease has ended before.
func (r *review) finish(at int64) {
	if !r.over {
		r.end, r.over = min(r.end, at), true
	}
}

// countDetail counts what a move says beside the states that it changed.
func (n *Counts) countDetail(m flow.Move) {
	t := n.byID[m.Task]
	switch d := m.Detail.(type) {
	case *flow.AddMove:
		n.describe(d.Tasks)
	case *flow.ConvertMove:
		n.describe([]flow.TaskInput{d.Input})
	case *flow.SupersedeMove:
		n.describe(d.Add)
	case *flow.EditMove:
		if t != nil {
			t.setReverts(n, d.Input.Reverts)
		}
	case *flow.AdoptMove:
		n.markReverted(d.Reverts)
		for _, id := range d.Tasks {
			if t := n.byID[id]; t != nil {
				t.adopted = true
				n.markReverted(t.reverts)
			}
		}
	case *flow.SessionMove:
		n.countSession(m, d)
	}
	if t != nil {
		n.countWork(m, t)
	}
}

// describe notes which merged tasks new tasks take back.
func (n *Counts) describe(list []flow.TaskInput) {
	for i := range list {
		if t := n.byID[list[i].ID]; t != nil {
			t.setReverts(n, list[i].Reverts)
		}
	}
}

func (t *task) setReverts(n *Counts, list []flow.TaskID) {
	t.reverts = nil
	for _, id := range list {
		t.reverts = append(t.reverts, named(n, id))
	}
}

func (n *Counts) markReverted(list []flow.TaskID) {
	for _, id := range list {
		if t := n.byID[id]; t != nil {
			t.reverted = n.last
		}
	}
}

// countWork counts a move on one task.
func (n *Counts) countWork(m flow.Move, t *task) {
	by, at := named(n, m.By), n.last
	switch d := m.Detail.(type) {
	case *flow.ClaimMove:
		if isClaimed(t.status()) { // else a limit has blocked it
			t.claims = append(t.claims, claim{by, at})
		}
	case *flow.ReviewMove:
		if isSubmitted(t.status()) {
			t.finishReviews(at.at, func(r *review) bool { return r.by == by })
			t.reviews = append(t.reviews, review{by: by, role: named(n, d.Role), begun: at.at, end: at.at + int64(time.Duration(d.Lease)/time.Second)})
		}
	case *flow.RenewMove:
		if r := t.reviewOf(by, d.Role); r != nil {
			r.end = at.at + int64(time.Duration(d.Lease)/time.Second)
		}
	case *flow.ReleaseMove:
		if r := t.reviewOf(by, d.Role); r != nil {
			r.finish(at.at)
		}
	case *flow.ApproveMove:
		t.finishReviews(at.at, func(r *review) bool { return r.by == by && (d.Role == "" || r.role == "" || r.role == d.Role) })
		n.verdicts = append(n.verdicts, verdict{t.id, by, named(n, judgeRole(d.Role, by)), true, at})
	case *flow.RejectMove:
		n.verdicts = append(n.verdicts, verdict{t.id, by, named(n, judgeRole(d.Role, by)), false, at})
	case *flow.IntegrationFailMove:
		n.failures = append(n.failures, failure{t.id, at})
	case *flow.MergeMove:
		t.drift = d.Drift
		n.markReverted(t.reverts)
	}
}

// judgeRole is the role for which a verdict was given.
func judgeRole(named flow.Role, by flow.Actor) flow.Role {
	return cmp.Or(named, by.Role(), flow.HumanRole)
}

func (t *task) finishReviews(at int64, of func(*review) bool) {
	for i := range t.reviews {
		if of(&t.reviews[i]) {
			t.reviews[i].finish(at)
		}
	}
}

// reviewOf is the review that an actor renews or releases: its own, or that of the role, or
// the only one; nil if there is none.
func (t *task) reviewOf(by flow.Actor, role flow.Role) *review {
	var open []*review
	for i := range t.reviews {
		if r := &t.reviews[i]; !r.over {
			open = append(open, r)
		}
	}
	for _, r := range open {
		if r.by == by && (role == "" || r.role == "" || r.role == role) {
			return r
		}
	}
	for _, r := range open {
		if role != "" && cmp.Or(r.role, r.by.Role()) == role {
			return r
		}
	}
	if role == "" && len(open) == 1 {
		return open[0]
	}
	return nil
}

func (n *Counts) countSession(m flow.Move, d *flow.SessionMove) {
	s := session{task: named(n, m.Task), by: named(n, m.By), role: named(n, d.Role), provider: named(n, d.Provider), model: named(n, d.Model),
		outcome: named(n, d.Outcome), used: d.Usage, counted: d.Counted(), at: n.last}
	s.used.Sessions = 1
	s.goal, s.sprint = n.payers(m)
	n.sessions = append(n.sessions, s)
}

// payers are the goal and the sprint to which a session is charged, the same as by the
// rules.
func (n *Counts) payers(m flow.Move) (flow.GoalID, flow.SprintID) {
	goal := named(n, m.Goal)
	if t := n.byID[m.Task]; t != nil {
		in := t.membership()
		if goal = in.goal; n.sprintOf(in.sprint) != nil {
			return goal, in.sprint
		}
	}
	var last *sprint
	for _, s := range n.sprints {
		if goal == "" || s.goal == goal {
			last = s // of a goal that has none open the one that was opened last
		}
	}
	if last == nil {
		return goal, ""
	}
	return last.goal, last.id
}

func (n *Counts) sprintOf(id flow.SprintID) *sprint {
	for _, s := range n.sprints {
		if s.id == id {
			return s
		}
	}
	return nil
}
