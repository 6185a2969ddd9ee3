package supervise

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/templates"
)

// The bounds of what a prompt repeats of earlier stories.
const (
	maxStories    = 20
	maxStoryBytes = 600 // of one text
)

// storiesFor returns what the stories of a loop that somebody has worked on before left for
// the next one; none for a task of another goal. Of too many the latest stay.
func storiesFor(b *board.Board, t *board.Task) (list []templates.Story) {
	if t == nil {
		return nil
	}
	if g := b.Goal(t.Goal); g == nil || g.Loop == nil {
		return nil
	}
	var earlier []*board.Task
	for _, s := range b.Tasks() {
		if s.Goal != t.Goal || s.ID == t.ID {
			continue
		}
		if other := b.Task(s.ID); other != nil && other.Attempts > 0 {
			earlier = append(earlier, other)
		}
	}
	slices.SortStableFunc(earlier, func(x, y *board.Task) int { return x.Changed.Compare(y.Changed) })
	return append(list, lists.Of(earlier[max(0, len(earlier)-maxStories):], storyOf)...)
}

// storyOf is what the work on a task left.
func storyOf(t *board.Task) templates.Story {
	s := templates.Story{Title: t.Title, Status: t.Status.String()}
	found := func(list *[]string, texts ...string) {
		for _, text := range texts {
			if text = strings.TrimSpace(board.Excerpt(text, maxStoryBytes)); text != "" && !slices.Contains(*list, text) {
				*list = append(*list, text)
			}
		}
	}
	if i := t.Intent; i != nil {
		found(&s.Patterns, append([]string{i.Summary, i.Validation}, i.Assumptions...)...)
	}
	if h := t.Handoff; h != nil {
		found(&s.Patterns, h.Summary, h.Approach)
		found(&s.Failures, h.DeadEnds...)
	}
	for _, f := range t.Failures {
		found(&s.Failures, f.Reason)
	}
	if t.Retry != nil {
		found(&s.Failures, t.Retry.Error)
	}
	for _, j := range t.Judgements {
		if j.Rejection != nil {
			for _, blocker := range j.Rejection.Blockers {
				found(&s.Failures, blocker.Issue+" "+blocker.Why)
			}
		}
	}
	if t.Block != nil {
		found(&s.Failures, t.Block.Reason)
	}
	if i := t.Integration; i != nil {
		found(&s.Failures, "the merge failed: "+strings.Join(append(slices.Clone(i.Paths), i.Gate, i.Output), " "))
	}
	return s
}

// maxNeeded is how many bytes a prompt says of the tasks that its own depends on.
const maxNeeded = 1 << 10

// neededFor says what the merged tasks that a task depends on came to: the commit, what changed,
// what their reviews said, and what was found during them and is open.
func neededFor(b *board.Board, t *board.Task) string {
	var said strings.Builder
	for _, id := range t.DependsOn {
		d := b.Task(id)
		if d == nil || d.Merge == nil || d.Submission == nil {
			continue
		}
		fmt.Fprintf(&said, "%s: %s\nmerged as %s: %s\n", id, d.Title, d.Merge.Commit.Short(), git.VisibleList(d.Submission.Paths, 10))
		for _, j := range d.Judgements {
			if j.Verdict != nil && j.Verdict.Message != "" {
				fmt.Fprintf(&said, "%s: %s\n", j.Role, board.Excerpt(j.Verdict.Message, 200))
			}
		}
		for _, found := range openDiscoveries(b) {
			if found.During == id {
				fmt.Fprintf(&said, "left open: %s\n", board.Excerpt(found.Text, 200))
			}
		}
	}
	return templates.Cutting(said.String(), maxNeeded).Text
}

// mostArtifacts is how many approved artifacts a prompt names, the last ones.
const mostArtifacts = 40

// phaseFor is what a session on a task is told of its phase, nil if its goal has no phases.
// Of a task that belongs to every phase it is the one that the goal is in.
func phaseFor(b *board.Board, t *board.Task) *templates.Phase {
	w, g := board.FindWorkflow(b, t.Goal), b.Goal(t.Goal)
	if w == nil || g == nil {
		return nil
	}
	id := t.Phase
	if id == board.AnyPhase {
		id = g.Phase
	}
	p := &templates.Phase{Workflow: w.Name, Name: board.PhaseName(b, g)}
	if f := w.Phase(id); f != nil {
		p.About = f.About
	}
	tip := b.Settings().Integration.Tip
	for _, a := range board.ArtifactsOf(b, g.ID, "") {
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
