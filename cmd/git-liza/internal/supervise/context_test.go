package supervise_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/flow/board"
)

// small is a model of which the context holds a thousand tokens.
func small(r *provider.Row) { r.Windows = []string{"m-*=1000"} }

// fills are words of a script of [world.fake]. called fills the context with as many
// tokens, by a call of a tool; stands waits for its end, without a child.
const fills = `called() { printf '%s\n' '{"type":"assistant","message":{"id":"call_'$1'","model":"m-1","usage":{"input_tokens":30,"cache_read_input_tokens":'$(($2-30))'},"content":[{"type":"text","text":"'"$3"'"},{"type":"tool_use","id":"t'$1'","name":"Bash"}]}}'
	printf '%s\n' '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t'$1'"}]}}'; }
stands() { mkfifo "$notes/end-$LIZA_AGENT_ID-$n"; read x < "$notes/end-$LIZA_AGENT_ID-$n"; }
`

// A session whose context is full is ended between two results of tools. The next one
// has what was done in its prompt.
func TestFullContextIsHandedOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	r := w.begin(untilIdle, reviewer(w.agent("approve")), coder(w.fake(fills+`began s$n
case $n in
1) intent; work part1; called 1 630 "I begin"; waitfor go; echo half > part2; called 2 710 "the parser is missing"; stands;;
*) submit; ended done;;
esac`, small)))
	a := w.does("coder-1", "coding")
	w.await("how full its context is", func() bool {
		a = w.agents(0)["coder-1"]
		return a.Presence != nil && a.Presence.Context != nil
	})
	require.Equal(t, 63, *a.Presence.Context)
	require.Regexp(t, `(?m)^coder-1 +WORKING +task-1 .*, ctx 63%, heard `, w.liza("agents"))
	require.Regexp(t, `(?m)^  coder-1 +WORKING +task-1 .*, ctx 63%, heard `, w.liza("status"))
	w.write(filepath.Join(w.notes, "go"), "")
	require.NoError(t, r.wait(), r.said())
	require.Equal(t, []string{"handoff", "submitted"}, w.outcomes("coder-1"))
	require.Contains(t, r.said(), "coder-1: task-1, session 1 handed over (its context was full to 71%), 0 of 5")
	prompt := w.note("prompt-coder-1-2")
	for _, want := range []string{"# Handoff", "the agent's context was used up before it left a handoff", "Work on task-1", "1 files are not committed: part2", "the parser is missing"} {
		require.Contains(t, prompt, want)
	}
	require.NotContains(t, prompt, "How the previous session failed")
	require.Len(t, w.moves(board.ActClaim), 1, "the claim is kept")
}

// A task that loops through handoffs ends as it does with agents that ask for them.
func TestFullContextAgainAndAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	r := w.begin(func(r *supervise.Rush) { r.UntilIdle, r.Limits.Handoffs = true, 2 }, coder(w.fake(fills+`began s$n; called 1 990 "I read"; stands`, small)))
	require.ErrorContains(t, r.wait(), "handoff_limit: the agent handed over 2 times in a row without changing anything", r.said())
}

// What is not known ends no session, and neither does a context that is full after the
// submission or in a review.
func TestFullContextThatEndsNothing(t *testing.T) {
	t.Parallel()
	const begins, ends = `called 1 990 "I read"; stands; echo over > "$notes/over"; `, `; ended done`
	for name, test := range map[string]struct {
		edit        func(*provider.Row)
		limit       float64
		code, judge string
		stands      board.AgentID
	}{
		"no window":      {nil, 0.7, begins + "submit" + ends, "approve" + ends, "coder-1"},
		"a wrong window": {func(r *provider.Row) { r.Windows = []string{"*=500"} }, 0.7, begins + "submit" + ends, "approve" + ends, "coder-1"},
		"never":          {small, 0, begins + "submit" + ends, "approve" + ends, "coder-1"},
		"submitted":      {small, 0.7, "submit; " + begins + "true" + ends, "approve" + ends, "coder-1"},
		"a review":       {small, 0.7, "submit" + ends, begins + "approve" + ends, "code-reviewer-1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.tasks(1)
			r := w.begin(func(r *supervise.Rush) { r.UntilIdle, r.Limits.Context = true, test.limit },
				coder(w.fake(fills+"began s; "+test.code, test.edit)), reviewer(w.fake(fills+"began r; "+test.judge, test.edit)))
			w.await("what it read", func() bool {
				p := w.agents(0)[test.stands].Presence
				return p != nil && p.Tokens > 0
			})
			w.await("its stand", func() bool { return w.has("end-" + string(test.stands) + "-1") })
			end, err := os.OpenFile(filepath.Join(w.notes, "end-"+string(test.stands)+"-1"), os.O_RDWR, 0) // which does not wait for a reader
			require.NoError(t, err)
			defer end.Close()
			_, err = end.WriteString("\n")
			require.NoError(t, err)
			require.NoError(t, r.wait(), r.said())
			require.True(t, w.has("over"), r.said())
			require.Equal(t, []string{"submitted"}, w.outcomes("coder-1"))
		})
	}
}

// An agent that takes messages is asked for a handoff. One that goes on all the same is
// ended after some more results of tools.
func TestFullContextOfAnAgentThatTakesMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	script := filepath.Join(t.TempDir(), "agent.sh")
	w.write(script, `notes='`+w.notes+`'; n=1; while ! mkdir "$notes/session-$n" 2>/dev/null; do n=$((n+1)); done
answers() { IFS= read -r line; printf '%s\n' '{"jsonrpc":"2.0","id":'$1',"result":{'"$2"'}}'; }
tells() { printf '%s\n' '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{'"$1"'}}}'; }
calls() { tells '"sessionUpdate":"usage_update","size":1000,"used":'$2; tells '"sessionUpdate":"tool_call","toolCallId":"c'$1'","title":"look"'
	tells '"sessionUpdate":"tool_call_update","toolCallId":"c'$1'","status":"completed"'; }
answers 1 '"protocolVersion":1'; answers 2 '"sessionId":"s"'
IFS= read -r line; printf '%s' "$line" > "$notes/first-$n"
test $n = 3 && { git liza intent $LIZA_TASK --summary s --validation v; echo x > x; git add x; git commit -q -m Work; git liza submit $LIZA_TASK
	echo '{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}'; exit; }
calls 0 710
answers 3 '"stopReason":"cancelled"'
IFS= read -r line; printf '%s' "$line" > "$notes/asked-$n"
case $n in
1) git liza handoff $LIZA_TASK --summary "half of it" --next-action "the other half"; echo '{"jsonrpc":"2.0","id":4,"result":{"stopReason":"end_turn"}}';;
2) for i in 1 2 3 4 5 6 7 8 9 10; do calls $i $((750+i)); done; read -r line; echo "$line" > "$notes/ended";;
esac
`)
	p, err := provider.Builtin().Find("acp:sh '"+script+"'", self)
	require.NoError(t, err)
	r, err := w.rush(coder(p), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.Equal(t, []string{"handoff", "handoff", "submitted"}, w.outcomes("coder-1"))
	require.Contains(t, w.note("asked-1"), "git liza handoff task-1 --summary")
	require.Contains(t, w.note("first-2"), "the other half")
	require.Contains(t, w.note("ended"), "session/cancel")
	require.Contains(t, w.note("first-3"), "the agent's context was used up before it left a handoff")
	require.Len(t, w.moves(board.ActHandoff), 2)
}
