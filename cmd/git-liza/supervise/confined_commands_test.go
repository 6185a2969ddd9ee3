package supervise_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/proc"
	"github.com/git-liza/git-liza/flow"
)

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
