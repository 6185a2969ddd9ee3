package hooks

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

const planner = board.Actor("planner-1")

// on is a move for the only goal.
func on(act board.Act, task board.TaskID, by board.Actor, d flow.Detail) flow.Move {
	m := flow.Move{Act: act, Task: task, Goal: "goal-1", By: by, Detail: d}
	switch act {
	case board.ActCheckpoint, board.ActMark, board.ActTrip, board.ActReset, board.ActConfig, board.ActPrincipal, board.ActAdopt, board.ActMigrate, board.ActOutage:
		m.Goal = ""
	}
	return m
}

// edited is the newest state commit of the clone with another content of a document. Its
// move stays.
func (y *serverFixture) edited(file, old, with string) git.ID {
	y.t.Helper()
	tip := string(y.at(layout.State))
	raw := gittest.Git(y.t, y.clone, "show", tip+":"+file) + "\n"
	require.Contains(y.t, raw, old)
	return y.forge(git.ID(tip), "tree "+gittest.Git(y.t, y.clone, "rev-parse", tip+"^{tree}"), "tree "+y.treeWith(tip, file, replaceOnce(raw, old, with)))
}

// refusesTree holds that the server refuses the newest move of the clone with another
// content of a document, and takes the move as it is.
func (y *serverFixture) refusesTree(file, old, with string) {
	y.t.Helper()
	forged := y.edited(file, old, with)
	updates := y.all()
	for i, u := range updates {
		if u.Name == layout.State {
			updates[i].New = forged
		}
	}
	y.refuses(string(forged), RuleReplay, "its tree is not", updates...)
	y.land(y.all()...)
}

// merged brings a task to integration, on clone and server.
func (y *serverFixture) merged(id board.TaskID, name string) {
	y.t.Helper()
	y.claim(id)
	y.work(id, name, "one\n")
	y.submit(id)
	y.approve(id)
	y.merge(id)
	y.land(y.all()...)
}

// TestOnlyPeopleDecide: agents lift no hold, name no state, adopt nothing and migrate
// nothing, and only planners put a discovery off, whatever a client writes.
func TestOnlyPeopleDecide(t *testing.T) {
	t.Parallel()
	y := plain(t)
	y.add("a")
	y.do(on(board.ActDiscover, "", coder, &flow.DiscoverMove{Text: "T", Severity: "low", Urgency: "deferred"}))
	y.do(on(board.ActCheckpoint, "", ann, &flow.CheckpointMove{Reason: "R"}))
	y.land(y.all()...)
	tip := y.at("refs/heads/integration")
	config := board.DefaultConfig()
	config.Goal.Auto = true
	for _, m := range []flow.Move{
		on(board.ActLift, "", coder, &flow.LiftMove{Reason: "R"}),
		on(board.ActLift, "", planner, &flow.LiftMove{Reason: "R"}),
		on(board.ActMark, "", planner, &flow.MarkMove{Name: "mine"}),
		on(board.ActDecide, "", planner, &flow.DecideMove{Decision: "CONTINUE", Message: "M", Checkpoint: "checkpoint-2"}),
		on(board.ActDefer, "", coder, &flow.DeferMove{Record: "sprint-1/1", Until: y.now.Add(time.Hour), Reason: "R"}),
		on(board.ActAdopt, "", coder, &flow.AdoptMove{Commit: tip, Onto: tip, Reason: "R", Reverts: []board.TaskID{"a"}}),
		on(board.ActReset, "", coder, &flow.ResetMove{Resolution: "R"}),
		on(board.ActConfig, "", coder, &flow.ConfigMove{Config: config}),
		on(board.ActMigrate, "", coder, &flow.MigrateMove{To: board.NewestFormat}),
	} {
		y.refusesMove(flow.RuleRole, "", m)
	}
}

