package supervise_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/internal/torture"
)

// The demonstration's product, built by three hosts that are three principals:
// one plans and codes, one reviews, one merges, and none may do the others'.
func TestTortureThreePrincipalsBuildTheProduct(t *testing.T) {
	torture.Only(t)
	t.Parallel()
	w := newEmptyWorld(t)
	require.NoError(t, os.CopyFS(w.dir, os.DirFS(filepath.Join("..", "demo", "product"))))
	w.git("init", "-q")
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "first")
	w.liza("init", "--admin", "ann")
	w.clone = w.open()
	w.share()

	builds, judges, merges := w.host("builds"), w.host("judges"), w.host("merges")
	for _, one := range []struct {
		host  *world
		name  string
		flags []string
	}{
		{builds, "builders", []string{"--kind", "machine", "--role", "planner,coder"}},
		{judges, "judges", []string{"--kind", "machine", "--role", "code-reviewer"}},
		{merges, "merger", []string{"--kind", "human", "--agent", "human:ann-example", "--right", "merge"}},
	} {
		key := strings.TrimSpace(one.host.liza("principal", "key", one.name))
		w.liza(append([]string{"principal", "add", one.name, "--key", key}, one.flags...)...)
		one.host.git("config", "liza.principal", one.name)
	}
	builds.git("config", "liza.trust.planner", "true")

	script, err := provider.Builtin().Find("script", self)
	require.NoError(t, err)
	coding := builds.begin(sharply, planner(script), coder(script), coder(script))
	reviewing := judges.begin(sharply, reviewer(script))
	merged, seen, again := 0, "", true
	done := func() bool {
		tip := w.run("git", "-C", w.remote(), "rev-parse", "refs/liza/state")
		if tip == seen && !again {
			return false
		}
		seen, again = tip, false
		merges.liza("sync")
		tasks := merges.board().Tasks()
		open := len(tasks) == 0
		for _, task := range tasks {
			open = open || !task.Status.Final()
			require.NotEqual(t, board.Blocked, task.Status, coding.said())
			if task.Status == board.Approved {
				again = true
				merges.try("merge", string(task.ID))
			}
		}
		return !open
	}
	for all := false; !all; { // the whole of it may take longer than one wait
		before := merged
		merges.await("another merge", func() bool {
			all = done()
			merged = len(merges.moves(board.ActMerge))
			return all || merged > before
		})
	}
	for _, r := range []*rushing{coding, reviewing} {
		r.cancel()
		require.NoError(t, r.wait(), r.said())
		require.NotContains(t, r.said(), "ends:")
	}
	for _, clone := range []*world{w, builds, judges, merges} {
		clone.agree()
	}
	w.left()
	roles := map[board.Act]string{board.ActClaim: "builders", board.ActSubmit: "builders", board.ActApprove: "judges", board.ActReject: "judges",
		board.ActMerge: "merger", board.ActIntegrationFail: "merger"}
	for act, principal := range roles {
		require.NotEmpty(t, w.moves(act), act)
		for _, m := range w.moves(act) {
			require.Equal(t, principal, m.Principal, act)
		}
	}
	w.git("checkout", "-q", "integration")
	w.run("sh", "scripts/integration-test.sh")
}
