package gitstore

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/internal/gittest"
)

// A board that a release reads is not put aside, whoever asks for that.
func TestABoardOfAFormatStays(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1")
	before := gittest.Git(t, d.dir, "for-each-ref")
	_, err := d.store.PutAside(context.Background(), false)
	requireRule(t, err, flow.RuleExists, "there is a blackboard already")
	require.Equal(t, before, gittest.Git(t, d.dir, "for-each-ref"))
}
