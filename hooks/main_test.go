package hooks

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// unattended keeps git from tidying up behind a command's back: a test would end
// before it, and its folder would not be empty.
const unattended = "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"

// TestMain pins what git reads from its surroundings.
func TestMain(m *testing.M) {
	home, err := os.MkdirTemp("", "hooks-home")
	if err != nil {
		panic(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(unattended), 0o644); err != nil {
		panic(err)
	}
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "LIZA_") {
			os.Unsetenv(name)
		}
	}
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, ".config"), "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C",
		"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org", "GIT_AUTHOR_DATE": "2026-01-17T14:06:00Z",
		"GIT_COMMITTER_NAME": "Grace", "GIT_COMMITTER_EMAIL": "grace@example.org", "GIT_COMMITTER_DATE": "2026-01-17T14:06:00Z",
	} {
		os.Setenv(name, value)
	}
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

// git runs git as a user would and returns its output, trimmed.
func runGit(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "git %s: %s", strings.Join(args, " "), stderr.String())
	return strings.TrimSpace(string(out))
}

// write puts a file below dir.
func write(t testing.TB, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o666))
}
