package transcript_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/transcript"
	"github.com/git-liza/git-liza/flow/board"
)

func TestNoFamily(t *testing.T) {
	t.Parallel()
	_, err := transcript.New("telepathy")
	require.ErrorContains(t, err, `"telepathy" is no output family; there are claude, codex, copilot, gemini, opencode, pi, plain`)
}

// last is a success of each family, after which its report succeeded.
var last = map[string]string{
	"claude":   `{"type":"result","subtype":"success","is_error":false,"result":"done"}`,
	"codex":    `{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}`,
	"copilot":  `{"type":"result","sessionId":"s","exitCode":0}`,
	"gemini":   `{"type":"result","status":"success"}`,
	"opencode": `{"type":"step_finish","part":{"reason":"stop"}}`,
	"pi":       `{"type":"message_end","message":{"role":"assistant","stopReason":"stop"}}` + "\n" + `{"type":"agent_end","messages":[]}`,
}

// failed is an end record of each family that speaks of failure.
var failed = map[string]string{
	"claude":   `{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["it broke"]}`,
	"codex":    `{"type":"turn.failed","error":{"message":"it broke"}}`,
	"copilot":  `{"type":"session.error","data":{"errorType":"query","message":"it broke"}}` + "\n" + `{"type":"result","exitCode":1}`,
	"gemini":   `{"type":"result","status":"error","error":{"message":"it broke"}}`,
	"opencode": `{"type":"error","error":{"name":"APIError","data":{"message":"it broke"}}}`,
	"pi":       `{"type":"message_end","message":{"role":"assistant","stopReason":"error","errorMessage":"it broke"}}` + "\n" + `{"type":"agent_end"}`,
}

func marked() (names []string) {
	for _, name := range transcript.Families() {
		if name != "plain" {
			names = append(names, name)
		}
	}
	return names
}

func TestGarbageAmongRecords(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":`, 100_000)
	for _, family := range marked() {
		text := strings.Join([]string{
			"npm warn something", `{"type":`, `[]`, `"type"`, `null`, `{}`, "\xff\xfe\x00{", deep, strings.Repeat("[", 500_000),
			`{"type":7}`, last[family]}, "\n")
		r := report(t, family, text)
		require.Equal(t, transcript.Succeeded, r.End, family)
		require.Equal(t, 10, r.Garbage, family)
		require.Empty(t, r.Error)
	}
}

// A record whose fields have other forms than expected is no success, and no
// reason to stop.
func TestWrongForms(t *testing.T) {
	t.Parallel()
	for family, lines := range map[string][]string{
		"claude": {`{"type":"result","subtype":"success"}`, `{"type":"result","subtype":"success","is_error":"no"}`, `{"type":"result","subtype":["success"],"is_error":false}`,
			`{"type":"result","subtype":"success","is_error":false,"result":"[API Error: 401 no]"}`},
		"codex":    {`{"type":"turn.failed","error":"no"}`},
		"copilot":  {`{"type":"result"}`, `{"type":"result","exitCode":"0"}`, `{"type":"result","exitCode":null}`},
		"gemini":   {`{"type":"result"}`, `{"type":"result","status":true}`},
		"opencode": {`{"type":"step_finish"}`, `{"type":"step_finish","part":"stop"}`, `{"type":"step_finish","part":{"reason":["stop"]}}`},
		"pi":       {`{"type":"agent_end"}`, `{"type":"message_end","message":"stop"}` + "\n" + `{"type":"agent_end"}`},
	} {
		for _, line := range lines {
			require.Equal(t, transcript.Failed, report(t, family, line+"\n").End, line)
			require.Equal(t, transcript.Succeeded, report(t, family, line+"\n"+last[family]).End, line)
		}
	}
	r := report(t, "claude", `{"type":"assistant","message":{"id":7,"content":"text"}}`+"\n"+
		`{"type":"assistant","message":{"id":"a","usage":"much","content":[7,{"type":"text","text":["x"]},{"type":"text","text":"well"}]}}`)
	require.Equal(t, "well", r.Text)
}

