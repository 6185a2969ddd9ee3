package supervise_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// fake is a provider that prints records of the claude family: its script has,
// beside what those of agent have, began SESSION, ended RESULT [MORE FIELDS] and
// failed TEXT. A RESULT is a JSON string without its quotes.
func (w *world) fake(script string, edit func(*provider.Row)) provider.Provider {
	w.Helper()
	p, err := provider.Builtin().Find("exec:true", self)
	require.NoError(w, err)
	p.Name, p.Binary, p.Output = "fake", "sh", "claude"
	p.Args = []string{w.scriptOf(`session=none; used='"input_tokens":10,"output_tokens":5'; cost=0.25
began() { session=$1; echo '{"type":"system","subtype":"init","session_id":"'$1'","model":"m-1"}'; }
ended() { says "$1"; printf '%s\n' '{"type":"result","subtype":"success","is_error":false,"result":"'"$1"'","session_id":"'$session'","num_turns":2,"total_cost_usd":'$cost',"usage":{'"$used"'}'"$2"'}'; }
says() { printf '%s\n' '{"type":"assistant","session_id":"'$session'","message":{"model":"m-1","role":"assistant","content":[{"type":"text","text":"'"$1"'"}]}}'; }
failed() { printf '%s\n' '{"type":"result","subtype":"success","is_error":true,"result":"'"$1"'","session_id":"'$session'","num_turns":1,"total_cost_usd":0,"usage":{}}'; }
reported() { ended 'Done.\n\n` + "```liza" + `\n'"$1"'\n` + "```" + `\n'; }
turn() { echo '{"type":"assistant","session_id":"'$session'","message":{"id":"msg_'$1'","model":"m-1","role":"assistant","content":[{"type":"text","text":"well"}],"usage":{"input_tokens":'$2',"output_tokens":0}}}'; }
` + script)}
	if edit != nil {
		edit(&p.Row)
	}
	return p
}

// outcomes are the words for how the sessions of an agent ended, in order.
func (w *world) outcomes(agent board.AgentID) []string {
	w.Helper()
	var list []string
	for _, m := range w.moves(board.ActSession) {
		if m.By == board.Actor(agent) {
			list = append(list, m.Detail.(*flow.SessionMove).Outcome)
		}
	}
	return list
}

// An exit code of 0 proves nothing: without an end record, with a failed one,
// or after tools were denied, the session failed, and the next prompt says why.
func TestRecordsDecideNotExitCodes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.attempts(0)
	r, err := w.rush(reviewer(w.fake(`began r; approve; exit 3`, nil)), coder(w.fake(`began s
case $n in
1) echo 'out of memory' >&2;;
2) ended done ',"permission_denials":[{"tool_name":"Bash","tool_input":{"command":"git commit -m x"}}]';;
3) failed "the model is confused";;
4) printf hello;;
*) submit; failed "too late to matter"; exit 7;;
esac`, nil)))
	require.NoError(t, err, r.said())
	require.Contains(t, timeless(r.said()), "coder-1: task-1, session 1 ended without a result (exit 0 after 0s, without an end record); what it said: git liza session show coder-1\n")
	require.Contains(t, r.said(), "task-1 → UNCLAIMED: tried again in 1s, 4 failed")
	require.Contains(t, w.note("prompt-coder-1-2"), "The program failed (exit 0, without an end record).")
	require.Contains(t, w.note("prompt-coder-1-2"), "out of memory")
	require.Contains(t, w.note("prompt-coder-1-3"), "Tools were denied to it: Bash: git commit -m x.")
	require.Contains(t, w.note("prompt-coder-1-4"), "its end record says: the model is confused")
	require.Equal(t, []string{"failed", "failed", "failed", "failed", "submitted"}, w.outcomes("coder-1"))
	require.Equal(t, []string{"approved"}, w.outcomes("code-reviewer-1"), "the move that was expected is all that counts")
}

