package transcript_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/transcript"
	"github.com/git-liza/git-liza/flow/board"
)

// TestDialects reads records that the formats of the command lines allow and that
// the recordings do not contain.
func TestDialects(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, family, text string
		want               transcript.Report
	}{
		{"a subagent does not speak for the agent", "claude",
			`{"type":"assistant","message":{"id":"1","usage":{"output_tokens":1},"content":[{"type":"text","text":"mine"}]}}
{"type":"assistant","parent_tool_use_id":"t","message":{"id":"2","usage":{"output_tokens":2},"content":[{"type":"text","text":"theirs"},{"type":"tool_use","name":"Read"}]}}`,
			transcript.Report{Text: "mine", Turns: 2, Usage: board.Usage{Output: 3}, Say: "> Read"}},
		{"a subagent does not fill the context, and compaction empties it", "claude",
			`{"type":"assistant","message":{"id":"1","usage":{"input_tokens":5,"cache_read_input_tokens":700,"cache_creation_input_tokens":95},"content":[{"type":"tool_use","id":"a","name":"Agent"}]}}
{"type":"assistant","parent_tool_use_id":"a","message":{"id":"2","usage":{"input_tokens":9000},"content":[{"type":"tool_use","id":"b","name":"Read"}]}}
{"type":"user","parent_tool_use_id":"a","message":{"content":[{"type":"tool_result","tool_use_id":"b"}]}}`,
			transcript.Report{Turns: 2, Usage: board.Usage{Input: 9800, Cached: 700}, Filled: 800, Results: 1, Say: "> Read"}},
		{"the newest answer tells how full the context is", "claude",
			`{"type":"system","subtype":"init","model":"big[1m]"}
{"type":"assistant","message":{"id":"1","model":"big","usage":{"input_tokens":800},"content":[{"type":"tool_use","id":"a","name":"Bash"}]}}
{"type":"assistant","message":{"id":"2","model":"big","usage":{"input_tokens":50},"content":[{"type":"tool_use","id":"b","name":"Bash"}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"a"},{"type":"tool_result","tool_use_id":"b"}]}}`,
			transcript.Report{Model: "big[1m]", Turns: 2, Usage: board.Usage{Input: 850}, Filled: 50, Results: 2, Paused: true, Say: "> Bash"}},
		{"a tool that still runs is no pause", "gemini",
			`{"type":"tool_use","tool_name":"shell","tool_id":"a"}
{"type":"tool_use","tool_name":"shell","tool_id":"b"}
{"type":"tool_result","tool_id":"a"}`,
			transcript.Report{Turns: 1, Results: 1, Say: "> shell"}},
		{"end records add up", "claude",
			`{"type":"result","total_cost_usd":0.5,"model_usage_since_last_result":{"a":{"inputTokens":10,"cacheReadInputTokens":5,"cacheCreationInputTokens":1,"outputTokens":2},"b":{"inputTokens":100}}}
{"type":"assistant","message":{"id":"2","usage":{"output_tokens":9}}}
{"type":"result","subtype":"success","is_error":false,"total_cost_usd":0.75,"model_usage_since_last_result":{"a":{"inputTokens":1,"outputTokens":1}}}`,
			transcript.Report{End: transcript.Succeeded, Turns: 1, Usage: board.Usage{Input: 117, Cached: 5, Output: 3, Cost: 750_000}}},
		{"a limit is told before the end", "claude",
			`{"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning","resetsAt":1767330000,"rateLimitType":"seven_day"}}
{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1767330000,"rateLimitType":"five_hour"}}`,
			transcript.Report{Error: "the five_hour limit is reached, resets at 2026-01-02T05:00:00Z", Say: "! the five_hour limit is reached, resets at 2026-01-02T05:00:00Z"}},
		{"an error is over when the model answers", "claude",
			`{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"error_status":529,"error":"overloaded"}
{"type":"assistant","message":{"id":"1","content":[{"type":"text","text":"well"}]}}`,
			transcript.Report{Text: "well", Say: "well"}},
		{"declined commands and calls", "codex",
			`{"type":"item.completed","item":{"type":"command_execution","command":"git push","status":"declined"}}
{"type":"item.completed","item":{"type":"file_change","changes":[{"path":"a","kind":"add"},{"path":"b","kind":"update"}],"status":"declined"}}
{"type":"item.started","item":{"type":"mcp_tool_call","server":"liza","tool":"submit","arguments":{"path":"x"}}}
{"type":"item.completed","item":{"type":"web_search","query":"go 1.26"}}
{"type":"turn.completed","usage":{"input_tokens":5,"cached_input_tokens":9,"output_tokens":1}}`,
			transcript.Report{End: transcript.Succeeded, Denied: []string{"shell: git push", "edit: add a, update b"},
				Usage: board.Usage{Input: 5, Cached: 5, Output: 1}, Results: 3, Say: "> web_search: go 1.26"}},
		{"thoughts stand in the total only", "gemini",
			`{"type":"result","status":"success","stats":{"total_tokens":100,"input_tokens":60,"output_tokens":10,"cached":70}}`,
			transcript.Report{End: transcript.Succeeded, Usage: board.Usage{Input: 60, Cached: 60, Output: 40}}},
		{"an error that is not the end", "gemini",
			`{"type":"error","severity":"warning","message":"Loop detected, stopping execution"}`,
			transcript.Report{Error: "Loop detected, stopping execution", Say: "! Loop detected, stopping execution"}},
		{"every token of a step counts", "opencode",
			`{"type":"step_finish","sessionID":"s","part":{"reason":"stop","cost":0.25,"tokens":{"input":1,"output":2,"reasoning":4,"cache":{"read":8,"write":16}}}}
{"type":"step_finish","sessionID":"s","part":{"reason":"length","cost":0.5,"tokens":{"input":1}}}`,
			transcript.Report{Session: "s", End: transcript.Failed, Error: "the last step ended with length", Usage: board.Usage{Input: 26, Cached: 8, Output: 6, Cost: 750_000}, Filled: 1,
				Say: "! the last step ended with length"}},
		{"a step for tools is not the end", "opencode",
			`{"type":"step_finish","part":{"reason":"stop"}}
{"type":"step_finish","part":{"reason":"tool-calls"}}`,
			transcript.Report{Paused: true}},
		{"a retry takes the end back", "pi",
			`{"type":"message_end","message":{"role":"assistant","stopReason":"error","errorMessage":"terminated","usage":{"input":1,"cacheRead":2,"cacheWrite":4}}}
{"type":"agent_end"}
{"type":"auto_retry_start","attempt":1}`,
			transcript.Report{Error: "terminated", Usage: board.Usage{Input: 7, Cached: 2}, Say: "! terminated"}},
		{"a length that was reached", "pi",
			`{"type":"message_end","message":{"role":"assistant","stopReason":"length"}}
{"type":"agent_end"}`,
			transcript.Report{End: transcript.Failed, Turns: 1, Error: "the last message ended with length", Say: "! the last message ended with length"}},
		{"a denial without its call", "copilot",
			`{"type":"tool.execution_complete","data":{"toolCallId":"x","error":{"code":"denied"}}}`,
			transcript.Report{Denied: []string{"a tool"}, Results: 1, Paused: true, Say: "! denied: a tool"}},
		{"a subagent does not speak for the agent", "copilot",
			`{"type":"assistant.message","data":{"content":"mine","outputTokens":3}}
{"type":"assistant.message","agentId":"sub","data":{"content":"theirs","outputTokens":4}}`,
			transcript.Report{Text: "mine", Turns: 2, Say: "mine"}},
	} {
		t.Run(test.family+" "+test.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, report(t, test.family, test.text))
		})
	}
}

