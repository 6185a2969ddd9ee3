package flow

import (
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/lists"
)

// ReopenMove continues a goal that has ended, with a new sprint to which its open
// tasks belong. It becomes the current goal.
type ReopenMove struct {
	Reason string `yaml:"reason"`
	Texts  texts  `yaml:"texts"` // of the goal's spec, if it changed since nobody stood on it
}

func (r *ReopenMove) subject() string { return "" }

func (r *ReopenMove) ask(m Move, b *Board) Query {
	g := b.Goal(m.Goal)
	if g == nil {
		return Query{}
	}
	q := Query{Texts: b.trackedPaths().askTexts(g.Spec)}
	if w := workflowsOf(b.calendar()).of(g.ID); w != nil {
		q.Match = w.patterns()
		q.Texts = append(q.Texts, lists.Of(workflowsOf(b.calendar()).known(q.Match), func(doc *TrackedPath) TextQuery { return TextQuery{Path: doc.Path} })...)
		slices.SortStableFunc(q.Texts, func(x, y TextQuery) int { return strings.Compare(x.Path, y.Path) })
		q.Texts = slices.CompactFunc(q.Texts, func(x, y TextQuery) bool { return x.Path == y.Path }) // the first of each path
	}
	return q
}

func (r *ReopenMove) fill(p *play) { r.Texts = p.textCheck().entered() }

func (r *ReopenMove) refs(m Move, b *Board) []RefMove {
	return []RefMove{{Name: MarkRef(string(b.calendar().next(m.Goal))), State: true}}
}

func (r *ReopenMove) already(p *play) bool { return p.ended(InProgress) }

func (r *ReopenMove) check(p *play) *Refusal {
	if goal := p.goalID(); p.ended(InProgress) {
		return refuse(RuleState, "git liza goal list", "the goal %s has not ended", goal)
	}
	if refusal := present("the reason", r.Reason, "git liza goal reopen "+string(p.goalID())+" --reason R"); refusal != nil {
		return refusal
	}
	spec, branch := specPath(p.board.Goal(p.goalID()).Spec), p.board.Settings().Integration.Name
	if p.facts != nil && !p.facts.Texts[spec].exists() {
		return refuse(RuleSpec, "git liza adopt COMMIT --reason R", "the spec '%s' does not exist on %s", spec, branch)
	}
	if w := workflowsOf(p.board.calendar()).of(p.goalID()); w != nil {
		if r := workflowsOf(p.board.calendar()).apart(w.Goal, w.patterns()); r != nil {
			return r
		}
	}
	return p.textCheck().compare(r.Texts)
}

func (r *ReopenMove) apply(p *effect) {
	p.goal(func(g *Goal) {
		g.Status, g.Ended, g.Reason = InProgress, time.Time{}, ""
		g.AtCheckpoint = g.tally()
	})
	begun := p.startSprint(time.Time{})
	for _, s := range p.board.calendar().openTasks(begun.Goal) {
		t := p.board.Task(s.ID).clone()
		t.Sprint = begun.ID
		p.keep(t)
	}
	p.recordPlan(begun)
	p.change(func(s *Settings) { s.Goal = p.goalID() })
}
