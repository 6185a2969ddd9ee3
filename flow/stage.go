package flow

import (
	"cmp"
	"slices"

	"github.com/git-liza/git-liza/flow/lists"
)

// A Stage is where a gate runs. The zero value is [AtMerge].
type Stage uint8

// The stages of gates.
const (
	AtMerge  Stage = iota + 1 // on the merged tree
	AtSubmit                  // on what is submitted
	AtLevel                   // on integration, when the tasks of a level are done
	AtGoal                    // on integration, before a goal is completed
	AtPhase                   // on integration, before a goal leaves a phase
)

var stageNames = names{"stage of a gate", "merge", "submit", "level", "goal", "phase"}

// String is the stage's name, that of [AtMerge] for the zero value.
func (s Stage) String() string { return stageNames.name(uint8(cmp.Or(s, AtMerge))) }

// MarshalText writes the name; the zero value is an error.
func (s Stage) MarshalText() ([]byte, error) { return stageNames.marshal(uint8(s)) }

// UnmarshalText accepts exactly the names of [Stage.String].
func (s *Stage) UnmarshalText(text []byte) error { return unmarshalName(s, text, stageNames) }

// Stage is where the gate runs.
func (g Gate) Stage() Stage { return cmp.Or(g.At, AtMerge) }

// GatesAt are the gates of a stage, in their order.
func (c Config) GatesAt(at Stage) []Gate {
	return lists.Where(c.Gates, func(g Gate) bool { return g.Stage() == at })
}

// checkReceipts refuses receipts that contradict themselves, or are not of gates of a stage. Gates
// of goals, phases and levels run on integration, as git has it.
func checkReceipts(p *play, at Stage, receipts []Receipt, hint string) *Refusal {
	for _, r := range receipts {
		if refusal := r.checkReceipt(hint); refusal != nil {
			return refusal
		}
		if at == AtSubmit && r.isArtifacts() {
			continue
		}
		if g, there := p.board.Settings().Config.Gate(r.Gate); !there || g.Stage() != at {
			return refuse(RuleGate, hint, "%s is no gate at a %s", clip(r.Gate), at)
		}
	}
	if p.facts == nil || at == AtSubmit {
		return nil
	}
	if r := lists.Find(receipts, func(r Receipt) bool { return !p.facts.Exists || r.Tree != p.facts.Tree }); r != nil {
		return refuse(RuleGate, hint, "gate %s ran on another tree than that of integration at %s", clip(r.Gate), p.board.Settings().Integration.Tip.Short())
	}
	return nil
}

// checkPassed refuses what required gates of a stage have not passed on a tree; "" is any
// tree. A gate with paths may be skipped where touches is not nil and says that none of
// them changed.
func checkPassed(p *play, at Stage, receipts []Receipt, tree ObjectID, touches func(globs []string) bool, hint string) *Refusal {
	for _, g := range p.board.Settings().Config.GatesAt(at) {
		if !g.Required || slices.ContainsFunc(receipts, func(r Receipt) bool {
			return r.Gate == g.Name && r.Command == g.Command && (tree == "" || r.Tree == tree) &&
				(r.HasPassed() || r.Result == Skipped && len(g.Paths) > 0 && touches != nil && !touches(g.Paths))
		}) {
			continue
		}
		on := ""
		if tree != "" {
			on = " on tree " + tree.Short()
		}
		return refuse(RuleGate, hint, "gate %s has not passed%s", g.Name, on)
	}
	return nil
}

// touching reports of globs whether a submission may change a path that one of them
// matches. The board knows only the first paths of a large submission: it counts as
// touching all.
func touching(p *play, changed int, paths []string) func(globs []string) bool {
	return func(globs []string) bool { return changed > len(paths) || anyMatches(p, globs, paths) }
}

// Skips reports whether a gate is not run on a change, because none of the paths is
// touched that it is about. changed is how many paths the change has, of which paths may
// be the first alone.
func (g Gate) Skips(b *Board, changed int, paths []string) bool {
	return len(g.Paths) > 0 && !touching(&play{board: b}, changed, paths)(g.Paths)
}

// recordGates records the gates of a stage that failed and are not required.
func recordGates(p *effect, at Stage, task TaskID, receipts []Receipt) {
	told := map[string]bool{}
	for _, r := range receipts {
		g, there := p.board.Settings().Config.Gate(r.Gate)
		if !there || g.Stage() != at || g.Required || r.Command != g.Command || r.Result != Fail && r.Result != TimedOut || told[g.Name] {
			continue
		}
		told[g.Name] = true
		p.recordAnomaly(GateFailed, task, map[string]string{"gate": g.Name, "result": r.Result.String()})
	}
}
