package gitstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/artifacts"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/glob"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/git"
)

// An Artifact is a file that a workflow asks for, to be held against its type.
type Artifact struct {
	Path     string
	Type     board.ArtifactType
	Workflow string
	Finished bool // no draft will do
	Text     []byte
}

// An ArtifactJudge returns what is wrong with artifacts, a line for each fault. An error
// says nothing about them.
type ArtifactJudge func(context.Context, []Artifact) (faults []string, err error)

const (
	// MaxArtifact bounds the text of an artifact that is judged, in bytes: plans are
	// larger than others.
	MaxArtifact = max(artifacts.MaxText, MaxMove)
	// maxJudged bounds the texts of all artifacts that a move changes, in bytes.
	maxJudged = 16 << 20
	// maxFault bounds what is said about a fault, in bytes.
	maxFault = 400
)

// FindInvalid returns a line for each fault, PATH:LINE: TEXT, of the artifacts among changes
// that a commit has. Changes of more artifacts than can be judged are refused, and those
// that nothing here can judge.
func (cs *Commits) FindInvalid(ctx context.Context, patterns []board.TypedPattern, commit git.ID, changes []git.Change) (invalid []string, err error) {
	var list []Artifact
	size := 0
	for _, c := range changes {
		i := slices.IndexFunc(patterns, func(p board.TypedPattern) bool { return glob.Match(p.Glob, c.Path) })
		if i < 0 || c.Mode == 0 {
			continue
		}
		if c.Mode != git.ModeBlob && c.Mode != git.ModeExecutable {
			invalid = append(invalid, board.Clean(c.Path)+":1: it is no regular file")
			continue
		}
		text, err := cs.objects.ReadKind(c.New, "blob", MaxArtifact)
		if _, is := errors.AsType[*git.TooLarge](err); is {
			invalid = append(invalid, fmt.Sprintf("%s:1: the file is larger than %d KiB", board.Clean(c.Path), MaxArtifact>>10))
			continue
		}
		if err != nil {
			return nil, err
		}
		if size += len(text); size > maxJudged || len(list) == board.MaxMatches {
			return nil, limitRefusal("git liza help task add", "the change touches more artifacts than are judged at once, %d of %d MiB: part it into tasks", board.MaxMatches, maxJudged>>20)
		}
		p := patterns[i]
		list = append(list, Artifact{c.Path, p.Type, p.Workflow, p.Finished, text})
	}
	if len(list) == 0 {
		return invalid, nil
	}
	if cs.Judge == nil {
		return nil, undecidedRefusal(commit, "nothing here can say whether artifacts are valid")
	}
	faults, err := cs.Judge(ctx, list)
	if err != nil && ctx.Err() == nil {
		return nil, undecidedRefusal(commit, "whether artifacts are valid cannot be decided: "+err.Error())
	}
	return append(invalid, lists.Of(faults, func(line string) string { return strings.ToValidUTF8(line[:min(len(line), maxFault)], "") })...), err
}

// undecidedRefusal refuses a commit whose artifacts could not be judged.
func undecidedRefusal(commit git.ID, reason string) *flow.Refusal {
	return &flow.Refusal{Rule: flow.RuleUndecided, Hint: board.ArtifactCommand + " --at " + string(commit), Reason: reason}
}
