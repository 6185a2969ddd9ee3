package flow

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// after is a scene in which these steps have happened.
func after(t *testing.T, steps ...string) *scene {
	t.Helper()
	s := opened(t)
	for _, line := range steps {
		for step := range strings.SplitSeq(line, "|") {
			require.Empty(t, s.step(strings.TrimSpace(step), &record{}), step)
		}
	}
	return s
}

// merging are the steps that bring a task to integration.
func merging(id string) string {
	return strings.ReplaceAll("coder-1 claim ID | coder-1 intent ID | coder-1 submit ID c-ID | code-reviewer-1 review ID | code-reviewer-1 approve ID | coder-1 merge ID", "ID", id)
}

// TestDueMovesOfGoals: a caller that works for one goal is told of no other's moves, and
// a deadline of any open sprint is the next one.
func TestDueMovesOfGoals(t *testing.T) {
	t.Parallel()
	s := after(t, "human:ann goal goal-2 priority=1", "human:ann add b in=goal-2 | human:ann add a in=goal-1 | human:ann add late in=goal-1 | human:ann abandon b | human:ann abandon a")
	require.Len(t, DueMoves(s.board, s.now), 1)
	require.Equal(t, board.GoalID("goal-2"), DueMoves(s.board, s.now)[0].Goal)
	require.Empty(t, DueMoves(s.board, s.now, "goal-1"))
	require.Equal(t, DueMoves(s.board, s.now), DueMoves(s.board, s.now.Add(-24*time.Hour)))
	require.True(t, board.NextDeadline(s.board, s.now).IsZero())
	for _, step := range []string{"human:ann sprint_close in=goal-1", "human:ann sprint_start in=goal-1 deadline=2h", "human:ann sprint_close in=goal-2", "human:ann sprint_start in=goal-2 deadline=1h"} {
		require.Empty(t, s.step(step, &record{}))
	}
	require.Equal(t, s.now.Add(time.Hour), board.NextDeadline(s.board, s.now))
	require.Equal(t, s.now.Add(2*time.Hour), board.NextDeadline(s.board, s.now.Add(time.Hour)))
	require.True(t, board.NextDeadline(s.board, s.now.Add(2*time.Hour)).IsZero())
}

// TestFiguresOfASprint: what it planned counts, and not what is there if time is left.
func TestFiguresOfASprint(t *testing.T) {
	t.Parallel()
	s := after(t, "human:ann add a b c | human:ann add d +stretch | human:ann abandon a | human:ann archive a | human:ann abandon b")
	planned, final := board.PlannedTasks(s.board, s.board.Sprint("sprint-1"))
	require.Equal(t, [2]int{3, 2}, [2]int{planned, final})
	first, open := planDone(s.board, "sprint-1")
	require.Equal(t, 3, first)
	require.Equal(t, board.TaskID("c"), open.ID)
	require.Empty(t, s.step("human:ann sprint_close", &record{}))
	planned, final = board.PlannedTasks(s.board, s.board.Sprint("sprint-1"))
	require.Equal(t, [2]int{3, 2}, [2]int{planned, final}, "what was carried on was planned")
	for _, step := range []string{"human:ann abandon c", "human:ann archive b c"} {
		require.Empty(t, s.step(step, &record{}))
	}
	planned, final = board.PlannedTasks(s.board, s.board.Sprint("sprint-1"))
	require.Equal(t, [2]int{3, 2}, [2]int{planned, final}, "in the archive too")
}

// TestOutstanding: what holds up the work that needs a reverted task are the open tasks
// among its successors, and among what replaces those.
func TestOutstanding(t *testing.T) {
	t.Parallel()
	s := after(t, "human:ann add a | "+merging("a"), "human:ann adopt x1 reverts=a")
	require.Empty(t, board.Outstanding(s.board, s.board.Task("a")))
	require.False(t, board.Stands(s.board, s.board.Task("a")))
	for _, step := range []string{"human:ann add b reopens=a", "human:ann add c reopens=a", "human:ann abandon c", "human:ann supersede b d e", "human:ann abandon e"} {
		require.Empty(t, s.step(step, &record{}))
	}
	require.Equal(t, []board.TaskID{"d"}, board.Outstanding(s.board, s.board.Task("a")))
	for step := range strings.SplitSeq(merging("d"), " | ") {
		require.Empty(t, s.step(step, &record{}))
	}
	require.Empty(t, board.Outstanding(s.board, s.board.Task("a")))
	require.True(t, board.Stands(s.board, s.board.Task("a")))
}

