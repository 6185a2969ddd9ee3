package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// A judgement about two texts does not become one about newer texts because its move
// lost a race.
func TestSameMeaningIsJudgedOnce(t *testing.T) {
	t.Parallel()
	c := new(specChangeCommand)
	doc := &board.TrackedPath{Path: "specs/vision.md", Was: "1111", Blob: "2222"}
	require.NoError(t, c.judged(doc, false))
	require.Equal(t, []board.ObjectID{"1111", "2222"}, []board.ObjectID{c.Old, c.New})
	require.NoError(t, c.judged(doc, true))
	var refusal *flow.Refusal
	require.ErrorAs(t, c.judged(&board.TrackedPath{Path: "specs/vision.md", Was: "2222", Blob: "3333"}, true), &refusal)
	require.Equal(t, flow.RuleTip, refusal.Rule)
	require.Equal(t, "git liza artifact show specs/vision.md", refusal.Hint)
}
