package supervise

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
	"github.com/git-liza/git-liza/templates"
)

// A reviewer's prompt has the commits and the changes of a submission, both cut at 16 KiB.
func TestASubmissionInAPromptIsBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gittest.Git(t, dir, "init", "-q")
	gittest.Git(t, dir, "commit", "-q", "--allow-empty", "-m", "first")
	base := strings.TrimSpace(gittest.Git(t, dir, "rev-parse", "HEAD"))
	read := func(lines int, message string) templates.Input {
		gittest.Write(t, dir, "a", strings.Repeat("a line of work\n", lines))
		gittest.Git(t, dir, "add", "a")
		gittest.Git(t, dir, "commit", "-q", "-m", message)
		repo, err := git.Open(context.Background(), dir)
		require.NoError(t, err)
		var in templates.Input
		tip := strings.TrimSpace(gittest.Git(t, dir, "rev-parse", "HEAD"))
		require.NoError(t, readSubmission(context.Background(), repo, &board.Submission{Base: board.ObjectID(base), Commit: board.ObjectID(tip)}, &in))
		return in
	}
	small := read(3, "Work")
	require.Contains(t, small.Log.Text, "Work")
	require.Equal(t, 3, strings.Count(small.Diff.Text, "\n+a line of work"))
	require.False(t, small.Diff.More || small.Log.More)
	large := read(20_000, "More\n\n"+strings.Repeat("why it is so\n", 2_000))
	require.True(t, large.Diff.More && large.Log.More)
	require.LessOrEqual(t, len(large.Log.Text), 4<<10)
	require.LessOrEqual(t, len(large.Log.Text)+len(large.Diff.Text), 16<<10)
	require.Greater(t, len(large.Diff.Text), 11<<10)
}
