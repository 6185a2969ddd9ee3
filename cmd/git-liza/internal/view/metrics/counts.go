// Package metrics counts what the moves of a board say of its tasks, verdicts and
// sessions. It reads no repository and asks no clock: moves are given to it, and so is
// the time. doc/design/metrics.md defines each number.
package metrics

import (
	"cmp"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// Counts are what was counted of the moves of a chain, from its first one on. The zero
// value has counted none.
type Counts struct {
	kept
	byID  map[board.TaskID]*task
	names map[string]string // one string for each name, however often moves say it
}

// What is kept on disk of counts, in the form of package gob.
type kept struct {
	Newest   board.ObjectID // the state commit of the last move that was counted
	Last     moment
	Tasks    []*task // in order of creation
	Sprints  []*sprint
	Verdicts []verdict
	Failures []failure
	Sessions []session
}

// A moment is a move: its number from 1 on, because several share a second, and its time
// in seconds since 1970. The zero value is no moment.
type moment struct {
	N  int
	At int64
}

// A task holds what happened to a task.
type task struct {
	ID          board.TaskID
	Stays       []stay
	Memberships []membership
	Claims      []claim
	Reviews     []review
	Drift       int  // at its merge
	Adopted     bool // a person brought it to integration, so no drift was counted
	Reverts     []board.TaskID
	Reverted    moment
}

// A stay is a state that a task came to at a moment.
type stay struct {
	Status board.Status
	Since  moment
}

// isClaimed and isSubmitted are the states in which somebody can be at work on a task.
func isClaimed(s board.Status) bool   { return s == board.Claimed }
func isSubmitted(s board.Status) bool { return s == board.ReadyForReview }

// A membership is in the goal and the sprint to which a task came at a moment.
type membership struct {
	Goal    board.GoalID
	Sprint  board.SprintID
	Stretch bool
	Since   moment
}

// A claim began an iteration.
type claim struct {
	By board.Actor
	At moment
}

// A review of a task lasts from when it was taken to its verdict, its release or the end of
// its lease.
type review struct {
	By         board.Actor
	Role       board.Role // of which it was, "" if the move left it open
	Begun, End int64
	Over       bool // end is not the end of a lease, which can be renewed
}

// A sprint holds the times of a sprint that has begun.
type sprint struct {
	ID                      board.SprintID
	Goal                    board.GoalID
	Begun, Ended            moment
	Started, Deadline, Over int64 // times of its document; 0 is none
}

// A verdict is an approval or a rejection.
type verdict struct {
	Task     board.TaskID
	By       board.Actor
	Role     board.Role
	Approved bool
	At       moment
}

// A failure is an attempt to merge approved work that failed.
type failure struct {
	Task board.TaskID
	At   moment
}

// A session holds what a session of an agent used, once it has ended.
type session struct {
	Task     board.TaskID
	Goal     board.GoalID
	Sprint   board.SprintID
	By       board.Actor
	Role     board.Role
	Provider string
	Model    string
	Outcome  string
	Used     board.Usage // of one session; its other numbers are 0 if it did not report them
	Counted  bool
	At       moment
}

// Tip is the state commit of the last move that was counted, "" if none was.
func (n *Counts) Tip() board.ObjectID { return n.Newest }

// At is the time of the last move that was counted.
func (n *Counts) At() time.Time { return time.Unix(n.Last.At, 0).UTC() }

// Add counts a move; moves come oldest first.
func (n *Counts) Add(s gitstore.Step) {
	if n.byID == nil {
		n.index()
	}
	n.Newest, n.Last = s.Commit, moment{n.Last.N + 1, s.Move.At.Unix()}
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
	n.byID, n.names = make(map[board.TaskID]*task, len(n.Tasks)), map[string]string{}
	for _, t := range n.Tasks {
		n.byID[t.ID] = t
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
		s = &sprint{ID: named(n, one.ID), Begun: n.Last}
		n.Sprints = append(n.Sprints, s)
	}
	s.Goal, s.Started, s.Deadline, s.Over = named(n, one.Goal), seconds(one.Started), seconds(one.Deadline), seconds(one.Ended)
	switch {
	case s.Over == 0:
		s.Ended = moment{}
	case s.Ended.N == 0:
		s.Ended = n.Last
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
		t = &task{ID: named(n, one.ID)}
		n.Tasks, n.byID[t.ID] = append(n.Tasks, t), t
	}
	if len(t.Stays) == 0 || t.status() != one.To {
		t.Stays = append(t.Stays, stay{one.To, n.Last})
	}
	if was := t.membership(); len(t.Memberships) == 0 || was.Goal != one.Goal || was.Sprint != one.Sprint || was.Stretch != one.Stretch {
		t.Memberships = append(t.Memberships, membership{named(n, one.Goal), named(n, one.Sprint), one.Stretch, n.Last})
	}
	if !isSubmitted(one.To) {
		for i := range t.Reviews {
			t.Reviews[i].finish(n.Last.At)
		}
	}
}

// status is the present state of the task.
func (t *task) status() board.Status { return t.Stays[len(t.Stays)-1].Status }

// membership is that of the task now.
func (t *task) membership() membership {
	if len(t.Memberships) == 0 {
		return membership{}
	}
	return t.Memberships[len(t.Memberships)-1]
}

// finish ends a review, unless its lease has ended before.
func (r *review) finish(at int64) {
	if !r.Over {
		r.End, r.Over = min(r.End, at), true
	}
}

// countDetail counts what a move says beside the states that it changed.
func (n *Counts) countDetail(m flow.Move) {
	t := n.byID[m.Task]
	switch d := m.Detail.(type) {
	case *flow.AddMove:
		n.describe(d.Tasks)
	case *flow.ConvertMove:
		n.describe([]board.TaskInput{d.Input})
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
				t.Adopted = true
				n.markReverted(t.Reverts)
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
func (n *Counts) describe(list []board.TaskInput) {
	for i := range list {
		if t := n.byID[list[i].ID]; t != nil {
			t.setReverts(n, list[i].Reverts)
		}
	}
}

func (t *task) setReverts(n *Counts, list []board.TaskID) {
	t.Reverts = nil
	for _, id := range list {
		t.Reverts = append(t.Reverts, named(n, id))
	}
}

func (n *Counts) markReverted(list []board.TaskID) {
	for _, id := range list {
		if t := n.byID[id]; t != nil {
			t.Reverted = n.Last
		}
	}
}

// countWork counts a move on one task.
func (n *Counts) countWork(m flow.Move, t *task) {
	by, at := named(n, m.By), n.Last
	switch d := m.Detail.(type) {
	case *flow.ClaimMove:
		if isClaimed(t.status()) { // else a limit has blocked it
			t.Claims = append(t.Claims, claim{by, at})
		}
	case *flow.ReviewMove:
		if isSubmitted(t.status()) {
			t.finishReviews(at.At, func(r *review) bool { return r.By == by })
			t.Reviews = append(t.Reviews, review{By: by, Role: named(n, d.Role), Begun: at.At, End: at.At + int64(time.Duration(d.Lease)/time.Second)})
		}
	case *flow.RenewMove:
		if r := t.reviewOf(by, d.Role); r != nil {
			r.End = at.At + int64(time.Duration(d.Lease)/time.Second)
		}
	case *flow.ReleaseMove:
		if r := t.reviewOf(by, d.Role); r != nil {
			r.finish(at.At)
		}
	case *flow.ApproveMove:
		t.finishReviews(at.At, func(r *review) bool { return r.By == by && (d.Role == "" || r.Role == "" || r.Role == d.Role) })
		n.Verdicts = append(n.Verdicts, verdict{t.ID, by, named(n, judgeRole(d.Role, by)), true, at})
	case *flow.RejectMove:
		n.Verdicts = append(n.Verdicts, verdict{t.ID, by, named(n, judgeRole(d.Role, by)), false, at})
	case *flow.IntegrationFailMove:
		n.Failures = append(n.Failures, failure{t.ID, at})
	case *flow.MergeMove:
		t.Drift = d.Drift
		n.markReverted(t.Reverts)
	}
}

// judgeRole is the role for which a verdict was given.
func judgeRole(named board.Role, by board.Actor) board.Role {
	return cmp.Or(named, by.Role(), board.HumanRole)
}

func (t *task) finishReviews(at int64, of func(*review) bool) {
	for i := range t.Reviews {
		if of(&t.Reviews[i]) {
			t.Reviews[i].finish(at)
		}
	}
}

// reviewOf is the review that an actor renews or releases: its own, or that of the role, or
// the only one; nil if there is none.
func (t *task) reviewOf(by board.Actor, role board.Role) *review {
	var open []*review
	for i := range t.Reviews {
		if r := &t.Reviews[i]; !r.Over {
			open = append(open, r)
		}
	}
	for _, r := range open {
		if r.By == by && (role == "" || r.Role == "" || r.Role == role) {
			return r
		}
	}
	for _, r := range open {
		if role != "" && cmp.Or(r.Role, r.By.Role()) == role {
			return r
		}
	}
	if role == "" && len(open) == 1 {
		return open[0]
	}
	return nil
}

func (n *Counts) countSession(m flow.Move, d *flow.SessionMove) {
	s := session{Task: named(n, m.Task), By: named(n, m.By), Role: named(n, d.Role), Provider: named(n, d.Provider), Model: named(n, d.Model),
		Outcome: named(n, d.Outcome), Used: d.Usage, Counted: d.Counted(), At: n.Last}
	s.Used.Sessions = 1
	s.Goal, s.Sprint = n.payers(m)
	n.Sessions = append(n.Sessions, s)
}

// payers are the goal and the sprint to which a session is charged, the same as by the
// rules.
func (n *Counts) payers(m flow.Move) (board.GoalID, board.SprintID) {
	goal := named(n, m.Goal)
	if t := n.byID[m.Task]; t != nil {
		in := t.membership()
		if goal = in.Goal; n.sprintOf(in.Sprint) != nil {
			return goal, in.Sprint
		}
	}
	var last *sprint
	for _, s := range n.Sprints {
		if goal == "" || s.Goal == goal {
			last = s // of a goal that has none open the one that was opened last
		}
	}
	if last == nil {
		return goal, ""
	}
	return last.Goal, last.ID
}

func (n *Counts) sprintOf(id board.SprintID) *sprint {
	for _, s := range n.Sprints {
		if s.ID == id {
			return s
		}
	}
	return nil
}
