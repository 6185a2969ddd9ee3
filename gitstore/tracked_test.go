package gitstore

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/automation"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// Two submissions change the goal's spec, each approved, and git merges both into
// a text that nobody judged. Only a program that does not look first makes such a
// move.
func TestTextsThatNobodyJudged(t *testing.T) {
	t.Parallel()
	ctx, d := context.Background(), newDesk(t, gittest.Seeded(t))
	adopt := func(content string) {
		tip := d.board().Settings().Integration.Tip
		d.do(by(ann, board.ActAdopt, &flow.AdoptMove{Commit: d.commit(tip, "README", content), Onto: tip, Reason: "R"}))
	}
	adopt("1\n2\n3\n4\n5\n6\n7\n8\n")
	d.add("first", "second", "third")
	first := d.submit("first", coder, "README", "one\n2\n3\n4\n5\n6\n7\n8\n")
	second := d.submit("second", coder, "README", "1\n2\n3\n4\n5\n6\n7\neight\n")
	third := d.submit("third", coder, "other.txt", "x\n")
	d.approve("first", first)
	d.approve("second", second)
	d.approve("third", third)
	d.merge("first")
	brought := d.board().Tracked("README")
	require.Equal(t, board.TaskID("first"), brought.Task)
	require.True(t, brought.Approved())

	// The verdicts on the others were given for the earlier text.
	for id, commit := range map[board.TaskID]git.ID{"second": second, "third": third} {
		d.do(flow.Move{Act: board.ActRecheck, Task: id, By: ann, Detail: &flow.RecheckMove{}})
		d.approve(id, commit)
	}
	m, _, err := merging(d.store, "second")(d.board(), d.now)
	require.NoError(t, err)
	d.refused(flow.RuleTracked, m)
	merge := m.Detail.(*flow.MergeMove)
	query := flow.Ask(d.board(), m)
	contested, err := d.store.Commits.Contested(ctx, query, merge.Tree)
	require.NoError(t, err)
	require.Equal(t, []string{"README"}, contested)

	d.merge("third")
	require.Equal(t, brought, d.board().Tracked("README"))
	d.sound()
}

// committedBelow is a commit on another one with a file in a folder.
func (d *desk) committedBelow(parent git.ID, path, content string) git.ID {
	d.t.Helper()
	c, err := d.store.objects.Commit(parent)
	require.NoError(d.t, err)
	var put func(tree git.ID, path string) git.ID
	put = func(tree git.ID, path string) git.ID {
		name, rest, deeper := strings.Cut(path, "/")
		var list []git.Entry
		below := git.ID("")
		if tree != "" {
			old, err := d.store.objects.Tree(tree)
			require.NoError(d.t, err)
			for _, e := range old {
				if e.Name == name {
					below = e.ID
					continue
				}
				list = append(list, e)
			}
		}
		if deeper {
			list = append(list, git.Entry{Mode: git.ModeTree, Name: name, ID: put(below, rest)})
		} else {
			list = append(list, git.Entry{Mode: git.ModeBlob, Name: name, ID: d.blob(content)})
		}
		id, err := d.store.objects.WriteTree(list)
		require.NoError(d.t, err)
		return id
	}
	id, err := d.store.Commits.Commit(context.Background(), put(c.Tree, path), "Work", parent)
	require.NoError(d.t, err)
	return id
}

// The artifacts of a goal are the files that match its workflow, wherever they come from:
// those that are there when it gets one, what people adopt, what a task merges.
func TestArtifactsAreTrackedByPattern(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	adopt := func(path, content string) {
		tip := d.board().Settings().Integration.Tip
		d.do(by(ann, board.ActAdopt, &flow.AdoptMove{Commit: d.committedBelow(tip, path, content), Onto: tip, Reason: "R"}))
	}
	adopt("docs/goal-1/deep/prd.md", "one\n")
	adopt("docs/other/prd.md", "one\n")
	w := &board.Workflow{Name: "w", Phases: []board.WorkflowPhase{{Name: "A", Artifacts: []board.PhaseArtifact{{Type: "prd", Path: "docs/{goal}/**/*.md", Count: 1}}}, {Name: "B"}},
		Types: []board.ArtifactType{{Name: "prd"}}}
	d.do(by(ann, board.ActReload, &flow.ReloadMove{Workflow: w}))
	states := func() []board.ArtifactState {
		b := d.board()
		list := board.ArtifactsOf(b, "goal-1", "")
		require.NoError(t, b.Err())
		return list
	}
	files := func() (list []string) {
		for _, doc := range states()[0].Files {
			list = append(list, doc.Path)
		}
		return list
	}
	require.Equal(t, []string{"docs/goal-1/deep/prd.md"}, files())
	d.refused(flow.RuleArtifact, by(coder, board.ActPhase, &flow.PhaseMove{}))
	adopt("docs/goal-1/more.md", "two\n")
	adopt("docs/goal-1/more.txt", "two\n")
	require.Equal(t, []string{"docs/goal-1/deep/prd.md", "docs/goal-1/more.md"}, files())
	require.Zero(t, states()[0].Approved)
	d.do(by(ann, board.ActAccept, &flow.AcceptMove{Paths: []string{"docs/goal-1/deep/prd.md", "docs/goal-1/more.md"}, Reason: "R"}))
	require.Equal(t, 2, states()[0].Approved)
	adopt("docs/goal-1/more.md", "three\n")
	require.Equal(t, 1, states()[0].Approved)
	d.refused(flow.RuleArtifact, by(coder, board.ActPhase, &flow.PhaseMove{}))
	d.do(by(ann, board.ActAccept, &flow.AcceptMove{Paths: []string{"docs/goal-1/more.md"}, Reason: "R"}))

	d.do(by(coder, board.ActPhase, &flow.PhaseMove{}))
	require.Equal(t, board.PhaseID("B"), d.board().Goal("goal-1").Phase)
	d.sound()
}