// TestDecisionsHold: a decision is about the checkpoint of the board, and what it holds
// back is not claimed, whatever a client writes or leaves out of a tree.
func TestDecisionsHold(t *testing.T) {
	t.Parallel()
	y := plain(t)
	y.add("a", "b")
	y.do(on(board.ActCheckpoint, "", ann, &flow.CheckpointMove{Reason: "R"}))
	y.refusesTree(y.file("liza.yaml"), "mark: "+y.board().Settings().Checked.Mark, "mark: sprint-1")
	mark := y.board().Settings().Control.Mark
	decide := func(d flow.DecideMove) flow.Move {
		d.Message = "M"
		return on(board.ActDecide, "", ann, &d)
	}
	y.refusesMove(flow.RuleDecision, "the decision is about", decide(flow.DecideMove{Decision: "CONTINUE", Checkpoint: "checkpoint-9"}))
	y.refusesMove(flow.RuleDecision, "the decision is about", decide(flow.DecideMove{Decision: "CONTINUE"}))
	y.refusesMove(flow.RuleForm, "holds no tasks back", decide(flow.DecideMove{Decision: "CONTINUE", Checkpoint: mark, Tasks: []board.TaskID{"a"}}))

	y.do(decide(flow.DecideMove{Decision: "REPLAN", Checkpoint: mark, Tasks: []board.TaskID{"a"}}))
	y.refusesTree("goals/goal-1.yaml", "    - a\n", "    - b\n")
	claim := func(id board.TaskID) flow.Move {
		return on(board.ActClaim, id, coder, &flow.ClaimMove{Lease: half, Base: y.at("refs/heads/integration")})
	}
	y.refusesMove(flow.RuleDecision, "a is held back since "+mark, claim("a"))
	y.refusesMove(flow.RuleDecision, "no hold of", on(board.ActAlign, "", planner, &flow.AlignMove{Text: "T", Answers: "checkpoint-9"}))
	y.do(claim("b"))
	y.land(y.all()...)
	y.do(on(board.ActAlign, "", planner, &flow.AlignMove{Text: "T", Answers: mark}))
	y.land(y.all()...)
	y.do(on(board.ActClaim, "a", "coder-2", &flow.ClaimMove{Lease: half}))
	y.land(y.all()...)
}

// TestNothingIsDue: agents close and open no sprint, complete no goal, make no
// checkpoint and trip no breaker that the board does not ask for.
func TestNothingIsDue(t *testing.T) {
	t.Parallel()
	y := plain(t)
	mark := y.board().Settings().Checked.Mark
	agent := func(act board.Act, d flow.Detail) flow.Move { return on(act, "", coder, d) }
	cause := func(c board.Cause, since string) flow.Move {
		m := agent(board.ActCheckpoint, &flow.CheckpointMove{Reason: "R", Cause: c, Since: since})
		m.Goal = "goal-1"
		return m
	}
	y.refusesMove(flow.RuleDue, "no planned task", agent(board.ActSprintClose, &flow.SprintCloseMove{Sprint: "sprint-1"}))
	y.add("a")
	y.land(y.all()...)
	y.refusesMove(flow.RuleOpen, "a is planned and UNCLAIMED", agent(board.ActSprintClose, &flow.SprintCloseMove{Sprint: "sprint-1"}))
	y.refusesMove(flow.RuleSprint, "sprint-1 is open, not sprint-2", agent(board.ActSprintClose, &flow.SprintCloseMove{Sprint: "sprint-2"}))
	y.refusesMove(flow.RuleSprint, "still open", agent(board.ActSprintStart, &flow.SprintStartMove{Sprint: "sprint-2"}))
	for c, reason := range map[board.Cause]string{board.CauseDeadline: "no deadline", board.CauseMerges: "0 merges", board.CauseBudget: "0 %"} {
		y.refusesMove(flow.RuleDue, reason, cause(c, mark))
		y.refusesMove(flow.RuleDue, "was judged from", cause(c, "checkpoint-9"))
		y.refusesMove(flow.RuleDue, "was judged from", cause(c, ""))
	}
	y.refusesMove(flow.RuleForm, "that of a goal", agent(board.ActCheckpoint, &flow.CheckpointMove{Reason: "R", Cause: board.CauseDeadline, Since: mark}))
	y.merged("a", "a.txt")
	y.refusesMove(flow.RuleDue, "goal.auto", agent(board.ActComplete, &flow.CompleteMove{Reason: "R"}))
	y.refusesMove(flow.RuleDue, "1 merges", cause(board.CauseMerges, mark))
	trip := &flow.TripMove{Pattern: "retry_cluster", Patterns: []string{"retry_cluster"}, Severity: "SPEC_FLAW"}
	y.refusesMove(flow.RuleForm, "names the anomalies", agent(board.ActTrip, trip))

	y.do(agent(board.ActSprintClose, &flow.SprintCloseMove{Sprint: "sprint-1"}))
	y.land(y.all()...)
	y.refusesMove(flow.RuleDue, "no open task", agent(board.ActSprintStart, &flow.SprintStartMove{Sprint: "sprint-2"}))
	y.refusesMove(flow.RuleRole, "only a human says what a sprint plans", agent(board.ActSprintStart, &flow.SprintStartMove{Sprint: "sprint-2", Deadline: y.now.Add(time.Hour)}))
	y.refusesMove(flow.RuleSprint, "the next sprint", agent(board.ActSprintStart, &flow.SprintStartMove{Sprint: "sprint-7"}))
}

