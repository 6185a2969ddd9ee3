package survey

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
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
	o, err := repo.Objects(context.Background())
	require.NoError(t, err)
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
		"no json":         {map[string]string{"package.json": `{"scripts":{"test":`}, ""},
		"uv":              {map[string]string{"pyproject.toml": "[tool.ruff]\npytest\n", "uv.lock": "x"}, "test: uv sync && uv run pytest; check: uv sync && uv run ruff check ."},
		"just":            {map[string]string{"justfile": "test arg='x':\n  echo\n"}, "test: just test"},
		"just without":    {map[string]string{"justfile": "test:\n  echo\nset := 1\n"}, "test: just test"},
		"several targets": {map[string]string{"Makefile": ".PHONY: all\nlint check test-all:: all\n\techo\n"}, "check: make check"},
		"what CI runs": {map[string]string{"go.mod": "module m\n", "Makefile": "include rules.mk\ncheck test:\n", ".github/workflows/a.yml": "- run: make lint\n- run: |\n    date && make -j4 V=1 ci tests\n    cd x && make build\n    make deploy build\n"},
			"build: go build ./...; test: make tests; check: make ci"},
		"what GitLab runs": {map[string]string{"GNUmakefile": "include rules.mk\n", ".gitlab-ci.yml": "t:\n  script:\n    - \"make verify\"\n    - make -C sub check\n    - make test;rm x\n    # - make build\n    - echo make test\n"},
			"check: make verify"},
		"npm of CI": {map[string]string{"package.json": `{"scripts":{"lint":"x","verify":"y"}}`, ".travis.yml": "script: npm run verify && npm run build\ninstall: npm ci\n"},
			"check: npm install && npm run verify"},
		"CI without make":  {map[string]string{"sub/Makefile": "check:\n", ".github/workflows/a.yml": "- run: make check\n"}, ""},
		"an assignment":    {map[string]string{"Makefile": "test := 1\nbuild ?= 2\n"}, ""},
		"below the root":   {map[string]string{"sub/go.mod": "module m\n"}, ""},
		"another language": {map[string]string{"a.sln": "x", "gradlew": "x"}, "build-gradle: ./gradlew assemble; build-dotnet: dotnet build; test-gradle: ./gradlew check; test-dotnet: dotnet test"},
	} {
		var got []string
		for _, g := range surveyed(t, c.files).Gates() {
			got = append(got, g.Name+": "+g.Command)
		}
		require.Equal(t, c.want, strings.Join(got, "; "), name)
	}
}

// No row names a purpose that the page lacks, and a row of a target has a file with
// targets.
func TestRows(t *testing.T) {
	t.Parallel()
	for _, r := range rows {
		require.Contains(t, purposes, r.purpose, r.command)
		require.NotEmpty(t, r.kind, r.command)
		if r.target != "" {
			require.Contains(t, []string{"Makefile", "justfile", "package.json", "composer.json"}, r.file)
		}
	}
}

// What is beyond the bounds is left out, and said to be.
func TestBounds(t *testing.T) {
	t.Parallel()
	files := map[string]string{"go.mod": "module m\n", strings.Repeat("d/", deepest+2) + "main.go": "x", "Makefile": "test:\n" + strings.Repeat("#\n", longestText)}
	s := surveyed(t, files)
	require.True(t, s.Partial)
	require.Equal(t, 2, s.Files)
	require.NotContains(t, s.Commands, Command{Test, "make test", "Makefile", runs})

	dir := t.TempDir()
	gittest.Git(t, dir, "init", "-q")
	repo, err := git.Open(context.Background(), dir)
	require.NoError(t, err)
	defer repo.Close()
	o, err := repo.Objects(context.Background())
	require.NoError(t, err)
	blob, err := o.WriteBlob([]byte("x"))
	require.NoError(t, err)
	w := &walk{o: o, files: map[string]git.ID{}}
	var entries []git.Entry
	for i := range mostFiles + 1 {
		entries = append(entries, git.Entry{Mode: git.ModeExecutable, Name: fmt.Sprintf("%06d.go", i), ID: blob})
	}
	root, err := o.WriteTree(entries)
	require.NoError(t, err)
	require.NoError(t, o.Flush())
	w.folders(root)
	require.True(t, w.more)
	require.Len(t, w.names, mostFiles)
	require.Equal(t, []Count{{"Go", mostFiles}}, w.survey().Languages)
}

// Names and lines of the repository cannot leave their place in the page.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	s := surveyed(t, map[string]string{"a|b/x.go": "", "`rm`/x.go": "", "bin/\u202egpj.exe": "", "src/main.rs": "", "x\n# y/z.py": "",
		".github/workflows/a.yml": "- run: ok\n- run: a | b\n- run: `x`\n- run: \u202eevil\n- run: " + strings.Repeat("x", 200) + "\n"})
	require.Equal(t, []string{"ok"}, s.CI)
	require.Equal(t, []string{"src/main.rs"}, s.Entries)
	for _, c := range s.Folders {
		require.True(t, slices.Contains([]string{".github", "bin", "src"}, c.Name), c.Name)
	}
	page := s.Draft("# NAME\nWhat this is\n## Layout\n| `src/…` | | |\n", "x\n# evil")
	require.NotContains(t, page, "evil")
	require.NotContains(t, page, "|b")
}
