package hooks

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

const (
	security      = board.Role("security-reviewer")
	securityAgent = board.Actor("security-reviewer-1")
)

// twoJudges is a governed board that asks for the verdict of a second role, of sam's
// agents, and for that of gates where build files change. a is submitted.
func twoJudges(t *testing.T) *serverFixture {
	t.Helper()
	y := governed(t, false)
	y.do(flow.Move{Act: board.ActPrincipal, By: ann, Detail: &flow.PrincipalMove{Principal: board.Principal{
		Name: "sam", Kind: "machine", Users: []string{"sam"}, Roles: []board.Role{security}}}})
	y.do(flow.Move{Act: board.ActRequire, By: ann, Detail: &flow.RequireMove{Rule: board.ReviewRule{Role: security}}})
	y.do(flow.Move{Act: board.ActRequire, By: ann, Detail: &flow.RequireMove{Rule: board.ReviewRule{Role: "gates", Paths: []string{"Makefile"}}}})
	y.add("a")
	y.land(y.all()...)
	y.by("carl").claim("a")
	y.work("a", "a.txt", "one\n")
	y.submit("a")
	y.land(y.all()...)
	return y
}

// state is a state commit after that of the clone with a move that its rules may
// refuse. Its tree is that of the state before.
func (y *serverFixture) state(m flow.Move) git.ID {
	y.t.Helper()
	tip := string(y.at(layout.State))
	if m.Principal == "" {
		m.Principal = y.as
	}
	m.At, m.Request = y.now, "0123456789abcdef"
	body, err := document.EncodeAt(y.board().Settings().Format, &m)
	if err != nil { // keys of later rules
		body, err = document.Encode(&m)
	}
	require.NoError(y.t, err)
	header := "tree " + gittest.Git(y.t, y.clone, "rev-parse", tip+"^{tree}") + "\nparent " + tip +
		"\nauthor a <a@liza.invalid> 1768658760 +0000\ncommitter Grace <grace@example.org> 1768658760 +0000\n\n"
	return y.hash("commit", header+m.Subject()+"\n\n"+string(body))
}

// refusesMove holds that the server refuses a move whoever writes it, and that its
// refs stay.
func (y *serverFixture) refusesMove(rule flow.Rule, reason string, m flow.Move) {
	y.t.Helper()
	before := gittest.Git(y.t, y.server, "for-each-ref")
	forged := y.state(m)
	y.refuses(string(forged), rule, reason, y.to(layout.State, forged))
	require.Equal(y.t, before, gittest.Git(y.t, y.server, "for-each-ref"))
}

// judgeAs takes the review of a and approves it, on clone and server.
func (y *serverFixture) judgeAs(principal string, by board.Actor) {
	y.t.Helper()
	y.by(principal)
	y.do(flow.Move{Act: board.ActReview, Task: "a", By: by, Goal: "goal-1", Detail: &flow.ReviewMove{Lease: half}})
	y.do(flow.Move{Act: board.ActApprove, Task: "a", By: by, Goal: "goal-1", Detail: &flow.ApproveMove{Commit: y.board().Task("a").Submission.Commit}})
	y.land(y.all()...)
}

