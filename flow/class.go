package flow

import (
	"reflect"
	"slices"

	"github.com/git-liza/git-liza/flow/automation"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// securityReviewer is the role that looks at work of which a class suggests it.
const securityReviewer board.Role = "security-reviewer"

// ClassifyMove records what a person says of the class of files, or that agents may work on
// them in spite of it.
type ClassifyMove struct {
	Files  []board.Classified `yaml:"files"`
	Allow  bool               `yaml:"allow"`
	Reason string             `yaml:"reason"`
	Texts  texts              `yaml:"texts"` // of the files that the board does not know as they are
}

func (c *ClassifyMove) subject() string {
	if len(c.Files) == 1 {
		return c.Files[0].Path
	}
	return "files"
}

func (c *ClassifyMove) aim(b *board.Board) board.GoalID {
	if len(c.Files) == 0 {
		return ""
	}
	return goalOfPath(b, c.Files[0].Path)
}

func (c *ClassifyMove) paths() []string {
	list := lists.Of(c.Files, func(f board.Classified) string { return f.Path })
	slices.Sort(list)
	return slices.Compact(list)
}

func (c *ClassifyMove) ask(_ Move, b *board.Board) Query {
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
		path := board.QuoteC(board.Clip(f.Path))
		switch {
		case f.Path == "" || slices.ContainsFunc(c.Files[:i], func(o board.Classified) bool { return o.Path == f.Path }):
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
			doc.Allowance = &board.Allowance{By: p.move.By, Principal: p.move.Principal, At: p.move.At, Reason: c.Reason}
		}
		p.put(board.Key{Folder: board.Tracked, ID: board.TrackedID(f.Path)}, &doc)
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
func classRefusal(b *board.Board, t *board.Task) *Refusal {
	required := b.Settings().Config.Automation.Required
	for _, ref := range append([]string{t.Spec}, t.BasedOn...) {
		path := board.SpecPath(ref)
		if path == "" {
			continue
		}
		switch doc := b.Tracked(path); {
		case required && (doc == nil || !doc.Class.Binds() && doc.Allowance == nil):
			return refuse(RuleClass, allowCommand(path), "%s stands on %s, of which nobody has said how far it may be automated", t.ID, board.QuoteC(board.Clip(path)))
		case doc != nil && doc.Forbids():
			return refuse(RuleClass, allowCommand(path), "%s stands on %s, which says that automation is forbidden (%s)", t.ID, board.QuoteC(board.Clip(path)), board.Clip(doc.Class.Why()))
		}
	}
	return nil
}

// ClassRefusals are the refusals by which agents leave tasks of goals in progress alone
// until somebody says more of a text, by these tasks.
func ClassRefusals(b *board.Board) map[board.TaskID]*Refusal {
	list := map[board.TaskID]*Refusal{}
	classified := func(id string) bool {
		doc, ok := b.Load(board.Key{Folder: board.Tracked, ID: id}).(*board.TrackedPath)
		return ok && doc.Class != nil
	}
	if !b.Settings().Config.Automation.Required && !slices.ContainsFunc(b.IDs(board.Tracked), classified) {
		return list
	}
	for _, s := range b.Summaries() {
		t, g := b.Task(s.ID), b.Goal(s.Goal)
		if t == nil || g == nil || g.Status != board.InProgress || s.Status.Final() || s.Status == board.Draft {
			continue
		}
		if r := classRefusal(b, t); r != nil {
			list[s.ID] = r
		}
	}
	return list
}

// looksOf are the roles that look at the work on a task because somebody says so in a text
// that it stands on.
func looksOf(b *board.Board, t *board.Task) (list []board.Role) {
	for _, ref := range append([]string{t.Spec}, t.BasedOn...) {
		if doc := b.Tracked(board.SpecPath(ref)); doc != nil && doc.Class.Binds() {
			switch doc.Class.SecondLook {
			case automation.ByPerson:
				list = append(list, board.HumanRole)
			case automation.Suggested:
				list = append(list, securityReviewer)
			}
		}
	}
	return list
}
