package acp_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/acp"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/transcript"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/flow/board"
)

// Longer than any test may take: a test that needs this time has failed.
const never = 2 * time.Minute

// A talk is one session of an agent of agent_test.go, and what came of it.
type talk struct {
	command proc.Command
	prompt  acp.Prompt
	lines   strings.Builder // what people see
	errors  strings.Builder // what the agent wrote to standard error

	result proc.Result
	report transcript.Report
}

func newTalk(t *testing.T, agent string, role board.Role) *talk {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	k := &talk{prompt: acp.Prompt{Role: role, Writes: role == board.Coder, Text: "do it", Dir: t.TempDir()}}
	k.prompt.Follow = &k.lines
	// A race-enabled agent would sleep a second at its end.
	k.command = proc.Command{Path: self, Dir: k.prompt.Dir, Env: proc.Environment(os.Environ(), nil, "ACP_TEST_AGENT="+agent, "GORACE=atexit_sleep_ms=0"),
		Output: &k.errors, Wall: never, Grace: 10 * time.Second}
	require.NoError(t, os.WriteFile(k.file("a.txt"), []byte("old content\n"), 0o600))
	return k
}

func (k *talk) file(name string) string { return filepath.Join(k.prompt.Dir, name) }

func (k *talk) run(t *testing.T) *talk {
	t.Helper()
	var err error
	k.result, k.report, err = acp.Run(t.Context(), k.command, k.prompt)
	require.NoError(t, err)
	return k
}

func talked(t *testing.T, agent string, role board.Role) *talk {
	t.Helper()
	return newTalk(t, agent, role).run(t)
}

func TestSession(t *testing.T) {
	t.Parallel()
	k := talked(t, "works", board.Coder)
	require.True(t, k.result.Passed(), k.errors.String())
	text, err := os.ReadFile(k.file("a.txt"))
	require.NoError(t, err)
	require.Equal(t, "new", string(text))
	require.Equal(t, transcript.Report{
		Session: "new-1", End: transcript.Succeeded, Text: "all [31mdone[0m", Turns: 2, Say: "all [31mdone[0m",
		Usage: board.Usage{Input: 500, Cached: 400, Output: 25, Cost: 132500}, Filled: 10, Window: 100, Results: 1,
	}, k.report)
	require.Equal(t, "I was asked: do it\n> edit: Edit a.txt\nall [31mdone[0m\n", k.lines.String())
}

// A message calls the agent's turn off, and its next turn begins with the message. What is
// known of the session is told with each update.
func TestMessage(t *testing.T) {
	t.Parallel()
	k := newTalk(t, "interrupted", board.Coder)
	messages := make(chan string, 1)
	var paused []transcript.Report
	k.prompt.Messages, k.prompt.Update = messages, func(r transcript.Report) {
		if r.Paused && len(paused) == 0 {
			paused = append(paused, r)
			messages <- "hand it over"
		}
	}
	k.run(t)
	require.Equal(t, transcript.Succeeded, k.report.End, k.report.Error)
	require.Equal(t, "I was asked: hand it over", k.report.Text)
	require.Equal(t, [3]int64{70, 100, 2}, [3]int64{paused[0].Filled, paused[0].Window, int64(paused[0].Results)})
}

// The numbers of an agent that is known to count wrongly are not taken in.
func TestMiscounts(t *testing.T) {
	t.Parallel()
	for agent, model := range map[string]string{"last-call": "", "beside": "large"} {
		k := talked(t, agent, board.Coder)
		require.Equal(t, transcript.Succeeded, k.report.End, k.report.Error)
		require.Zero(t, k.report.Usage, agent)
		require.Zero(t, k.report.Filled, agent)
		require.Equal(t, model, k.report.Model)
	}
}