// TestOneVerdictOfTwo: a submission does not reach integration without the verdict
// of each role that its board asks for, whatever a client writes.
func TestOneVerdictOfTwo(t *testing.T) {
	t.Parallel()
	y := twoJudges(t)
	on := func(act board.Act, by board.Actor, d flow.Detail) flow.Move {
		return flow.Move{Act: act, Task: "a", Goal: "goal-1", By: by, Detail: d}
	}
	commit := y.board().Task("a").Submission.Commit
	y.judgeAs("rita", reviewer)
	require.Equal(t, []board.Role{security}, y.board().Task("a").Missing())

	y.by("mel").refusesMove(flow.RuleState, "merge", on(board.ActMerge, "human:mel", y.merging("a")))
	y.by("rita")
	y.refusesMove(flow.RulePrincipal, "does not act as", on(board.ActReview, securityAgent, &flow.ReviewMove{Lease: half}))
	y.refusesMove(flow.RulePrincipal, "does not act as", on(board.ActApprove, securityAgent, &flow.ApproveMove{Commit: commit}))
	y.refusesMove(flow.RuleRole, "judges as code-reviewer", on(board.ActReview, "code-reviewer-2", &flow.ReviewMove{Lease: half, Role: security}))
	y.refusesMove(flow.RuleHolder, "", on(board.ActApprove, reviewer, &flow.ApproveMove{Commit: commit, Role: security}))
	y.by("sam").do(on(board.ActReview, securityAgent, &flow.ReviewMove{Lease: half}))
	y.land(y.all()...)
	y.refusesMove(flow.RuleRole, "judges as security-reviewer", on(board.ActApprove, securityAgent, &flow.ApproveMove{Commit: commit, Role: board.CodeReviewer}))
	y.refusesMove(flow.RuleCommit, "", on(board.ActApprove, securityAgent, &flow.ApproveMove{Commit: y.at("refs/heads/main")}))

	// One who coded the work neither approves it nor takes a blocker of it back.
	y.by("sam").do(on(board.ActReject, securityAgent, &flow.RejectMove{Commit: commit, Feedback: board.Feedback{Blockers: []board.Finding{{File: "a.txt", Line: 1, Issue: "X"}}}}))
	y.land(y.all()...)
	dismiss := &flow.DismissMove{Role: security, Blocker: 1, Issue: "X", Reason: "R"}
	y.by("carl").refusesMove(flow.RulePrincipal, "", on(board.ActDismiss, "human:carl", dismiss))
	y.refusesMove(flow.RuleRole, "human", on(board.ActDismiss, coder, dismiss))
	y.by("ann").do(on(board.ActDismiss, ann, dismiss))
	y.land(y.all()...)
	require.Equal(t, []board.Role{security}, y.board().Task("a").Missing(), "what a blocker was taken back of is judged again")

	// The set of the submission is what the move makes of it.
	file := "tasks/0a/a.yaml"
	y.by("sam").do(on(board.ActReview, securityAgent, &flow.ReviewMove{Lease: half}))
	good := y.at(layout.State)
	raw := gittest.Git(t, y.clone, "show", string(good)+":"+file) + "\n"
	require.Contains(t, raw, "    - security-reviewer\n")
	without := y.forge(good, "tree "+gittest.Git(t, y.clone, "rev-parse", string(good)+"^{tree}"),
		"tree "+y.treeWith(string(good), file, replaceOnce(raw, "    - security-reviewer\n", "")))
	y.refuses(string(without), RuleReplay, "its tree is not", y.to(layout.State, without))
	y.land(y.all()...)
	y.do(on(board.ActApprove, securityAgent, &flow.ApproveMove{Commit: commit}))
	y.land(y.all()...)
	require.Equal(t, board.Approved, y.board().Task("a").Status)

	// A merge is refused once the text has changed that the roles read for their
	// verdicts.
	edited := y.commitTree(y.treeWith("refs/heads/integration", "README", "changed\n"), "work", y.at("refs/heads/integration"))
	y.by("ann").do(flow.Move{Act: board.ActAdopt, By: ann, Detail: &flow.AdoptMove{Commit: edited, Onto: y.at("refs/heads/integration"), Reason: "R"}})
	y.land(y.all()...)
	y.by("mel").refusesMove(flow.RuleSpecChanged, "the spec 'README' has changed since", on(board.ActMerge, "human:mel", y.merging("a")))
	doc := y.board().Tracked("README")
	y.by("ann").refusesMove(flow.RuleSelfReview, "does not say that it means the same", flow.Move{Act: board.ActSpecChange, Goal: "goal-1", By: ann,
		Detail: &flow.SpecChangeMove{Spec: "README", Change: "C", Same: true, Old: doc.Was, New: doc.Blob}})
	y.refusesMove(flow.RuleFact, "the move", flow.Move{Act: board.ActAdd, Goal: "goal-1", By: ann, Detail: &flow.AddMove{
		Tasks: []board.TaskInput{{ID: "b", Title: "T", DoneWhen: "D", Spec: "README", Scope: "S", Kind: board.Docs}},
		Texts: []board.Text{{Path: "README", Blob: doc.Was}}}})
}

func replaceOnce(text, old, with string) string {
	before, after, _ := strings.Cut(text, old)
	return before + with + after
}