// A class is what the text of a file says, whatever a move claims; a person's word apart.
func TestClassesAreThoseOfTheBytes(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	tip := d.board().Settings().Integration.Tip
	plan := "---\nautomation:\n  type: conceptual\n  scope: bounded\n  loop: forbidden\n  second_look: optional\n---\n# Look\n\nVerify that it works.\n"
	d.do(by(ann, board.ActAdopt, &flow.AdoptMove{Commit: d.commit(tip, "plan.md", plan), Onto: tip, Reason: "R"}))
	task := board.TaskInput{ID: "a", Title: "T", DoneWhen: "D", Spec: "plan.md", Scope: "S"}
	d.do(by(ann, board.ActAdd, &flow.AddMove{Tasks: []board.TaskInput{task}}))
	class := d.board().Tracked("plan.md").Class
	require.Equal(t, automation.Forbidden, class.Loop)
	require.Equal(t, automation.Evidence{Line: 3, Text: "type: conceptual"}, class.Evidence[0])
	said := board.Classified{Path: "plan.md", Class: &board.Class{Type: "mechanical", Scope: "bounded", Loop: "allowed", SecondLook: "optional", Source: "declared"}}
	d.refused(flow.RuleForm, by(ann, board.ActClassify, &flow.ClassifyMove{Files: []board.Classified{said}}))
	d.refused(flow.RuleRole, by(coder, board.ActClassify, &flow.ClassifyMove{Files: []board.Classified{said}}))
	d.refused(flow.RuleClass, by(ann, board.ActClassify, &flow.ClassifyMove{Files: []board.Classified{{Path: "none.md"}}, Allow: true, Reason: "R"}))
	claim := flow.Move{Act: board.ActClaim, Task: "a", By: coder, Detail: &flow.ClaimMove{Lease: half}}
	d.refused(flow.RuleClass, claim)
	d.do(by(ann, board.ActClassify, &flow.ClassifyMove{Files: []board.Classified{{Path: "plan.md"}}, Allow: true, Reason: "R"}))

	tip = d.board().Settings().Integration.Tip
	d.do(by(ann, board.ActAdopt, &flow.AdoptMove{Commit: d.commit(tip, "plan.md", plan+"\n"), Onto: tip, Reason: "R"}))
	d.refused(flow.RuleClass, claim)

	// What a text does not declare binds nobody, and is not kept.
	tip = d.board().Settings().Integration.Tip
	d.do(by(ann, board.ActAdopt, &flow.AdoptMove{Commit: d.commit(tip, "plan.md", "# Plan\n\nautomation: forbidden, as needed\n"), Onto: tip, Reason: "R"}))
	require.Nil(t, d.board().Tracked("plan.md").Class)
	d.do(claim)
	d.sound()
}

// An artifact that is accepted is not changed by a task, apart from what replaces it.
func TestFrozenArtifactsStay(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	tip := d.board().Settings().Integration.Tip
	d.do(by(ann, board.ActAdopt, &flow.AdoptMove{Commit: d.commit(tip, "adr.md", "---\nstatus: accepted\n---\n# One\n"), Onto: tip, Reason: "R"}))
	d.do(by(ann, board.ActReload, &flow.ReloadMove{Workflow: &board.Workflow{Name: "w", Phases: []board.WorkflowPhase{{Name: "A", Artifacts: []board.PhaseArtifact{{Type: "adr", Path: "adr*.md"}}}},
		Types: []board.ArtifactType{{Name: "adr", Frozen: []board.Condition{{Field: "status", Values: []string{"accepted"}}}}}}}))
	d.add("a")
	base := d.claim("a", coder).After.Settings().Integration.Tip
	d.do(flow.Move{Act: board.ActIntent, Task: "a", By: coder, Detail: &flow.IntentMove{Intent: board.Intent{Summary: "do it", Validation: "look", TestsNotNeeded: "text", Tip: base}}})
	submit := func(content string) flow.Move {
		commit := d.commit(base, "adr.md", content)
		c, err := d.store.objects.Commit(commit)
		require.NoError(t, err)
		return flow.Move{Act: board.ActSubmit, Task: "a", By: coder, Detail: &flow.SubmitMove{Commit: commit, Tree: c.Tree, Base: base, Paths: []string{"adr.md"}, Save: 1,
			Gates: []board.Receipt{{Gate: board.ArtifactGate, Command: board.ArtifactCommand, Tree: c.Tree, Result: board.Pass}}}}
	}
	d.refused(flow.RuleUndecided, submit("---\nstatus: accepted\n---\n# Two\n"))
	d.store.Commits.Judge = func(context.Context, []Artifact) ([]string, error) { return nil, errors.New("no program") }
	d.refused(flow.RuleUndecided, submit("---\nstatus: accepted\n---\n# Two\n"))
	d.store.Commits.Judge = func(context.Context, []Artifact) ([]string, error) { return nil, nil }
	d.refused(flow.RuleFrozen, submit("---\nstatus: accepted\n---\n# Two\n"))
	d.refused(flow.RuleFrozen, submit("---\nstatus: draft\n---\n# One\n"))
	d.do(submit("---\nstatus: superseded\nsuperseded_by: adr-2.md\n---\n# One\n"))
}
