package boards

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/gittest"
)

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
func build(t testing.TB, source, pkg, to string, flags ...string) {
	t.Helper()
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", to}, flags...)
	cmd := exec.Command("go", append(args, pkg)...)
	cmd.Dir, cmd.Env = source, append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err := cmd.Run()
	require.NoError(t, err, "go build %s: %s", pkg, said.String())
}
