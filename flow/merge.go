package flow

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/git-liza/git-liza/flow/board"
)

// IntegrationScript is a gate that the repository itself contains: it runs on
// every merge candidate that has it.
const IntegrationScript = "scripts/integration-test.sh"

// MergeMove brings approved work to integration.
type MergeMove struct {
	Commit     board.ObjectID  `yaml:"commit"` // the merge commit
	Submission board.ObjectID  `yaml:"submission"`
	Onto       board.ObjectID  `yaml:"onto"`
	Tree       board.ObjectID  `yaml:"tree"`
	Drift      int             `yaml:"drift"`
	Git        string          `yaml:"git"` // version that computed the tree
	Receipts   []board.Receipt `yaml:"receipts"`
	LeftOut    *board.Save     `yaml:"left_out"` // commits on the branch that nobody reviewed
	Texts      texts           `yaml:"texts"`    // of the tracked paths that the merge changes
}

// mergeable lets only principals with the right merge make merges, if any
// principal has that right. What is merged was approved for the texts as they are,
// and nothing that it needs was taken away.
func mergeable(p *play) *Refusal {
	who := p.board.Principals()
	if who.Anybody("merge") && !who.May(p.move.Principal, "merge") {
		return refuse(RuleAdmin, "git liza principal list", "merging is for principals with the right merge, not for %s", p.move.Principal)
	}
	if p.move.Act != board.ActMerge {
		return nil
	}
	return cmp.Or(trusted(p), checkPhase(p), checkVerdicts(p.board, p.task), checkReverted(p.board, p.task))
}

func (g *MergeMove) ask(m Move, b *board.Board) Query {
	q := askSave(g.LeftOut)
	q.Merge, q.Submission, q.Onto, q.Brought = g.Commit, g.Submission, g.Onto, true
	q.Texts, q.At = QueryTexts(b), g.Commit
	q.Match, q.Valid = workflowPatterns(b), board.TypedPatterns(b)
	if t := b.Task(m.Task); t != nil && t.Attempt != nil {
		q.DriftFrom, q.Meant = t.Attempt.Base, t.Meant
		if t.Submission != nil {
			q.Base = t.Submission.Base
		}
	}
	return q
}

func (g *MergeMove) fill(p *play) {
	g.Drift = cmp.Or(g.Drift, p.facts.Drift)
	g.Texts = enteredTexts(p)
	if p.task != nil && p.task.Submission != nil {
		of := p.task.Submission
		g.Receipts = withArtifacts(p, g.Receipts, g.Tree, touching(p, of.Changed, of.Paths))
	}
}

func (g *MergeMove) refs(m Move, b *board.Board) []RefMove {
	return append(saved(m.Task, g.LeftOut),
		RefMove{Name: b.Settings().Integration.Ref(), Old: g.Onto, New: g.Commit})
}

func (g *MergeMove) already(p *play) bool { return p.from == board.Merged }

func (g *MergeMove) check(p *play) *Refusal {
	again := "git liza merge " + string(p.task.ID)
	if approved := p.task.Submission.Commit; g.Submission != approved {
		return refuse(RuleCommit, again, "%s was approved at %s, the merge contains %s", p.task.ID, approved, board.Clip(string(g.Submission)))
	}
	if tip := p.board.Settings().Integration.Tip; g.Onto != tip {
		return refuse(RuleTip, again, "the merge builds on %s, integration is at %s", g.Onto.Short(), tip.Short())
	}
	if g.Commit == "" || g.Tree == "" {
		return refuse(RuleForm, again, "a merge names its commit and tree")
	}
	return cmp.Or(p.checkSave(g.LeftOut), g.computed(p), g.tracked(p), g.gates(p))
}

// tracked refuses a merge that brings a text to a tracked path that no verdict
// was given for: neither that of the submission nor that of integration. It
// leaves for the effect by whose verdicts the texts came.
func (g *MergeMove) tracked(p *play) *Refusal {
	t := p.task
	if p.facts != nil {
		for _, path := range Ask(p.prior, *p.move).paths(p.facts) {
			if p.facts.Texts[path].Unjudged() {
				return refuse(RuleTracked, "git liza merge "+string(t.ID),
					"the merge puts a text at %s that nobody judged: integration has to be merged into %s, and the result judged", board.QuoteC(board.Clip(path)), t.ID)
			}
		}
	}
	p.origin = origin{task: t.ID, reviews: t.Submission.ReviewBy, verdicts: t.PathVerdicts()}
	return checkRecorded(p, g.Texts)
}