// TestLoop: the same call with the same result ten times in a row is a loop, unless it waits.
func TestLoop(t *testing.T) {
	t.Parallel()
	told := func(n int, command, result string) string {
		id := fmt.Sprint("c", n)
		return `{"type":"assistant","message":{"id":"m` + id + `","content":[{"type":"tool_use","id":"` + id + `","name":"Bash","input":{"command":"` + command + `"}}]}}` + "\n" +
			`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"` + id + `","content":[{"type":"text","text":"` + result + `"}]}]}}` + "\n"
	}
	loop := func(calls int, command string, result func(n int) string) string {
		r, err := transcript.New("claude")
		require.NoError(t, err)
		for n := range calls {
			_, err := r.Write([]byte(told(n, command, result(n))))
			require.NoError(t, err)
		}
		return r.Report().Loop
	}
	same := func(int) string { return "same" }
	require.Empty(t, loop(transcript.MaxRepeats-1, "make", same))
	require.Equal(t, "Bash: make", loop(transcript.MaxRepeats, "make", same))
	require.Empty(t, loop(2*transcript.MaxRepeats, "make", func(n int) string { return fmt.Sprint(n) }))
	require.Empty(t, loop(2*transcript.MaxRepeats, "git liza await t1", same), "it waits for a verdict")
	require.Empty(t, loop(2*transcript.MaxRepeats, "git liza ask human Why --wait", same), "it waits for an answer")
}

// Gemini says of a command that it did not run for its form that all went well.
func TestGeminiRefusesASubstitution(t *testing.T) {
	t.Parallel()
	records, err := transcript.New("gemini")
	require.NoError(t, err)
	for _, line := range []string{`{"type":"tool_use","tool_name":"run_shell_command","tool_id":"c1","parameters":{"command":"git liza approve t1 --commit \"$(git rev-parse HEAD)\""}}`,
		`{"type":"tool_result","tool_id":"c1","status":"success","output":"Blocked: command substitution detected"}`} {
		_, _ = records.Write([]byte(line + "\n"))
	}
	require.Len(t, records.Report().Denied, 1)
}
