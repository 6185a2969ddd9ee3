package flow

import "time"

// A Question is what the worker of a blocked task must know, the document
// questions/<sprint>/<number>.yaml.
type Question struct {
	ID     RecordID  `yaml:"id"`
	Task   TaskID    `yaml:"task"`
	From   Actor     `yaml:"from"`
	To     Role      `yaml:"to"` // of agents that may answer under a lease; "" and human: a planner or a person
	Text   string    `yaml:"text"`
	Asked  time.Time `yaml:"asked"`
	Lease  *Review   `yaml:"lease"`
	Answer string    `yaml:"answer"`
	By     Actor     `yaml:"by"` // of the answer, or of the move that closed it without one
	At     time.Time `yaml:"at"` // zero while it is open
}

// AnswerMove answers a question.
type AnswerMove struct {
	Question RecordID `yaml:"question"`
	Text     string   `yaml:"text"`
}

func (a *AnswerMove) subject() string { return string(a.Question) }

func (a *AnswerMove) already(*play) bool { return false }

func (a *AnswerMove) check(*play) *Refusal { return unbuilt() }

func (a *AnswerMove) apply(*effect) {}

// TakeMove takes a question for the time of a lease.
type TakeMove struct {
	Question RecordID `yaml:"question"`
	Lease    Duration `yaml:"lease"`
}

func (t *TakeMove) subject() string { return string(t.Question) }

func (t *TakeMove) already(*play) bool { return false }

func (t *TakeMove) admit(p *play) *Refusal { return p.checkLease(t.Lease) }

func (t *TakeMove) check(*play) *Refusal { return unbuilt() }

func (t *TakeMove) apply(*effect) {}
