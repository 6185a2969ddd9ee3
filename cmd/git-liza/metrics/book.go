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

// A Book is what was counted of the moves of a chain, from its first one on. The zero
// value has counted none.
type Book struct {
	tip      flow.ObjectID // of the last move that was counted
	last     moment
	tasks    []*life // in order of creation
	sprints  []*sprint
	verdicts []verdict
	failures []failure
	sessions []session

	lives map[flow.TaskID]*life
	names map[string]string // one string for each name, however often moves say it
}

// A moment is a move: its number from 1 on, because several share a second, and its time
// in seconds since 1970. The zero value is no moment.
type moment struct {
	n  int
	at int64
}

// A life is what happened to a task.
type life struct {
	id       flow.TaskID
	stays    []stay
	homes    []home
	claims   []claim
	looks    []look
	drift    int  // at its merge
	adopted  bool // a person brought it to integration, so no drift was counted
	reverts  []flow.TaskID
	reverted moment
}

// A stay is a state that a task came to at a moment.
type stay struct {
	status flow.Status
	since  moment
}

// isClaimed and isSubmitted are the states in which somebody can be at work on a task.
func isClaimed(s flow.Status) bool   { return s == flow.Claimed }
func isSubmitted(s flow.Status) bool { return s == flow.ReadyForReview }

