package flow

import (
	"fmt"
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
		b := empty.next(empty.at)
		globs := []string{"a/**", "a/b", "*", "c/"}
		n := rapid.IntRange(1, 12).Draw(r, "tasks")
		for i := range n {
			id := TaskID(fmt.Sprintf("t%d", i))
			task := &Task{ID: id, Status: rapid.SampledFrom([]Status{Unclaimed, Unclaimed, Claimed, Rejected, Merged, Blocked}).Draw(r, "status"),
				Priority: rapid.IntRange(1, 5).Draw(r, "priority"), Created: empty.at}
			for range rapid.IntRange(0, 2).Draw(r, "owns") {
				task.Owns = append(task.Owns, rapid.SampledFrom(globs).Draw(r, "glob"))
			}
			if i > 0 && rapid.Bool().Draw(r, "depends") {
				task.DependsOn = []TaskID{TaskID(fmt.Sprintf("t%d", rapid.IntRange(0, i-1).Draw(r, "on")))}
			}
			switch task.Status {
			case Claimed:
				lease := time.Duration(rapid.IntRange(-1, 1).Draw(r, "lease")) * time.Hour
				task.Claim = &Claim{By: Actor("coder-" + fmt.Sprint(i+10)), Lease: empty.at.Add(lease), From: Unclaimed}
			case Blocked:
				task.Block = &Block{Reason: "r", Questions: []string{"q"}, Limit: LimitNoVerdicts}
			}
			b = b.with(task)
		}
		want := TaskID("")
		for _, s := range b.choice().candidates(ActClaim, "coder-1", b.at) {
			if b.Opens(ActClaim, s.ID, Caller{By: "coder-1"}, b.at) == nil {
				want = s.ID
				break
			}
		}
		got, refusal := b.Best(ActClaim, Caller{By: "coder-1"}, b.at, nil)
		require.Equal(t, want, got, "%v", refusal)
		require.Equal(t, want == "", refusal != nil)
	})
}
