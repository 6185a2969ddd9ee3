package flow

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/git-liza/git-liza/flow/board"
)

// Best passes over tasks without reading them where a claim is sure to be
// refused; the task that it finds is the first that a claim opens.
func TestBestIsTheFirstThatOpens(t *testing.T) {
	t.Parallel()
	empty := staged(t, "").board
	rapid.Check(t, func(r *rapid.T) {
		b := empty.Fork(empty.At())
		globs := []string{"a/**", "a/b", "*", "c/"}
		n := rapid.IntRange(1, 12).Draw(r, "tasks")
		for i := range n {
			id := board.TaskID(fmt.Sprintf("t%d", i))
			task := &board.Task{ID: id, Status: rapid.SampledFrom([]board.Status{board.Unclaimed, board.Unclaimed, board.Claimed, board.Rejected, board.Merged, board.Blocked}).Draw(r, "status"),
				Priority: rapid.IntRange(1, 5).Draw(r, "priority"), Created: empty.At()}
			for range rapid.IntRange(0, 2).Draw(r, "owns") {
				task.Owns = append(task.Owns, rapid.SampledFrom(globs).Draw(r, "glob"))
			}
			if i > 0 && rapid.Bool().Draw(r, "depends") {
				task.DependsOn = []board.TaskID{board.TaskID(fmt.Sprintf("t%d", rapid.IntRange(0, i-1).Draw(r, "on")))}
			}
			switch task.Status {
			case board.Claimed:
				lease := time.Duration(rapid.IntRange(-1, 1).Draw(r, "lease")) * time.Hour
				task.Claim = &board.Claim{By: board.Actor("coder-" + fmt.Sprint(i+10)), Lease: empty.At().Add(lease), From: board.Unclaimed}
			case board.Blocked:
				task.Block = &board.Block{Reason: "r", Questions: []string{"q"}, Limit: board.LimitNoVerdicts}
			}
			b = board.WithTasks(b, task)
		}
		want := board.TaskID("")
		sorted := candidatesFor(b, board.ActClaim, Caller{By: "coder-1"}, b.At())
		slices.SortFunc(sorted, func(x, y candidate) int {
			return cmp.Or(slices.Compare(x.rank[:], y.rank[:]), x.Created.Compare(y.Created), board.CompareIDs(x.ID, y.ID))
		})
		for _, s := range sorted {
			if Opens(b, board.ActClaim, s.ID, Caller{By: "coder-1"}, b.At()) == nil {
				want = s.ID
				break
			}
		}
		got, refusal := Best(b, board.ActClaim, Caller{By: "coder-1"}, b.At(), nil)
		require.Equal(t, want, got, "%v", refusal)
		require.Equal(t, want == "", refusal != nil)
	})
}

// Agents of a role get the tasks that are for it: those that it does, and those
// that miss its verdict.
func TestBestIsOfTheRole(t *testing.T) {
	t.Parallel()
	s := staged(t, `human:ann role baker does | human:ann add bread role=baker priority=1 | human:ann add code
		coder-1 claim code | coder-1 intent code | coder-1 submit code c1 | human:ann add more reviewby=security-reviewer | coder-1 claim more
		coder-1 intent more | coder-1 submit more c2 | human:ann add last priority=5`)
	best := func(act board.Act, by board.Actor) board.TaskID {
		id, _ := Best(s.board, act, Caller{By: by}, s.now, nil)
		return id
	}
	require.Equal(t, board.TaskID("bread"), best(board.ActClaim, "baker-1"))
	require.Equal(t, board.TaskID("last"), best(board.ActClaim, "coder-1"))
	require.Equal(t, board.TaskID("bread"), best(board.ActClaim, "human:ann"))
	require.Equal(t, board.TaskID("code"), best(board.ActReview, "code-reviewer-1"))
	require.Equal(t, board.TaskID("more"), best(board.ActReview, "security-reviewer-1"))
	require.Empty(t, best(board.ActReview, "docs-reviewer-1"))
	_, r := Best(s.board, board.ActClaim, Caller{By: "planner-1"}, s.now, nil)
	require.Equal(t, RuleRole, r.Rule)

	takers := func(act board.Act, id board.TaskID) []board.Role {
		summary := s.board.Task(id).Summary()
		return Takers(&summary, act, s.now)
	}
	require.Equal(t, []board.Role{"baker"}, takers(board.ActClaim, "bread"))
	require.Equal(t, []board.Role{board.CodeReviewer, "security-reviewer"}, takers(board.ActReview, "more"))
	require.Nil(t, takers(board.ActMerge, "more"))
	require.Nil(t, s.play(s.by("code-reviewer-1", board.ActReview, "more", &ReviewMove{Lease: board.Duration(time.Hour)})))
	require.Equal(t, []board.Role{"security-reviewer"}, takers(board.ActReview, "more"))
	require.Equal(t, s.now.Add(time.Hour), s.board.Next(board.CodeReviewer, s.now))
	require.Equal(t, s.now.Add(time.Hour), s.board.Next(board.Coder, s.now), "its verdict may bring work")
	require.Zero(t, s.board.Next("security-reviewer", s.now))
	require.Nil(t, s.play(s.by("human:bob", board.ActApprove, "more", &ApproveMove{Commit: object("c2"), Role: "security-reviewer"})))
	require.Empty(t, best(board.ActReview, "security-reviewer-1"))
	require.Empty(t, takers(board.ActReview, "more"))
	summary := s.board.Task("more").Summary()
	by, lease := summary.Reviewing(s.now)
	require.Equal(t, board.Actor("code-reviewer-1"), by)
	require.Equal(t, s.now.Add(time.Hour), lease)
	require.Equal(t, []board.Judge{{Role: board.CodeReviewer, By: by, Lease: lease}, {Role: "security-reviewer", Done: true}}, summary.Judges)
	require.True(t, summary.IsReviewedBy(by))
	require.False(t, summary.IsReviewedBy(""))
}

// TestBestHasTheLongestPathBehind: of tasks with one priority that one is taken first for
// which most work waits; without estimates a task counts a quarter of an hour.
func TestBestHasTheLongestPathBehind(t *testing.T) {
	t.Parallel()
	const steps = "human:ann add task-1 task-2 | human:ann add task-3<task-2 | human:ann add task-4 estimate=20m"
	for _, c := range []struct {
		more string
		want board.TaskID
	}{
		{"", "task-2"},
		{"| human:ann add task-5 estimate=31m", "task-5"},
		{"| human:ann add task-5 priority=1", "task-5"},
		{"| human:ann abandon task-3", "task-4"},
	} {
		s := after(t, steps+c.more)
		got, refusal := Best(s.board, board.ActClaim, Caller{By: "coder-1"}, s.now, nil)
		require.Nil(t, refusal)
		require.Equal(t, c.want, got, c.more)
	}
}
