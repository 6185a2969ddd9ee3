package hooks

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

const (
	security      = flow.Role("security-reviewer")
	securityAgent = flow.Actor("security-reviewer-1")
)

// twoJudges is a governed board that asks for the verdict of a second role, of sam's
// agents, and for that of gates where build files change. a is submitted.
func twoJudges(t *testing.T) *serverFixture {
	t.Helper()
	y := governed(t, false)
	y.do(flow.Move{Act: flow.ActPrincipal, By: ann, Detail: &flow.PrincipalMove{Principal: flow.Principal{
		Name: "sam", Kind: "machine", Users: []string{"sam"}, Roles: []flow.Role{security}}}})
	y.do(flow.Move{Act: flow.ActRequire, By: ann, Detail: &flow.RequireMove{Rule: flow.ReviewRule{Role: security}}})
	y.do(flow.Move{Act: flow.ActRequire, By: ann, Detail: &flow.RequireMove{Rule: flow.ReviewRule{Role: "gates", Paths: []string{"Makefile"}}}})
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
func (y *serverFixture) judgeAs(principal string, by flow.Actor) {
	y.t.Helper()
	y.by(principal)
	y.do(flow.Move{Act: flow.ActReview, Task: "a", By: by, Goal: "goal-1", Detail: &flow.ReviewMove{Lease: half}})
	y.do(flow.Move{Act: flow.ActApprove, Task: "a", By: by, Goal: "goal-1", Detail: &flow.ApproveMove{Commit: y.board().Task("a").Submission.Commit}})
	y.land(y.all()...)
}

// TestOneVerdictOfTwo: a submission does not reach integration without the verdict
// of each role that its board asks for, whatever a client writes.
func TestOneVerdictOfTwo(t *testing.T) {
	t.Parallel()
	y := twoJudges(t)
	on := func(act flow.Act, by flow.Actor, d flow.Detail) flow.Move {
		return flow.Move{Act: act, Task: "a", Goal: "goal-1", By: by, Detail: d}
	}
	commit := y.board().Task("a").Submission.Commit
	y.judgeAs("rita", reviewer)
	require.Equal(t, []flow.Role{security}, y.board().Task("a").Missing())

	y.by("mel").refusesMove(flow.RuleState, "merge", on(flow.ActMerge, "human:mel", y.merging("a")))
	y.by("rita")
	y.refusesMove(flow.RulePrincipal, "does not act as", on(flow.ActReview, securityAgent, &flow.ReviewMove{Lease: half}))
	y.refusesMove(flow.RulePrincipal, "does not act as", on(flow.ActApprove, securityAgent, &flow.ApproveMove{Commit: commit}))
	y.refusesMove(flow.RuleRole, "judges as code-reviewer", on(flow.ActReview, "code-reviewer-2", &flow.ReviewMove{Lease: half, Role: security}))
	y.refusesMove(flow.RuleHolder, "", on(flow.ActApprove, reviewer, &flow.ApproveMove{Commit: commit, Role: security}))
	y.by("sam").do(on(flow.ActReview, securityAgent, &flow.ReviewMove{Lease: half}))
	y.land(y.all()...)
	y.refusesMove(flow.RuleRole, "judges as security-reviewer", on(flow.ActApprove, securityAgent, &flow.ApproveMove{Commit: commit, Role: flow.CodeReviewer}))
	y.refusesMove(flow.RuleCommit, "", on(flow.ActApprove, securityAgent, &flow.ApproveMove{Commit: y.at("refs/heads/main")}))

	// One who coded the work neither approves it nor takes a blocker of it back.
	y.by("sam").do(on(flow.ActReject, securityAgent, &flow.RejectMove{Commit: commit, Feedback: flow.Feedback{Blockers: []flow.Finding{{File: "a.txt", Line: 1, Issue: "X"}}}}))
	y.land(y.all()...)
	dismiss := &flow.DismissMove{Role: security, Blocker: 1, Issue: "X", Reason: "R"}
	y.by("carl").refusesMove(flow.RulePrincipal, "", on(flow.ActDismiss, "human:carl", dismiss))
	y.refusesMove(flow.RuleRole, "human", on(flow.ActDismiss, coder, dismiss))
	y.by("ann").do(on(flow.ActDismiss, ann, dismiss))
	y.land(y.all()...)
	require.Equal(t, []flow.Role{security}, y.board().Task("a").Missing(), "what a blocker was taken back of is judged again")

	// The set of the submission is what the move makes of it.
	file := "tasks/0a/a.yaml"
	y.by("sam").do(on(flow.ActReview, securityAgent, &flow.ReviewMove{Lease: half}))
	good := y.at(layout.State)
	raw := gittest.Git(t, y.clone, "show", string(good)+":"+file) + "\n"
	require.Contains(t, raw, "    - security-reviewer\n")
	without := y.forge(good, "tree "+gittest.Git(t, y.clone, "rev-parse", string(good)+"^{tree}"),
		"tree "+y.treeWith(string(good), file, replaceOnce(raw, "    - security-reviewer\n", "")))
	y.refuses(string(without), RuleReplay, "its tree is not", y.to(layout.State, without))
	y.land(y.all()...)
	y.do(on(flow.ActApprove, securityAgent, &flow.ApproveMove{Commit: commit}))
	y.land(y.all()...)
	require.Equal(t, flow.Approved, y.board().Task("a").Status)

	// A merge is refused once the text has changed that the roles read for their
	// verdicts.
	edited := y.commitTree(y.treeWith("refs/heads/integration", "README", "changed\n"), "work", y.at("refs/heads/integration"))
	y.by("ann").do(flow.Move{Act: flow.ActAdopt, By: ann, Detail: &flow.AdoptMove{Commit: edited, Onto: y.at("refs/heads/integration"), Reason: "R"}})
	y.land(y.all()...)
	y.by("mel").refusesMove(flow.RuleSpecChanged, "the spec 'README' has changed since", on(flow.ActMerge, "human:mel", y.merging("a")))
	doc := y.board().Tracked("README")
	y.by("ann").refusesMove(flow.RuleSelfReview, "does not say that it means the same", flow.Move{Act: flow.ActSpecChange, Goal: "goal-1", By: ann,
		Detail: &flow.SpecChangeMove{Spec: "README", Change: "C", Same: true, Old: doc.Was, New: doc.Blob}})
	y.refusesMove(flow.RuleFact, "the move", flow.Move{Act: flow.ActAdd, Goal: "goal-1", By: ann, Detail: &flow.AddMove{
		Tasks: []flow.TaskInput{{ID: "b", Title: "T", DoneWhen: "D", Spec: "README", Scope: "S", Kind: flow.Docs}},
		Texts: []flow.Text{{Path: "README", Blob: doc.Was}}}})
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
	y.by("ann").do(flow.Move{Act: flow.ActGoal, By: ann, Goal: "goal-2", Detail: &flow.GoalMove{ID: "goal-2", Title: "Other", Spec: "README"}})
	y.land(y.all()...)
	row := func(edit func(*flow.RoleRow)) flow.RoleRow {
		r := flow.RoleRow{Name: "helper", Capacity: flow.Judges, Tools: []flow.Tool{flow.ToolRead}}
		edit(&r)
		return r
	}
	config := flow.DefaultConfig()
	config.Never = nil
	admins := []flow.Move{
		{Act: flow.ActRole, Detail: &flow.RoleMove{Row: row(func(*flow.RoleRow) {})}},
		{Act: flow.ActRole, Detail: &flow.RoleMove{Row: flow.RoleRow{Name: security}, Remove: true}},
		{Act: flow.ActRequire, Detail: &flow.RequireMove{Rule: flow.ReviewRule{Role: "docs-reviewer"}, InPlaceOf: security}},
		{Act: flow.ActRequire, Detail: &flow.RequireMove{Rule: flow.ReviewRule{Role: security}, Remove: true}},
		{Act: flow.ActAccept, Goal: "goal-1", Detail: &flow.AcceptMove{Paths: []string{"README"}, Reason: "R"}},
		{Act: flow.ActAmend, Detail: &flow.AmendMove{Config: &config}},
		{Act: flow.ActMigrate, Detail: &flow.MigrateMove{To: flow.NewestFormat + 1}},
		{Act: flow.ActAdopt, Detail: &flow.AdoptMove{Commit: y.at("refs/heads/liza/a"), Onto: y.board().Settings().Integration.Tip, Reason: "R", Tasks: []flow.TaskID{"a"}, Accept: true}},
	}
	for _, m := range admins {
		m.By = coder
		y.by("carl").refusesMove(flow.RuleRole, "human", m)
		m.By = "human:mel"
		y.by("mel").refusesMove(flow.RuleAdmin, "right admin", m)
	}
	y.by("ann")
	for reason, r := range map[string]flow.RoleRow{
		"not the name of a provider":    row(func(r *flow.RoleRow) { r.Provider = "exec:sh -c id" }),
		"is not the path of a persona":  row(func(r *flow.RoleRow) { r.Persona = "../../home/x.md" }),
		"is not the path of a persona ": row(func(r *flow.RoleRow) { r.Persona = "/etc/x.md" }),
		"has no tool write":             row(func(r *flow.RoleRow) { r.Tools = append(r.Tools, flow.ToolWrite) }),
		"cannot be the name of a role":  row(func(r *flow.RoleRow) { r.Name = "" }),
	} {
		y.refusesMove(flow.RuleForm, strings.TrimSpace(reason), flow.Move{Act: flow.ActRole, By: ann, Detail: &flow.RoleMove{Row: r}})
	}

	// Work belongs to the goal of its task, and so does what is recorded during it.
	y.by("carl")
	other := func(act flow.Act, task flow.TaskID, d flow.Detail) flow.Move {
		return flow.Move{Act: act, Task: task, Goal: "goal-2", By: coder, Detail: d}
	}
	y.refusesMove(flow.RuleGoal, "a belongs to", other(flow.ActRelease, "a", &flow.ReleaseMove{}))
	y.refusesMove(flow.RuleGoal, "a belongs to", other(flow.ActIntent, "a", &flow.IntentMove{}))
	y.refusesMove(flow.RuleGoal, "goal-1", other(flow.ActDiscover, "", &flow.DiscoverMove{Text: "T", Severity: "high", Urgency: "immediate", During: "a"}))
	y.refusesMove(flow.RuleGoal, "goal-1", other(flow.ActNote, "", &flow.NoteMove{For: "a", Text: "T"}))
	y.refusesMove(flow.RuleGoal, "belongs to none", other(flow.ActRegister, "", &flow.RegisterMove{}))
	y.refusesMove(flow.RuleRole, "a planner or a human", flow.Move{Act: flow.ActSpecChange, Goal: "goal-1", By: coder,
		Detail: &flow.SpecChangeMove{Spec: "README", Change: "C", Same: true}})
}

// TestEditedWorkIsJudgedAnew: work whose reviews keep ending is blocked with the
// verdicts that it has. They do not count for another description, and the roles
// that this asks for judge it too.
func TestEditedWorkIsJudgedAnew(t *testing.T) {
	t.Parallel()
	y := plain(t)
	y.do(flow.Move{Act: flow.ActRequire, By: ann, Detail: &flow.RequireMove{Rule: flow.ReviewRule{Role: security}}})
	y.add("a")
	y.claim("a")
	y.work("a", "a.txt", "one\n")
	y.submit("a")
	y.approve("a")
	for y.board().Task("a").Status != flow.Blocked {
		y.do(flow.Move{Act: flow.ActReview, Task: "a", By: securityAgent, Detail: &flow.ReviewMove{Lease: half}})
		if y.board().Task("a").Status != flow.Blocked {
			y.do(flow.Move{Act: flow.ActRelease, Task: "a", By: securityAgent, Detail: &flow.ReleaseMove{NoVerdict: true}})
		}
	}
	require.Equal(t, []flow.Role{security}, y.board().Task("a").Missing())
	in := y.board().Task("a").Input()
	in.DoneWhen, in.ReviewBy = "something else works", []flow.Role{"docs-reviewer"}
	y.do(flow.Move{Act: flow.ActEdit, Task: "a", By: "planner-1", Detail: &flow.EditMove{Input: in}})
	y.do(flow.Move{Act: flow.ActUnblock, Task: "a", By: ann, Detail: &flow.UnblockMove{}})
	require.Equal(t, flow.ReadyForReview, y.board().Task("a").Status)
	require.Equal(t, []flow.Role{flow.CodeReviewer, security, "docs-reviewer"}, y.board().Task("a").Missing())
	y.accepts(y.all()...)
}
