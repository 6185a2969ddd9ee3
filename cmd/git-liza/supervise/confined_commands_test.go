package supervise_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/supervise"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
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
		require.Equal(t, flow.ReadyForReview, w.task("task-1").Status)
		_, err := os.Stat(filepath.Join(w.dir, ".git", "hooks", "planted"))
		require.Equal(t, mode == "off", err == nil)
		_, err = os.Stat(w.private("homes/gates/verified"))
		require.Equal(t, mode == "auto", err == nil)
	}
}
