package plan

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/glob"
)

// Each factor of random plans and histories, against a slow count.
func TestRisks(t *testing.T) {
	t.Parallel()
	name := rapid.SampledFrom([]string{"a.go", "b.go", "doc/a.md", "doc/b.md", "doc/", "doc/*.md", "*.go", "**", `x\*`})
	rapid.Check(t, func(t *rapid.T) {
		p := randomPlan(false).Draw(t, "plan")
		for i := range p.Tasks {
			one := &p.Tasks[i]
			one.Owns = rapid.SliceOfN(name, 0, 8).Draw(t, "owns")
			one.Verify = rapid.SampledFrom([]string{"", "make"}).Draw(t, "verify")
			one.Kind = rapid.SampledFrom([]board.Kind{0, board.Code, board.Docs, board.Spec}).Draw(t, "kind")
			one.Estimate = board.Duration(time.Duration(rapid.IntRange(0, 15).Draw(t, "quarters")) * 15 * time.Minute)
		}
		records := make([]Record, rapid.IntRange(0, 5).Draw(t, "records"))
		for i := range records {
			few := rapid.IntRange(0, 2)
			records[i] = Record{rapid.SliceOfN(name, 1, 3).Draw(t, "paths"), few.Draw(t, "rejections"), few.Draw(t, "failures"), few.Draw(t, "reverts")}
		}
		g, _ := Link(p, nil)
		var depth func(i int) int
		depth = func(i int) int {
			most := 0
			for _, need := range g.needs[i] {
				most = max(most, depth(need)+1)
			}
			return most
		}
		last, seen := 1<<30, map[int]bool{}
		for _, r := range g.Risks(records) {
			one := &p.Tasks[r.Task]
			different := map[string]bool{}
			for _, own := range one.Owns {
				different[own] = true
			}
			require.Equal(t, min(len(different)/2, 5), r.Files)
			require.Equal(t, min(depth(r.Task), 5), r.Depth)
			require.Equal(t, one.Verify == "" && one.Kind != board.Docs && one.Kind != board.Spec, r.Verify == 3)
			halves := 0
			for halves < 5 && time.Duration(one.Estimate) > time.Duration(halves+1)*30*time.Minute {
				halves++
			}
			if one.Estimate == 0 {
				halves = 1
			}
			require.Equal(t, halves, r.Estimate)
			points := 0
			for _, record := range records {
				touched := false
				for _, own := range one.Owns {
					for _, path := range record.Paths {
						touched = touched || glob.Overlap(own, path)
					}
				}
				if touched {
					points += record.Rejections + record.Failures + 2*record.Reverts
				}
			}
			require.Equal(t, min(points, 5), r.History)
			require.LessOrEqual(t, r.Sum(), last)
			last, seen[r.Task] = r.Sum(), true
		}
		require.Len(t, seen, len(p.Tasks))
	})
}