// TestBestOfHeldTasks: an agent for which a decision holds all work back is told so, with
// what ends that.
func TestBestOfHeldTasks(t *testing.T) {
	t.Parallel()
	s := after(t, "human:ann add a | human:ann checkpoint | human:ann decide REPLAN message=think")
	_, refusal := Best(s.board, board.ActClaim, Caller{By: "coder-1"}, s.now, nil)
	require.NotNil(t, refusal)
	require.Equal(t, RuleNothing, refusal.Rule)
	require.Contains(t, refusal.Reason, "held back")
	require.Equal(t, "git liza checkpoint lift --goal goal-1 --reason R", refusal.Hint)
	require.Empty(t, s.step("human:ann lift in=goal-1", &record{}))
	id, refusal := Best(s.board, board.ActClaim, Caller{By: "coder-1"}, s.now, nil)
	require.Nil(t, refusal)
	require.Equal(t, board.TaskID("a"), id)
}

// TestTripAtACheckpoint: what was decided there is decided anew, and about the same
// checkpoint.
func TestTripAtACheckpoint(t *testing.T) {
	t.Parallel()
	s := after(t, "coder-1 anomaly workaround | human:ann checkpoint | human:ann decide ADJUST_CONTRACTS message=later | coder-1 trip")
	c := s.board.Settings().Control
	require.Equal(t, [4]string{"checkpoint-1", "", "", board.Checkpoint.String()}, [4]string{c.Mark, c.Decision, c.Message, c.State.String()})
	require.Equal(t, "checkpoint-1", s.board.Settings().Checked.Mark)
}

// TestDeadlineOfAClockBehind: a clock that is behind the board's does not put a deadline
// off that is over on the board.
func TestDeadlineOfAClockBehind(t *testing.T) {
	t.Parallel()
	s := after(t, "human:ann sprint_close | human:ann sprint_start deadline=1h | +1h human:ann note")
	require.Equal(t, board.CauseDeadline, DueMoves(s.board, s.now.Add(-2*time.Hour))[0].Detail.(*CheckpointMove).Cause)
}

// TestMarksAreBounded: each mark is a ref for ever.
func TestMarksAreBounded(t *testing.T) {
	t.Parallel()
	s := opened(t)
	var list []board.Edit
	for n := range maxMarks {
		name := fmt.Sprintf("m%d", n)
		list = append(list, board.Edit{Key: board.Key{Folder: board.MarkDocs, ID: name}, Document: &board.Mark{Name: name, By: "human:ann", At: s.now}})
	}
	s.docs = s.docs.With(list)
	s.board = board.Open(s.docs, s.now)
	require.Empty(t, s.step("human:ann mark one-more -> refused limit", &record{}))
}

// TestHeldTasks: what a decision holds back is what nobody had begun by then, of its goal.
func TestHeldTasks(t *testing.T) {
	t.Parallel()
	s := after(t, "human:ann goal goal-2 | human:ann add a b c in=goal-1 | human:ann add z in=goal-2 | human:ann abandon c | coder-1 claim b",
		"human:ann checkpoint | human:ann decide REPLAN in=goal-1 | +1m human:ann add d in=goal-1")
	require.Equal(t, []board.TaskID{"a"}, board.HeldTasks(s.board, "goal-1"))
	require.Empty(t, board.HeldTasks(s.board, "goal-2"))
	require.Empty(t, board.HeldTasks(s.board, "goal-9"))
	require.Empty(t, s.step("coder-1 release b", &record{}))
	require.Equal(t, []board.TaskID{"a", "b"}, board.HeldTasks(s.board, "goal-1"))
}

// TestIntentOfAQuestion: who continues after an answer says anew what it will do.
func TestIntentOfAQuestion(t *testing.T) {
	t.Parallel()
	s := after(t, "human:ann add a | coder-1 claim a | coder-1 intent a | coder-1 block a reason=-")
	require.Nil(t, s.board.Task("a").Intent)
}

// A board with too many final tasks asks for a move that archives those of one goal that have
// been final for long, as long as it has too many.
func TestDueArchiving(t *testing.T) {
	t.Parallel()
	s := opened(t)
	old := s.now
	final := func(from, n int) {
		for i := from; i < from+n; i++ {
			id := board.TaskID(fmt.Sprintf("t%d", i))
			s.docs = s.docs.With([]board.Edit{{Key: board.Key{Folder: board.Tasks, ID: string(id)}, Document: &board.Task{ID: id, Goal: "goal-1", Status: board.Abandoned, Created: old, Changed: old}}})
		}
		s.board = board.Open(s.docs, s.now)
	}
	archives := func(at time.Time) (list []Move) {
		return slices.DeleteFunc(DueMoves(s.board, at), func(m Move) bool { return m.Act != board.ActArchive })
	}
	final(0, keptTasks)
	require.Empty(t, archives(old.Add(2*keptFor)), "so many are kept")
	final(keptTasks, 1)
	require.Empty(t, archives(old.Add(keptFor-time.Second)), "none is old enough")
	list := archives(old.Add(keptFor))
	require.Len(t, list, 1)
	require.Equal(t, board.GoalID("goal-1"), list[0].Goal)
	require.Len(t, list[0].Detail.(*ArchiveMove).Tasks, keptTasks+1)
}