// TestRulesOfRolesHold: who judges, by which rows and for which goal is changed by
// admins alone, within the bounds of the rules, and no move names another goal than
// that of its work.
func TestRulesOfRolesHold(t *testing.T) {
	t.Parallel()
	y := twoJudges(t)
	y.by("ann").do(flow.Move{Act: board.ActGoal, By: ann, Goal: "goal-2", Detail: &flow.GoalMove{ID: "goal-2", Title: "Other", Spec: "README"}})
	y.land(y.all()...)
	row := func(edit func(*board.RoleRow)) board.RoleRow {
		r := board.RoleRow{Name: "helper", Capacity: board.Judges, Tools: []board.Tool{board.ToolRead}}
		edit(&r)
		return r
	}
	config := board.DefaultConfig()
	config.Never = nil
	admins := []flow.Move{
		{Act: board.ActRole, Detail: &flow.RoleMove{Row: row(func(*board.RoleRow) {})}},
		{Act: board.ActRole, Detail: &flow.RoleMove{Row: board.RoleRow{Name: security}, Remove: true}},
		{Act: board.ActRequire, Detail: &flow.RequireMove{Rule: board.ReviewRule{Role: "docs-reviewer"}, InPlaceOf: security}},
		{Act: board.ActRequire, Detail: &flow.RequireMove{Rule: board.ReviewRule{Role: security}, Remove: true}},
		{Act: board.ActAccept, Goal: "goal-1", Detail: &flow.AcceptMove{Paths: []string{"README"}, Reason: "R"}},
		{Act: board.ActAmend, Detail: &flow.AmendMove{Config: &config}},
		{Act: board.ActMigrate, Detail: &flow.MigrateMove{To: board.NewestFormat + 1}},
		{Act: board.ActAdopt, Detail: &flow.AdoptMove{Commit: y.at("refs/heads/liza/a"), Onto: y.board().Settings().Integration.Tip, Reason: "R", Tasks: []board.TaskID{"a"}, Accept: true}},
	}
	for _, m := range admins {
		m.By = coder
		y.by("carl").refusesMove(flow.RuleRole, "human", m)
		m.By = "human:mel"
		y.by("mel").refusesMove(flow.RuleAdmin, "right admin", m)
	}
	y.by("ann")
	for reason, r := range map[string]board.RoleRow{
		"not the name of a provider":    row(func(r *board.RoleRow) { r.Provider = "exec:sh -c id" }),
		"is not the path of a persona":  row(func(r *board.RoleRow) { r.Persona = "../../home/x.md" }),
		"is not the path of a persona ": row(func(r *board.RoleRow) { r.Persona = "/etc/x.md" }),
		"has no tool write":             row(func(r *board.RoleRow) { r.Tools = append(r.Tools, board.ToolWrite) }),
		"cannot be the name of a role":  row(func(r *board.RoleRow) { r.Name = "" }),
	} {
		y.refusesMove(flow.RuleForm, strings.TrimSpace(reason), flow.Move{Act: board.ActRole, By: ann, Detail: &flow.RoleMove{Row: r}})
	}

	// Work belongs to the goal of its task, and so does what is recorded during it.
	y.by("carl")
	other := func(act board.Act, task board.TaskID, d flow.Detail) flow.Move {
		return flow.Move{Act: act, Task: task, Goal: "goal-2", By: coder, Detail: d}
	}
	y.refusesMove(flow.RuleGoal, "a belongs to", other(board.ActRelease, "a", &flow.ReleaseMove{}))
	y.refusesMove(flow.RuleGoal, "a belongs to", other(board.ActIntent, "a", &flow.IntentMove{}))
	y.refusesMove(flow.RuleGoal, "goal-1", other(board.ActDiscover, "", &flow.DiscoverMove{Text: "T", Severity: "high", Urgency: "immediate", During: "a"}))
	y.refusesMove(flow.RuleGoal, "goal-1", other(board.ActNote, "", &flow.NoteMove{For: "a", Text: "T"}))
	y.refusesMove(flow.RuleGoal, "belongs to none", other(board.ActRegister, "", &flow.RegisterMove{}))
	y.refusesMove(flow.RuleRole, "a planner or a human", flow.Move{Act: board.ActSpecChange, Goal: "goal-1", By: coder,
		Detail: &flow.SpecChangeMove{Spec: "README", Change: "C", Same: true}})
}

// TestEditedWorkIsJudgedAnew: work whose reviews keep ending is blocked with the
// verdicts that it has. They do not count for another description, and the roles
// that this asks for judge it too.
func TestEditedWorkIsJudgedAnew(t *testing.T) {
	t.Parallel()
	y := plain(t)
	y.do(flow.Move{Act: board.ActRequire, By: ann, Detail: &flow.RequireMove{Rule: board.ReviewRule{Role: security}}})
	y.add("a")
	y.claim("a")
	y.work("a", "a.txt", "one\n")
	y.submit("a")
	y.approve("a")
	for y.board().Task("a").Status != board.Blocked {
		y.do(flow.Move{Act: board.ActReview, Task: "a", By: securityAgent, Detail: &flow.ReviewMove{Lease: half}})
		if y.board().Task("a").Status != board.Blocked {
			y.do(flow.Move{Act: board.ActRelease, Task: "a", By: securityAgent, Detail: &flow.ReleaseMove{NoVerdict: true}})
		}
	}
	require.Equal(t, []board.Role{security}, y.board().Task("a").Missing())
	in := y.board().Task("a").Input()
	in.DoneWhen, in.ReviewBy = "something else works", []board.Role{"docs-reviewer"}
	y.do(flow.Move{Act: board.ActEdit, Task: "a", By: "planner-1", Detail: &flow.EditMove{Input: in}})
	y.do(flow.Move{Act: board.ActUnblock, Task: "a", By: ann, Detail: &flow.UnblockMove{}})
	require.Equal(t, board.ReadyForReview, y.board().Task("a").Status)
	require.Equal(t, []board.Role{board.CodeReviewer, security, "docs-reviewer"}, y.board().Task("a").Missing())
	y.accepts(y.all()...)
}
