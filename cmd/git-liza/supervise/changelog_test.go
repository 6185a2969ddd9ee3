package supervise_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
)

// When a sprint ends in which a spec changed, a planner's supervisor adds the task that
// enters it into the changelog, once; other supervisors do not, and a sprint without a
// change leaves none.
func TestRushAddsChangelogTask(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.liza("spec-change", "specs/vision.md", "--change", "Say more")
	r, err := w.rush(coder(w.agent("submit")), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.Len(t, w.moves(flow.ActSprintClose), 1)
	require.Nil(t, w.board().Task("changelog-sprint-1"), "coders and reviewers add no tasks")

	for range 2 {
		r, _ = w.rush(planner(w.agent("submit"))) // nobody is there to do the task
		require.NotNil(t, w.board().Task("changelog-sprint-1"), r.said())
	}
	require.Regexp(t, `(?m)^changelog-sprint-1 `, w.liza("list"))
	require.Len(t, w.moves(flow.ActAdd), 2, "the task of the sprint, and this one")

	w.liza("abandon", "changelog-sprint-1", "--reason", "by hand")
	w.tasks(1)
	r, err = w.rush(planner(w.agent("submit")), coder(w.agent("submit")), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.Len(t, w.moves(flow.ActSprintClose), 2)
	require.Nil(t, w.board().Task("changelog-sprint-2"), "no spec changed in it")
	require.Len(t, w.moves(flow.ActAdd), 3)
}