// TestPermissions asks as every role for every kind of tool with every kind of
// options.
func TestPermissions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		role   board.Role
		writes bool
		want   string
	}{
		{board.Coder, true, "inside: once; nowhere: never; away: never; parent: never; linked: never; git: never; command: once; look: once; mode: never; unknown: never; odd: never; hundred: never; beside: never; target: never; written: once; always-only: for-ever; no-only: never; no-options: cancelled; told: never"},
		{board.Coder, false, "inside: never; nowhere: never; away: never; parent: never; linked: never; git: never; command: once; look: once; mode: never; unknown: never; odd: never; hundred: never; beside: never; target: never; written: never; always-only: for-ever; no-only: never; no-options: cancelled; told: never"},
		{board.CodeReviewer, false, "inside: never; nowhere: never; away: never; parent: never; linked: never; git: never; command: once; look: once; mode: never; unknown: never; odd: never; hundred: never; beside: never; target: never; written: never; always-only: for-ever; no-only: never; no-options: cancelled; told: never"},
		{board.Planner, false, "inside: never; nowhere: never; away: never; parent: never; linked: never; git: never; command: once; look: once; mode: never; unknown: never; odd: never; hundred: never; beside: never; target: never; written: never; always-only: for-ever; no-only: never; no-options: cancelled; told: never"},
	} {
		t.Run(test.role.String(), func(t *testing.T) {
			t.Parallel()
			k := newTalk(t, "asks", test.role)
			k.prompt.Writes = test.writes
			require.NoError(t, os.Symlink(t.TempDir(), k.file("link")))
			k.run(t)
			require.Equal(t, strings.ReplaceAll(test.want, "; ", "\n")+"\n", k.errors.String())
			require.Equal(t, transcript.Succeeded, k.report.End)
			require.Len(t, k.report.Denied, strings.Count(test.want, ": never")+strings.Count(test.want, ": cancelled"))
			require.Contains(t, k.report.Denied, "move: away")
			require.Contains(t, k.report.Denied, "execute: no-options")
			require.Contains(t, k.lines.String(), "! denied: move: away\n")
		})
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	k := newTalk(t, "files", board.Coder)
	elsewhere := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(elsewhere, "outside.txt"), []byte("mine"), 0o600))
	require.NoError(t, os.Symlink(elsewhere, k.file("link")))
	require.NoError(t, os.Symlink(filepath.Join(elsewhere, "new.txt"), k.file("dangling")))
	require.NoError(t, os.WriteFile(k.file(".git"), []byte("gitdir: here"), 0o600))
	require.NoError(t, os.WriteFile(k.file("lines"), []byte("1\n2\n3\n4\n"), 0o600))
	require.NoError(t, syscall.Mkfifo(k.file("fifo"), 0o600))
	k.run(t)
	require.Equal(t, `write deep.txt: true
read deep.txt: true "deep\n"
write a.txt: true
read a.txt: true "shorter"
write outside.txt: false
read outside.txt: false ""
write outside.txt: false
read outside.txt: false ""
write dangling: false
read dangling: false ""
write .git: false
read .git: false ""
write fifo: false
read fifo: false ""
write hosts: false
read hosts: false ""
read none: false ""
part true "2\n3\n"
terminal false
`, k.errors.String())
	entries, err := os.ReadDir(elsewhere)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	require.NoFileExists(t, filepath.Join(filepath.Dir(k.prompt.Dir), "outside.txt"))
	text, err := os.ReadFile(k.file(".git"))
	require.NoError(t, err)
	require.Equal(t, "gitdir: here", string(text))

	reads := newTalk(t, "files", board.CodeReviewer).run(t)
	require.NotContains(t, reads.errors.String(), ": true\n")
	require.Contains(t, reads.errors.String(), `read a.txt: true "old content\n"`)
	require.NoDirExists(t, reads.file("new"))
}

// An agent may call its worktree by its real path.
func TestWorktreeBehindLink(t *testing.T) {
	t.Parallel()
	k := newTalk(t, "works", board.Coder)
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(k.prompt.Dir, link))
	k.prompt.Dir = link
	k.run(t)
	require.Equal(t, transcript.Succeeded, k.report.End, k.report.Error)
}

func TestCapabilities(t *testing.T) {
	t.Parallel()
	for _, role := range []board.Role{board.Coder, board.CodeReviewer} {
		require.Equal(t, "read false write true terminal false\n", talked(t, "capabilities", role).errors.String())
	}
}

