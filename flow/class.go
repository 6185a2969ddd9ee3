package flow

import (
	"reflect"
	"slices"
	"strings"
	"time"
)

// A Class says how far the work that a file describes may be automated. Its words are
// those of the file, or of the inference from it.
type Class struct {
	Type       string   `yaml:"type"`        // conceptual, mechanical or mixed
	Scope      string   `yaml:"scope"`       // bounded or unbounded
	Loop       string   `yaml:"loop"`        // allowed, discouraged or forbidden
	SecondLook string   `yaml:"second_look"` // suggested, optional or unnecessary
	Source     string   `yaml:"source"`      // declared, inferred or person
	Rule       string   `yaml:"rule"`        // of the inference
	Evidence   []string `yaml:"evidence"`
}

// The words of classes that rules read.
const (
	LoopDiscouraged = "discouraged"
	LoopForbidden   = "forbidden"
	LookSuggested   = "suggested"
	ClassDeclared   = "declared"
	ClassInferred   = "inferred"
	ClassByPerson   = "person"
)

// securityReviewer is the role that looks at work of which a class suggests it.
const securityReviewer Role = "security-reviewer"

// An Allowance is the word of a person that a file may be worked on in spite of its
// class.
type Allowance struct {
	By        Actor     `yaml:"by"`
	Principal string    `yaml:"principal"`
	At        time.Time `yaml:"at"`
	Reason    string    `yaml:"reason"`
}

// check refuses words that are none of a class.
func (c *Class) check(hint string) *Refusal {
	for _, one := range []struct {
		what, is string
		of       []string
	}{
		{"type", c.Type, []string{"conceptual", "mechanical", "mixed"}},
		{"scope", c.Scope, []string{"bounded", "unbounded"}},
		{"loop", c.Loop, []string{"allowed", LoopDiscouraged, LoopForbidden}},
		{"second_look", c.SecondLook, []string{LookSuggested, "optional", "unnecessary"}},
		{"source", c.Source, []string{ClassDeclared, ClassInferred, ClassByPerson}},
	} {
		if !slices.Contains(one.of, one.is) {
			return refuse(RuleForm, hint, "%q is no %s of a class; there are %s", clip(one.is), one.what, strings.Join(one.of, ", "))
		}
	}
	return nil
}

// binds reports whether agents are held to the class: somebody has said it.
func (c *Class) binds() bool {
	return c != nil && (c.Source == ClassDeclared || c.Source == ClassByPerson)
}

// ClassifyMove records the classes of files, as git has them, or that a person allows
// work on one in spite of its class.
type ClassifyMove struct {
	Files  []Classified `yaml:"files"`
	Allow  bool         `yaml:"allow"`
	Reason string       `yaml:"reason"`
	Texts  texts        `yaml:"texts"` // of the files that the board does not know as they are
}

// A Classified is a file with its class.
type Classified struct {
	Path  string   `yaml:"path"`
	Blob  ObjectID `yaml:"blob"`
	Class *Class   `yaml:"class"` // nil in an allowance leaves it
}

func (c *ClassifyMove) subject() string {
	if len(c.Files) == 1 {
		return c.Files[0].Path
	}
	return "files"
}

func (c *ClassifyMove) aim(b *Board) GoalID {
	if len(c.Files) == 0 {
		return ""
	}
	return b.trackedPaths().goalOf(c.Files[0].Path)
}

