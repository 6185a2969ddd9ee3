package flow

import (
	"slices"
	"sort"
)

// ArtifactGate is the built-in gate that runs on submissions and merges which touch
// artifacts; its command reads the tree and no shell.
const (
	ArtifactGate    = "artifacts"
	ArtifactCommand = "git liza artifact check"
)

// MaxMatches is how many artifacts a move may bring or change.
const MaxMatches = 1000

// A TypedPattern says of which type the artifacts at the paths of a glob are.
type TypedPattern struct {
	Glob string
	Type ArtifactType
}

// typed are the patterns of all goals in progress with their types.
func (k workflows) typed() (list []TypedPattern) {
	for _, w := range k.open() {
		for _, f := range w.Phases {
			for _, a := range f.Artifacts {
				if t := w.Type(a.Type); t != nil {
					list = append(list, TypedPattern{Expand(a.Path, w.Goal), *t})
				}
			}
		}
	}
	return list
}

// TypedPatterns are the patterns of the artifacts of all goals in progress.
func TypedPatterns(b *Board) []TypedPattern { return workflowsOf(b).typed() }

// known are the tracked paths that match one of the globs and hold a file, or held one.
func (k workflows) known(globs []string) (list []*TrackedPath) {
	if len(globs) == 0 {
		return nil
	}
	parsed := parseGlobs(globs)
	for _, id := range k.IDs(Tracked) {
		if doc, ok := k.load(Key{Tracked, id}).(*TrackedPath); ok && matchesAny(parsed, doc.Path) {
			list = append(list, doc)
		}
	}
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

// Lacks reports whether the exit of the phase waits for the artifact.
func (a ArtifactState) Lacks() bool { return a.Approved < len(a.Files) || a.Approved < a.Count }

// ArtifactsOf are the artifacts of a goal in the order of its workflow, up to a phase;
// "" is all.
func ArtifactsOf(b *Board, goal GoalID, upTo PhaseID) []ArtifactState {
	return workflowsOf(b).artifactsOf(goal, upTo)
}

func (k workflows) artifactsOf(goal GoalID, upTo PhaseID) (list []ArtifactState) {
	w := workflowsOf(k).of(goal)
	if w == nil {
		return nil
	}
	docs := k.known(w.patterns(-1))
	for _, f := range w.Phases {
		for _, a := range f.Artifacts {
			state := ArtifactState{Phase: f.Name, Type: a.Type, Glob: Expand(a.Path, goal), Count: a.Count}
			g := parseGlob(state.Glob)
			for _, doc := range docs {
				if doc.Blob != "" && g.matches(doc.Path) {
					state.Files = append(state.Files, doc)
					if doc.Approved() {
						state.Approved++
					}
				}
			}
			list = append(list, state)
		}
		if f.Name == upTo {
			break
		}
	}
	return list
}

// artifactsChecked refuses receipts that do not show that the artifacts which a change
// touches are valid, and receipts that git belies.
func (p staging) artifactsChecked(receipts []Receipt, tree ObjectID, touches func(globs []string) bool, hint string) *Refusal {
	globs := workflowsOf(p).patterns()
	if len(globs) == 0 || !touches(globs) {
		return nil
	}
	rules := p.Settings().Rules
	if !slices.ContainsFunc(receipts, func(r Receipt) bool { return r.isArtifacts() && r.Tree == tree && r.HasPassed(rules) }) {
		return refuse(RuleGate, hint, "gate %s has not passed on tree %s", ArtifactGate, tree.Short())
	}
	if p.facts != nil && len(p.facts.Invalid) > 0 {
		return refuse(RuleFact, "git liza artifact check", "gate %s is said to have passed, and %s", ArtifactGate, clip(p.facts.Invalid[0]))
	}
	return nil
}

// isArtifacts reports whether the receipt is of the built-in gate for artifacts.
func (r Receipt) isArtifacts() bool { return r.Gate == ArtifactGate && r.Command == ArtifactCommand }

// frozen refuses a submission that changes an artifact which is frozen.
func (s *SubmitMove) frozen(p *play) *Refusal {
	if p.facts == nil || len(p.facts.Frozen) == 0 || !p.HasRules(5) {
		return nil
	}
	path := p.facts.Frozen[0]
	return refuse(RuleFrozen, p.undo(s.Base, path), "%s is frozen: only superseded_by, and status to superseded, may change; what holds instead is a new file", quoteC(clip(path)))
}
