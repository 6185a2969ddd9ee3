package hooks

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/automation"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// judgeWords is a judge of artifacts by which those are wrong that have the word WRONG.
func judgeWords(_ context.Context, list []gitstore.Artifact) (lines []string, err error) {
	for _, one := range list {
		if strings.Contains(string(one.Text), "WRONG") {
			lines = append(lines, one.Path+":1: value: WRONG")
		}
	}
	return lines, nil
}

// decided is a workflow: decisions, each frozen once accepted, then a plan, then work.
func decided() *board.Workflow {
	return &board.Workflow{Name: "decided", Phases: []board.WorkflowPhase{
		{Name: "DECIDE", Artifacts: []board.PhaseArtifact{{Type: "adr", Path: "adr*.md", Count: 1}}},
		{Name: "PLAN", Artifacts: []board.PhaseArtifact{{Type: "plan", Path: "plan.yaml", Count: 1}}},
		{Name: "BUILD", Human: true},
		{Name: "LOOK"},
	}, Types: []board.ArtifactType{{Name: "adr", Frozen: []board.Condition{{Field: "status", Values: []string{"accepted"}}}}, {Name: "plan", Format: board.PlanType}}}
}

// led is a fixture whose goal goes through the phases of decided, on clone and server.
func led(t *testing.T) *serverFixture {
	t.Helper()
	y := plain(t)
	y.store.Commits.Judge, y.judge.Commits.Judge = judgeWords, judgeWords
	y.do(on(board.ActReload, "", ann, &flow.ReloadMove{Workflow: decided()}))
	y.land(y.all()...)
	return y
}

// adopts brings integration a file, on clone and server.
func (y *serverFixture) adopts(name, content string) board.ObjectID {
	y.t.Helper()
	tip := y.board().Settings().Integration.Tip
	y.do(on(board.ActAdopt, "", ann, &flow.AdoptMove{Commit: y.onto(string(tip), name, content), Onto: tip, Reason: "R"}))
	y.land(y.all()...)
	return board.ObjectID(gittest.Git(y.t, y.clone, "rev-parse", "integration:"+name))
}

// onto is a commit on another one with a file, which is replaced or added.
func (y *serverFixture) onto(parent, name, content string) git.ID {
	y.t.Helper()
	return y.commitTree(y.treeWith(parent, name, content), "work", git.ID(parent))
}

