package hooks

import (
	"testing"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// planned adds a task at a level.
func (y *serverFixture) planned(id board.TaskID, level int) {
	y.t.Helper()
	y.do(on(board.ActAdd, "", planner, &flow.AddMove{Tasks: []board.TaskInput{
		{ID: id, Title: "T", DoneWhen: "it works", Spec: "README", Scope: "small", Kind: board.Docs, Level: level}}}))
	y.land(y.all()...)
}

// gated gives the board a required gate, and says how often failed work is tried.
func (y *serverFixture) gated(at board.Stage, paths ...string) {
	y.t.Helper()
	config := board.DefaultConfig()
	config.Gates = []board.Gate{{Name: "all", Command: "make", Required: true, Timeout: half, At: at, Paths: paths}}
	config.Retry.Attempts = 9
	y.do(on(board.ActConfig, "", ann, &flow.ConfigMove{Config: config}))
	y.land(y.all()...)
}

// TestLevelsAreEarned: no level passes, and nothing above it is claimed, before its tasks
// are done and its gates ran on integration, whatever a client writes.
func TestLevelsAreEarned(t *testing.T) {
	t.Parallel()
	y := plain(t)
	y.gated(board.AtLevel)
	y.refusesMove(flow.RuleRole, "", on(board.ActSchedule, "", coder, &flow.ScheduleMove{}))
	y.do(on(board.ActSchedule, "", planner, &flow.ScheduleMove{Schedule: board.Schedule{Barrier: board.LevelBarrier}}))
	y.refusesTree("goals/goal-1.yaml", "barrier: level", "barrier: none")
	y.planned("a", 1)
	y.planned("b", 2)
	y.planned("c", 1)
	y.refusesMove(flow.RuleLevel, "nothing of goal-1 at level 3", on(board.ActAdd, "", planner, &flow.AddMove{Tasks: []board.TaskInput{
		{ID: "z", Title: "T", DoneWhen: "it works", Spec: "README", Scope: "small", Kind: board.Docs, Level: 9}}}))
	claim := on(board.ActClaim, "b", coder, &flow.ClaimMove{Lease: half, Base: y.at("refs/heads/integration")})
	y.refusesMove(flow.RuleLevel, "b is at level 2", claim)

	level := func(by board.Actor, d flow.LevelMove) flow.Move {
		if d.Tip == "" {
			d.Tip = y.board().Settings().Integration.Tip
		}
		return on(board.ActLevel, "", by, &d)
	}
	y.refusesMove(flow.RuleOpen, "a of level 1 is UNCLAIMED", level(coder, flow.LevelMove{Level: 1}))
	y.refusesMove(flow.RuleLevel, "level 1 of goal-1 passes next", level(ann, flow.LevelMove{Level: 2}))
	y.refusesMove(flow.RuleState, "a is UNCLAIMED", level(ann, flow.LevelMove{Level: 1, Without: []board.TaskID{"a"}}))

	y.merged("a", "a.txt")
	y.do(on(board.ActAbandon, "c", planner, &flow.AbandonMove{Reason: "R"}))
	y.refusesTree(y.file("c.yaml"), "abandoned_by: planner-1", "abandoned_by: human:ann")
	y.refusesMove(flow.RuleOpen, "c of level 1 is ABANDONED", level(coder, flow.LevelMove{Level: 1}))
	y.refusesMove(flow.RuleRole, "only a human", level(coder, flow.LevelMove{Level: 1, Without: []board.TaskID{"c"}}))
	y.refusesMove(flow.RuleState, "a person says", on(board.ActArchive, "", coder, &flow.ArchiveMove{Tasks: []board.TaskID{"c"}}))

	tip := y.at("refs/heads/integration")
	ran := board.Receipt{Gate: "all", Command: "make", Result: board.Pass, Tree: board.ObjectID(gittest.Git(t, y.clone, "rev-parse", "integration^{tree}"))}
	elsewhere, other, fell := ran, ran, ran
	elsewhere.Tree = board.ObjectID(gittest.Git(t, y.clone, "rev-parse", "main^{tree}"))
	other.Command = "true"
	fell.Result, fell.Exit = board.Errored, 127
	passes := func(r ...board.Receipt) flow.Move {
		return level(ann, flow.LevelMove{Level: 1, Without: []board.TaskID{"c"}, Receipts: r})
	}
	y.refusesMove(flow.RuleTip, "integration is at", level(ann, flow.LevelMove{Level: 1, Tip: board.ObjectID(y.at("refs/heads/main"))}))
	for _, r := range []board.Receipt{other, fell} {
		y.refusesMove(flow.RuleGate, "has not passed", passes(r))
	}
	y.refusesMove(flow.RuleGate, "has not passed", passes())
	y.refusesMove(flow.RuleGate, "ran on another tree", passes(elsewhere))

	y.forgesLevel("levels/goal-1/1.yaml", "goal: goal-1\nnumber: 1\npassed: true\ntip: "+string(tip)+"\nby: human:ann\nat: 2026-01-17T14:06:00Z\n")
	y.do(passes(ran))
	y.refusesTree("levels/goal-1/1.yaml", "passed: true", "passed: false")
	y.do(on(board.ActClaim, "b", coder, &flow.ClaimMove{Lease: half}))
	y.land(y.all()...)
	y.do(on(board.ActAdd, "", planner, &flow.AddMove{Tasks: []board.TaskInput{
		{ID: "d", Title: "T", DoneWhen: "it works", Spec: "README", Scope: "small", Kind: board.Docs, Level: 1}}}))
	y.forgesLevel("levels/goal-1/1.yaml", "goal: goal-1\nnumber: 1\npassed: true\ntip: "+string(tip)+"\nby: human:ann\nat: 2026-01-17T14:06:00Z\n")
}

// forgesLevel holds that the server refuses a note whose tree has one more document, and
// takes the note without it.
func (y *serverFixture) forgesLevel(file, content string) {
	y.t.Helper()
	y.do(on(board.ActNote, "", coder, &flow.NoteMove{For: "all", Text: "T"}))
	tip := string(y.at(layout.State))
	forged := y.forge(git.ID(tip), "tree "+gittest.Git(y.t, y.clone, "rev-parse", tip+"^{tree}"), "tree "+y.treeWith(tip, file, content))
	updates := y.all()
	for i, u := range updates {
		if u.Name == layout.State {
			updates[i].New = forged
		}
	}
	y.refuses(string(forged), RuleReplay, "its tree is not", updates...)
	y.land(y.all()...)
}

// TestFailuresAreCounted: a claim that failed is not tried again at once, and where many
// fail fewer are allowed, whatever principals, sessions and trees a client writes.
func TestFailuresAreCounted(t *testing.T) {
	t.Parallel()
	y := plain(t)
	y.gated(board.AtGoal)
	for _, id := range []board.TaskID{"a", "b", "c", "d", "e", "f", "g"} {
		y.add(id)
	}
	y.land(y.all()...)
	claim := func(id board.TaskID, by board.Actor) flow.Move {
		return on(board.ActClaim, id, by, &flow.ClaimMove{Lease: half, Base: y.at("refs/heads/integration")})
	}
	session := func(id board.TaskID, by board.Actor, outcome string, of time.Time) flow.Move {
		return on(board.ActSession, id, by, &flow.SessionMove{Provider: "P", Role: board.Coder, Outcome: outcome, Of: of, Error: "no route"})
	}
	y.do(claim("g", "coder-2"))
	y.do(claim("a", coder))
	y.land(y.all()...)
	since := y.board().Task("a").Claim.Since
	y.do(session("a", coder, "failed", since))
	y.refusesTree(y.file("a.yaml"), "not_before: 2026-01-17T14:06:30Z", "not_before: 2026-01-17T14:06:00Z")
	y.refusesMove(flow.RuleBackoff, "agents try again from", claim("a", coder))
	y.refusesMove(flow.RuleBackoff, "agents try again from", claim("a", "coder-3"))

	for _, id := range []board.TaskID{"b", "c", "d", "e"} {
		y.do(claim(id, coder))
		y.do(session(id, coder, "failed", y.board().Task(id).Claim.Since))
	}
	y.refusesTree("goals/goal-1.yaml", "cap: 1", "cap: 3")
	y.do(session("b", coder, "submitted", since))
	y.land(y.all()...)
	for _, principal := range []string{"", "another"} {
		m := claim("f", "coder-3")
		m.Principal = principal
		y.refusesMove(flow.RulePressure, "no more than 1", m)
	}
	y.do(on(board.ActClaim, "f", ann, &flow.ClaimMove{Lease: half}))
	y.land(y.all()...)
}

// TestGatesOfStages: a submission and a goal need the gates of their stage, and agents
// speak for no other host than theirs.
func TestGatesOfStages(t *testing.T) {
	t.Parallel()
	y := plain(t)
	y.gated(board.AtSubmit, "docs/**", "*.txt")
	y.add("a")
	y.claim("a")
	commit := y.work("a", "a.txt", "one\n")
	y.do(on(board.ActIntent, "a", coder, &flow.IntentMove{Intent: board.Intent{Summary: "do", Validation: "look", Tip: y.board().Task("a").Attempt.Start}}))
	y.land(y.all()...)
	tree := board.ObjectID(gittest.Git(t, y.clone, "rev-parse", string(commit)+"^{tree}"))
	passed := board.Receipt{Gate: "all", Command: "make", Result: board.Pass, Tree: tree}
	skipped, other, stranger := passed, passed, passed
	skipped.Result, other.Tree, stranger.Gate = board.Skipped, board.ObjectID(gittest.Git(t, y.clone, "rev-parse", "main^{tree}")), "mine"
	submit := func(paths []string, gates ...board.Receipt) flow.Move {
		return on(board.ActSubmit, "a", coder, &flow.SubmitMove{Commit: board.ObjectID(commit), Tree: tree, Base: board.ObjectID(y.at("refs/heads/main")), Paths: paths, Save: 1, Gates: gates})
	}
	for _, gates := range [][]board.Receipt{nil, {skipped}, {other}} {
		y.refusesMove(flow.RuleGate, "has not passed", submit([]string{"a.txt"}, gates...))
	}
	y.refusesMove(flow.RuleGate, "is no gate at a submi", submit([]string{"a.txt"}, passed, stranger))
	y.refusesMove(flow.RuleFact, "", submit([]string{"b.go"}, skipped))
	y.do(submit([]string{"a.txt"}, passed))
	y.land(y.all()...)

	y.gated(board.AtGoal)
	y.refusesMove(flow.RuleGate, "has not passed", on(board.ActComplete, "", ann, &flow.CompleteMove{Reason: "R", Open: board.TasksKept}))
	outage := func(by board.Actor, host string) flow.Move {
		return on(board.ActOutage, "", by, &flow.OutageMove{Gate: "all", Host: host, Error: "E"})
	}
	y.refusesMove(flow.RuleRole, "says nothing of it", outage(coder, "h1"))
	y.do(outage(ann, "h1"))
	y.land(y.all()...)
	checkpoint := on(board.ActCheckpoint, "", coder, &flow.CheckpointMove{Reason: "R", Cause: board.CauseGate, Since: y.board().Settings().Checked.Mark})
	checkpoint.Goal = "goal-1"
	y.refusesMove(flow.RuleDue, "no gate has come", checkpoint)
}
