package flow

import (
	"cmp"
	"fmt"

	"github.com/git-liza/git-liza/flow/board"
)

// AmendMove replaces one document by hand. It cannot change what the other acts
// guard.
type AmendMove struct {
	Config    *board.Config    `yaml:"config"`
	Goal      *board.Goal      `yaml:"goal"`
	Sprint    *board.Sprint    `yaml:"sprint"`
	Anomaly   *board.Anomaly   `yaml:"anomaly"`
	Discovery *board.Discovery `yaml:"discovery"`
	Note      *board.Note      `yaml:"note"`
	Texts     texts            `yaml:"texts"` // of the spec of a goal
}

func (a *AmendMove) ask(_ Move, b *board.Board) Query {
	if a.Goal == nil {
		return Query{}
	}
	return askTextsOf(b, []board.TaskInput{{Spec: a.Goal.Spec}})
}

func (a *AmendMove) fill(p *play) { a.Texts = enteredTexts(p) }

// document is the amended document and its key; nil unless the move has exactly
// one.
func (a *AmendMove) document() (board.Key, board.Document) {
	var key board.Key
	var doc board.Document
	n := 0
	for _, one := range []struct {
		present bool
		key     func() board.Key
		doc     board.Document
	}{
		{a.Goal != nil, func() board.Key { return board.Key{Folder: board.Goals, ID: string(a.Goal.ID)} }, a.Goal},
		{a.Sprint != nil, func() board.Key { return board.Key{Folder: board.Sprints, ID: string(a.Sprint.ID)} }, a.Sprint},
		{a.Anomaly != nil, func() board.Key { return board.Key{Folder: board.Anomalies, ID: string(a.Anomaly.ID)} }, a.Anomaly},
		{a.Discovery != nil, func() board.Key { return board.Key{Folder: board.Discovered, ID: string(a.Discovery.ID)} }, a.Discovery},
		{a.Note != nil, func() board.Key { return board.Key{Folder: board.Notes, ID: string(a.Note.ID)} }, a.Note},
	} {
		if one.present {
			key, doc = one.key(), one.doc
			n++
		}
	}
	if n != 1 {
		return board.Key{}, nil
	}
	return key, doc
}

func (a *AmendMove) subject() string {
	if key, doc := a.document(); doc != nil {
		return key.String()
	}
	return "config"
}

func (a *AmendMove) check(p *play) *Refusal {
	key, doc := a.document()
	if a.Config != nil {
		if doc != nil {
			return refuse(RuleForm, "git liza help board edit", "amend replaces one document at a time")
		}
		return cmp.Or(checkConfig(a.Config, "git liza board edit config"), checkRecorded(p, a.Texts))
	}
	if doc == nil {
		return refuse(RuleForm, "git liza help board edit", "amend replaces exactly one config, goal, sprint or record")
	}
	old := p.board.Load(key)
	if old == nil || named(old) != key.ID {
		return refuse(RuleNotFound, listCommand(key), "there is no %s", key)
	}
	if g, ok := doc.(*board.Goal); ok && g.Status != old.(*board.Goal).Status {
		return refuse(RuleProtected, "git liza goal done", "amend does not change a status")
	}
	if s, ok := doc.(*board.Sprint); ok && s.Status != old.(*board.Sprint).Status {
		return refuse(RuleProtected, "git liza sprint close", "amend does not change a status")
	}
	if spent(old) != spent(doc) {
		return refuse(RuleProtected, "git liza metrics", "amend does not change what was used")
	}
	if planOf(old) != planOf(doc) {
		return refuse(RuleProtected, "git liza sprint start", "amend does not change sprints, what they began with, or how many tasks a goal had")
	}
	if !sameMarks(old, doc) {
		return refuse(RuleProtected, "git liza record dismiss "+key.ID+" --reason R", "amend neither dismisses nor archives a record, nor puts it off")
	}
	if ended(old) {
		return refuse(RuleProtected, listCommand(key), "%s is final", key)
	}
	return cmp.Or(p.sound(doc), checkRecorded(p, a.Texts))
}