func TestNoEnd(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		agent, text string
		code        int
		reason      proc.Reason
	}{
		{"mute", "", 0, proc.IdleLimit},
		{"silent", "", 0, proc.IdleLimit},
		{"gone", "", 4, proc.Exited},
		{"dies", "half way", 3, proc.Exited},
		{"nags", "", 0, proc.IdleLimit},
		{"noise", "", 0, proc.WallLimit},
	} {
		t.Run(test.agent, func(t *testing.T) {
			t.Parallel()
			k := newTalk(t, test.agent, board.Coder)
			if test.reason == proc.IdleLimit {
				k.command.Idle = time.Second
			}
			if test.reason == proc.WallLimit {
				k.command.Wall = time.Second
			}
			k.command.Grace = 100 * time.Millisecond
			require.NoError(t, os.WriteFile(k.file("large"), make([]byte, 64<<10), 0o600))
			k.run(t)
			require.Equal(t, transcript.NoEnd, k.report.End, k.report.Error)
			require.Equal(t, test.reason, k.result.Reason, k.result.Reason)
			if test.reason == proc.Exited {
				require.Equal(t, test.code, k.result.Code)
			}
			require.Equal(t, test.text, k.report.Text)
			require.Empty(t, k.report.Error)
		})
	}
}

func TestFailedEnd(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		"fails":             "Rate limit exceeded. Try again later. (code 429)",
		"max_tokens":        "limit of tokens",
		"max_turn_requests": "limit of requests",
		"refusal":           "refused",
		"cancelled":         "called off",
		"strange":           `"strange"`,
		"tomorrow":          "speaks version 2 of the protocol",
		"locked":            `the agent demands a login: Authentication required (code -32000): {"key":"none"}; its ways to log in: Log in with a browser, A key`,
	} {
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			k := talked(t, agent, board.Coder)
			require.Equal(t, transcript.Failed, k.report.End)
			require.Contains(t, k.report.Error, want)
			require.True(t, k.result.Passed())
			require.Contains(t, k.lines.String(), "! "+k.report.Error)
		})
	}
}

// A key in the environment needs no person.
func TestLogin(t *testing.T) {
	t.Parallel()
	k := newTalk(t, "locked", board.Coder)
	k.command.Env = append(k.command.Env, "TEST_API_KEY=secret")
	k.run(t)
	require.Equal(t, transcript.Succeeded, k.report.End, k.report.Error)
}

func TestResume(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ agent, resume, want string }{
		{"resumes", "old-1", "old-1"},
		{"loads", "old-1", "old-1"},
		{"loads", "lost-1", "new-1"},
		{"neither", "old-1", "new-1"},
	} {
		k := newTalk(t, test.agent, board.Coder)
		k.prompt.Resume = test.resume
		k.run(t)
		require.Equal(t, transcript.Succeeded, k.report.End, k.report.Error)
		require.Equal(t, test.want, k.report.Session, test.agent)
		require.Equal(t, "done\n", k.lines.String(), "history is not part of the session")
		require.Equal(t, 1, k.report.Turns)
	}
}

// Whatever the user has set: an agent of ours asks, and is the model that was
// chosen.
func TestChoice(t *testing.T) {
	t.Parallel()
	k := talked(t, "modes", board.Coder)
	require.Equal(t, "mode default\n", k.errors.String())
	require.Equal(t, "small", k.report.Model)
	require.Equal(t, "mode read-only\n", talked(t, "modes", board.CodeReviewer).errors.String())

	k = newTalk(t, "options", board.Coder)
	k.prompt.Model = "large"
	k.run(t)
	require.Equal(t, "which large\nhow build\n", k.errors.String())
	require.Equal(t, "large", k.report.Model)

	k = newTalk(t, "works", board.Coder)
	k.prompt.Model = "large"
	k.run(t)
	require.Equal(t, transcript.Failed, k.report.End)
	require.Equal(t, "the agent offers no choice of models; name large in its command instead", k.report.Error)
	text, err := os.ReadFile(k.file("a.txt"))
	require.NoError(t, err)
	require.Equal(t, "old content\n", string(text), "nothing was asked")
}

// An io.Writer that calls itself.
type onWrite func(p []byte) (int, error)

func (f onWrite) Write(p []byte) (int, error) { return f(p) }

