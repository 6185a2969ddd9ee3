package supervise

import (
	"fmt"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/templates"
)

// mostArtifacts is how many approved artifacts a prompt names, the last ones.
const mostArtifacts = 40

// phaseFor is what a session on a task is told of its phase, nil if its goal has no phases.
// Of a task that belongs to every phase it is the one that the goal is in.
func phaseFor(b *flow.Board, t *flow.Task) *templates.Phase {
	w, g := flow.FindWorkflow(b, t.Goal), b.Goal(t.Goal)
	if w == nil || g == nil {
		return nil
	}
	id := t.Phase
	if id == flow.AnyPhase {
		id = g.Phase
	}
	p := &templates.Phase{Workflow: w.Name, Name: flow.PhaseName(b, g)}
	if f := w.Phase(id); f != nil {
		p.About = f.About
	}
	tip := b.Settings().Integration.Tip
	for _, a := range flow.ArtifactsOf(b, g.ID, "") {
		if a.Phase == id {
			asked := fmt.Sprintf("%s at %s: git liza artifact template %s", a.Type, a.Glob, a.Type)
			if a.Count == 0 {
				asked += " (not required)"
			}
			p.Asked = append(p.Asked, asked)
		}
		for _, doc := range a.Files {
			if doc.Approved() {
				p.Approved = append(p.Approved, shell.Quote(string(tip)+":"+doc.Path))
			}
		}
	}
	p.Approved = p.Approved[max(0, len(p.Approved)-mostArtifacts):]
	return p
}