// TestPhasesAreEarned: no phase ends without its artifacts, approved as they are, no tasks
// come from a plan that nobody approved, and no agent goes back or to another workflow,
// whatever a client writes.
func TestPhasesAreEarned(t *testing.T) {
	t.Parallel()
	y := led(t)
	next := func(by board.Actor, from, to board.PhaseID) flow.Move {
		return on(board.ActPhase, "", by, &flow.PhaseMove{From: from, To: to})
	}
	y.refusesMove(flow.RuleArtifact, "the phase DECIDE lacks 1 of 1 artifacts of the type adr", next(coder, "DECIDE", "PLAN"))
	y.refusesMove(flow.RulePhase, "does not lead from DECIDE to BUILD", next(ann, "DECIDE", "BUILD"))
	y.adopts("adr-1.md", "---\nstatus: accepted\n---\n")
	y.refusesMove(flow.RuleArtifact, "is not approved as it is", next(coder, "DECIDE", "PLAN"))
	y.refusesMove(flow.RuleRole, "", on(board.ActAccept, "", coder, &flow.AcceptMove{Paths: []string{"adr-1.md"}}))
	y.do(on(board.ActAccept, "", ann, &flow.AcceptMove{Paths: []string{"adr-1.md"}, Reason: "R"}))
	y.land(y.all()...)
	blob := y.adopts("adr-1.md", "---\nstatus: accepted\n---\nOther\n")
	require.Equal(t, blob, y.board().Tracked("adr-1.md").Blob)
	y.refusesMove(flow.RuleArtifact, "is not approved as it is", next(coder, "DECIDE", "PLAN"))
	y.do(on(board.ActAccept, "", ann, &flow.AcceptMove{Paths: []string{"adr-1.md"}, Reason: "R"}))
	y.do(next(coder, "DECIDE", "PLAN"))
	y.refusesTree("goals/goal-1.yaml", "phase: PLAN", "phase: BUILD")

	// The plan.
	plan := y.adopts("plan.yaml", "tasks: []\n")
	imports := func(by board.Actor, ref *board.PlanRef) flow.Move {
		return on(board.ActImport, "", by, &flow.ImportMove{Plan: ref, Tasks: []board.TaskInput{{ID: "z", Title: "T", DoneWhen: "D", Spec: "README", Scope: "S"}}})
	}
	from := &board.PlanRef{Path: "plan.yaml", Blob: plan}
	y.refusesMove(flow.RulePhase, "has not ended", imports(ann, from))
	y.refusesMove(flow.RuleArtifact, "come from the plan", imports(coder, nil))
	y.do(on(board.ActAccept, "", ann, &flow.AcceptMove{Paths: []string{"plan.yaml"}, Reason: "R"}))
	y.do(next(coder, "PLAN", "BUILD"))
	y.land(y.all()...)
	edited := y.adopts("plan.yaml", "tasks: []\n# more\n")
	for _, by := range []board.Actor{coder, planner, ann} {
		y.refusesMove(flow.RuleArtifact, "on integration", imports(by, from))
		y.refusesMove(flow.RuleArtifact, "is not approved as it is", imports(by, &board.PlanRef{Path: "plan.yaml", Blob: edited}))
		y.refusesMove(flow.RuleArtifact, "is no plan that a phase", imports(by, &board.PlanRef{Path: "README", Blob: edited}))
	}

	// What only people say.
	y.do(on(board.ActAccept, "", ann, &flow.AcceptMove{Paths: []string{"plan.yaml"}, Reason: "R"}))
	y.do(imports(coder, &board.PlanRef{Path: "plan.yaml", Blob: edited}))
	y.land(y.all()...)
	y.do(on(board.ActAbandon, "z", planner, &flow.AbandonMove{Reason: "R"}))
	y.land(y.all()...)
	y.refusesMove(flow.RuleRole, "person", next(coder, "BUILD", "LOOK"))
	back := next(coder, "BUILD", "DECIDE")
	back.Detail.(*flow.PhaseMove).Reason = "R"
	y.refusesMove(flow.RuleRole, "only a person goes back", back)
	y.refusesMove(flow.RuleRole, "", on(board.ActReload, "", planner, &flow.ReloadMove{}))
	y.refusesMove(flow.RuleRole, "", on(board.ActReload, "", coder, &flow.ReloadMove{Workflow: &board.Workflow{Goal: "goal-1", Name: "mine", Phases: []board.WorkflowPhase{{Name: "A"}}}, Phase: "A"}))
	y.refusesMove(flow.RuleRole, "", on(board.ActAdd, "", planner, &flow.AddMove{Tasks: []board.TaskInput{
		{ID: "y", Title: "T", DoneWhen: "D", Spec: "README", Scope: "S", Kind: board.Docs, Phase: board.AnyPhase}}}))
}

