package web

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// A form is good once, for an hour, and while it is among the thousand newest.
func TestForms(t *testing.T) {
	t.Parallel()
	var f forms
	at := time.Date(2026, 1, 17, 14, 0, 0, 0, time.UTC)
	asked := Form{Act: board.ActAnswer, Subject: "sprint-1/1"}
	token := f.add(asked, at)
	require.Len(t, token, 32)
	b, known := f.use(token, at.Add(time.Hour-time.Second))
	require.True(t, known)
	require.True(t, b.isFor(asked))
	require.False(t, b.isFor(Form{Act: board.ActAnswer, Subject: "sprint-1/2"}))
	require.False(t, b.isFor(Form{Act: board.ActAnswer, Subject: "sprint-1/1", Commit: "c"}))
	_, known = f.use(token, at)
	require.False(t, known, "it was used")

	token = f.add(asked, at)
	_, known = f.use(token, at.Add(time.Hour))
	require.False(t, known, "an hour is over")

	first, second := f.add(asked, at), f.add(asked, at)
	for range mostForms - 1 {
		require.NotEqual(t, first, f.add(asked, at))
	}
	_, known = f.use(first, at)
	require.False(t, known, "a thousand are newer")
	_, known = f.use(second, at)
	require.True(t, known)
	require.LessOrEqual(t, len(f.live), mostForms)
	require.LessOrEqual(t, len(f.made), mostForms)
}

// An address opens the pages once, and the hundred newest are remembered.
func TestOpenings(t *testing.T) {
	t.Parallel()
	var o openings
	token := o.add()
	require.Len(t, token, 64)
	known, opens := o.use(token)
	require.True(t, known && opens)
	known, opens = o.use(token)
	require.True(t, known)
	require.False(t, opens)
	known, _ = o.use(token[:63])
	require.False(t, known)
	for range mostOpenings {
		o.add()
	}
	known, _ = o.use(token)
	require.False(t, known, "a hundred are newer")
}
