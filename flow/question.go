package flow

import (
	"cmp"
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow/lists"
)

// A Question is what the worker of a blocked task must know, the document
// questions/<sprint>/<number>.yaml.
type Question struct {
	ID     RecordID  `yaml:"id"`
	Task   TaskID    `yaml:"task"`
	From   Actor     `yaml:"from"`
	To     Role      `yaml:"to"` // of agents that may answer under a lease; "" and human: a planner or a person
	Text   string    `yaml:"text"`
	Asked  time.Time `yaml:"asked"`
	Lease  *Review   `yaml:"lease"` // of the agent or person that looks for the answer
	Answer string    `yaml:"answer"`
	By     Actor     `yaml:"by"`     // of the answer, or of the move that closed it without one
	At     time.Time `yaml:"at"`     // zero while it is open
	Parent RecordID  `yaml:"parent"` // for whose answer it was asked
	During bool      `yaml:"during"` // the work on the task goes on

	Missed    int       `yaml:"missed"`     // leases of agents that ended without an answer
	NotBefore time.Time `yaml:"not_before"` // agents take it again from then on
}

// IsOpen reports whether the question waits for its answer.
func (q *Question) IsOpen() bool { return q.At.IsZero() }

// QuestionsAbout are the questions that were ever asked about tasks, oldest first.
func QuestionsAbout(b *Board, tasks ...TaskID) []*Question {
	list := lists.Where(All[*Question](b, Questions), func(q *Question) bool { return slices.Contains(tasks, q.Task) })
	slices.SortFunc(list, (*Question).compare)
	return list
}

// findQuestion finds a question; nil if there is none of that id.
func findQuestion(c *Board, id RecordID) *Question {
	q, _ := c.Load(Key{Questions, string(id)}).(*Question)
	return q
}

// unknownQuestion refuses a question that the board lacks.
func unknownQuestion(id RecordID) *Refusal {
	return refuse(RuleNotFound, "git liza list --status BLOCKED", "there is no question %s", clip(string(id)))
}

// AnswerMove answers a question.
type AnswerMove struct {
	Question RecordID `yaml:"question"`
	Text     string   `yaml:"text"`
}

func (a *AnswerMove) subject() string { return string(a.Question) }

func (a *AnswerMove) already(p *play) bool {
	q := findQuestion(p.board, a.Question)
	return q != nil && !q.IsOpen() && q.Answer == a.Text && q.By == p.move.By
}

func (a *AnswerMove) check(p *play) *Refusal {
	q := findQuestion(p.board, a.Question)
	if q == nil {
		return unknownQuestion(a.Question)
	}
	if r := cmp.Or(present("the answer", a.Text, "git liza answer "+string(q.ID)+" TEXT"), q.checkOpen()); r != nil {
		return r
	}
	by := p.move.By
	if by.IsHuman() || p.board.CapacityOf(by) == Plans && !q.isOwn(p) {
		return nil
	}
	if r := q.checkAsked(p); r != nil {
		return r
	}
	if !q.Lease.live(p.move.At) || q.Lease.By != by {
		return refuse(RuleHolder, "git liza take "+string(q.ID)+" --as "+string(by), "%s has not taken the question %s", by, q.ID)
	}
	return nil
}

// CheckOpen refuses a question that the board lacks or that is closed, as an answer
// to it is refused.
func CheckOpen(b *Board, id RecordID) *Refusal {
	if q := findQuestion(b, id); q != nil {
		return q.checkOpen()
	}
	return unknownQuestion(id)
}

// checkOpen refuses what only an open question allows.
func (q *Question) checkOpen() *Refusal {
	show := "git liza show " + string(q.Task)
	switch {
	case q.IsOpen():
		return nil
	case q.Answer == "":
		return refuse(RuleExists, show, "%s closed the question %s without an answer", q.By, q.ID)
	}
	return refuse(RuleExists, show, "%s answered %s: %s", q.By, q.ID, clip(q.Answer))
}

// isOwn reports whether the agent of the move stopped work for this question itself.
// What a limit or an abandoned task asks is nobody's own.
func (q *Question) isOwn(p *play) bool {
	t := p.board.Task(q.Task)
	if q.During {
		return p.move.By == q.From
	}
	return p.move.By == q.From && !q.From.IsHuman() && t != nil && t.Block != nil && t.Block.From != 0
}

