package provider_test

import (
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/transcript"
)

// How full a context is follows from the newest turn of a recorded session and from the
// window: that of the records, else that of the catalogue. It is unknown without one.
func TestFullness(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		model    string
		fullness float64
	}{
		"claude/killed":   {"", 1200.0 / 1_000_000},
		"claude/success":  {"", 1400.0 / 1_000_000},
		"qwen/killed":     {"", 0}, // its model is in no catalogue
		"pi/killed":       {"", 0},
		"opencode/killed": {"anthropic/claude-sonnet-4-5", 1100.0 / 200_000},
		"gemini/killed":   {"", 0}, // its ledger has the numbers
	} {
		row := provider.Builtin().FindRow(filepath.Dir(name))
		text, err := os.ReadFile(filepath.Join("../../../../../testdata/transcripts", name+".jsonl"))
		require.NoError(t, err)
		said, err := transcript.New(row.Output)
		require.NoError(t, err)
		_, _ = said.Write(text)
		p := provider.Provider{Row: *row}
		p.Model = test.model
		require.Equal(t, test.fullness, p.Fullness(said.Report()), name)
	}
	row := provider.Row{Windows: []string{"big[1m]=1000", "big*=100", "*/x=10"}}
	p := provider.Provider{Row: row}
	for model, want := range map[string]float64{"big[1m]": 0.05, "big": 0.5, "bigger": 0.5, "a/x": 0, "small": 0, "": 0} {
		require.Equal(t, want, p.Fullness(transcript.Report{Model: model, Filled: 50}), model)
	}
	require.Equal(t, 0.25, p.Fullness(transcript.Report{Model: "big", Filled: 50, Window: 200}), "the records know it better")
	require.Zero(t, p.Fullness(transcript.Report{Model: "big"}))
	require.Equal(t, []int{0, 1, 70, 71, 100}, []int{provider.Percent(0), provider.Percent(0.0001), provider.Percent(0.7), provider.Percent(0.701), provider.Percent(1)})
}

// A session whose context is full is not ended while a process runs that a tool has
// started. The processes of the program itself do not count.
func TestFullSessionWaitsForChildren(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"start", "child", "never"} {
		require.NoError(t, syscall.Mkfifo(filepath.Join(dir, name), 0o600))
	}
	p, err := provider.Builtin().Find("exec:true", "")
	require.NoError(t, err)
	p.Output, p.Windows = "claude", []string{"m=1000"}
	p.Args = []string{"-c", `sleep 1000 &
echo '{"type":"system","subtype":"init","model":"m"}'
read x < start
echo '{"type":"assistant","message":{"id":"1","model":"m","usage":{"input_tokens":800},"content":[{"type":"tool_use","id":"a","name":"Bash"}]}}'
cat child > got & child=$!
echo '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"a"}]}}'
wait $child; echo over > over
echo '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"b"}]}}'
read x < never`}
	open := func(name string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("go\n"), 0))
	}
	var looks atomic.Int32
	var started sync.Once
	ending, err := p.Run(t.Context(), provider.Spawn{Agent: "coder-1", Dir: dir, Environ: os.Environ(), Output: onFirstWrite(func() { started.Do(func() { open("start") }) }), Watch: func(transcript.Report) bool { return true },
		Full: func(fullness float64) bool {
			require.Equal(t, 0.8, fullness)
			if looks.Add(1) == 3 { // the session could have been ended twice
				open("child")
			}
			return true
		}})
	require.NoError(t, err)
	require.Equal(t, provider.Exhausted, ending.Outcome)
	require.Equal(t, "its context was full to 80%", ending.Text)
	require.FileExists(t, filepath.Join(dir, "over"))
}