// TestClassesAreRecomputed: the class that a text declares is that of its bytes, and a
// person's word is for the blob that is there.
func TestClassesAreRecomputed(t *testing.T) {
	t.Parallel()
	y := plain(t)
	const declared = "---\nautomation: {type: mixed, scope: bounded, loop: forbidden, second_look: optional}\n---\n"
	blob := y.adopts("never.md", declared)
	add := on(board.ActAdd, "", planner, &flow.AddMove{Tasks: []board.TaskInput{{ID: "a", Title: "T", DoneWhen: "D", Spec: "never.md", Scope: "S", Kind: board.Docs}}})
	word := func(source automation.Source, loop automation.Loop) *board.Class {
		return &board.Class{Type: "mixed", Scope: "bounded", Loop: loop, SecondLook: "optional", Source: source, Evidence: []automation.Evidence{{Line: 2, Text: "loop: " + string(loop)}}}
	}
	for _, class := range []*board.Class{nil, word(automation.Declared, automation.Allowed), word(automation.Declared, automation.Forbidden)} {
		forged := add
		forged.Detail = &flow.AddMove{Tasks: add.Detail.(*flow.AddMove).Tasks, Texts: []board.Text{{Path: "never.md", Blob: blob, Class: class}}}
		y.refusesMove(flow.RuleFact, "or another class", forged)
	}
	y.do(add)
	y.land(y.all()...)
	classify := func(by board.Actor, blob board.ObjectID, source automation.Source, loop automation.Loop) flow.Move {
		return on(board.ActClassify, "", by, &flow.ClassifyMove{Files: []board.Classified{{Path: "never.md", Blob: blob, Class: word(source, loop)}}})
	}
	y.refusesMove(flow.RuleForm, "by the word of a person", classify(ann, blob, automation.Declared, automation.Allowed))
	y.refusesMove(flow.RuleForm, "by the word of a person", classify(ann, blob, automation.Inferred, automation.Allowed))
	for _, by := range []board.Actor{coder, planner} {
		y.refusesMove(flow.RuleRole, "", classify(by, blob, automation.Person, automation.Allowed))
	}
	y.do(classify(ann, blob, automation.Person, automation.Forbidden))
	y.land(y.all()...)
	allow := func(by board.Actor, blob board.ObjectID) flow.Move {
		return on(board.ActClassify, "", by, &flow.ClassifyMove{Allow: true, Reason: "R", Files: []board.Classified{{Path: "never.md", Blob: blob}}})
	}
	y.refusesMove(flow.RuleRole, "", allow(planner, blob))
	claim := on(board.ActClaim, "a", coder, &flow.ClaimMove{Lease: half, Base: y.at("refs/heads/integration")})
	y.refusesMove(flow.RuleClass, "which says that automation is forbidden", claim)
	y.do(allow(ann, blob))
	y.land(y.all()...)

	// What a person said was for the earlier text.
	y.adopts("never.md", declared+"More\n")
	y.refusesMove(flow.RuleClass, "is not what the move says", allow(ann, blob))
	claim.Detail.(*flow.ClaimMove).Base = y.at("refs/heads/integration")
	y.refusesMove(flow.RuleClass, "which says that automation is forbidden", claim)
}

