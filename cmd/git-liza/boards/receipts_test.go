package boards

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/internal/gittest"
	"github.com/stretchr/testify/require"
)

// This program submits and merges on a board of the first rules, and its receipts have
// no key that programs of that time do not know.
func TestReceiptsOnBoardOfRules1(t *testing.T) {
	t.Parallel()
	dir := unpackBoard(t, goldens[0])
	_, _, at := openBoard(t, dir)
	at = at.Add(24 * time.Hour)
	do := func(args ...string) string { return liza(t, present, dir, at, args...) }
	for _, setup := range [][]string{{"config", "gates.unit.command", "test -e receipts.txt"}, {"config", "gates.unit.required", "true"},
		{"task", "add", "receipts", "--title", "R", "--done-when", "D", "--spec", "specs/vision.md", "--scope", "S", "--kind", "docs", "--owns", "receipts.txt",
			"--verify", "test -e receipts.txt"}, {"trust", "--all"}, {"config", "allow_self_review", "true"}, {"register", "coder-5"}, {"register", "code-reviewer-5"}, {"claim", "receipts", "--as", "coder-5"},
		{"intent", "receipts", "--as", "coder-5", "--summary", "S", "--validation", "V"}} {
		do(setup...)
	}
	tree := filepath.Join(dir, ".worktrees", "receipts")
	require.NoError(t, os.WriteFile(filepath.Join(tree, "receipts.txt"), []byte("x\n"), 0o600))
	gittest.Git(t, tree, "add", "-A")
	gittest.Git(t, tree, "commit", "-q", "-m", "Work")
	do("submit", "receipts", "--as", "coder-5")
	do("review", "receipts", "--as", "code-reviewer-5")
	do("approve", "receipts", "--as", "code-reviewer-5", "--commit", gittest.Git(t, tree, "rev-parse", "HEAD"))
	do("merge", "receipts")
	merged := gittest.Git(t, dir, "log", "-1", "--format=%B", layout.State)
	require.Contains(t, merged, "gate: unit")
	require.NotContains(t, merged, "result:")
	task := gittest.Git(t, dir, "grep", "-h", "-A12", "receipt", layout.State, "--", "tasks")
	require.Contains(t, task, "test -e receipts.txt")
	require.NotRegexp(t, "result:|environment:", task)
	require.Contains(t, do("state"), "rules: 1\n")
	do("fsck", "--full")
}
