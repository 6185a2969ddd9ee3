package provider_test

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/transcript"
	"github.com/git-liza/git-liza/flow/board"
)

// The usage of a session that is ended in the middle is read from the ledger of its
// program, and reported while the session runs.
func TestLedgerOfAKilledSession(t *testing.T) {
	t.Parallel()
	const session = "0a1b2c3d-0000-4000-8000-000000000001"
	for _, c := range []struct {
		name, says, home, file string
		want                   board.Usage
	}{
		{"codex", `{"type":"thread.started","thread_id":"` + session + `"}`, "CODEX_HOME", "sessions/2026/11/22/rollout-2026-11-22T06-28-53-" + session + ".jsonl",
			board.Usage{Input: 24200, Cached: 4400, Output: 231}},
		{"codex", `{"type":"thread.started","thread_id":"../../../etc"}`, "CODEX_HOME", "sessions/2026/11/22/rollout-2026-11-22T06-28-53-" + session + ".jsonl",
			board.Usage{}},
		{"gemini", `{"type":"init","session_id":"` + session + `"}`, "GEMINI_CLI_HOME", ".gemini/tmp/task-1/chats/session-2026-11-22T06-29-" + session[:8] + ".jsonl",
			board.Usage{Input: 5600, Cached: 1600, Output: 84}},
		{"copilot", `{"type":"assistant.turn_start"}`, "COPILOT_HOME", "session-state/" + session + "/events.jsonl",
			board.Usage{Input: 20000, Cached: 4000, Output: 210}},
	} {
		t.Run(c.name+" "+c.says, func(t *testing.T) {
			t.Parallel()
			recorded, err := filepath.Abs(filepath.Join("..", "..", "..", "..", "..", "testdata", "transcripts", "ledger", c.name+".log"))
			require.NoError(t, err)
			p, err := provider.Builtin().Find(c.name, "")
			require.NoError(t, err)
			dir := t.TempDir()
			p.Binary, p.Args, p.Roles = filepath.Join(dir, "program"), nil, provider.PerRole{}
			file := filepath.Join(dir, c.file)
			// The record counts from this year on; the test's clock may be earlier.
			script := "#!/bin/sh\necho '" + c.says + "'\nmkdir -p '" + filepath.Dir(file) + "'\nsed 's/2026-11-22T/9999-11-22T/' <'" + recorded + "' >'" + file + "'\nexec tail -f /dev/null\n"
			require.NoError(t, os.WriteFile(p.Binary, []byte(script), 0o755))
			var heard atomic.Pointer[board.Usage]
			s := provider.Spawn{Agent: "coder-1", Session: session, Dir: dir, Common: dir, Idle: 3 * time.Second, Grace: time.Second,
				Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, c.home + "=" + dir},
				Watch:   func(r transcript.Report) bool { heard.Store(&r.Usage); return true }}
			ending, err := p.Run(t.Context(), s)
			require.NoError(t, err)
			require.Equal(t, provider.Hung, ending.Outcome)
			require.Equal(t, c.want, ending.Report.Usage, c.name)
			require.Equal(t, c.want, *heard.Load(), "%s: while it runs", c.name)
		})
	}
}
