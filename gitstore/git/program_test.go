package git

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/internal/gittest"
)

// TestProgramFileIsOurs puts other things in the place of the file of what is known of git:
// nothing is written through a link, and nobody waits for a reader.
func TestProgramFileIsOurs(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	r := open(t, dir)
	file := filepath.Join(r.CommonDir(), layout.Private, programsFile)
	precious := filepath.Join(t.TempDir(), "precious")
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
	require.NoError(t, os.WriteFile(precious, []byte("words"), 0o666))
	for name, put := range map[string]func() error{
		"link":           func() error { return os.Symlink(precious, file) },
		"link to naught": func() error { return os.Symlink(precious+"-not", file) },
		"fifo":           func() error { return syscall.Mkfifo(file, 0o666) },
		"folder":         func() error { return os.Mkdir(file, 0o777) },
	} {
		require.NoError(t, os.RemoveAll(file))
		require.NoError(t, put(), name)
		learnProgram(t.Context(), r.CommonDir())
		text, err := os.ReadFile(precious)
		require.NoError(t, err)
		require.Equal(t, "words", string(text), name)
		require.NoFileExists(t, precious+"-not", name)
	}
}
