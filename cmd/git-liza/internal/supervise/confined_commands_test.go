package supervise_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
)

// A login that a session has renewed is taken back, and removed from its home, by the next rush where
// its supervisor was killed.
func TestLoginAfterAKill(t *testing.T) {
	t.Parallel()
	if proc.Confinement() == proc.Unconfined {
		t.Skip("SKIPPED: this kernel confines no command")
	}
	w := newWorld(t)
	w.git("config", "liza.confine", "auto")
	w.git("config", "--add", "liza.confine.write", w.notes)
	login := filepath.Join(t.TempDir(), "auth.json")
	writeBelow(t, login, `{"old":1}`)
	w.git("config", "liza.provider.exec.login-files", "{TOOL_HOME}/auth.json")
	w.git("config", "liza.provider.exec.env", "TOOL_HOME")
	w.tasks(1)
	cmd := w.command(`echo '{"new":1}' >"$TOOL_HOME/auth.json"; : >"$notes/begun"; while :; do sleep 0.05; done`, "--coders", "1", "--reviewers", "0")
	cmd.Env = append(os.Environ(), "TOOL_HOME="+filepath.Dir(login))
	w.start(cmd)
	w.await("the session", func() bool { return w.has("begun") })
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	w.await("the end of what its session started", func() bool {
		marks, err := proc.Living(work.Records(w.clone.Repo))
		return err == nil && len(marks) == 0
	})
	copied := w.private("homes/coder-1/.liza-lent/TOOL_HOME/auth.json")
	require.FileExists(t, copied)
	settings, err := w.open().Repo.Config.ConfigUnder(t.Context(), provider.Prefix)
	require.NoError(t, err)
	r := w.begin(func(r *supervise.Rush) {
		r.UntilIdle, r.Environ = true, cmd.Env
		r.Known, err = provider.Load(settings)
		require.NoError(t, err)
	}, reviewer(w.agent("approve")))
	require.Error(t, r.wait(), "there is no coder")
	require.NoFileExists(t, copied, r.said())
	require.NoFileExists(t, copied+".lent")
	text, err := os.ReadFile(login)
	require.NoError(t, err)
	require.JSONEq(t, `{"new":1}`, string(text))
}

// What the files of a submission do when the verify of its task runs them stays in their checkout
// and the home of gates.
func TestVerifyIsConfined(t *testing.T) {
	t.Parallel()
	if proc.Confinement() == proc.Unconfined {
		t.Skip("SKIPPED: this kernel confines no command")
	}
	for _, mode := range []string{"off", "auto"} {
		w := newWorld(t)
		w.git("config", "liza.confine", mode)
		w.liza("task", "add", "--title", "One", "--done-when", "D", "--spec", "specs/vision.md", "--scope", "S", "--kind", "docs", "--owns", "check.sh", "--verify", "sh ./check.sh")
		w.liza("claim", "task-1", "--as", "coder-1")
		w.liza("intent", "task-1", "--as", "coder-1", "--summary", "S", "--validation", "V")
		checkout := filepath.Join(w.dir, ".worktrees", "task-1")
		writeBelow(t, filepath.Join(checkout, "check.sh"), "(echo >'"+w.dir+"/.git/hooks/planted') 2>/dev/null; echo >\"$HOME/verified\"\n")
		w.git("-C", checkout, "add", "-A")
		w.git("-C", checkout, "-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "Work")
		w.liza("submit", "task-1", "--as", "coder-1")
		require.Equal(t, board.ReadyForReview, w.task("task-1").Status)
		_, err := os.Stat(filepath.Join(w.dir, ".git", "hooks", "planted"))
		require.Equal(t, mode == "off", err == nil)
		_, err = os.Stat(w.private("homes/gates/verified"))
		require.Equal(t, mode == "auto", err == nil)
	}
}

// brokerOf is the process of the broker of the world's one session.
func (w *world) brokerOf() (pid int) {
	w.await("the broker", func() bool {
		list, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, path := range list {
			text, _ := os.ReadFile(path)
			dir, _ := os.Readlink(filepath.Join(filepath.Dir(path), "cwd"))
			if strings.HasSuffix(string(text), "/git-liza\x00broker\x00") && dir == filepath.Join(w.dir, ".worktrees", "task-1") {
				pid, _ = strconv.Atoi(filepath.Base(filepath.Dir(path)))
			}
		}
		return pid > 0
	})
	return pid
}

// Where a session's broker or supervisor is killed, before it types a command or while one runs, what it
// typed ends outside too and says so, and the work goes on.
func TestKilledWhileASessionTypes(t *testing.T) {
	t.Parallel()
	if proc.Confinement() == proc.Unconfined {
		t.Skip("SKIPPED: this kernel confines no command")
	}
	for _, victim := range []string{"broker", "supervisor"} {
		for _, step := range []string{"before", "during"} {
			t.Run(victim+" "+step, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.git("config", "liza.confine", "auto")
				w.git("config", "--add", "liza.confine.write", w.notes)
				w.liza("config", "gates.slow.command", "echo $$ >'"+w.notes+"/gate'; : >'"+w.notes+"/during'; while :; do sleep 0.05; done")
				w.liza("config", "gates.slow.at", "phase")
				w.tasks(1)
				script := `case $n in 1) : >"$notes/before"; test ` + step + ` = during || waitfor go; git liza gate run slow >"$notes/said" 2>&1 || :; : >"$notes/ended"; exit 1 ;; esac; submit`
				first := w.apart(script, "--coders", "1", "--reviewers", "0")
				w.await("the session", func() bool { return w.has(step) })
				process := first.Process
				if victim == "broker" {
					var err error
					process, err = os.FindProcess(w.brokerOf())
					require.NoError(t, err)
				}
				require.NoError(t, process.Kill())
				if step == "during" {
					w.gone("gate")
				}
				w.write(filepath.Join(w.notes, "go"), "")
				if victim == "broker" {
					w.await("the end of the first command", func() bool { return w.has("ended") })
					require.Contains(t, w.note("said"), "the supervisor of this session")
					w.until("the next session", func(b *board.Board) bool { return b.Task("task-1").Status == board.ReadyForReview })
					return
				}
				_ = first.Wait()
				w.await("the end of what its session started", func() bool {
					marks, err := proc.Living(work.Records(w.clone.Repo))
					return err == nil && len(marks) == 0
				})
				r, err := w.rush(coder(w.agent("submit")))
				require.Error(t, err, "there is no reviewer")
				require.Equal(t, board.ReadyForReview, w.task("task-1").Status, r.said())
			})
		}
	}
}
