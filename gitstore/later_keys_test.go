package gitstore

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// A board of rules 1 gets no key of later rules: the program does not write one, and
// what somebody else wrote is no move and no document of that board.
func TestKeysOfLaterRules(t *testing.T) {
	t.Parallel()
	d := newDeskOf(t, gittest.Seeded(t), 1)
	d.add("task-1")
	good := d.at(layout.State)
	d.refused(flow.RuleVersion, flow.Move{Act: flow.ActNote, By: ann, Goal: "goal-1", Detail: &flow.NoteMove{For: "all", Text: "x"}})
	require.Equal(t, good, d.at(layout.State))

	done := d.do(flow.Move{Act: flow.ActNote, By: ann, Detail: &flow.NoteMove{For: "all", Text: "x"}})
	c, err := d.store.objects.Commit(done.Commit)
	require.NoError(t, err)
	require.NotContains(t, string(c.Raw), "goal_id")
	breach := d.breachOf(d.forged(strings.Replace(string(c.Raw), "act: note\n", "act: note\ngoal_id: goal-1\n", 1)))
	require.ErrorContains(t, breach, `the key "goal_id" exists since version 2, not in 1`)
	gittest.Git(t, d.dir, "update-ref", layout.State, string(good))
	for path, key := range map[string]string{"tasks/01/task-1.yaml": "role: coder\n", "goals/goal-1.yaml": "tasks_added: 1\n"} {
		files, err := d.store.Files(good)
		require.NoError(t, err)
		tree := d.edited(good, map[string]string{path: files[path] + key})
		breach := d.breachOf(d.forged(strings.Replace(string(c.Raw), headerValue(c.Raw, "tree "), string(tree), 1)))
		require.ErrorContains(t, breach, "its tree is not what its move makes")
		b, _, err := d.open().Board(context.Background())
		require.NoError(t, err)
		b.Task("task-1")
		b.Goal("goal-1")
		name, _, _ := strings.Cut(key, ":")
		require.ErrorContains(t, b.Err(), `the key "`+name+`" exists since version 2, not in 1`)
	}
	gittest.Git(t, d.dir, "update-ref", layout.State, string(done.Commit))
	_, last, err := d.open().Audit.Fsck(context.Background(), true)
	require.NoError(t, err)
	require.Nil(t, last)
}

// breachOf is what a full fsck says of a state commit.
func (d *desk) breachOf(id git.ID) error {
	d.t.Helper()
	gittest.Git(d.t, d.dir, "update-ref", layout.State, string(id))
	_, breach, err := d.open().Audit.Fsck(context.Background(), true)
	require.NoError(d.t, err)
	require.NotNil(d.t, breach)
	require.Equal(d.t, id, breach.Commit)
	return breach
}
