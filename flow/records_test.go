package flow

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// TestRecordsHoldWhatWasSaid looks at the documents that records leave.
func TestRecordsHoldWhatWasSaid(t *testing.T) {
	t.Parallel()
	s := staged(t, `human:ann add a | +1m coder-1 anomaly workaround about=a cause=x | coder-1 discover text=leak severity=high during=a
		human:ann note for=coder text=mind | coder-1 spec_change cause=a change=clearer | planner-1 align text=close | human:ann retro sprint-1 text=well
		human:ann degrade coder-1 reason=quota | human:ann trip | human:ann stop reason=lunch`)
	at := dawn.Add(time.Minute)
	require.Equal(t, &board.Anomaly{ID: "sprint-1/1", Type: board.Workaround, Task: "a", Details: map[string]string{"cause": "x"}, By: "coder-1", At: at},
		s.board.Load(board.Key{Folder: board.Anomalies, ID: "sprint-1/1"}))
	require.Equal(t, &board.Discovery{ID: "sprint-1/2", Text: "leak", Severity: "high", Urgency: "deferred", During: "a", By: "coder-1", At: at},
		s.board.Load(board.Key{Folder: board.Discovered, ID: "sprint-1/2"}))
	require.Equal(t, &board.Note{ID: "sprint-1/3", For: "coder", Text: "mind", By: "human:ann", At: at}, s.board.Load(board.Key{Folder: board.Notes, ID: "sprint-1/3"}))
	goal := s.board.Goal("goal-1")
	require.Equal(t, []board.Alignment{{Text: "close", By: "planner-1", At: at}}, goal.Alignment)
	require.Equal(t, []board.Change{{Spec: vision, Change: "clearer", Task: "a", By: "coder-1", At: at}}, goal.Changes)
	require.Equal(t, "well", s.board.Sprint("sprint-1").Retro)
	require.Equal(t, board.ControlState{State: board.Stopped, Before: board.Checkpoint, Reason: "lunch", By: "human:ann", At: at, Mark: "checkpoint-1"}, s.board.Settings().Control)
	require.Equal(t, board.Breaker{Tripped: true, Pattern: "retry_cluster", Severity: "ARCHITECTURE_FLAW", By: "human:ann", At: at,
		Patterns: []string{"retry_cluster"}, Records: []board.RecordID{"sprint-1/1"}, Artifacts: []string{vision}}, s.board.Breaker())
}

// A full history lets its oldest line go; the log has it.
func TestHistoriesAreBounded(t *testing.T) {
	t.Parallel()
	s := opened(t)
	for i := range board.MaxList + 2 {
		require.Empty(t, s.step(fmt.Sprintf("planner-1 align text=%d", i), new(record)))
	}
	lines := s.board.Goal("goal-1").Alignment
	require.Len(t, lines, board.MaxList)
	require.Equal(t, "2", lines[0].Text)
	require.Equal(t, fmt.Sprint(board.MaxList+1), lines[board.MaxList-1].Text)
}

// The reason of the last failure may be cut, but never within a character.
func TestExhaustionIsRecorded(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a limits=failures:1 | coder-1 claim a")
	reason := "x" + fmt.Sprintf("%040d", 0) + "ééééééééééééééééééééééééééé"
	m := s.by("coder-1", board.ActBlock, "a", &BlockMove{Reason: reason, Questions: []string{"why?"}})
	require.Nil(t, s.play(m))
	a := s.board.Load(board.Key{Folder: board.Anomalies, ID: "sprint-1/2"}).(*board.Anomaly)
	require.Equal(t, board.HypothesisExhaustion, a.Type)
	require.Equal(t, "1", a.Details["failures"])
	require.Equal(t, board.Clean(a.Details["last_reason"]), a.Details["last_reason"])
	require.Contains(t, a.Details["last_reason"], "é…")
}

// TestGoalsFollowEachOther: what the board says of its goals.
func TestGoalsFollowEachOther(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann complete reason=shipped | +1m human:ann goal goal-2 title=More | human:ann add a")
	first := s.board.Goal("goal-1")
	require.Equal(t, board.Completed, first.Status)
	require.Equal(t, "shipped", first.Reason)
	require.Equal(t, dawn, first.Ended)
	require.Equal(t, &board.Goal{ID: "goal-2", Title: "More", Spec: vision, Status: board.InProgress, Created: s.now, CreatedBy: "human:ann",
		Priority: 3, Sprint: "sprint-2", Added: 1}, s.board.Goal("goal-2"))
	require.Equal(t, board.GoalID("goal-2"), s.board.Task("a").Goal)
	require.Equal(t, 3, s.board.Settings().Next.Goal)
}
