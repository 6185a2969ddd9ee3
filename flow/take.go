package flow

import (
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// TakeMove takes a question for the time of a lease. Nobody else takes it
// meanwhile; people and planners may answer it all the same.
type TakeMove struct {
	Question board.RecordID `yaml:"question"`
	Lease    board.Duration `yaml:"lease"`
	Free     bool           `yaml:"free"`   // gives it back instead, without an answer
	Missed   bool           `yaml:"missed"` // with Free: it was looked for, which counts
}

func (t *TakeMove) subject() string { return string(t.Question) }

func (t *TakeMove) already(p *play) bool {
	q := board.FindQuestion(p.board, t.Question)
	if q == nil || !q.IsOpen() {
		return false
	}
	if t.Free {
		return q.Lease == nil
	}
	return q.Lease.Live(p.move.At) && q.Lease.By == p.move.By
}

func (t *TakeMove) admit(p *play) *Refusal { return p.checkLease(t.Lease) }

func (t *TakeMove) check(p *play) *Refusal {
	q, by := board.FindQuestion(p.board, t.Question), p.move.By
	if q == nil {
		return unknownQuestion(t.Question)
	}
	if !t.Free && t.Lease < board.Duration(time.Second) {
		return refuse(RuleForm, "git liza help take", "a question is taken for the time of a lease")
	}
	if r := checkOpenQuestion(q); r != nil {
		return r
	}
	show := "git liza show " + string(q.Task)
	switch {
	case t.Free && q.Lease != nil && q.Lease.By != by && !by.IsHuman():
		return refuse(RuleHolder, show, "%s has taken the question %s, not %s", q.Lease.By, q.ID, by)
	case t.Free:
		return nil
	case q.Lease.Live(p.move.At):
		return refuse(RuleLease, show, "%s has taken the question %s until %s", q.Lease.By, q.ID, q.Lease.Lease.Format(time.RFC3339))
	}
	if r := checkAskedQuestion(q, p); r != nil || by.IsHuman() {
		return r
	}
	switch {
	case q.IsLeft(p.board, p.move.At):
		return refuse(RuleExhausted, show, "agents have looked %d times for the answer of %s: a person answers it", q.Misses(p.move.At), q.ID)
	case p.move.At.Before(q.NotBefore):
		return refuse(RuleBackoff, show, "nobody found the answer of %s, agents try again from %s on", q.ID, q.NotBefore.Format(time.RFC3339))
	}
	return nil
}

func (t *TakeMove) apply(p *effect) {
	q := *board.FindQuestion(p.board, t.Question)
	switch {
	case t.Free && t.Missed:
		q.Missed++
		q.Lease, q.NotBefore = nil, p.move.At.Add(p.board.Settings().Config.Retry.Wait(q.Missed))
	case t.Free:
		q.Lease = nil
	default:
		q.Missed = q.Misses(p.move.At)
		q.Lease = &board.Review{By: p.move.By, Since: p.move.At, Lease: p.move.At.Add(time.Duration(t.Lease))}
	}
	p.put(board.Key{Folder: board.Questions, ID: string(q.ID)}, &q)
}

// NextQuestion is the question that a caller has taken, else the oldest one that it may
// take now; nil if there is none. Then next is when one may be taken, zero if never. It
// calls skip, which may be nil, for those that it may take.
func NextQuestion(b *board.Board, c Caller, at time.Time, skip func(*board.Question) bool) (q *board.Question, next time.Time) {
	row := b.Role(c.By.Role())
	var first *board.Question
	for _, q := range board.OpenQuestions(b) {
		switch {
		case q.Lease.Live(at) && q.Lease.By == c.By:
			return q, time.Time{}
		case first != nil || !q.IsFor(row) || q.IsLeft(b, at):
			continue
		}
		free := q.NotBefore
		if q.Lease.Live(at) {
			free = q.Lease.Lease.Add(time.Second)
		}
		if free.After(at) {
			if next.IsZero() || free.Before(next) {
				next = free
			}
			continue
		}
		move := Move{Act: board.ActTake, By: c.By, Principal: c.Principal, Generation: c.Generation, At: at}
		if (&TakeMove{Question: q.ID, Lease: board.Duration(time.Second)}).check(&play{board: b, prior: b, move: &move}) == nil && (skip == nil || !skip(q)) {
			first = q
		}
	}
	return first, next
}

// takenBy is the question that an actor has taken and whose lease lasts; nil if there is
// none.
func takenBy(b *board.Board, by board.Actor, at time.Time) *board.Question {
	if q := lists.Find(board.OpenQuestions(b), func(q *board.Question) bool { return q.Lease.Live(at) && q.Lease.By == by }); q != nil {
		return *q
	}
	return nil
}

// giveQuestionsBack gives back what an agent has taken that leaves the board.
func giveQuestionsBack(p *effect, by board.Actor) {
	for _, q := range board.OpenQuestions(p.board) {
		if q.Lease != nil && q.Lease.By == by {
			freed := *q
			freed.Lease = nil
			p.put(board.Key{Folder: board.Questions, ID: string(q.ID)}, &freed)
		}
	}
}

// lookedForAnswer reports whether an agent may have looked for the answer of a question
// about a task. The board does not keep who looked in vain.
func lookedForAnswer(p *play, by board.Actor, t *board.Task) bool {
	return slices.ContainsFunc(board.QuestionsAbout(p.board, t.ID), func(q *board.Question) bool {
		taken := q.Missed > 0 || q.By == by || q.Lease != nil && q.Lease.By == by
		return taken && q.IsFor(p.board.Role(by.Role()))
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
