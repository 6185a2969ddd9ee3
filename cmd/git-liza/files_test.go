package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/torture"
)

// A task in a repository of 100,000 files is worked on as in any other, and nothing is left of its
// worktrees.
func TestTortureHundredThousandFiles(t *testing.T) {
	torture.Only(t)
	const folders, each = 1000, 100
	p := emptyPlayground(t, t.TempDir())
	require.NoError(t, os.Mkdir(p.repo, 0o755))
	p.must("git", "init", "-q", "-b", "main")
	var stream bytes.Buffer
	stream.WriteString("commit refs/heads/main\ncommitter Ann <ann@example.org> 1768658400 +0000\ndata 6\nfirst\nM 100644 inline specs/vision.md\ndata 7\n# Many\n")
	for n := range folders * each {
		text := fmt.Sprintf("file %d\n", n)
		fmt.Fprintf(&stream, "M 100644 inline d%d/f%d\ndata %d\n%s", n/each, n%each, len(text), text)
	}
	load := exec.Command("git", "fast-import", "--quiet")
	load.Dir, load.Stdin, load.Env = p.repo, &stream, p.env
	out, err := load.CombinedOutput()
	require.NoError(t, err, "%s", out)
	p.must("git", "reset", "-q", "--hard")
	p.must("git-liza", "init")

	p.add("one")
	p.must("git-liza", "claim", "one", "--as", "coder-1")
	tree := filepath.Join(p.repo, ".worktrees", "one")
	require.Empty(t, p.must("git", "-C", tree, "status", "--porcelain"))
	p.must("git-liza", "intent", "one", "--as", "coder-1", "--summary", "S", "--validation", "V")
	require.NoError(t, os.WriteFile(filepath.Join(tree, "d7", "f7"), []byte("changed\n"), 0o666))
	p.must("env", "LIZA_AGENT_ID=coder-1", "git", "-C", tree, "commit", "-q", "-a", "-m", "Work")
	p.must("git-liza", "submit", "one", "--as", "coder-1")
	p.must("git-liza", "review", "one", "--as", "code-reviewer-1")
	review := filepath.Join(p.repo, ".worktrees", "review@one@1")
	require.Empty(t, p.must("git", "-C", review, "status", "--porcelain"))
	require.Equal(t, "changed", p.must("git", "-C", review, "show", "HEAD:d7/f7"))
	p.must("git-liza", "approve", "one", "--as", "code-reviewer-1", "--commit", p.must("git", "rev-parse", "liza/one"))
	p.must("git-liza", "merge", "one")
	require.Equal(t, "changed", p.must("git", "show", "integration:d7/f7"))
	require.Equal(t, "M\td7/f7", p.must("git", "diff", "--name-status", "main", "integration"))

	p.add("two")
	p.must("git-liza", "claim", "two", "--as", "coder-1")
	p.must("git-liza", "release", "two", "--as", "coder-1")
	p.must("git-liza", "task", "abandon", "two", "--reason", "R")
	p.must("git-liza", "worktree", "prune")
	require.Empty(t, p.must("git", "status", "--porcelain"))
	require.Empty(t, p.must("sh", "-c", "ls -A .worktrees .git/worktrees 2>/dev/null | grep -v '^.*:$'; git for-each-ref refs/liza/pins"))
	require.NotContains(t, p.must("git", "worktree", "list"), "liza")
}