// computed compares the merge commit with the merge that git computes of its
// parents.
func (g *MergeMove) computed(p *play) *Refusal {
	f := p.facts
	if f == nil {
		return nil
	}
	again := "git liza merge " + string(p.task.ID)
	switch {
	case !f.Exists:
		return refuse(RuleFact, again, "the merge commit %s does not exist", g.Commit.Short())
	case !slices.Equal(f.Parents, []board.ObjectID{g.Onto, g.Submission}):
		return refuse(RuleMerge, again, "the merge commit %s does not have exactly the parents %s and %s", g.Commit.Short(), g.Onto.Short(), g.Submission.Short())
	case f.Crossed:
		return refuse(RuleMerge, again, "%s was reviewed against %s, but a merge onto %s compares it with another commit: merge integration into it first",
			g.Submission.Short(), p.task.Submission.Base.Short(), g.Onto.Short())
	case f.Merged == "":
		return refuse(RuleMerge, again, "%s does not merge cleanly onto %s", g.Submission.Short(), g.Onto.Short())
	case f.Tree != f.Merged || g.Tree != f.Tree:
		return refuse(RuleMerge, again, "the merge commit %s has tree %s, merging its parents gives %s", g.Commit.Short(), f.Tree.Short(), f.Merged.Short())
	case g.Drift != f.Drift:
		return refuse(RuleFact, again, "the move records a drift of %d, git counts %d", g.Drift, f.Drift)
	case f.Script && !passed(g.Receipts, IntegrationScript, "", g.Tree):
		return refuse(RuleGate, again, "%s has not passed on tree %s", IntegrationScript, g.Tree.Short())
	}
	return nil
}

func (g *MergeMove) gates(p *play) *Refusal {
	hint := "git liza merge " + string(p.task.ID)
	touches := touching(p, p.task.Submission.Changed, p.task.Submission.Paths)
	return cmp.Or(firstRefusal(g.Receipts, func(r board.Receipt) *Refusal { return checkReceipt(r, hint) }),
		checkArtifacts(p, g.Receipts, g.Commit, g.Tree, touches),
		checkPassed(p, board.AtMerge, g.Receipts, g.Tree, touches, hint))
}

func (g *MergeMove) apply(p *effect) {
	t, m := p.task, p.move
	if g.LeftOut != nil {
		t.Saves = g.LeftOut.Number
	}
	t.Merge = &board.Merge{Commit: g.Commit, Onto: g.Onto, Tree: g.Tree, Drift: g.Drift, Receipts: g.Receipts,
		LeftOut: g.LeftOut, By: m.By, At: m.At}
	p.change(func(s *board.Settings) { s.Integration.Tip = g.Commit })
	recordGates(p, board.AtMerge, t.ID, g.Receipts)
	countMerged(p, t.Goal)
	markReverted(p, t.Reverts, board.Reverted{By: m.By, Task: t.ID, Commit: g.Commit, At: m.At})
}

// IntegrationFailMove records that approved work does not merge, or that a
// gate fails on the merged tree.
type IntegrationFailMove struct {
	Onto   board.ObjectID `yaml:"onto"`
	Paths  []string       `yaml:"conflicts"`
	Gate   string         `yaml:"gate"`
	Output string         `yaml:"output"`
}

func (f *IntegrationFailMove) check(p *play) *Refusal {
	again := "git liza merge " + string(p.task.ID)
	if tip := p.board.Settings().Integration.Tip; f.Onto != tip {
		return refuse(RuleTip, again, "the failure is against %s, integration is at %s", f.Onto.Short(), tip.Short())
	}
	if len(f.Paths) == 0 && f.Gate == "" {
		return refuse(RuleForm, again, "a failed integration names its conflicts or its gate")
	}
	return nil
}

func (f *IntegrationFailMove) already(p *play) bool {
	return p.from == board.IntegrationFailed && p.task.Integration.Onto == f.Onto
}

func (f *IntegrationFailMove) apply(p *effect) {
	t, m := p.task, p.move
	t.JudgeAll(func(j *board.Judgement) { j.Verdict = nil })
	t.MergeFails++
	t.Integration = &board.Integration{Onto: f.Onto, Paths: f.Paths, Gate: f.Gate, Output: f.Output, By: m.By, At: m.At}
	if t.MergeFails >= p.limits().MergeFails {
		p.blockAtLimit(board.LimitMergeFails, "", "The work keeps failing to merge: which other tasks touch the same code, and in what order should they land?")
	}
}

// nextMark is the name below refs/liza/marks of the next state that the board
// keeps.
func nextMark(b *board.Board, kind string) string {
	return kind + "-" + strconv.Itoa(b.Settings().Next.Mark)
}