// TestWhatAMoveCountsIsReplayed: merges of a goal, what a sprint planned, marks, how
// often a task asked, and what it reverted are what the moves make of them.
func TestWhatAMoveCountsIsReplayed(t *testing.T) {
	t.Parallel()
	y := plain(t)
	y.add("a", "b")
	y.do(on(board.ActMark, "", ann, &flow.MarkMove{Name: "before", Reason: "R"}))
	y.refusesTree("marks/before.yaml", "reason: R", "reason: S")
	y.do(on(board.ActSprintClose, "", ann, &flow.SprintCloseMove{Sprint: "sprint-1", Reason: "R"}))
	y.land(y.all()...)
	y.do(on(board.ActSprintStart, "", ann, &flow.SprintStartMove{Sprint: "sprint-2"}))
	y.refusesTree("planned/sprint-2.yaml", "  - b\n", "")

	for n := range 4 {
		y.do(on(board.ActClaim, "b", coder, &flow.ClaimMove{Lease: half}))
		y.land(y.all()...)
		y.do(on(board.ActBlock, "b", coder, &flow.BlockMove{Questions: []string{"Q"}}))
		if n < 3 {
			y.land(y.all()...)
			y.do(on(board.ActAnswer, "", ann, &flow.AnswerMove{Question: y.board().Task("b").Block.Asked[0], Text: "T"}))
			y.land(y.all()...)
		}
	}
	require.Len(t, y.board().Task("b").Failures, 1)
	y.refusesTree(y.file("b.yaml"), "questions: 4\n", "questions: 3\n")
	y.refusesMove(flow.RuleState, "waits for the answer", on(board.ActUnblock, "b", planner, &flow.UnblockMove{}))
	y.refusesMove(flow.RuleRole, "asked the question itself", on(board.ActAnswer, "", coder, &flow.AnswerMove{Question: y.board().Task("b").Block.Asked[0], Text: "T"}))
	y.do(on(board.ActAnswer, "", ann, &flow.AnswerMove{Question: y.board().Task("b").Block.Asked[0], Text: "T"}))
	y.refusesTree(y.file("b.yaml"), "status: UNCLAIMED\n", "status: REJECTED\n")
}