func TestLastEndCounts(t *testing.T) {
	t.Parallel()
	for _, family := range marked() {
		r := report(t, family, failed[family]+"\n"+last[family]+"\n")
		require.Equal(t, transcript.Succeeded, r.End, family)
		require.Empty(t, r.Error, family)
		r = report(t, family, last[family]+"\n"+failed[family]+"\n")
		require.Equal(t, transcript.Failed, r.End, family)
		require.Contains(t, r.Error, "it broke", family)
		require.Equal(t, transcript.NoEnd, report(t, family, "").End, family)
	}
}

func TestNumbersThatAreNone(t *testing.T) {
	t.Parallel()
	for _, n := range []string{`-1`, `"12"`, `1e300`, `9223372036854775808`, `null`, `[1]`, `{}`, `true`} {
		r := report(t, "claude", fmt.Sprintf(
			`{"type":"result","subtype":"success","is_error":false,"total_cost_usd":%s,"usage":{"input_tokens":%s,"cache_read_input_tokens":7,"output_tokens":5}}`, n, n))
		require.Equal(t, board.Usage{Input: 7, Cached: 7, Output: 5}, r.Usage, n)
		require.Equal(t, transcript.Succeeded, r.End, n)
	}
	r := report(t, "pi", strings.Repeat(`{"type":"message_end","message":{"role":"assistant","usage":{"input":1e15,"output":1e15,"cost":{"total":1e9}}}}`+"\n", 10_000))
	require.Positive(t, r.Usage.Input)
	require.Positive(t, r.Usage.Output)
	require.Positive(t, r.Usage.Cost)
	require.Positive(t, r.Usage.Tokens())
}

// A gigabyte in one line. The test is not parallel to others since it measures
// what the process allocates.
func TestEndlessLine(t *testing.T) {
	block := []byte(strings.Repeat("x", 1<<20))
	for _, family := range transcript.Families() {
		var before, after runtime.MemStats
		blocks := 32
		if family == "claude" {
			blocks = 1024
		}
		tr := start(t, family)
		runtime.ReadMemStats(&before)
		_, _ = tr.Write([]byte(`{"type":"assistant","message":"`))
		for range blocks {
			_, _ = tr.Write(block)
		}
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20), family)
		_, _ = tr.Write([]byte("\"}\n" + last[family]))
		r := tr.Report()
		require.Equal(t, 1, r.Garbage, family)
		if family != "plain" {
			require.Equal(t, transcript.Succeeded, r.End, family)
		}
	}
}

// Many short lines need no more memory than one of them.
func TestEndlessLines(t *testing.T) {
	for family, line := range map[string]string{
		"plain":    strings.Repeat("y", 1000),
		"gemini":   `{"type":"message","role":"assistant","content":"` + strings.Repeat("y", 1000) + `","delta":true}`,
		"opencode": `{"type":"tool_use","part":{"tool":"bash","state":{"input":{"command":"` + strings.Repeat("y", 1000) + `"},"error":"The user rejected permission to use this specific tool call."}}}`,
		"claude":   `{"type":"assistant","message":{"id":"1","content":[{"type":"tool_use","id":"` + strings.Repeat("y", 1000) + `","name":"Bash"}]}}`,
	} {
		tr := start(t, family)
		block := []byte(strings.Repeat(line+"\n", 1000))
		before := heap()
		for range 4 {
			_, _ = tr.Write(block)
		}
		require.Less(t, heap()-before, int64(1<<20), family)
		require.LessOrEqual(t, len(tr.Report().Text), 64<<10, family)
	}
}

func heap() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// The end of pi's records is found although some of them grow with the session.
func TestLongRecordsOfPi(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 2<<20)
	r := report(t, "pi", `{"type":"message_update","message":"`+long+`"}`+"\n"+
		`{"type":"message_end","message":{"role":"assistant","stopReason":"stop","content":[{"type":"text","text":"done"}]}}`+"\n"+
		`{"type":"agent_end","messages":["`+long+`"]}`+"\n")
	require.Equal(t, transcript.Succeeded, r.End)
	require.Equal(t, "done", r.Text)
	require.Zero(t, r.Garbage)
}