// checkAsked refuses agents that a question is not to.
func (q *Question) checkAsked(p *play) *Refusal {
	show, by := "git liza show "+string(q.Task), p.move.By
	toAgents := q.To != "" && q.To != HumanRole
	switch {
	case q.isOwn(p):
		return refuse(RuleRole, show, "%s asked the question itself", by)
	case toAgents && by.Role() == q.To:
		return nil
	case toAgents:
		return refuse(RuleRole, show, "the question %s is to %s, not to %s", q.ID, q.To.One(), by)
	case by.IsHuman() || p.board.CapacityOf(by) == Plans:
		return nil
	}
	return refuse(RuleRole, show, "the question %s is to a planner or a person, not to %s", q.ID, by)
}

func (a *AnswerMove) apply(p *effect) {
	q := findQuestion(p.board, a.Question)
	q.close(p, a.Text)
	if !q.During {
		resumeAnswered(p, q.Task)
	}
}

// answered reports whether all questions of a block are closed.
func (b *Block) answered(c *Board) bool {
	return !slices.ContainsFunc(b.Asked, func(id RecordID) bool {
		q := findQuestion(c, id)
		return q != nil && q.IsOpen()
	})
}

// resumeAnswered lets a task go on whose questions are all answered. If work on it
// had begun, another coder continues it too.
func resumeAnswered(p *effect, id TaskID) {
	t := p.board.Task(id)
	if t == nil || t.Block == nil || t.Block.From == 0 || !t.Block.answered(p.board) ||
		t.exhausted(p.board.Settings().Config.Limits.Over(t.Limits)) {
		return
	}
	t = t.clone()
	if t.Block.From == Unclaimed && t.Attempt != nil {
		t.Attempt.Keep = true
	}
	t.Status, t.Block = t.Block.From, nil
	p.keep(t)
}

// ReturnedBy is the task that an answer let go on, on the board after it; nil if the
// answer was not the last one, a limit keeps the task, or the move is no answer.
func ReturnedBy(m Move, after *Board) *Task {
	a, ok := m.Detail.(*AnswerMove)
	if !ok {
		return nil
	}
	q := findQuestion(after, a.Question)
	if q == nil || q.During {
		return nil
	}
	if t := after.Task(q.Task); t != nil && t.Block == nil { // whose open question blocked it before
		return t
	}
	return nil
}

// block gives a task the reason why its work stops. Each of its
// questions is a document.
func (t *Task) block(p *effect, b Block) {
	b.By, b.At = p.move.By, p.move.At
	for _, text := range b.Questions {
		recordFor(p, t.Goal, Questions, func(id RecordID) Document {
			b.Asked = append(b.Asked, id)
			return &Question{ID: id, Task: t.ID, From: p.move.By, To: b.To, Text: text, Asked: p.move.At}
		})
	}
	t.Block = &b
}

// dropBlock takes the reason away and closes the questions that nobody has
// answered.
func (t *Task) dropBlock(p *effect) {
	if t.Block == nil {
		return
	}
	for _, id := range t.Block.Asked {
		if q := findQuestion(p.board, id); q != nil && q.IsOpen() {
			q.close(p, "")
		}
	}
	t.Block = nil
}

// close records the answer to a question, "" if it needs none any more.
func (q *Question) close(p *effect, answer string) {
	closed := *q
	closed.Lease, closed.Answer, closed.By, closed.At = nil, answer, p.move.By, p.move.At
	p.put(Key{Questions, string(q.ID)}, &closed)
	q.forget(p)
}

// checkQuestion refuses a question about a task that the board lacks, or an open
// one that blocks no task.
func checkQuestion(b *Board, q *Question) *Refusal {
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
func asksSoundly(b *Board, t *Task) bool {
	if t.Block == nil {
		return true
	}
	strays := func(id RecordID) bool { q := findQuestion(b, id); return q == nil || q.Task != t.ID }
	return len(t.Block.Asked) == len(t.Block.Questions) && !slices.ContainsFunc(t.Block.Asked, strays)
}
