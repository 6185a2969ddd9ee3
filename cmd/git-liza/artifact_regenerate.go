package main

import (
	"fmt"
	"slices"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/glob"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

type artifactRegenerateCommand struct {
	Path string `arg:"" help:"As git liza artifact list names it."`
}

func (c *artifactRegenerateCommand) Run(inv *invocation, clone *work.Clone, b *board.Board) error {
	path := clone.Specs.Rooted(c.Path)
	for _, g := range b.GoalsInProgress() {
		w := board.FindWorkflow(b, g.ID)
		if w == nil {
			continue
		}
		for i := range w.Phases {
			if f := &w.Phases[i]; slices.ContainsFunc(f.Artifacts, func(a board.PhaseArtifact) bool { return glob.Match(board.Expand(a.Path, g.ID), path) }) {
				if g.Phase != f.Name {
					inv.progress("%s is in the phase %s, and the task belongs to %s: git liza goal show %[1]s", g.ID, g.Phase, f.Name)
				}
				clone.Named = g.ID
				return inv.addTasks(clone, []board.TaskInput{anew(f, g, path, b.Tracked(path))}, "", nil)
			}
		}
	}
	if err := b.Err(); err != nil {
		return err
	}
	return &flow.Refusal{Rule: flow.RuleNotFound, Reason: "no workflow of a goal in progress asks for " + git.Visible(path), Hint: "git liza artifact list"}
}

// anew is the task that makes an artifact of a phase a second time.
func anew(f *board.WorkflowPhase, g *board.Goal, path string, doc *board.TrackedPath) board.TaskInput {
	in := board.TaskInput{Title: "Write " + path + " anew", Kind: board.Spec, DoneWhen: path + " is as its type asks: git liza check " + shell.Quote(path), Spec: g.Spec,
		Owns: []string{path}, Scope: path + " alone", Phase: f.Name}
	if len(f.Roles) > 0 {
		in.Role = f.Roles[0]
	}
	if len(f.Kinds) > 0 && !slices.Contains(f.Kinds, in.Kind) {
		in.Kind = f.Kinds[0]
	}
	for _, t := range f.Tasks {
		if slices.ContainsFunc(t.Owns, func(pattern string) bool { return glob.Match(board.Expand(pattern, g.ID), path) }) {
			in.Role, in.Kind, in.DoneWhen, in.Verify, in.ReviewBy = t.Role, t.Kind, board.Expand(t.DoneWhen, g.ID), board.Expand(t.Verify, g.ID), t.ReviewBy
			break
		}
	}
	if doc != nil && doc.Blob != "" {
		in.Scope = fmt.Sprintf("%s alone; it replaces the text of git show %s", path, doc.Blob.Short())
	}
	return in
}
