package board

import (
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow/lists"
)

// An Asking is an open question that was asked during the work on a task.
type Asking struct {
	Question RecordID `yaml:"question"`
	To       Role     `yaml:"to"`
}

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

// FindQuestion finds a question; nil if there is none of that id.
func FindQuestion(c *Board, id RecordID) *Question {
	q, _ := c.Load(Key{Questions, string(id)}).(*Question)
	return q
}

// Answered reports whether all questions of a block are closed.
func (b *Block) Answered(c *Board) bool {
	return !slices.ContainsFunc(b.Asked, func(id RecordID) bool {
		q := FindQuestion(c, id)
		return q != nil && q.IsOpen()
	})
}