func (c *ClassifyMove) paths() (list []string) {
	for _, f := range c.Files {
		list = append(list, f.Path)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (c *ClassifyMove) ask(_ Move, b *Board) Query {
	return Query{Texts: b.trackedPaths().askTexts(c.paths()...), Classes: c.paths()}
}

func (c *ClassifyMove) fill(p *play) {
	c.Texts = p.textCheck().entered()
	files := slices.Clone(c.Files)
	for i, f := range files {
		if f.Blob == "" && p.facts != nil {
			files[i].Blob = p.facts.Texts[f.Path].Blob
		}
		if f.Class == nil && !c.Allow && p.facts != nil {
			files[i].Class = p.facts.Classes[f.Path]
		}
	}
	c.Files = files
}

func (c *ClassifyMove) already(p *play) bool {
	for _, f := range c.Files {
		doc := p.trackedPaths().find(f.Path)
		switch {
		case doc == nil || doc.Blob != f.Blob || f.Blob == "" || c.Allow && doc.Allowance == nil:
			return false
		case f.Class == nil && !c.Allow || f.Class != nil && !reflect.DeepEqual(doc.Class, f.Class):
			return false
		}
	}
	return len(c.Files) > 0
}

func (c *ClassifyMove) check(p *play) *Refusal {
	const hint = "git liza help classify"
	if len(c.Files) == 0 {
		return refuse(RuleForm, hint, "there is no file to classify")
	}
	if c.Allow {
		if !p.move.By.IsHuman() {
			return refuse(RuleRole, hint, "only a person allows work on a file in spite of its class")
		}
		if r := present("the reason", c.Reason, allowCommand(c.Files[0].Path)); r != nil {
			return r
		}
	}
	if r := p.textCheck().compare(c.Texts); r != nil {
		return r
	}
	for i, f := range c.Files {
		path := quoteC(clip(f.Path))
		switch {
		case f.Path == "" || slices.ContainsFunc(c.Files[:i], func(o Classified) bool { return o.Path == f.Path }):
			return refuse(RuleForm, hint, "the move names %s twice, or no path", path)
		case f.Blob == "" || p.facts != nil && p.facts.Texts[f.Path].Blob != f.Blob:
			return refuse(RuleClass, "git liza classify "+acceptArgument(f.Path), "%s is not what the move says: another text, or no file at %s", path, p.Settings().Integration.Tip.Short())
		case f.Class == nil && !c.Allow:
			return refuse(RuleForm, hint, "the move does not say the class of %s", path)
		}
		if r := c.checkAgent(p, f); r != nil {
			return r
		}
		switch {
		case f.Class == nil:
			continue
		}
		if r := f.Class.check(hint); r != nil {
			return r
		}
		if f.Class.Source == ClassByPerson {
			if !p.move.By.IsHuman() {
				return refuse(RuleRole, hint, "%s is no person, whose word the class of %s would be", p.move.By, path)
			}
		} else if p.facts != nil && !reflect.DeepEqual(p.facts.Classes[f.Path], f.Class) {
			return refuse(RuleFact, "git liza classify "+acceptArgument(f.Path), "the move says another class of %s than its text", path)
		}
	}
	return nil
}

// checkAgent keeps agents from entering files that nothing on the board stands on, and from
// putting what a text says in place of what a person said of it.
func (c *ClassifyMove) checkAgent(p *play, f Classified) *Refusal {
	doc, path := p.trackedPaths().find(f.Path), quoteC(clip(f.Path))
	switch {
	case p.move.By.IsHuman():
		return nil
	case doc == nil:
		return refuse(RuleNotFound, "git liza list", "no open goal or task stands on %s", path)
	case doc.Blob == f.Blob && doc.Class != nil && doc.Class.Source == ClassByPerson:
		return refuse(RuleRole, "git liza artifact show "+acceptArgument(f.Path), "a person said how far %s may be automated: only a person changes that", path)
	}
	return nil
}

func (c *ClassifyMove) apply(p *effect) {
	for _, f := range c.Files {
		classify(p, f.Path, f.Class)
		if c.Allow {
			doc := *p.trackedPaths().find(f.Path)
			doc.Allowance = &Allowance{By: p.move.By, Principal: p.move.Principal, At: p.move.At, Reason: c.Reason}
			p.put(Key{Tracked, TrackedID(f.Path)}, &doc)
		}
	}
}

// classify writes the class of a tracked path; nil leaves it.
func classify(p *effect, path string, c *Class) {
	if doc := p.trackedPaths().find(path); doc != nil && c != nil {
		now := *doc
		now.Class = c
		p.put(Key{Tracked, TrackedID(path)}, &now)
	}
}

// checkClass refuses agents to work by a text that says that no agent, or none without
// the word of a person, is to do so.
func checkClass(p *play) *Refusal {
	if p.move.By.IsHuman() {
		return nil
	}
	return p.trackedPaths().classRefusal(p.task)
}

// classRefusal is the refusal of agents that would work on a task, nil if there is none.
func (c trackedPaths) classRefusal(t *Task) *Refusal {
	required := c.Settings().Config.Automation.Required
	for _, ref := range append([]string{t.Spec}, t.BasedOn...) {
		path := specPath(ref)
		doc := c.find(path)
		switch {
		case path == "":
		case required && (doc == nil || doc.Class == nil):
			return refuse(RuleClass, "git liza classify "+acceptArgument(path), "%s stands on %s, of which nobody has said how far it may be automated", t.ID, quoteC(clip(path)))
		case doc == nil || doc.Class == nil || doc.Allowance != nil:
		case doc.Class.binds() && doc.Class.Loop == LoopForbidden, doc.Class.binds() && doc.Class.Loop == LoopDiscouraged:
			return refuse(RuleClass, allowCommand(path), "%s stands on %s, which says that automation is %s", t.ID, quoteC(clip(path)), doc.Class.Loop)
		case doc.Class.Loop == LoopForbidden && loops(c).of(t.Goal) != nil:
			return refuse(RuleClass, allowCommand(path), "%s stands on %s, which is no work for a loop (%s)", t.ID, quoteC(clip(path)), doc.Class.Rule)
		}
	}
	return nil
}

// ClassRefusals are the refusals by which agents leave tasks of goals in progress alone
// until somebody says more of a text, by these tasks.
func ClassRefusals(b *Board) map[TaskID]*Refusal {
	c, list := b.trackedPaths(), map[TaskID]*Refusal{}
	classified := func(id string) bool {
		doc, ok := b.Load(Key{Tracked, id}).(*TrackedPath)
		return ok && doc.Class != nil
	}
	if !b.Settings().Config.Automation.Required && !slices.ContainsFunc(b.IDs(Tracked), classified) {
		return list
	}
	for _, s := range b.oldest() {
		t, g := b.Task(s.ID), b.Goal(s.Goal)
		if t == nil || g == nil || g.Status != InProgress || s.Status.Final() || s.Status == Draft {
			continue
		}
		if r := c.classRefusal(t); r != nil {
			list[s.ID] = r
		}
	}
	return list
}

// secondLook reports whether the class of a text that a task stands on suggests that
// another role looks at the work.
func (c trackedPaths) secondLook(t *Task) bool {
	return slices.ContainsFunc(append([]string{t.Spec}, t.BasedOn...), func(ref string) bool {
		doc := c.find(specPath(ref))
		return ref != "" && doc != nil && doc.Class != nil && doc.Class.SecondLook == LookSuggested
	})
}