// A home is the goal and the sprint to which a task came at a moment.
type home struct {
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

// A look is a review of a task: from when it was taken to its verdict, its release or the
// end of its lease.
type look struct {
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
func (b *Book) Tip() flow.ObjectID { return b.tip }

// At is the time of the last move that was counted.
func (b *Book) At() time.Time { return time.Unix(b.last.at, 0).UTC() }

// Moves is how many moves were counted.
func (b *Book) Moves() int { return b.last.n }

// Add counts a move; moves come oldest first.
func (b *Book) Add(s gitstore.Step) {
	if b.lives == nil {
		b.index()
	}
	b.tip, b.last = s.Commit, moment{b.last.n + 1, s.Move.At.Unix()}
	for _, one := range s.Sprints {
		b.enterSprint(one)
	}
	for _, one := range s.Tasks {
		b.enterTask(one)
	}
	b.countDetail(s.Move)
}

// index makes the maps that are not kept on disk.
func (b *Book) index() {
	b.lives, b.names = make(map[flow.TaskID]*life, len(b.tasks)), map[string]string{}
	for _, l := range b.tasks {
		b.lives[l.id] = l
	}
}

// named returns a string that does not keep the text of a whole move in memory.
func named[T ~string](b *Book, name T) T {
	if known, ok := b.names[string(name)]; ok {
		return T(known)
	}
	own := string(append([]byte(nil), name...))
	b.names[own] = own
	return T(own)
}

func (b *Book) enterSprint(one gitstore.SprintStep) {
	var s *sprint
	for _, known := range b.sprints {
		if known.id == one.ID {
			s = known
		}
	}
	if s == nil {
		s = &sprint{id: named(b, one.ID), begun: b.last}
		b.sprints = append(b.sprints, s)
	}
	s.goal, s.started, s.deadline, s.over = named(b, one.Goal), seconds(one.Started), seconds(one.Deadline), seconds(one.Ended)
	switch {
	case s.over == 0:
		s.ended = moment{}
	case s.ended.n == 0:
		s.ended = b.last
	}
}

// seconds is a time as a moment has it, 0 for none.
func seconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

func (b *Book) enterTask(one gitstore.TaskStep) {
	l := b.lives[one.ID]
	if l == nil {
		l = &life{id: named(b, one.ID)}
		b.tasks, b.lives[l.id] = append(b.tasks, l), l
	}
	if len(l.stays) == 0 || l.status() != one.To {
		l.stays = append(l.stays, stay{one.To, b.last})
	}
	if was := l.home(); len(l.homes) == 0 || was.goal != one.Goal || was.sprint != one.Sprint || was.stretch != one.Stretch {
		l.homes = append(l.homes, home{named(b, one.Goal), named(b, one.Sprint), one.Stretch, b.last})
	}
	if !isSubmitted(one.To) {
		for i := range l.looks {
			l.looks[i].finish(b.last.at)
		}
	}
}

// status is the present state of the task.
func (l *life) status() flow.Status { return l.stays[len(l.stays)-1].status }

// home is where the task belongs now.
func (l *life) home() home {
	if len(l.homes) == 0 {
		return home{}
	}
	return l.homes[len(l.homes)-1]
}

// finish ends a review, unless its lease has ended before.
func (k *look) finish(at int64) {
	if !k.over {
		k.end, k.over = min(k.end, at), true
	}
}

// countDetail counts what a move says beside the states that it changed.
func (b *Book) countDetail(m flow.Move) {
	l := b.lives[m.Task]
	switch d := m.Detail.(type) {
	case *flow.AddMove:
		b.describe(d.Tasks)
	case *flow.ConvertMove:
		b.describe([]flow.TaskInput{d.Input})
	case *flow.SupersedeMove:
		b.describe(d.Add)
	case *flow.EditMove:
		if l != nil {
			l.setReverts(b, d.Input.Reverts)
		}
	case *flow.AdoptMove:
		b.markReverted(d.Reverts)
		for _, id := range d.Tasks {
			if l := b.lives[id]; l != nil {
				l.adopted = true
				b.markReverted(l.reverts)
			}
		}
	case *flow.SessionMove:
		b.countSession(m, d)
	}
	if l != nil {
		b.countWork(m, l)
	}
}

// describe notes which merged tasks new tasks take back.
func (b *Book) describe(list []flow.TaskInput) {
	for i := range list {
		if l := b.lives[list[i].ID]; l != nil {
			l.setReverts(b, list[i].Reverts)
		}
	}
}

func (l *life) setReverts(b *Book, list []flow.TaskID) {
	l.reverts = nil
	for _, id := range list {
		l.reverts = append(l.reverts, named(b, id))
	}
}

func (b *Book) markReverted(list []flow.TaskID) {
	for _, id := range list {
		if l := b.lives[id]; l != nil {
			l.reverted = b.last
		}
	}
}

// countWork counts a move on one task.
func (b *Book) countWork(m flow.Move, l *life) {
	by, at := named(b, m.By), b.last
	switch d := m.Detail.(type) {
	case *flow.ClaimMove:
		if isClaimed(l.status()) { // else a limit has blocked it
			l.claims = append(l.claims, claim{by, at})
		}
	case *flow.ReviewMove:
		if isSubmitted(l.status()) {
			l.finishLooks(at.at, func(k *look) bool { return k.by == by })
			l.looks = append(l.looks, look{by: by, role: named(b, d.Role), begun: at.at, end: at.at + int64(time.Duration(d.Lease)/time.Second)})
		}
	case *flow.RenewMove:
		if k := l.lookOf(by, d.Role); k != nil {
			k.end = at.at + int64(time.Duration(d.Lease)/time.Second)
		}
	case *flow.ReleaseMove:
		if k := l.lookOf(by, d.Role); k != nil {
			k.finish(at.at)
		}
	case *flow.ApproveMove:
		l.finishLooks(at.at, func(k *look) bool { return k.by == by && (d.Role == "" || k.role == "" || k.role == d.Role) })
		b.verdicts = append(b.verdicts, verdict{l.id, by, named(b, judgeRole(d.Role, by)), true, at})
	case *flow.RejectMove:
		b.verdicts = append(b.verdicts, verdict{l.id, by, named(b, judgeRole(d.Role, by)), false, at})
	case *flow.IntegrationFailMove:
		b.failures = append(b.failures, failure{l.id, at})
	case *flow.MergeMove:
		l.drift = d.Drift
		b.markReverted(l.reverts)
	}
}

// judgeRole is the role for which a verdict was given.
func judgeRole(named flow.Role, by flow.Actor) flow.Role {
	return cmp.Or(named, by.Role(), flow.HumanRole)
}

func (l *life) finishLooks(at int64, of func(*look) bool) {
	for i := range l.looks {
		if of(&l.looks[i]) {
			l.looks[i].finish(at)
		}
	}
}

// lookOf is the review that an actor renews or releases: its own, or that of the role, or
// the only one; nil if there is none.
func (l *life) lookOf(by flow.Actor, role flow.Role) *look {
	var open []*look
	for i := range l.looks {
		if k := &l.looks[i]; !k.over {
			open = append(open, k)
		}
	}
	for _, k := range open {
		if k.by == by && (role == "" || k.role == "" || k.role == role) {
			return k
		}
	}
	for _, k := range open {
		if role != "" && cmp.Or(k.role, k.by.Role()) == role {
			return k
		}
	}
	if role == "" && len(open) == 1 {
		return open[0]
	}
	return nil
}

func (b *Book) countSession(m flow.Move, d *flow.SessionMove) {
	s := session{task: named(b, m.Task), by: named(b, m.By), role: named(b, d.Role), provider: named(b, d.Provider), model: named(b, d.Model),
		outcome: named(b, d.Outcome), used: d.Usage, counted: d.Counted(), at: b.last}
	s.used.Sessions = 1
	s.goal, s.sprint = b.payers(m)
	b.sessions = append(b.sessions, s)
}

// payers are the goal and the sprint to which a session is charged, as
// [flow.Board.Payers] has them.
func (b *Book) payers(m flow.Move) (flow.GoalID, flow.SprintID) {
	goal := named(b, m.Goal)
	if l := b.lives[m.Task]; l != nil {
		home := l.home()
		if goal = home.goal; b.sprintOf(home.sprint) != nil {
			return goal, home.sprint
		}
	}
	var last *sprint
	for _, s := range b.sprints {
		if goal == "" || s.goal == goal {
			last = s // of a goal that has none open the one that was opened last
		}
	}
	if last == nil {
		return goal, ""
	}
	return last.goal, last.id
}

func (b *Book) sprintOf(id flow.SprintID) *sprint {
	for _, s := range b.sprints {
		if s.id == id {
			return s
		}
	}
	return nil
}
