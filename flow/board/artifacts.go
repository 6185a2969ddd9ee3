package board

import (
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
	for _, w := range OpenWorkflows(b) {
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

// KnownArtifacts are the tracked paths that match one of the globs and hold a file, or held one.
func KnownArtifacts(b *Board, globs []string) (list []*TrackedPath) {
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
	docs := KnownArtifacts(b, w.Patterns())
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

// IsArtifacts reports whether the receipt is of the built-in gate for artifacts.
func (r Receipt) IsArtifacts() bool { return r.Gate == ArtifactGate && r.Command == ArtifactCommand }
