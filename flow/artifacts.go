package flow

import (
	"slices"
	"sort"

	"github.com/git-liza/git-liza/flow/glob"
	"github.com/git-liza/git-liza/flow/lists"
)

// ArtifactGate is the built-in gate that runs on submissions and merges which touch
// artifacts; its command reads the tree and no shell.
const (
	ArtifactGate    = "artifacts"
	ArtifactCommand = "git liza check"
)

// MaxMatches is how many artifacts a move may bring or change.
const MaxMatches = 1000

// A TypedPattern says of which type the artifacts at the paths of a glob are.
type TypedPattern struct {
	Glob     string
	Type     ArtifactType
	Workflow string
	Finished bool // a phase needs them, so that no draft will do
}

// TypedPatterns are the patterns of the artifacts of all goals in progress.
func TypedPatterns(b *Board) (list []TypedPattern) {
	for _, w := range openWorkflows(b) {
		for _, f := range w.Phases {
			for _, a := range f.Artifacts {
				if t := w.Type(a.Type); t != nil {
					list = append(list, TypedPattern{Expand(a.Path, w.Goal), *t, w.Name, a.Count > 0})
				}
			}
		}
	}
	return list
}

// knownArtifacts are the tracked paths that match one of the globs and hold a file, or held one.
func knownArtifacts(b *Board, globs []string) (list []*TrackedPath) {
	if len(globs) == 0 {
		return nil
	}
	parsed := glob.ParseAll(globs)
	list = lists.Where(All[*TrackedPath](b, Tracked), func(doc *TrackedPath) bool { return glob.MatchesAny(parsed, doc.Path) })
	sort.Slice(list, func(i, j int) bool { return list[i].Path < list[j].Path })
	return list
}

// An ArtifactState is what the board knows of an artifact that a phase produces.
type ArtifactState struct {
	Phase    PhaseID
	Type     string
	Glob     string
	Count    int            // at least so many are approved
	Files    []*TrackedPath // that are there
	Approved int            // of them
}

// ArtifactsOf are the artifacts of a goal in the order of its workflow, up to a phase;
// "" is all.
func ArtifactsOf(b *Board, goal GoalID, upTo PhaseID) (list []ArtifactState) {
	w := FindWorkflow(b, goal)
	if w == nil {
		return nil
	}
	docs := knownArtifacts(b, w.patterns())
	for _, f := range w.Phases {
		for _, a := range f.Artifacts {
			state := ArtifactState{Phase: f.Name, Type: a.Type, Glob: Expand(a.Path, goal), Count: a.Count}
			state.find(docs)
			list = append(list, state)
		}
		if f.Name == upTo {
			break
		}
	}
	return list
}

// find takes those of the tracked paths that are files of the artifact.
func (a *ArtifactState) find(docs []*TrackedPath) {
	g := glob.Parse(a.Glob)
	for _, doc := range docs {
		if doc.Blob == "" || !g.Matches(doc.Path) {
			continue
		}
		a.Files = append(a.Files, doc)
		if doc.Approved() {
			a.Approved++
		}
	}
}

// checkArtifacts refuses receipts that do not show that the artifacts which a change
// touches are valid, and receipts that git belies. at is the commit that was judged.
func checkArtifacts(p *play, receipts []Receipt, at, tree ObjectID, touches func(globs []string) bool) *Refusal {
	globs := workflowPatterns(p.board)
	if len(globs) == 0 || !touches(globs) {
		return nil
	}
	passed := holdsArtifacts(receipts, tree)
	hint := ArtifactCommand + " --at " + string(at)
	switch {
	case p.facts != nil && len(p.facts.Invalid) > 0 && passed:
		return refuse(RuleFact, hint, "gate %s is said to have passed on tree %s, but %s", ArtifactGate, tree.Short(), p.facts.Invalid[0])
	case p.facts != nil && len(p.facts.Invalid) > 0:
		return refuse(RuleArtifact, hint, "%s", p.facts.Invalid[0])
	case !passed:
		return refuse(RuleGate, hint, "gate %s has not passed on tree %s", ArtifactGate, tree.Short())
	}
	return nil
}

// holdsArtifacts reports whether one of the receipts shows that the artifacts of a tree
// are valid.
func holdsArtifacts(receipts []Receipt, tree ObjectID) bool {
	return slices.ContainsFunc(receipts, func(r Receipt) bool { return r.isArtifacts() && r.Tree == tree && r.HasPassed() })
}

// withArtifacts are receipts with that of the gate for artifacts, if a change touches any
// and git says that they are valid.
func withArtifacts(p *play, receipts []Receipt, tree ObjectID, touches func(globs []string) bool) []Receipt {
	globs := workflowPatterns(p.board)
	if p.facts == nil || len(p.facts.Invalid) > 0 || len(globs) == 0 || !touches(globs) || holdsArtifacts(receipts, tree) {
		return receipts
	}
	return append(slices.Clip(receipts), Receipt{Gate: ArtifactGate, Command: ArtifactCommand, Tree: tree, Duration: "0s", By: p.move.By, Result: Pass})
}

// isArtifacts reports whether the receipt is of the built-in gate for artifacts.
func (r Receipt) isArtifacts() bool { return r.Gate == ArtifactGate && r.Command == ArtifactCommand }

// frozen refuses a submission that changes an artifact which is frozen.
func (s *SubmitMove) frozen(p *play) *Refusal {
	if p.facts == nil || len(p.facts.Frozen) == 0 {
		return nil
	}
	path := p.facts.Frozen[0]
	return refuse(RuleFrozen, p.undo(s.Base, path), "%s is frozen: only superseded_by, and status to superseded, may change; what holds instead is a new file", quoteC(clip(path)))
}
