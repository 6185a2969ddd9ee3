package boards

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/gittest"
)

// building is held while a program of an earlier revision is built, since tests that
// run at once want the same.
var building sync.Mutex

// oldProgram returns a folder with the git-liza of an earlier revision. It is built
// from the history of this repository, once for each user: the user's cache, if there
// is one, keeps it by commit. The test is skipped if the history does not reach back to the revision.
func oldProgram(t testing.TB, revision string) string {
	t.Helper()
	out, err := exec.Command("git", "rev-parse", "-q", "--verify", revision+"^{commit}").Output()
	if err != nil {
		t.Skipf("the history here lacks revision %s, so its program cannot be built: git fetch --unshallow", revision)
	}
	building.Lock()
	defer building.Unlock()
	dir := filepath.Join(cache, strings.TrimSpace(string(out)))
	if _, err := os.Stat(filepath.Join(dir, "git-liza")); err == nil {
		return dir
	}
	require.NoError(t, os.MkdirAll(dir, 0o755))
	source, err := os.MkdirTemp(dir, "source-")
	require.NoError(t, err)
	defer os.RemoveAll(source)
	unpack(t, revision, source)
	made := filepath.Join(source, "made", "git-liza")
	build(t, source, "./cmd/git-liza", made)
	require.NoError(t, os.Rename(made, filepath.Join(dir, "git-liza")))
	return dir
}

// unpack writes the files of a revision into a folder.
func unpack(t testing.TB, revision, dir string) {
	t.Helper()
	archive := filepath.Join(t.TempDir(), "source.tar")
	top := gittest.Git(t, ".", "rev-parse", "--show-toplevel")
	gittest.Git(t, top, "archive", "-o", archive, revision)
	out, err := exec.Command("tar", "-xf", archive, "-C", dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// build compiles one package of the source in a folder.
func build(t testing.TB, source, pkg, to string) {
	t.Helper()
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", to, pkg)
	cmd.Dir, cmd.Env = source, append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err := cmd.Run()
	require.NoError(t, err, "go build %s: %s", pkg, said.String())
}
