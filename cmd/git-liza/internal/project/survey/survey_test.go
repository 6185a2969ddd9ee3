package survey

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// surveyed commits files into a repository and surveys it.
func surveyed(t *testing.T, files map[string]string) Survey {
	t.Helper()
	dir := t.TempDir()
	gittest.Git(t, dir, "init", "-q")
	for name, text := range files {
		gittest.Write(t, dir, filepath.FromSlash(name), text)
	}
	gittest.Git(t, dir, "add", "-A")
	gittest.Git(t, dir, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "first")
	return readHead(t, dir)
}

func readHead(t *testing.T, dir string) Survey {
	t.Helper()
	repo, err := git.Open(context.Background(), dir)
	require.NoError(t, err)
	defer repo.Close()
	head, err := repo.ParseCommit(context.Background(), "HEAD")
	require.NoError(t, err)
	o := repo.Objects(context.Background())
	s, err := Read(o, head)
	require.NoError(t, err)
	return s
}

// Each file of a table of ecosystems leads to the gates that a person would set.
func TestGates(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"nothing": {map[string]string{"README.md": "make test"}, ""},
		"go":      {map[string]string{"go.mod": "module m\n"}, "build: go build ./...; test: go test ./...; check: go vet ./..."},
		"make first": {map[string]string{"go.mod": "module m\n", "Makefile": "check test: all\n\techo\nlint:\n"},
			"build: go build ./...; test: make test; check: make check"},
		"rust": {map[string]string{"Cargo.toml": "[package]\n"}, "build: cargo build; test: cargo test; check: cargo fmt --check && cargo clippy"},
		"node with pnpm": {map[string]string{"package.json": `{"scripts":{"lint":"eslint","test":"echo \"Error: no test specified\""}}`, "pnpm-lock.yaml": "x"},
			"check: pnpm install --frozen-lockfile && npm run lint"},
		"no json":          {map[string]string{"package.json": `{"scripts":{"test":`}, ""},
		"uv":               {map[string]string{"pyproject.toml": "[tool.ruff]\npytest\n", "uv.lock": "x"}, "test: uv sync && uv run pytest; check: uv sync && uv run ruff check ."},
		"just":             {map[string]string{"justfile": "test arg='x':\n  echo\n"}, "test: just test"},
		"just without":     {map[string]string{"justfile": "test:\n  echo\nset := 1\n"}, "test: just test"},
		"several targets":  {map[string]string{"Makefile": ".PHONY: all\nlint check test-all:: all\n\techo\n"}, "check: make check"},
		"an assignment":    {map[string]string{"Makefile": "test := 1\nbuild ?= 2\n"}, ""},
		"below the root":   {map[string]string{"sub/go.mod": "module m\n"}, ""},
		"another language": {map[string]string{"a.sln": "x", "gradlew": "x"}, "build-gradle: ./gradlew assemble; build-dotnet: dotnet build; test-gradle: ./gradlew check; test-dotnet: dotnet test"},
	} {
		var got []string
		for _, g := range surveyed(t, c.files).Gates {
			got = append(got, g.Name+": "+g.Command)
		}
		require.Equal(t, c.want, strings.Join(got, "; "), name)
	}
}

// Links, folders, and files that are too long or no text define nothing.
func TestFilesThatDefineNothing(t *testing.T) {
	t.Parallel()
	s := surveyed(t, map[string]string{"justfile": "test:\n" + strings.Repeat("#\n", longestText), "Makefile": "test:\n\x00", "go.mod/x": "module m\n"})
	require.Equal(t, Survey{Files: []string{"Makefile", "justfile"}, Gates: []Gate{}}, s)
}
