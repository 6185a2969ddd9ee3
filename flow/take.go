package flow

import (
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/lists"
)

// TakeMove takes a question for the time of a lease. Nobody else takes it
// meanwhile; people and planners may answer it all the same.
type TakeMove struct {
	Question RecordID `yaml:"question"`
	Lease    Duration `yaml:"lease"`
	Free     bool     `yaml:"free"`   // gives it back instead, without an answer
	Missed   bool     `yaml:"missed"` // with Free: it was looked for, which counts
}

func (t *TakeMove) subject() string { return string(t.Question) }

func (t *TakeMove) already(p *play) bool {
	q := findQuestion(p.board, t.Question)
	if q == nil || !q.IsOpen() {
		return false
	}
	if t.Free {
		return q.Lease == nil
	}
	return q.Lease.live(p.move.At) && q.Lease.By == p.move.By
}

func (t *TakeMove) admit(p *play) *Refusal { return p.checkLease(t.Lease) }

func (t *TakeMove) check(p *play) *Refusal {
	q, by := findQuestion(p.board, t.Question), p.move.By
	if q == nil {
		return unknownQuestion(t.Question)
	}
	if !t.Free && t.Lease < Duration(time.Second) {
		return refuse(RuleForm, "git liza help take", "a question is taken for the time of a lease")
	}
	if r := q.checkOpen(); r != nil {
		return r
	}
	show := "git liza show " + string(q.Task)
	switch {
	case t.Free && q.Lease != nil && q.Lease.By != by && !by.IsHuman():
		return refuse(RuleHolder, show, "%s has taken the question %s, not %s", q.Lease.By, q.ID, by)
	case t.Free:
		return nil
	case q.Lease.live(p.move.At):
		return refuse(RuleLease, show, "%s has taken the question %s until %s", q.Lease.By, q.ID, q.Lease.Lease.Format(time.RFC3339))
	}
	if r := q.checkAsked(p); r != nil || by.IsHuman() {
		return r
	}
	switch {
	case q.IsLeft(p.board, p.move.At):
		return refuse(RuleExhausted, show, "agents have looked %d times for the answer of %s: a person answers it", q.misses(p.move.At), q.ID)
	case p.move.At.Before(q.NotBefore):
		return refuse(RuleBackoff, show, "nobody found the answer of %s, agents try again from %s on", q.ID, q.NotBefore.Format(time.RFC3339))
	}
	return nil
}

func (t *TakeMove) apply(p *effect) {
	q := *findQuestion(p.board, t.Question)
	switch {
	case t.Free && t.Missed:
		q.Missed++
		q.Lease, q.NotBefore = nil, p.move.At.Add(p.board.Settings().Config.Retry.Wait(q.Missed))
	case t.Free:
		q.Lease = nil
	default:
		q.Missed = q.misses(p.move.At)
		q.Lease = &Review{By: p.move.By, Since: p.move.At, Lease: p.move.At.Add(time.Duration(t.Lease))}
	}
	p.put(Key{Questions, string(q.ID)}, &q)
}

// misses is how often agents have looked for the answer in vain. Whoever let a lease end
// could not say so any more.
func (q *Question) misses(at time.Time) int {
	if q.Lease != nil && !q.Lease.live(at) && !q.Lease.By.IsHuman() {
		return q.Missed + 1
	}
	return q.Missed
}

// IsLeft reports whether agents have looked for the answer as often as they may, as for a
// verdict: it is left to a person.
func (q *Question) IsLeft(b *Board, at time.Time) bool {
	limits := b.Settings().Config.Limits
	if t := b.Task(q.Task); t != nil {
		limits = limits.Over(t.Limits)
	}
	return q.misses(at) >= limits.NoVerdicts
}

// isFor reports whether agents of a role may look for the answer. What blocks a task wakes
// a planner without a lease.
func (q *Question) isFor(row *RoleRow) bool {
	if row == nil || row.Capacity == Plans && !q.During {
		return false
	}
	return q.To == row.Name || q.To == "" && row.Capacity == Plans
}

