package flow

import (
	"cmp"
	"slices"

	"github.com/git-liza/git-liza/flow/board"
)

// unknownQuestion refuses a question that the board lacks.
func unknownQuestion(id board.RecordID) *Refusal {
	return refuse(RuleNotFound, "git liza list --status BLOCKED", "there is no question %s", board.Clip(string(id)))
}

// AnswerMove answers a question.
type AnswerMove struct {
	Question board.RecordID `yaml:"question"`
	Text     string         `yaml:"text"`
}

func (a *AnswerMove) subject() string { return string(a.Question) }

func (a *AnswerMove) already(p *play) bool {
	q := board.FindQuestion(p.board, a.Question)
	return q != nil && !q.IsOpen() && q.Answer == a.Text && q.By == p.move.By
}

func (a *AnswerMove) check(p *play) *Refusal {
	q := board.FindQuestion(p.board, a.Question)
	if q == nil {
		return unknownQuestion(a.Question)
	}
	if r := cmp.Or(present("the answer", a.Text, "git liza answer "+string(q.ID)+" TEXT"), checkOpenQuestion(q)); r != nil {
		return r
	}
	by := p.move.By
	if by.IsHuman() || p.board.CapacityOf(by) == board.Plans && !isOwnQuestion(q, p) {
		return nil
	}
	if r := checkAskedQuestion(q, p); r != nil {
		return r
	}
	if !q.Lease.Live(p.move.At) || q.Lease.By != by {
		return refuse(RuleHolder, "git liza take "+string(q.ID)+" --as "+string(by), "%s has not taken the question %s", by, q.ID)
	}
	return nil
}

// CheckOpen refuses a question that the board lacks or that is closed, as an answer
// to it is refused.
func CheckOpen(b *board.Board, id board.RecordID) *Refusal {
	if q := board.FindQuestion(b, id); q != nil {
		return checkOpenQuestion(q)
	}
	return unknownQuestion(id)
}

// checkOpenQuestion refuses what only an open question allows.
func checkOpenQuestion(q *board.Question) *Refusal {
	show := "git liza show " + string(q.Task)
	switch {
	case q.IsOpen():
		return nil
	case q.Answer == "":
		return refuse(RuleExists, show, "%s closed the question %s without an answer", q.By, q.ID)
	}
	return refuse(RuleExists, show, "%s answered %s: %s", q.By, q.ID, board.Clip(q.Answer))
}

// isOwnQuestion reports whether the agent of the move stopped work for this question itself.
// What a limit or an abandoned task asks is nobody's own.
func isOwnQuestion(q *board.Question, p *play) bool {
	t := p.board.Task(q.Task)
	if q.During {
		return p.move.By == q.From
	}
	return p.move.By == q.From && !q.From.IsHuman() && t != nil && t.Block != nil && t.Block.From != 0
}

// checkAskedQuestion refuses agents that a question is not to.
func checkAskedQuestion(q *board.Question, p *play) *Refusal {
	show, by := "git liza show "+string(q.Task), p.move.By
	toAgents := q.To != "" && q.To != board.HumanRole
	switch {
	case isOwnQuestion(q, p):
		return refuse(RuleRole, show, "%s asked the question itself", by)
	case toAgents && by.Role() == q.To:
		return nil
	case toAgents:
		return refuse(RuleRole, show, "the question %s is to %s, not to %s", q.ID, q.To.One(), by)
	case by.IsHuman() || p.board.CapacityOf(by) == board.Plans:
		return nil
	}
	return refuse(RuleRole, show, "the question %s is to a planner or a person, not to %s", q.ID, by)
}

func (a *AnswerMove) apply(p *effect) {
	q := board.FindQuestion(p.board, a.Question)
	closeQuestion(q, p, a.Text)
	if !q.During {
		resumeAnswered(p, q.Task)
	}
}

// resumeAnswered lets a task go on whose questions are all answered. If work on it
// had begun, another coder continues it too.
func resumeAnswered(p *effect, id board.TaskID) {
	t := p.board.Task(id)
	if t == nil || t.Block == nil || t.Block.From == 0 || !t.Block.Answered(p.board) ||
		t.Exhausted(p.board.Settings().Config.Limits.Over(t.Limits)) {
		return
	}
	t = t.Clone()
	if t.Block.From == board.Unclaimed && t.Attempt != nil {
		t.Attempt.Keep = true
	}
	t.Status, t.Block = t.Block.From, nil
	p.keep(t)
}

// ReturnedBy is the task that an answer let go on, on the board after it; nil if the
// answer was not the last one, a limit keeps the task, or the move is no answer.
func ReturnedBy(m Move, after *board.Board) *board.Task {
	a, ok := m.Detail.(*AnswerMove)
	if !ok {
		return nil
	}
	q := board.FindQuestion(after, a.Question)
	if q == nil || q.During {
		return nil
	}
	if t := after.Task(q.Task); t != nil && t.Block == nil { // whose open question blocked it before
		return t
	}
	return nil
}

// blockTask gives a task the reason why its work stops. Each of its
// questions is a document.
func blockTask(t *board.Task, p *effect, b board.Block) {
	b.By, b.At = p.move.By, p.move.At
	for _, text := range b.Questions {
		recordFor(p, t.Goal, board.Questions, func(id board.RecordID) board.Document {
			b.Asked = append(b.Asked, id)
			return &board.Question{ID: id, Task: t.ID, From: p.move.By, To: b.To, Text: text, Asked: p.move.At}
		})
	}
	t.Block = &b
}

// dropBlock takes the reason away and closes the questions that nobody has
// answered.
func dropBlock(t *board.Task, p *effect) {
	if t.Block == nil {
		return
	}
	for _, id := range t.Block.Asked {
		if q := board.FindQuestion(p.board, id); q != nil && q.IsOpen() {
			closeQuestion(q, p, "")
		}
	}
	t.Block = nil
}

// closeQuestion records the answer to a question, "" if it needs none any more.
func closeQuestion(q *board.Question, p *effect, answer string) {
	closed := *q
	closed.Lease, closed.Answer, closed.By, closed.At = nil, answer, p.move.By, p.move.At
	p.put(board.Key{Folder: board.Questions, ID: string(q.ID)}, &closed)
	forgetQuestion(q, p)
}

// checkQuestion refuses a question about a task that the board lacks, or an open
// one that blocks no task.
func checkQuestion(b *board.Board, q *board.Question) *Refusal {
	t := b.Task(q.Task)
	switch {
	case t == nil:
		return breach("the question %s is about %s, which does not exist", q.ID, q.Task)
	case q.During && q.IsOpen() != asksDuring(q, t):
		return breach("the question %s is open, and %s does not list it, or the other way round", q.ID, q.Task)
	case !q.During && q.IsOpen() && (t.Block == nil || !slices.Contains(t.Block.Asked, q.ID)):
		return breach("the question %s is open, and %s does not wait for it", q.ID, q.Task)
	case q.IsOpen() && (q.Answer != "" || q.By != ""), !q.IsOpen() && (q.By == "" || q.Lease != nil):
		return breach("the question %s is both open and closed", q.ID)
	}
	return nil
}

// asksSoundly reports whether a blocked task lists documents of the board, one for
// each of its questions.
func asksSoundly(b *board.Board, t *board.Task) bool {
	if t.Block == nil {
		return true
	}
	strays := func(id board.RecordID) bool { q := board.FindQuestion(b, id); return q == nil || q.Task != t.ID }
	return len(t.Block.Asked) == len(t.Block.Questions) && !slices.ContainsFunc(t.Block.Asked, strays)
}
