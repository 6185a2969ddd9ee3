package supervise_test

import (
	"path/filepath"
	"testing"

	"github.com/git-liza/git-liza/cmd/git-liza/provider"
	"github.com/git-liza/git-liza/flow"
	"github.com/stretchr/testify/require"
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
	require.Len(t, w.moves(flow.ActClaim), 1, "the claim is kept")
}