// TestReceiptsOfArtifacts: no submission changes what is frozen, nor its name or mode, and
// a receipt of the gate for artifacts is believed as far as their texts allow.
func TestReceiptsOfArtifacts(t *testing.T) {
	t.Parallel()
	y := led(t)
	y.adopts("adr-1.md", "---\nstatus: accepted\n---\n")
	y.add("a")
	y.claim("a")
	y.do(on(board.ActIntent, "a", coder, &flow.IntentMove{Intent: board.Intent{Summary: "do", Validation: "look", Removes: []string{"adr-1.md"}, Tip: y.board().Task("a").Attempt.Start}}))
	y.land(y.all()...)
	base := string(y.board().Task("a").Attempt.Start)
	submit := func(commit git.ID, paths ...string) flow.Move {
		tree := board.ObjectID(gittest.Git(t, y.clone, "rev-parse", string(commit)+"^{tree}"))
		return on(board.ActSubmit, "a", coder, &flow.SubmitMove{Commit: commit, Tree: tree, Base: board.ObjectID(base), Paths: paths, Save: 1,
			Gates: []board.Receipt{{Gate: board.ArtifactGate, Command: board.ArtifactCommand, Tree: tree, Duration: "0s", By: coder, Result: board.Pass}}})
	}
	without := func(m flow.Move, edit func(*flow.SubmitMove)) flow.Move {
		edit(m.Detail.(*flow.SubmitMove))
		return m
	}
	edit := y.onto(base, "adr-1.md", "---\nstatus: accepted\n---\nOther\n")
	y.refusesMove(flow.RuleFrozen, "adr-1.md", submit(edit, "adr-1.md"))
	draft := y.onto(base, "adr-1.md", "---\nstatus: draft\n---\n")
	y.refusesMove(flow.RuleFrozen, "adr-1.md", submit(draft, "adr-1.md"))
	blob := gittest.Git(t, y.clone, "rev-parse", base+":adr-1.md")
	entries := strings.ReplaceAll(gittest.Git(t, y.clone, "ls-tree", base), "adr-1.md", "adr-2.md") + "\n"
	renamed := y.commitTree(y.feed(entries, "mktree"), "rename", git.ID(base))
	y.refusesMove(flow.RuleFrozen, "adr-1.md", submit(renamed, "adr-1.md", "adr-2.md"))
	mode := y.commitTree(y.feed(strings.ReplaceAll(gittest.Git(t, y.clone, "ls-tree", base), "100644 blob "+blob, "100755 blob "+blob)+"\n", "mktree"), "mode", git.ID(base))
	y.refusesMove(flow.RuleFrozen, "adr-1.md", submit(mode, "adr-1.md"))

	wrong := y.onto(base, "adr-2.md", "WRONG\n")
	y.refusesMove(flow.RuleFact, "adr-2.md:1: value: WRONG", submit(wrong, "adr-2.md"))
	y.refusesMove(flow.RuleArtifact, "adr-2.md:1: value: WRONG", without(submit(wrong, "adr-2.md"), func(s *flow.SubmitMove) { s.Gates = nil }))
	good := y.onto(base, "adr-2.md", "---\nstatus: accepted\n---\n")
	for _, forge := range []func(*flow.SubmitMove){
		func(s *flow.SubmitMove) { s.Gates = nil },
		func(s *flow.SubmitMove) {
			s.Gates[0].Tree = board.ObjectID(gittest.Git(t, y.clone, "rev-parse", base+"^{tree}"))
		},
		func(s *flow.SubmitMove) { s.Gates[0].Result, s.Gates[0].Exit = board.Fail, 1 },
	} {
		y.refusesMove(flow.RuleGate, "gate artifacts has not passed", without(submit(good, "adr-2.md"), forge))
	}
	y.refusesMove(flow.RuleGate, "artifacts is no gate", without(submit(good, "adr-2.md"), func(s *flow.SubmitMove) { s.Gates[0].Command = "true" }))

	// What cannot be judged is refused.
	y.judge.Commits.Judge = nil
	y.refusesMove(RuleUndecided, "nothing here can say", submit(good, "adr-2.md"))
	y.judge.Commits.Judge = func(context.Context, []gitstore.Artifact) ([]string, error) { return nil, errors.New("no memory") }
	y.refusesMove(RuleUndecided, "no memory", submit(good, "adr-2.md"))
	y.judge.Commits.Judge = judgeWords
	y.do(submit(good, "adr-2.md"))
	y.land(y.all()...)
	y.approve("a")
	y.land(y.all()...)

	// The receipt of a merge is judged as well; what is on the board is not judged again.
	merge := on(board.ActMerge, "a", ann, y.merging("a"))
	facts, err := y.store.Commits.Facts(context.Background(), flow.Ask(y.board(), merge))
	require.NoError(t, err)
	merge = flow.Fill(y.board(), merge, &facts)
	require.Len(t, merge.Detail.(*flow.MergeMove).Receipts, 1)
	tree := merge.Detail.(*flow.MergeMove).Tree
	merge.Detail.(*flow.MergeMove).Receipts = nil
	y.refusesMove(flow.RuleGate, "gate artifacts has not passed", merge)
	merge.Detail.(*flow.MergeMove).Receipts = []board.Receipt{{Gate: board.ArtifactGate, Command: board.ArtifactCommand, Tree: tree, Duration: "0s", By: ann, Result: board.Pass}}
	all := func(_ context.Context, list []gitstore.Artifact) ([]string, error) {
		return []string{list[0].Path + ":1: later"}, nil
	}
	y.judge.Commits.Judge = all
	y.refusesMove(flow.RuleFact, "adr-2.md:1: later", merge)
	y.judge.Commits.Judge = judgeWords
	y.do(merge)
	y.land(y.all()...)
	y.judge.Commits.Judge = all
	_, err = Verify(context.Background(), y.judge, "", y.there(layout.State), false)
	require.NoError(t, err)
}

// TestQuestionsComeFromWork: who holds no task asks nothing about one.
func TestQuestionsComeFromWork(t *testing.T) {
	t.Parallel()
	y := plain(t)
	y.add("a", "b")
	y.claim("a")
	y.land(y.all()...)
	ask := func(by board.Actor, about board.TaskID) flow.Move {
		return on(board.ActAsk, "", by, &flow.AskMove{About: about, Text: "Why?"})
	}
	y.refusesMove(flow.RuleHolder, "does not hold a", ask("coder-2", "a"))
	y.refusesMove(flow.RuleHolder, "does not hold b", ask(coder, "b"))
	y.refusesMove(flow.RuleHolder, "does not hold a", ask(reviewer, "a"))
	y.do(ask(coder, "a"))
	y.land(y.all()...)
	sub := ask("planner-2", "a")
	sub.Detail.(*flow.AskMove).Parent = y.board().Task("a").Asking[0].Question
	y.refusesMove(flow.RuleHolder, "has not taken the question", sub)
}
