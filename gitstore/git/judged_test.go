package git

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/internal/gittest"
)

// The variable holds, line by line, what git hands to the hook, also for deletions,
// packed or not, and for a branch that HEAD is on.
func TestJudgedIsWhatGitDoes(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	r, ctx := open(t, dir), context.Background()
	first, err := r.Refs.Resolve(ctx, "HEAD")
	require.NoError(t, err)
	hook := filepath.Join(dir, ".git", "hooks", "reference-transaction")
	gittest.Script(t, hook, `#!/bin/sh
nl='
'
[ "$1" = prepared ] || exit 0
while read -r line; do
	case $line in *" HEAD") continue ;; esac
	case $LIZA_JUDGED in
	"$GIT_DIR$nl"*"$nl$line$nl"*) ;;
	*) echo "not judged: $line" >&2; exit 1 ;;
	esac
done
`)
	moves := [][]RefUpdate{
		{{Name: layout.State, New: first}, {Name: "refs/liza/saved/a/1", New: first}, {Name: "refs/heads/next", New: first, Any: true}},
		{{Name: layout.State, Old: first, New: first}, {Name: "refs/heads/next", Old: first, New: first}},
		{{Name: "refs/liza/saved/a/1", Old: first}, {Name: "refs/heads/next", Any: true}},
		{{Name: "refs/liza/saved/b/1", New: first}},
	}
	for _, updates := range moves {
		require.NoError(t, r.Refs.MoveRefs(ctx, updates, "x"))
	}
	_, err = r.Git(ctx, "pack-refs", "--all", "--prune")
	require.Error(t, err, "nobody judged what git does by itself")
	require.NoError(t, os.Chmod(hook, 0o666))
	gittest.Git(t, dir, "pack-refs", "--all", "--prune")
	require.NoError(t, os.Chmod(hook, 0o777))
	require.NoError(t, r.Refs.MoveRefs(ctx, []RefUpdate{{Name: "refs/liza/saved/b/1", Old: first}, {Name: layout.State, Old: first}}, "x"))
}
