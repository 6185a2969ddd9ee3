package supervise_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// sandboxed is a provider that cannot commit: its supervisor does, and reports.
func sandboxed(r *provider.Row) { r.Commit = provider.BySupervisor }

// All three roles as agents that never run git liza or git.
func TestReportsOfSandboxedAgents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r, err := w.rush(
		planner(w.fake(`began p; reported 'tasks:\n- title: A file\n  done_when: it is there\n  spec: specs/vision.md\n  scope: one file\n  kind: docs\n  owns: [\"*.txt\"]\nalign: one task will do'`, sandboxed)),
		coder(w.fake(`began c; echo "$n" > a.txt; mkdir -p .hidden; echo x > .hidden/b.txt
reported "summary: write a file ($n)\nvalidation: looked at it\nextend: [.hidden/b.txt]\nremoves: [old.md]\nassumptions:\n- nobody minds"`, sandboxed)),
		reviewer(w.fake(`began r
if test $n = 1; then reported 'verdict: reject\nfindings: |\n  - [blocker] a.txt:1 — too short\n  Suggestion: write more\n  Overall: nearly'
else reported 'verdict: approve\nmessage: fine now'; fi`, sandboxed)))
	require.NoError(t, err, r.said())
	task := w.task("task-1")
	require.Equal(t, board.Merged, task.Status)
	require.Equal(t, []string{"planned"}, w.outcomes("planner-1"))
	require.Equal(t, []string{"submitted", "submitted"}, w.outcomes("coder-1"))
	require.Equal(t, []string{"rejected", "approved"}, w.outcomes("code-reviewer-1"))
	reject := w.moves(board.ActReject)[0].Detail.(*flow.RejectMove)
	require.Equal(t, "nearly", reject.Feedback.Overall)
	require.Equal(t, "write more", reject.Feedback.Blockers[0].Suggestion)
	intent := w.moves(board.ActIntent)[1].Detail.(*flow.IntentMove).Intent
	require.Equal(t, "write a file (2)", intent.Summary)
	require.Equal(t, []string{"nobody minds"}, intent.Assumptions)
	require.Equal(t, []string{"old.md"}, intent.Removes)
	require.Equal(t, "write a file (2) | coder-1 <coder-1@liza.invalid> | Ann Example\nwrite a file (1) | coder-1 <coder-1@liza.invalid> | Ann Example\n",
		w.git("log", "-2", "--no-merges", "--format=%s | %an <%ae> | %cn", "refs/liza/saved/task-1/2"))
	require.Len(t, w.moves(board.ActAlign), 1)

	for _, agent := range []string{"planner-1", "coder-1", "code-reviewer-1"} {
		require.Contains(t, w.note("prompt-"+agent+"-1"), "# How you report", agent)
		require.NotContains(t, w.note("prompt-"+agent+"-1"), "\ngit liza submit")
	}
}

// The next prompt tells of mistakes in a report, and of reports that were refused.
func TestRefusedReports(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.attempts(0)
	r, err := w.rush(reviewer(w.fake(`began r
case $n in
1) ended "Looks good to me!";;
*) reported 'verdict: approve';;
esac`, sandboxed)), coder(w.fake(`began c
case $n in
1) ended "I did it.";;
2) reported 'summary: s\nvalidation: v\ncolour: red';;
3) reported 'summary: nothing at all\nvalidation: v';;
4) echo x > a.txt; git checkout -q -b elsewhere; reported 'summary: s\nvalidation: v';;
5) git checkout -q liza/task-1; reported 'handoff:\n  summary: half of it\n  next_action: the other half';;
6) ended 'summary: the whole message\nvalidation: is a report';;
esac`, sandboxed)))
	require.NoError(t, err, r.said())
	for session, want := range map[string]string{
		"coder-1-2": "Your last message is no report:",
		"coder-1-3": `unknown key "colour"`,
		"coder-1-4": "is the commit that the claim began from: there is nothing to review",
		"coder-1-5": `the worktree is not on the branch liza/task-1 but on "elsewhere", so nothing was committed`,
		"coder-1-6": "the other half",

		"code-reviewer-1-2": "Your last message is no report:",
	} {
		require.Contains(t, w.note("prompt-"+session), want, session)
	}
	require.Equal(t, []string{"nothing", "nothing", "nothing", "nothing", "handoff", "submitted"}, w.outcomes("coder-1"))
}

// An agent that blocks its task, and one that could report after all.
func TestReportOfABlockAndOwnMoves(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(2)
	r, err := w.rush(reviewer(w.agent("approve")), coder(w.fake(`began c
if test $LIZA_TASK = task-1; then reported 'blocked: no key\nquestions:\n- |-\n  Where is it?\nattempted: [looked]'
else submit; reported 'blocked: never mind\nquestions: [Why]'; fi`, sandboxed)))
	require.ErrorContains(t, err, "task-1 BLOCKED: no key — Where is it?", r.said())
	require.Equal(t, board.Merged, w.task("task-2").Status, "a move that the agent has made goes before its words")
}

// A report of a session that did not end well is not believed.
func TestReportOfAFailedSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	r, err := w.rush(reviewer(w.agent("approve")), coder(w.fake("began c; echo $n > a.txt\n"+
		"if test $n = 1; then failed '```liza\\nsummary: s\\nvalidation: v\\n```'; else reported 'summary: s\\nvalidation: v'; fi", sandboxed)))
	require.NoError(t, err, r.said())
	require.Equal(t, []string{"failed", "submitted"}, w.outcomes("coder-1"))
}

// A planner answers a question in its report, and the next coder reads the answer.
func TestReportOfAnAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	r, err := w.rush(planner(w.fake(`began p; reported 'answer:\n- question: sprint-1/1\n  text: In the vault\nunblock: [task-1]'`, sandboxed)),
		coder(w.agent(`if test $n = 1; then git liza block $LIZA_TASK --reason "no key" --question "Where is the key?"; else submit; fi`)),
		reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.Contains(t, w.note("prompt-planner-1-1"), "\nquestion sprint-1/1: Where is the key?\n")
	require.Contains(t, r.said(), "task-1 → UNCLAIMED: planner-1 answered")
	require.Contains(t, w.note("prompt-coder-1-2"), "\nquestion sprint-1/1: Where is the key?\nanswer of planner-1: In the vault\n")
	require.Contains(t, w.note("prompt-code-reviewer-1-1"), "answer of planner-1: In the vault\n")
}
