package board

import (
	"time"

	"github.com/git-liza/git-liza/flow/automation"
)

// A Class says how far the work that a file describes may be automated.
type Class = automation.Class

// An Allowance is the word of a person that a file may be worked on in spite of its
// class.
type Allowance struct {
	By        Actor     `yaml:"by"`
	Principal string    `yaml:"principal"`
	At        time.Time `yaml:"at"`
	Reason    string    `yaml:"reason"`
}

// A Classified is a file with its class.
type Classified struct {
	Path  string   `yaml:"path"`
	Blob  ObjectID `yaml:"blob"`
	Class *Class   `yaml:"class"` // nil in an allowance leaves it
}

// Forbids reports whether somebody says that no agent works by the text as it is, and no
// person has allowed it.
func (d *TrackedPath) Forbids() bool {
	return d.Allowance == nil && d.Class.Binds() && d.Class.Loop == automation.Forbidden
}

// Caution says of a text that automation is discouraged, "" if it is not. d may be nil.
func (d *TrackedPath) Caution() string {
	switch {
	case d == nil || d.Class == nil || d.Allowance != nil || d.Class.Loop != automation.Discouraged:
		return ""
	case d.Class.Binds():
		return QuoteC(Clip(d.Path)) + " says that automation is discouraged (" + Clip(d.Class.Why()) + ")"
	}
	return "by its form " + QuoteC(Clip(d.Path)) + " does not bound the work of agents"
}

// Caution says that a text that a task stands on discourages automation, "" if none does.
func Caution(b *Board, id TaskID) string {
	t := b.Task(id)
	if t == nil {
		return ""
	}
	for _, ref := range append([]string{t.Spec}, t.BasedOn...) {
		if caution := b.Tracked(SpecPath(ref)).Caution(); caution != "" {
			return caution
		}
	}
	return ""
}
