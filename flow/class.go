package flow

import (
	"reflect"
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow/automation"
	"github.com/git-liza/git-liza/flow/lists"
)

// A Class says how far the work that a file describes may be automated.
type Class = automation.Class

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

// ClassifyMove records what a person says of the class of files, or that agents may work on
// them in spite of it.
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
	return goalOfPath(b, c.Files[0].Path)
}

func (c *ClassifyMove) paths() []string {
	list := lists.Of(c.Files, func(f Classified) string { return f.Path })
	slices.Sort(list)
	return slices.Compact(list)
}

func (c *ClassifyMove) ask(_ Move, b *Board) Query {
	return Query{Texts: queriesOf(b, c.paths()...)}
}

func (c *ClassifyMove) fill(p *play) {
	c.Texts = enteredTexts(p)
	files := slices.Clone(c.Files)
	for i, f := range files {
		if f.Blob == "" && p.facts != nil {
			files[i].Blob = p.facts.Texts[f.Path].Blob
		}
	}
	c.Files = files
}

func (c *ClassifyMove) already(p *play) bool {
	for _, f := range c.Files {
		doc := p.board.Tracked(f.Path)
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
	const hint = "git liza help plan classify"
	if len(c.Files) == 0 {
		return refuse(RuleForm, hint, "there is no file to classify")
	}
	if c.Allow {
		if r := present("the reason", c.Reason, allowCommand(c.Files[0].Path)); r != nil {
			return r
		}
	}
	if r := checkRecorded(p, c.Texts); r != nil {
		return r
	}
	for i, f := range c.Files {
		path := quoteC(clip(f.Path))
		switch {
		case f.Path == "" || slices.ContainsFunc(c.Files[:i], func(o Classified) bool { return o.Path == f.Path }):
			return refuse(RuleForm, hint, "the move names %s twice, or no path", path)
		case f.Blob == "" || p.facts != nil && p.facts.Texts[f.Path].Blob != f.Blob:
			return refuse(RuleClass, classifyCommand(f.Path), "%s is not what the move says: another text, or no file at %s", path, p.board.Settings().Integration.Tip.Short())
		case f.Class == nil && c.Allow:
		case f.Class == nil || f.Class.Source != automation.Person:
			return refuse(RuleForm, hint, "the move does not say the class of %s by the word of a person", path)
		default:
			if err := f.Class.Check(); err != nil {
				return refuse(RuleForm, hint, "the class of %s: %v", path, err)
			}
		}
	}
	return nil
}

func classifyCommand(path string) string { return "git liza plan classify " + acceptArgument(path) }

func (c *ClassifyMove) apply(p *effect) {
	for _, f := range c.Files {
		doc := *p.board.Tracked(f.Path)
		if f.Class != nil {
			doc.Class = f.Class
		}
		if c.Allow {
			doc.Allowance = &Allowance{By: p.move.By, Principal: p.move.Principal, At: p.move.At, Reason: c.Reason}
		}
		p.put(Key{Tracked, TrackedID(f.Path)}, &doc)
	}
}

// checkClass refuses agents to work by a text that forbids it.
func checkClass(p *play) *Refusal {
	if p.move.By.IsHuman() {
		return nil
	}
	return classRefusal(p.board, p.task)
}

// classRefusal is the refusal of agents that would work on a task, nil if there is none.
func classRefusal(b *Board, t *Task) *Refusal {
	required := b.Settings().Config.Automation.Required
	for _, ref := range append([]string{t.Spec}, t.BasedOn...) {
		path := specPath(ref)
		if path == "" {
			continue
		}
		switch doc := b.Tracked(path); {
		case required && (doc == nil || !doc.Class.Binds() && doc.Allowance == nil):
			return refuse(RuleClass, allowCommand(path), "%s stands on %s, of which nobody has said how far it may be automated", t.ID, quoteC(clip(path)))
		case doc != nil && doc.forbids():
			return refuse(RuleClass, allowCommand(path), "%s stands on %s, which says that automation is forbidden (%s)", t.ID, quoteC(clip(path)), clip(doc.Class.Why()))
		}
	}
	return nil
}

// forbids reports whether somebody says that no agent works by the text as it is, and no
// person has allowed it.
func (d *TrackedPath) forbids() bool {
	return d.Allowance == nil && d.Class.Binds() && d.Class.Loop == automation.Forbidden
}

// ClassRefusals are the refusals by which agents leave tasks of goals in progress alone
// until somebody says more of a text, by these tasks.
func ClassRefusals(b *Board) map[TaskID]*Refusal {
	list := map[TaskID]*Refusal{}
	classified := func(id string) bool {
		doc, ok := b.Load(Key{Tracked, id}).(*TrackedPath)
		return ok && doc.Class != nil
	}
	if !b.Settings().Config.Automation.Required && !slices.ContainsFunc(b.IDs(Tracked), classified) {
		return list
	}
	for _, s := range b.Summaries() {
		t, g := b.Task(s.ID), b.Goal(s.Goal)
		if t == nil || g == nil || g.Status != InProgress || s.Status.Final() || s.Status == Draft {
			continue
		}
		if r := classRefusal(b, t); r != nil {
			list[s.ID] = r
		}
	}
	return list
}

// Caution says of a text that automation is discouraged, "" if it is not. d may be nil.
func (d *TrackedPath) Caution() string {
	switch {
	case d == nil || d.Class == nil || d.Allowance != nil || d.Class.Loop != automation.Discouraged:
		return ""
	case d.Class.Binds():
		return quoteC(clip(d.Path)) + " says that automation is discouraged (" + clip(d.Class.Why()) + ")"
	}
	return "by its form " + quoteC(clip(d.Path)) + " does not bound the work of agents"
}

// Caution says that a text that a task stands on discourages automation, "" if none does.
func Caution(b *Board, id TaskID) string {
	t := b.Task(id)
	if t == nil {
		return ""
	}
	for _, ref := range append([]string{t.Spec}, t.BasedOn...) {
		if caution := b.Tracked(specPath(ref)).Caution(); caution != "" {
			return caution
		}
	}
	return ""
}

// looksOf are the roles that look at the work on a task because somebody says so in a text
// that it stands on.
func looksOf(b *Board, t *Task) (list []Role) {
	for _, ref := range append([]string{t.Spec}, t.BasedOn...) {
		if doc := b.Tracked(specPath(ref)); doc != nil && doc.Class.Binds() {
			switch doc.Class.SecondLook {
			case automation.ByPerson:
				list = append(list, HumanRole)
			case automation.Suggested:
				list = append(list, securityReviewer)
			}
		}
	}
	return list
}
