package flow

import (
	"slices"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// checkReceipts refuses receipts that contradict themselves, or are not of gates of a stage. Gates
// of goals, phases and levels run on integration, as git has it.
func checkReceipts(p *play, at board.Stage, receipts []board.Receipt, hint string) *Refusal {
	for _, r := range receipts {
		if refusal := checkReceipt(r, hint); refusal != nil {
			return refusal
		}
		if at == board.AtSubmit && r.IsArtifacts() {
			continue
		}
		if g, there := p.board.Settings().Config.Gate(r.Gate); !there || g.Stage() != at {
			return refuse(RuleGate, hint, "%s is no gate at a %s", board.Clip(r.Gate), at)
		}
	}
	if p.facts == nil || at == board.AtSubmit {
		return nil
	}
	if r := lists.Find(receipts, func(r board.Receipt) bool { return !p.facts.Exists || r.Tree != p.facts.Tree }); r != nil {
		return refuse(RuleGate, hint, "gate %s ran on another tree than that of integration at %s", board.Clip(r.Gate), p.board.Settings().Integration.Tip.Short())
	}
	return nil
}

// checkPassed refuses what required gates of a stage have not passed on a tree; "" is any
// tree. A gate with paths may be skipped where touches is not nil and says that none of
// them changed.
func checkPassed(p *play, at board.Stage, receipts []board.Receipt, tree board.ObjectID, touches func(globs []string) bool, hint string) *Refusal {
	for _, g := range p.board.Settings().Config.GatesAt(at) {
		if !g.Required || slices.ContainsFunc(receipts, func(r board.Receipt) bool {
			return r.Gate == g.Name && r.Command == g.Command && (tree == "" || r.Tree == tree) &&
				(r.HasPassed() || r.Result == board.Skipped && len(g.Paths) > 0 && touches != nil && !touches(g.Paths))
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
func Skips(g board.Gate, b *board.Board, changed int, paths []string) bool {
	return len(g.Paths) > 0 && !touching(&play{board: b}, changed, paths)(g.Paths)
}

// recordGates records the gates of a stage that failed and are not required.
func recordGates(p *effect, at board.Stage, task board.TaskID, receipts []board.Receipt) {
	told := map[string]bool{}
	for _, r := range receipts {
		g, there := p.board.Settings().Config.Gate(r.Gate)
		if !there || g.Stage() != at || g.Required || r.Command != g.Command || r.Result != board.Fail && r.Result != board.TimedOut || told[g.Name] {
			continue
		}
		told[g.Name] = true
		p.recordAnomaly(board.GateFailed, task, map[string]string{"gate": g.Name, "result": r.Result.String()})
	}
}

// checkReceipt refuses a receipt that contradicts itself.
func checkReceipt(r board.Receipt, hint string) *Refusal {
	switch {
	case r.Result != 0 && r.Result != board.Skipped && (r.Result == board.Pass) != (r.Exit == 0):
		return refuse(RuleForm, hint, "the receipt of %s says %s and the exit code %d", board.Clip(r.Gate), r.Result, r.Exit)
	case r.Environment != "" && (len(r.Environment) != 40 || !board.IsHex(r.Environment)):
		return refuse(RuleForm, hint, "the environment of the receipt of %s is no hash of 40 digits", board.Clip(r.Gate))
	}
	return nil
}

// passed reports whether a receipt shows that the gate succeeded on the tree.
func passed(list []board.Receipt, gate, command string, tree board.ObjectID) bool {
	return slices.ContainsFunc(list, func(r board.Receipt) bool {
		return r.Gate == gate && r.Tree == tree && r.HasPassed() && (command == "" || r.Command == command)
	})
}