// file is the path of a document on the board.
func (y *serverFixture) file(name string) string {
	y.t.Helper()
	for path := range strings.SplitSeq(gittest.Git(y.t, y.clone, "ls-tree", "-r", "--name-only", layout.State), "\n") {
		if path == name || strings.HasSuffix(path, "/"+name) {
			return path
		}
	}
	y.t.Fatal("the board has no " + name)
	return ""
}

// TestRevertsAreReplayed: what a merge takes back is on the board, its dependants wait,
// and nobody says of other work that it was reverted.
func TestRevertsAreReplayed(t *testing.T) {
	t.Parallel()
	y := plain(t)
	y.add("a")
	y.merged("a", "a.txt")
	input := func(id board.TaskID, edit func(*board.TaskInput)) flow.Move {
		in := board.TaskInput{ID: id, Title: "T", DoneWhen: "D", Spec: "README", Scope: "S", Kind: board.Docs}
		edit(&in)
		return on(board.ActAdd, "", planner, &flow.AddMove{Tasks: []board.TaskInput{in}})
	}
	m := input("r", func(in *board.TaskInput) { in.Reverts = []board.TaskID{"a"} })
	forged := m
	forged.By = coder
	y.refusesMove(flow.RuleRole, "a human or a planner", forged)
	y.refusesMove(flow.RuleNotFound, "no task z", input("q", func(in *board.TaskInput) { in.Reverts = []board.TaskID{"z"} }))
	y.refusesMove(flow.RuleState, "a stands", input("q", func(in *board.TaskInput) { in.Reopens = "a" }))
	y.do(m)
	y.do(input("d", func(in *board.TaskInput) { in.DependsOn = []board.TaskID{"a"} }))
	y.land(y.all()...)
	y.claim("r")
	y.work("r", "r.txt", "one\n")
	y.submit("r")
	y.approve("r")
	y.land(y.all()...)
	y.merge("r")
	y.refusesTree(y.file("a.yaml"), "reverted:\n", "# reverted:\n")
	require.NotNil(t, y.board().Task("a").Reverted)
	tip := y.at("refs/heads/integration")
	y.refusesMove(flow.RuleDependencies, "was reverted by r", on(board.ActClaim, "d", coder, &flow.ClaimMove{Lease: half, Base: tip}))
	adopt := func(reverts ...board.TaskID) flow.Move {
		return on(board.ActAdopt, "", ann, &flow.AdoptMove{Commit: tip, Onto: tip, Reason: "R", Reverts: reverts})
	}
	y.refusesMove(flow.RuleState, "reverted already by r", adopt("a"))
	y.refusesMove(flow.RuleState, "only merged work", adopt("d"))
	y.refusesMove(flow.RuleNotFound, "named twice", adopt("r", "r"))
}

