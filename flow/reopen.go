package flow

import (
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// ReopenMove continues a goal that has ended, with a new sprint to which its open
// tasks belong. It becomes the current goal.
type ReopenMove struct {
	Reason string `yaml:"reason"`
	Texts  texts  `yaml:"texts"` // of the goal's spec, if it changed since nobody stood on it
}

func (r *ReopenMove) subject() string { return "" }

func (r *ReopenMove) ask(m Move, b *board.Board) Query {
	g := b.Goal(m.Goal)
	if g == nil {
		return Query{}
	}
	q := Query{Texts: queriesOf(b, g.Spec)}
	if w := board.FindWorkflow(b, g.ID); w != nil {
		q.Match = w.Patterns()
		q.Texts = append(q.Texts, lists.Of(board.KnownArtifacts(b, q.Match), func(doc *board.TrackedPath) TextQuery { return TextQuery{Path: doc.Path} })...)
		slices.SortStableFunc(q.Texts, func(x, y TextQuery) int { return strings.Compare(x.Path, y.Path) })
		q.Texts = slices.CompactFunc(q.Texts, func(x, y TextQuery) bool { return x.Path == y.Path }) // the first of each path
	}
	return q
}

func (r *ReopenMove) fill(p *play) { r.Texts = enteredTexts(p) }

func (r *ReopenMove) refs(m Move, b *board.Board) []RefMove {
	return []RefMove{{Name: board.MarkRef(string(nextSprint(b, m.Goal))), State: true}}
}

func (r *ReopenMove) already(p *play) bool { return p.ended(board.InProgress) }

func (r *ReopenMove) check(p *play) *Refusal {
	if goal := p.goalID(); p.ended(board.InProgress) {
		return refuse(RuleState, "git liza goal list", "the goal %s has not ended", goal)
	}
	if refusal := present("the reason", r.Reason, "git liza goal reopen "+string(p.goalID())+" --reason R"); refusal != nil {
		return refusal
	}
	spec, branch := board.SpecPath(p.board.Goal(p.goalID()).Spec), p.board.Settings().Integration.Name
	if p.facts != nil && !p.facts.Texts[spec].exists() {
		return refuse(RuleSpec, "git liza adopt COMMIT --reason R", "the spec '%s' does not exist on %s", spec, branch)
	}
	if w := board.FindWorkflow(p.board, p.goalID()); w != nil {
		if r := checkApart(p.board, w.Goal, w.Patterns()); r != nil {
			return r
		}
	}
	return checkRecorded(p, r.Texts)
}

func (r *ReopenMove) apply(p *effect) {
	editGoal(p, func(g *board.Goal) {
		g.Status, g.Ended, g.Reason = board.InProgress, time.Time{}, ""
		g.AtCheckpoint = g.Tally()
	})
	begun := startSprint(p, time.Time{})
	for _, s := range board.OpenTasksOf(p.board, begun.Goal) {
		t := p.board.Task(s.ID).Clone()
		t.Sprint = begun.ID
		p.keep(t)
	}
	recordPlan(p, begun)
	p.change(func(s *board.Settings) { s.Goal = p.goalID() })
}
