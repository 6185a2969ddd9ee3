package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/tests/e2e/standin"
)

// reserved is what tests of agents leave to those of the servers, of the time that all
// have. The servers need most of it, and an agent's session two minutes.
const reserved = 6 * time.Minute

// commandLine is the path of an agent's command line, of the version that make
// e2e installs. Where it could not, or time runs out, the test is skipped and says why.
func commandLine(t *testing.T, name string) string {
	t.Helper()
	if end, bounded := t.Deadline(); bounded && time.Until(end) < reserved {
		t.Skipf("%s are left of E2E_TIMEOUT, which the servers need", time.Until(end).Round(time.Second))
	}
	dir := os.Getenv("LIZA_E2E_AGENTS")
	if why, missing := strings.CutPrefix(dir, "missing: "); missing || dir == "" {
		t.Skipf("no command lines of agents (%s): make e2e installs them by npm", why)
	}
	if why, err := os.ReadFile(filepath.Join(dir, name+".missing")); err == nil {
		t.Skipf("no %s: %s", name, why)
	}
	path := filepath.Join(dir, name)
	require.FileExists(t, path)
	return path
}

// A workshop is a repository with the demo's product and a board, and a
// stand-in for the models of the command lines that work there. Its
// environment has no address but the stand-in's.
type workshop struct {
	*client
	model *standin.Server
}

// newWorkshop makes one. The named command lines are on its PATH.
func newWorkshop(t *testing.T, m standin.Model, names ...string) *workshop {
	t.Helper()
	w := newEmptyWorkshop(t, m, names...)
	w.furnish()
	return w
}

// newEmptyWorkshop makes one without a repository.
func newEmptyWorkshop(t *testing.T, m standin.Model, names ...string) *workshop {
	t.Helper()
	path := shared.path("bin")
	for _, name := range names {
		if dir := filepath.Dir(commandLine(t, name)); !strings.HasSuffix(path, dir) {
			path += ":" + dir
		}
	}
	model, err := standin.Start(m)
	require.NoError(t, err)
	t.Cleanup(model.Close)
	home := t.TempDir()
	env, err := model.Home(home)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(home, ".gitconfig"), []byte("[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n"), 0o644))
	plain := slices.DeleteFunc(shared.environment(home), func(v string) bool { return strings.HasPrefix(v, "HOME=") || strings.HasPrefix(v, "PATH=") })
	return &workshop{model: model, client: &client{t: t, person: "alice", dir: filepath.Join(home, "product"),
		env: append(append(plain, env...), "PATH="+path+":"+os.Getenv("PATH"))}}
}

// furnish makes the repository: the product's spec and tests, and the board.
func (w *workshop) furnish() {
	w.t.Helper()
	require.NoError(w.t, os.CopyFS(w.dir, os.DirFS(filepath.Join("..", "..", "demo", "product"))))
	// Agents must not find the script of the play in the repository.
	require.NoError(w.t, os.Remove(filepath.Join(w.dir, "specs", "playbook.yaml")))
	w.begin()
	w.must("git-liza", "init")
}

// begin makes a repository of the files that are there.
func (w *workshop) begin() {
	w.t.Helper()
	w.must("git", "init", "-q")
	for _, setting := range [][2]string{{"user.name", "Alice"}, {"user.email", "alice@example.org"}, {"liza.trust.planner", "true"}, {"liza.confine", "off"}} {
		w.must("git", "config", setting[0], setting[1])
	}
	w.must("git", "add", "-A")
	w.must("git", "commit", "-q", "-m", "A spec")
}
