package flow

import (
	"cmp"
	"fmt"
)

// AmendMove replaces one document by hand. It cannot change what the other acts
// guard.
type AmendMove struct {
	Config    *Config    `yaml:"config"`
	Goal      *Goal      `yaml:"goal"`
	Sprint    *Sprint    `yaml:"sprint"`
	Anomaly   *Anomaly   `yaml:"anomaly"`
	Discovery *Discovery `yaml:"discovery"`
	Note      *Note      `yaml:"note"`
	Texts     texts      `yaml:"texts"` // of the spec of a goal
}

func (a *AmendMove) ask(_ Move, b *Board) Query {
	if a.Goal == nil {
		return Query{}
	}
	return askTextsOf(b, []TaskInput{{Spec: a.Goal.Spec}})
}

func (a *AmendMove) fill(p *play) { a.Texts = enteredTexts(p) }

// document is the amended document and its key; nil unless the move has exactly
// one.
func (a *AmendMove) document() (Key, Document) {
	var key Key
	var doc Document
	n := 0
	for _, one := range []struct {
		present bool
		key     func() Key
		doc     Document
	}{
		{a.Goal != nil, func() Key { return Key{Goals, string(a.Goal.ID)} }, a.Goal},
		{a.Sprint != nil, func() Key { return Key{Sprints, string(a.Sprint.ID)} }, a.Sprint},
		{a.Anomaly != nil, func() Key { return Key{Anomalies, string(a.Anomaly.ID)} }, a.Anomaly},
		{a.Discovery != nil, func() Key { return Key{Discovered, string(a.Discovery.ID)} }, a.Discovery},
		{a.Note != nil, func() Key { return Key{Notes, string(a.Note.ID)} }, a.Note},
	} {
		if one.present {
			key, doc = one.key(), one.doc
			n++
		}
	}
	if n != 1 {
		return Key{}, nil
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
		return cmp.Or(a.Config.check("git liza board edit config"), checkRecorded(p, a.Texts))
	}
	if doc == nil {
		return refuse(RuleForm, "git liza help board edit", "amend replaces exactly one config, goal, sprint or record")
	}
	old := p.board.Load(key)
	if old == nil || named(old) != key.ID {
		return refuse(RuleNotFound, listCommand(key), "there is no %s", key)
	}
	if g, ok := doc.(*Goal); ok && g.Status != old.(*Goal).Status {
		return refuse(RuleProtected, "git liza goal done", "amend does not change a status")
	}
	if s, ok := doc.(*Sprint); ok && s.Status != old.(*Sprint).Status {
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
func specFact(p *play, d *Goal) *TextFact {
	if p.facts == nil || p.board.Goal(d.ID).Spec == d.Spec {
		return nil
	}
	fact := p.facts.Texts[specPath(d.Spec)]
	return &fact
}

// named is the id inside an amendable document. Keys ignore case, ids do not.
func named(doc Document) string {
	switch d := doc.(type) {
	case *Goal:
		return string(d.ID)
	case *Sprint:
		return string(d.ID)
	case *Anomaly:
		return string(d.ID)
	case *Discovery:
		return string(d.ID)
	case *Note:
		return string(d.ID)
	}
	return ""
}

// sound refuses an amended document that the acts could not have written.
func (p *play) sound(doc Document) *Refusal {
	switch d := doc.(type) {
	case *Goal:
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
			return d.Loop.checkBounds(d.Spec)
		}
	case *Sprint:
		if p.board.Goal(d.Goal) == nil {
			return refuse(RuleNotFound, "git liza goal show", "there is no goal %s", d.Goal)
		}
		if p.board.OpenSprint(d.Goal) != d.ID {
			return refuse(RuleProtected, "git liza sprint show", "amend does not give a sprint to another goal")
		}
	case *Anomaly:
		return (&AnomalyMove{Type: d.Type, About: d.Task, Details: d.Details}).check(p)
	case *Discovery:
		if d.Converted != "" && p.board.Task(d.Converted) == nil {
			return refuse(RuleNotFound, "git liza list --all", "there is no task %s", d.Converted)
		}
		return (&DiscoverMove{Text: d.Text, Severity: d.Severity, Urgency: d.Urgency, During: d.During}).check(p)
	case *Note:
		return (&NoteMove{For: d.For, Text: d.Text}).check(p)
	}
	return nil
}

// planOf is what the acts on sprints and tasks write into a goal or sprint.
func planOf(doc Document) string {
	switch d := doc.(type) {
	case *Goal:
		return fmt.Sprint(d.Sprint, d.Next, d.Added, d.Merged, known(d.AtCheckpoint), known(d.Hold), known(d.Schedule), d.Pressure, known(d.Streak), d.Workflow, d.Phase, d.PhaseSince, d.Begun, d.Every, known(d.Loop.unbounded()), d.Plans)
	case *Sprint:
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
func spent(doc Document) Usage {
	switch d := doc.(type) {
	case *Goal:
		return d.Usage
	case *Sprint:
		return d.Usage
	}
	return Usage{}
}

// ended reports whether a goal or sprint is final.
func ended(doc Document) bool {
	switch d := doc.(type) {
	case *Goal:
		return d.Status == Completed || d.Status == Aborted
	case *Sprint:
		return d.Status == Completed || d.Status == Aborted
	}
	return false
}

// listCommand is the command that lists what there is in the folder of a key.
func listCommand(key Key) string {
	switch key.Folder {
	case Goals:
		return "git liza goal list"
	case Sprints:
		return "git liza sprint"
	}
	return "git liza record list --all"
}

func (a *AmendMove) apply(p *effect) {
	if a.Config != nil {
		p.change(func(s *Settings) { s.Config = *a.Config })
		dropOutages(p)
		return
	}
	key, doc := a.document()
	p.put(key, doc)
}