func TestSizes(t *testing.T) {
	t.Parallel()
	euros := strings.Repeat("€", 300_000)
	r := report(t, "claude", `{"type":"assistant","message":{"id":"1","content":[{"type":"text","text":"`+euros+`"}]}}`)
	require.LessOrEqual(t, len(r.Text), 64<<10)
	require.Greater(t, len(r.Text), 64<<10-4)
	require.Equal(t, strings.Repeat("€", len(r.Text)/3), r.Text)

	r = report(t, "codex", `{"type":"turn.failed","error":{"message":"`+euros+`"}}`)
	require.LessOrEqual(t, len(r.Error), 4<<10)
	require.Greater(t, len(r.Error), 4<<10-8)
	require.True(t, utf8.ValidString(r.Error))
	require.True(t, strings.HasSuffix(r.Error, "€…"))

	var denials []string
	for i := range 50 {
		denials = append(denials, fmt.Sprintf(`{"tool_name":"Bash","tool_input":{"command":"rm %d"}}`, i/2))
	}
	r = report(t, "claude", `{"type":"result","permission_denials":[`+strings.Join(denials, ",")+`]}`)
	require.Len(t, r.Denied, 20)
	require.Equal(t, "Bash: rm 0", r.Denied[0])
	require.Equal(t, "Bash: rm 19", r.Denied[19])
}

func TestTextsAreClean(t *testing.T) {
	t.Parallel()
	r := report(t, "claude", `{"type":"system","subtype":"init","session_id":"a\u001b[2Jb","model":"m\u0000"}`+"\n"+
		`{"type":"assistant","message":{"content":[{"type":"text","text":"one\u001b]0;title\u0007\r\ntwo\ud800 "}]}}`+"\n"+
		`{"type":"result","is_error":true,"result":"\u009b31mno","permission_denials":[{"tool_name":"Ba\u001bsh","tool_input":{"command":"a\n\n b\u0008"}}]}`)
	require.Equal(t, "a[2Jb", r.Session)
	require.Equal(t, "m", r.Model)
	require.Equal(t, "one]0;title\ntwo\uFFFD", r.Text)
	require.Equal(t, "31mno", r.Error)
	require.Equal(t, []string{"Bash: a b"}, r.Denied)
	require.Equal(t, "half \uFFFD", report(t, "plain", "half \xe2\x82\n").Text)
}

// Reports and followers come from other goroutines than the output.
func TestConcurrently(t *testing.T) {
	t.Parallel()
	tr := start(t, "gemini")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				r := tr.Report()
				r.Denied = append(r.Denied, "mine")
				tr.Follow(&strings.Builder{})
			}
		})
	}
	for range 200 {
		_, _ = tr.Write([]byte(`{"type":"tool_use","tool_id":"1","tool_name":"a"}` + "\n" +
			`{"type":"tool_result","tool_id":"1","error":{"type":"policy_violation"}}` + "\n"))
	}
	wg.Wait()
	require.Equal(t, []string{"a"}, tr.Report().Denied)
}

// A report does not change when the session continues, nor does the session.
func TestReportIsACopy(t *testing.T) {
	t.Parallel()
	tr := start(t, "opencode")
	for _, tool := range []string{"a", "b", "c"} {
		_, _ = tr.Write([]byte(`{"type":"tool_use","part":{"tool":"invalid","state":{"input":{"tool":"` + tool + `"}}}}` + "\n"))
	}
	r := tr.Report()
	mine := append(r.Denied, "mine")
	_, _ = tr.Write([]byte(`{"type":"tool_use","part":{"tool":"invalid","state":{"input":{"tool":"d"}}}}` + "\n"))
	require.Equal(t, []string{"a", "b", "c", "mine"}, mine)
	require.Equal(t, []string{"a", "b", "c", "d"}, tr.Report().Denied)
}
