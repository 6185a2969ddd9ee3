package main

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/ui/web"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// A form whose move ran out of time says what to type instead.
func TestLateForms(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	late, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	for want, d := range map[string]web.Deed{
		"git liza answer sprint-1/1 TEXT":         {Act: board.ActAnswer, Subject: "sprint-1/1", Text: "80"},
		"git liza approve task-1 --commit 0123":   {Act: board.ActApprove, Subject: "task-1", Commit: "0123"},
		"git liza reject task-1 --commit 0123 -e": {Act: board.ActReject, Subject: "task-1", Commit: "0123", Text: "a.go:1: no"},
		"git liza note TEXT --for coder-1":        {Act: board.ActNote, Subject: "coder-1", Text: "hello"},
		"git liza pause --reason R":               {Act: board.ActPause, Text: "lunch"},
	} {
		_, refused := webActor{&invocation{environ: p.env, now: time.Now, dir: p.repo}}.act(late, d)
		require.NotNil(t, refused)
		require.Equal(t, flow.RuleTimeLimit, refused.Rule)
		require.Equal(t, want, refused.Hint)
	}
}