// TestVouching: a verdict from a code host counts by the word of a principal with that
// right, for an account that belongs to one who did not code the task.
func TestVouching(t *testing.T) {
	t.Parallel()
	y := governed(t, false)
	account := func(name, kind string, edit func(*board.Principal)) flow.Move {
		p := board.Principal{Name: name, Kind: kind, Users: []string{name}}
		edit(&p)
		return on(board.ActPrincipal, "", ann, &flow.PrincipalMove{Principal: p})
	}
	enter := func(name, kind string, edit func(*board.Principal)) {
		y.do(account(name, kind, edit))
	}
	enter("vic", "human", func(p *board.Principal) { p.Agents, p.Rights = []string{"human:vic"}, []string{"vouch"} })
	enter("carl", "machine", func(p *board.Principal) { p.Roles, p.Accounts = []board.Role{board.Coder}, []string{"github.com/carl"} })
	enter("cyd", "human", func(p *board.Principal) { p.Agents, p.Accounts = []string{"human:cyd"}, []string{"github.com/cyd"} })
	y.add("a")
	y.land(y.all()...)
	y.by("carl").claim("a")
	y.work("a", "a.txt", "one\n")
	y.submit("a")
	y.land(y.all()...)
	verdict := func(by board.Actor, name string) flow.Move {
		return on(board.ActApprove, "a", by, &flow.ApproveMove{Commit: y.board().Task("a").Submission.Commit,
			For: &board.Voucher{Account: "github.com/" + name, Review: "17", URL: "https://github.com/o/r/pull/1"}})
	}
	y.by("mel").refusesMove(flow.RuleVouch, "mel vouches for nobody", verdict("human:mel", "cyd"))
	y.by("ann").refusesMove(flow.RuleVouch, "ann vouches for nobody", verdict(ann, "cyd"))
	y.by("vic").refusesMove(flow.RuleVouch, "no principal has the account", verdict("human:vic", "eve"))
	y.refusesMove(flow.RuleSelfReview, "carl, who coded a", verdict("human:vic", "carl"))
	y.by("rita").do(on(board.ActReview, "a", reviewer, &flow.ReviewMove{Lease: half}))
	y.land(y.all()...)
	y.refusesMove(flow.RuleVouch, "only a person brings a verdict", verdict(reviewer, "cyd"))
	y.by("vic")
	broken := verdict("human:vic", "cyd")
	broken.Detail.(*flow.ApproveMove).For.URL = "javascript:alert(1)"
	y.refusesMove(flow.RuleForm, "https URL", broken)
	reject := on(board.ActReject, "a", ann, &flow.RejectMove{Commit: y.board().Task("a").Submission.Commit,
		For: &board.Voucher{Account: "github.com/cyd", Review: "17", URL: "https://github.com/o/r/pull/1"}, Feedback: board.Feedback{Overall: "bad", Blockers: []board.Finding{{File: "a.txt", Line: 1, Issue: "X"}}}})
	y.by("ann").refusesMove(flow.RuleVouch, "ann vouches for nobody", reject)
	y.by("ann").refusesMove(flow.RuleForm, "a person's word", account("desk", "machine", func(p *board.Principal) { p.Roles, p.Rights = []board.Role{board.Coder}, []string{"vouch"} }))
	y.refusesMove(flow.RuleExists, "belongs to a principal already", account("eve", "human", func(p *board.Principal) { p.Agents, p.Accounts = []string{"human:eve"}, []string{"github.com/cyd"} }))
	y.by("vic").do(verdict("human:vic", "cyd"))
	y.refusesTree(y.file("a.yaml"), "github.com/cyd", "github.com/ann")
	require.Equal(t, board.Approved, y.board().Task("a").Status)
}

// TestMarksStay: a mark that a person made is brought by its move, once, and never moved,
// deleted or brought by another.
func TestMarksStay(t *testing.T) {
	t.Parallel()
	y := plain(t)
	first := y.at(layout.State)
	y.do(on(board.ActMark, "", ann, &flow.MarkMove{Name: "before"}))
	mark := "refs/liza/marks/before"
	y.refuses(mark, RuleRef, "does not bring it", y.moves(layout.State)...)
	y.refuses(mark, RuleRef, "", y.to(layout.State, y.at(layout.State)), Update{mark, "", first})
	y.land(y.all()...)
	y.do(on(board.ActNote, "", ann, &flow.NoteMove{For: "all", Text: "T"}))
	for _, u := range []Update{{mark, y.there(mark), first}, {mark, y.there(mark), y.at(layout.State)}, {mark, y.there(mark), ""}} {
		y.refuses(mark, RuleRef, "", u)
		y.refuses(mark, RuleRef, "", u, y.to(layout.State, y.at(layout.State)))
	}
	y.refusesMove(flow.RuleExists, "there is a mark before", on(board.ActMark, "", ann, &flow.MarkMove{Name: "before"}))
	for _, name := range []string{"sprint-9", "checkpoint-9", "..", "a..b", "x.lock", "-x", "A", "a/b", ""} {
		y.refusesMove(flow.RuleForm, "cannot name a mark", on(board.ActMark, "", ann, &flow.MarkMove{Name: name}))
	}
}