// OpenQuestions are the questions that wait for an answer, oldest first.
func OpenQuestions(b *Board) (list []*Question) {
	b.each(func(s *Summary) {
		if s.Status.Final() || !s.Asks && len(s.Asking) == 0 {
			return
		}
		t := b.Task(s.ID)
		if t == nil {
			return
		}
		list = append(list, OpenQuestionsOf(b, t)...)
	})
	slices.SortFunc(list, (*Question).compare)
	return list
}

// OpenQuestionsOf are the questions that a task waits for, and those that were asked
// during its work, in their order, without the answered ones.
func OpenQuestionsOf(b *Board, t *Task) (list []*Question) {
	ids := lists.Of(t.Asking, func(a Asking) RecordID { return a.Question })
	if t.Block != nil {
		ids = slices.Concat(t.Block.Asked, ids)
	}
	for _, id := range ids {
		if q := findQuestion(b, id); q != nil && q.IsOpen() {
			list = append(list, q)
		}
	}
	return list
}

// NextQuestion is the question that a caller has taken, else the oldest one that it may
// take now; nil if there is none. Then next is when one may be taken, zero if never. It
// calls skip, which may be nil, for those that it may take.
func NextQuestion(b *Board, c Caller, at time.Time, skip func(*Question) bool) (q *Question, next time.Time) {
	row := b.Role(c.By.Role())
	var first *Question
	for _, q := range OpenQuestions(b) {
		switch {
		case q.Lease.live(at) && q.Lease.By == c.By:
			return q, time.Time{}
		case first != nil || !q.isFor(row) || q.IsLeft(b, at):
			continue
		}
		free := q.NotBefore
		if q.Lease.live(at) {
			free = q.Lease.Lease.Add(time.Second)
		}
		if free.After(at) {
			if next.IsZero() || free.Before(next) {
				next = free
			}
			continue
		}
		move := Move{Act: ActTake, By: c.By, Principal: c.Principal, Generation: c.Generation, At: at}
		if (&TakeMove{Question: q.ID, Lease: Duration(time.Second)}).check(&play{board: b, prior: b, move: &move}) == nil && (skip == nil || !skip(q)) {
			first = q
		}
	}
	return first, next
}

// takenBy is the question that an actor has taken and whose lease lasts; nil if there is
// none.
func takenBy(b *Board, by Actor, at time.Time) *Question {
	if q := lists.Find(OpenQuestions(b), func(q *Question) bool { return q.Lease.live(at) && q.Lease.By == by }); q != nil {
		return *q
	}
	return nil
}

// giveQuestionsBack gives back what an agent has taken that leaves the board.
func giveQuestionsBack(p *effect, by Actor) {
	for _, q := range OpenQuestions(p.board) {
		if q.Lease != nil && q.Lease.By == by {
			freed := *q
			freed.Lease = nil
			p.put(Key{Questions, string(q.ID)}, &freed)
		}
	}
}

// lookedForAnswer reports whether an agent may have looked for the answer of a question
// about a task. The board does not keep who looked in vain.
func lookedForAnswer(p *play, by Actor, t *Task) bool {
	return slices.ContainsFunc(QuestionsAbout(p.board, t.ID), func(q *Question) bool {
		taken := q.Missed > 0 || q.By == by || q.Lease != nil && q.Lease.By == by
		return taken && q.isFor(p.board.Role(by.Role()))
	})
}

// checkAnswering refuses what a session does beside its answer: it was spawned for that
// alone.
func checkAnswering(p *play) *Refusal {
	m := p.move
	if !m.Generation.Spawned() {
		return nil
	}
	q := takenBy(p.board, m.By, m.At)
	if q == nil {
		return nil
	}
	switch d := m.Detail.(type) {
	case *AnswerMove:
		if d.Question == q.ID {
			return nil
		}
	case *AskMove:
		if d.Parent == q.ID {
			return nil
		}
	}
	return refuse(RuleRole, "git liza answer "+string(q.ID)+" TEXT", "%s looks for the answer of %s: it answers, or asks somebody else", m.By, q.ID)
}

// compare orders questions by when they were asked. Of two numbers the longer one is
// larger.
func (q *Question) compare(other *Question) int {
	if c := q.Asked.Compare(other.Asked); c != 0 {
		return c
	}
	if c := len(q.ID) - len(other.ID); c != 0 {
		return c
	}
	return strings.Compare(string(q.ID), string(other.ID))
}