func TestCalledOff(t *testing.T) {
	t.Parallel()
	run := func(t *testing.T, agent string) *talk {
		k := newTalk(t, agent, board.Coder)
		k.command.Grace = 50 * time.Millisecond
		ctx, cancel := context.WithCancel(t.Context())
		seen := sync.OnceFunc(cancel)
		// The agents say on standard error that they have begun.
		k.command.Output = onWrite(func(p []byte) (int, error) { seen(); return len(p), nil })
		var err error
		k.result, k.report, err = acp.Run(ctx, k.command, k.prompt)
		require.NoError(t, err)
		require.Equal(t, proc.Canceled, k.result.Reason)
		return k
	}
	t.Run("it says how it ended", func(t *testing.T) {
		t.Parallel()
		k := run(t, "waits")
		require.Equal(t, transcript.Failed, k.report.End)
		require.Contains(t, k.report.Error, "called off")
		require.Equal(t, board.Usage{Input: 7, Output: 1}, k.report.Usage)
	})
	t.Run("it does not listen", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, transcript.NoEnd, run(t, "deaf").report.End)
	})
	t.Run("before it began", func(t *testing.T) {
		t.Parallel()
		k := newTalk(t, "works", board.Coder)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		result, _, err := acp.Run(ctx, k.command, k.prompt)
		require.NoError(t, err)
		require.Equal(t, proc.Result{Code: -1, Reason: proc.Canceled}, result)
	})
}

// An agent's activity after its answer does not change the result.
func TestStaysAfterAnswer(t *testing.T) {
	t.Parallel()
	k := newTalk(t, "stays", board.Coder)
	k.command.Grace = 50 * time.Millisecond
	k.run(t)
	require.True(t, k.result.Passed(), k.result.Reason)
	require.Equal(t, transcript.Succeeded, k.report.End)
	require.Equal(t, "done", k.report.Text)
}

func TestGarbage(t *testing.T) {
	t.Parallel()
	k := talked(t, "mutters", board.Coder)
	require.Equal(t, transcript.Succeeded, k.report.End, k.report.Error)
	require.Equal(t, 5, k.report.Garbage)
}

// The SDK gives a connection up when 1024 messages wait, and loses an answer
// that is followed by the end at once: neither may show.
func TestHaste(t *testing.T) {
	t.Parallel()
	k := talked(t, "floods", board.Coder)
	require.Equal(t, transcript.Succeeded, k.report.End, k.report.Error)
	require.True(t, strings.HasSuffix(k.report.Text, "19998 19999"), k.report.Say)
	require.InDelta(t, 64<<10, len(k.report.Text), 10)

	k = newTalk(t, "hurries", board.Coder)
	// The reader of the output is slower than the agent, which is long gone at the end.
	k.prompt.Follow = onWrite(func(p []byte) (int, error) {
		<-time.After(3 * time.Millisecond)
		return k.lines.Write(p)
	})
	k.run(t)
	require.Equal(t, transcript.Succeeded, k.report.End, k.report.Error)
	require.Equal(t, "done", k.report.Text)
	require.Contains(t, k.lines.String(), "> : tool 149\n")
}

// Not parallel: it measures what the whole process holds.
func TestNaggingCostsConstantMemory(t *testing.T) {
	k := newTalk(t, "nags", board.Coder)
	k.command.Idle, k.command.Grace = time.Second, 100*time.Millisecond
	require.NoError(t, os.WriteFile(k.file("large"), make([]byte, 64<<10), 0o600))
	goroutines := 0
	stop := make(chan struct{})
	var measured sync.WaitGroup
	measured.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				goroutines = max(goroutines, runtime.NumGoroutine())
			}
		}
	})
	k.run(t)
	close(stop)
	measured.Wait()
	require.Less(t, goroutines, 100)
}

func TestNotStarted(t *testing.T) {
	t.Parallel()
	k := newTalk(t, "works", board.Coder)
	k.command.Path = "git-liza-no-such-program"
	_, _, err := acp.Run(t.Context(), k.command, k.prompt)
	require.True(t, proc.Unstartable(err), err)
	k.prompt.Dir = k.file("none")
	_, _, err = acp.Run(t.Context(), k.command, k.prompt)
	require.ErrorIs(t, err, proc.ErrFolder)
}
