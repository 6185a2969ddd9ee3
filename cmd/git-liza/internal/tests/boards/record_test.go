package boards

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/internal/gittest"
)

var record = flag.String("record", "", "the revision whose program records golden boards")

// folder has the golden boards, and keys has those of their principals.
const (
	folder = "../../../../../testdata/boards"
	keys   = folder + "/keys"
)

// Golden boards are recorded by hand, as testdata/boards/README.md says: go test ./cmd/git-liza/internal/tests/boards -run TestRecord -args -record REVISION.
func TestRecord(t *testing.T) {
	if *record == "" {
		t.Skip("boards are recorded by hand: -record REVISION")
	}
	program := recordedProgram(t, *record)
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			to, err := filepath.Abs(filepath.Join(folder, g.name+".bundle"))
			require.NoError(t, err)
			bundle(t, play(t, program, g), to)
		})
	}
}

// recordedProgram returns a folder with a revision's git-liza and the helper of the stories.
func recordedProgram(t *testing.T, revision string) string {
	t.Helper()
	source, dir := t.TempDir(), t.TempDir()
	unpack(t, revision, source)
	act, err := os.ReadFile(filepath.Join("testdata", "record", "act.go"))
	require.NoError(t, err)
	gittest.Write(t, source, "cmd/liza-act/main.go", string(act))
	build(t, source, "./cmd/liza-act", filepath.Join(dir, "liza-act"))
	build(t, source, "./cmd/git-liza", filepath.Join(dir, "git-liza"), "-tags=testclock")
	return dir
}

// play runs a story in an empty folder, which it returns.
func play(t *testing.T, program string, g golden) string {
	t.Helper()
	signed := ""
	if g.signed {
		signed = "1"
	}
	script, err := filepath.Abs(filepath.Join("testdata", "record", g.story+".sh"))
	require.NoError(t, err)
	private, err := filepath.Abs(keys)
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "repo")
	require.NoError(t, os.Mkdir(dir, 0o755))
	cmd := exec.Command("sh", script)
	cmd.Dir, cmd.Env = dir, environment(t, program, "SIGNED="+signed, "KEYS="+private)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return dir
}

// bundle packs all refs of a repository into one file, but those of its checkouts.
func bundle(t *testing.T, dir, to string) {
	t.Helper()
	gittest.Git(t, dir, "repack", "-q", "-a", "-d", "-f", "--depth=200", "--window=200")
	own := func(ref string) bool { return strings.HasPrefix(ref, layout.PinRefs) } // no server takes them
	refs := slices.DeleteFunc(strings.Fields(gittest.Git(t, dir, "for-each-ref", "--format=%(refname)")), own)
	gittest.Git(t, dir, append([]string{"bundle", "create", "-q", to}, refs...)...)
	info, err := os.Stat(to)
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(512<<10))
	t.Logf("the row in goldens: name: %q, moves: %s, tip: %q", strings.TrimSuffix(filepath.Base(to), ".bundle"),
		gittest.Git(t, dir, "rev-list", "--count", layout.State), gittest.Git(t, dir, "rev-parse", layout.State))
}