// The board counts the usage of sessions: of the task, its goal and its sprint.
func TestSessionsAreCounted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r, err := w.rush(planner(w.fake("began p; "+addOne+"; ended planned", nil)),
		coder(w.fake(`began c; test $n = 1 || submit; ended done`, nil)), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.Equal(t, []string{"planned"}, w.outcomes("planner-1"))
	require.Equal(t, []string{"nothing", "submitted"}, w.outcomes("coder-1"))
	b := w.board()
	task, goal := b.Task("task-1"), b.Goal("goal-1")
	require.Equal(t, board.Merged, task.Status)
	seconds := task.Usage.Seconds
	require.Equal(t, board.Usage{Sessions: 3, Input: 20, Output: 10, Cost: 500_000, Seconds: seconds}, task.Usage, "plain text has no numbers, but counts")
	require.Equal(t, 4, goal.Usage.Sessions)
	require.Equal(t, board.Cost(750_000), goal.Usage.Cost)
	require.Equal(t, goal.Usage, b.Sprint("sprint-1").Usage)
	for _, m := range w.moves(board.ActSession) {
		d := m.Detail.(*flow.SessionMove)
		require.Equal(t, m.By.Role(), d.Role)
		if d.Provider == "fake" {
			require.Equal(t, "m-1", d.Model)
		}
	}
}

// The prompt and the output of a session are kept without secrets, and the move
// names them.
func TestSessionsAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.liza("note", "never print s3cr3t-of-ann", "--for", "all")
	const key = "SERVICE_API_KEY=s3cr3t-of-ann"
	r := w.begin(func(r *supervise.Rush) { r.UntilIdle, r.Environ, r.Follow = true, append(r.Environ, key), "coder-1" }, reviewer(w.agent("approve")),
		coder(w.fake(`began c; says "the key is $SERVICE_API_KEY"; echo "oops: $SERVICE_API_KEY" >&2; test $n = 1 || submit
if test $n = 1; then failed "401 for $SERVICE_API_KEY"; else ended done ',"permission_denials":[{"tool_name":"WebFetch"}]'; fi`,
			func(r *provider.Row) { r.Env = []string{"SERVICE_*"} })))
	require.NoError(t, r.wait(), r.said())
	moves := w.moves(board.ActSession)
	require.Len(t, moves, 3)
	list, err := gitstore.Sessions(t.Context(), w.clone.Repo, gitstore.SessionFilter{Task: "task-1"})
	require.NoError(t, err)
	require.Len(t, list, 3)
	for _, m := range moves {
		d := m.Detail.(*flow.SessionMove)
		rec, prompt, output, err := gitstore.Session(t.Context(), w.clone.Repo, d.Record)
		require.NoError(t, err)
		require.Equal(t, board.Actor(rec.Agent), m.By)
		require.Equal(t, d.Outcome, rec.Outcome)
		require.Equal(t, d.Usage, rec.Usage)
		require.Contains(t, string(prompt), "never print ***")
		require.NotContains(t, string(prompt)+string(output)+rec.Error+rec.Ending, "s3cr3t")
		if rec.Agent != "coder-1" {
			require.Equal(t, w.task("task-1").Verdict().Commit, rec.Commit)
			continue
		}
		require.Equal(t, "claude", rec.Format)
		require.Equal(t, "c", rec.Session)
		require.Contains(t, string(output), "the key is ***")
		require.Contains(t, string(output), "oops: ***")
		if d.Outcome == "submitted" {
			require.Equal(t, []string{"WebFetch"}, rec.Denied)
		} else {
			require.Equal(t, "401 for ***", rec.Error)
		}
	}
	require.NotContains(t, r.said(), "s3cr3t")
	require.Contains(t, r.said(), "coder-1 | the key is ***\n")
	require.NotContains(t, w.run("cat", ".git/liza/log/coder-1.log"), "s3cr3t")
	require.NotContains(t, w.note("prompt-coder-1-2"), "for s3cr3t")
}