// specFact is what git says of the new spec of a goal; nil on replay, and where
// the spec stays.
func specFact(p *play, d *board.Goal) *TextFact {
	if p.facts == nil || p.board.Goal(d.ID).Spec == d.Spec {
		return nil
	}
	fact := p.facts.Texts[board.SpecPath(d.Spec)]
	return &fact
}

// named is the id inside an amendable document. Keys ignore case, ids do not.
func named(doc board.Document) string {
	switch d := doc.(type) {
	case *board.Goal:
		return string(d.ID)
	case *board.Sprint:
		return string(d.ID)
	case *board.Anomaly:
		return string(d.ID)
	case *board.Discovery:
		return string(d.ID)
	case *board.Note:
		return string(d.ID)
	}
	return ""
}

// sound refuses an amended document that the acts could not have written.
func (p *play) sound(doc board.Document) *Refusal {
	switch d := doc.(type) {
	case *board.Goal:
		if d.Title == "" || d.Spec == "" {
			return refuse(RuleIncomplete, "git liza board edit goal", "a goal needs a title and a spec")
		}
		if fact := specFact(p, d); fact != nil && (!fact.exists() || fact.lacks(specAnchor(d.Spec))) {
			return refuse(RuleSpec, "git liza board edit goal", "the spec '%s' does not exist on %s, or lacks the heading", d.Spec, p.board.Settings().Integration.Name)
		}
		if d.Priority < 1 || d.Priority > 5 {
			return refuse(RuleForm, "git liza board edit goal", "priority %d of %s is not between 1 and 5", d.Priority, d.ID)
		}
		if d.Loop != nil {
			return checkLoopBounds(d.Loop, d.Spec)
		}
	case *board.Sprint:
		if p.board.Goal(d.Goal) == nil {
			return refuse(RuleNotFound, "git liza goal show", "there is no goal %s", d.Goal)
		}
		if p.board.OpenSprint(d.Goal) != d.ID {
			return refuse(RuleProtected, "git liza sprint show", "amend does not give a sprint to another goal")
		}
	case *board.Anomaly:
		return (&AnomalyMove{Type: d.Type, About: d.Task, Details: d.Details}).check(p)
	case *board.Discovery:
		if d.Converted != "" && p.board.Task(d.Converted) == nil {
			return refuse(RuleNotFound, "git liza list --all", "there is no task %s", d.Converted)
		}
		return (&DiscoverMove{Text: d.Text, Severity: d.Severity, Urgency: d.Urgency, During: d.During}).check(p)
	case *board.Note:
		return (&NoteMove{For: d.For, Text: d.Text}).check(p)
	}
	return nil
}

// planOf is what the acts on sprints and tasks write into a goal or sprint.
func planOf(doc board.Document) string {
	switch d := doc.(type) {
	case *board.Goal:
		return fmt.Sprint(d.Sprint, d.Next, d.Added, d.Merged, known(d.AtCheckpoint), known(d.Hold), known(d.Schedule), d.Pressure, known(d.Streak), d.Workflow, d.Phase, d.PhaseSince, d.Begun, d.Every, known(d.Loop.Unbounded()), d.Plans)
	case *board.Sprint:
		return fmt.Sprint(d.Archived)
	}
	return ""
}

// known is what a pointer points to, nil if it is nil.
func known[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// spent is what a goal or sprint has used.
func spent(doc board.Document) board.Usage {
	switch d := doc.(type) {
	case *board.Goal:
		return d.Usage
	case *board.Sprint:
		return d.Usage
	}
	return board.Usage{}
}

// ended reports whether a goal or sprint is final.
func ended(doc board.Document) bool {
	switch d := doc.(type) {
	case *board.Goal:
		return d.Status == board.Completed || d.Status == board.Aborted
	case *board.Sprint:
		return d.Status == board.Completed || d.Status == board.Aborted
	}
	return false
}

// listCommand is the command that lists what there is in the folder of a key.
func listCommand(key board.Key) string {
	switch key.Folder {
	case board.Goals:
		return "git liza goal list"
	case board.Sprints:
		return "git liza sprint"
	}
	return "git liza record list --all"
}

func (a *AmendMove) apply(p *effect) {
	if a.Config != nil {
		p.change(func(s *board.Settings) { s.Config = *a.Config })
		dropOutages(p)
		return
	}
	key, doc := a.document()
	p.put(key, doc)
}
