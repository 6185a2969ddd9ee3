package flow

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
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
			id := TaskID(fmt.Sprintf("t%d", i))
			task := &Task{ID: id, Status: rapid.SampledFrom([]Status{Unclaimed, Unclaimed, Claimed, Rejected, Merged, Blocked}).Draw(r, "status"),
				Priority: rapid.IntRange(1, 5).Draw(r, "priority"), Created: empty.At()}
			for range rapid.IntRange(0, 2).Draw(r, "owns") {
				task.Owns = append(task.Owns, rapid.SampledFrom(globs).Draw(r, "glob"))
			}
			if i > 0 && rapid.Bool().Draw(r, "depends") {
				task.DependsOn = []TaskID{TaskID(fmt.Sprintf("t%d", rapid.IntRange(0, i-1).Draw(r, "on")))}
			}
			switch task.Status {
			case Claimed:
				lease := time.Duration(rapid.IntRange(-1, 1).Draw(r, "lease")) * time.Hour
				task.Claim = &Claim{By: Actor("coder-" + fmt.Sprint(i+10)), Lease: empty.At().Add(lease), From: Unclaimed}
			case Blocked:
				task.Block = &Block{Reason: "r", Questions: []string{"q"}, Limit: LimitNoVerdicts}
			}
			b = withTasks(b, task)
		}
		want := TaskID("")
		sorted := candidatesFor(b, ActClaim, Caller{By: "coder-1"}, b.At())
		slices.SortFunc(sorted, func(x, y candidate) int {
			return cmp.Or(slices.Compare(x.rank[:], y.rank[:]), x.Created.Compare(y.Created), compareIDs(x.ID, y.ID))
		})
		for _, s := range sorted {
			if b.Opens(ActClaim, s.ID, Caller{By: "coder-1"}, b.At()) == nil {
				want = s.ID
				break
			}
		}
		got, refusal := b.Best(ActClaim, Caller{By: "coder-1"}, b.At(), nil)
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
	best := func(act Act, by Actor) TaskID {
		id, _ := s.board.Best(act, Caller{By: by}, s.now, nil)
		return id
	}
	require.Equal(t, TaskID("bread"), best(ActClaim, "baker-1"))
	require.Equal(t, TaskID("last"), best(ActClaim, "coder-1"))
	require.Equal(t, TaskID("bread"), best(ActClaim, "human:ann"))
	require.Equal(t, TaskID("code"), best(ActReview, "code-reviewer-1"))
	require.Equal(t, TaskID("more"), best(ActReview, "security-reviewer-1"))
	require.Empty(t, best(ActReview, "docs-reviewer-1"))
	_, r := s.board.Best(ActClaim, Caller{By: "planner-1"}, s.now, nil)
	require.Equal(t, RuleRole, r.Rule)

	takers := func(act Act, id TaskID) []Role {
		summary := s.board.Task(id).Summary()
		return summary.Takers(act, s.now)
	}
	require.Equal(t, []Role{"baker"}, takers(ActClaim, "bread"))
	require.Equal(t, []Role{CodeReviewer, "security-reviewer"}, takers(ActReview, "more"))
	require.Nil(t, takers(ActMerge, "more"))
	require.Nil(t, s.play(s.by("code-reviewer-1", ActReview, "more", &ReviewMove{Lease: Duration(time.Hour)})))
	require.Equal(t, []Role{"security-reviewer"}, takers(ActReview, "more"))
	require.Equal(t, s.now.Add(time.Hour), s.board.Next(CodeReviewer, s.now))
	require.Equal(t, s.now.Add(time.Hour), s.board.Next(Coder, s.now), "its verdict may bring work")
	require.Zero(t, s.board.Next("security-reviewer", s.now))
	require.Nil(t, s.play(s.by("human:bob", ActApprove, "more", &ApproveMove{Commit: object("c2"), Role: "security-reviewer"})))
	require.Empty(t, best(ActReview, "security-reviewer-1"))
	require.Empty(t, takers(ActReview, "more"))
	summary := s.board.Task("more").Summary()
	by, lease := summary.Reviewing(s.now)
	require.Equal(t, Actor("code-reviewer-1"), by)
	require.Equal(t, s.now.Add(time.Hour), lease)
	require.Equal(t, []Judge{{Role: CodeReviewer, By: by, Lease: lease}, {Role: "security-reviewer", Done: true}}, summary.Judges)
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
		want TaskID
	}{
		{"", "task-2"},
		{"| human:ann add task-5 estimate=31m", "task-5"},
		{"| human:ann add task-5 priority=1", "task-5"},
		{"| human:ann abandon task-3", "task-4"},
	} {
		s := after(t, steps+c.more)
		got, refusal := s.board.Best(ActClaim, Caller{By: "coder-1"}, s.now, nil)
		require.Nil(t, refusal)
		require.Equal(t, c.want, got, c.more)
	}
}
