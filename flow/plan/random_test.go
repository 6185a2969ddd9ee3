package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/glob"
)

// randomPlan draws a few tasks that need any others, or only earlier ones.
func randomPlan(cyclic bool) *rapid.Generator[*Plan] {
	return rapid.Custom(func(t *rapid.T) *Plan {
		p := &Plan{Tasks: make([]Task, rapid.IntRange(1, 8).Draw(t, "tasks"))}
		for i := range p.Tasks {
			one := &p.Tasks[i]
			one.ID = board.TaskID("t" + strconv.Itoa(i))
			one.Estimate = board.Duration(time.Duration(rapid.IntRange(1, 5).Draw(t, "seconds")) * time.Second)
			one.Priority = rapid.IntRange(0, 5).Draw(t, "priority")
			for j := range p.Tasks {
				if (cyclic || j < i) && rapid.IntRange(0, 3).Draw(t, "needs") == 0 {
					one.DependsOn = append(one.DependsOn, board.TaskID("t"+strconv.Itoa(j)))
				}
			}
		}
		// The order of the file says nothing about the order of work.
		p.Tasks = rapid.Permutation(p.Tasks).Draw(t, "order")
		return p
	})
}

// reached says for each task which others it needs, directly or not, by Warshall.
func reached(p *Plan) [][]bool {
	place := map[board.TaskID]int{}
	for i := range p.Tasks {
		place[p.Tasks[i].ID] = i
	}
	r := make([][]bool, len(p.Tasks))
	for i := range r {
		r[i] = make([]bool, len(p.Tasks))
		for _, id := range p.Tasks[i].DependsOn {
			r[i][place[id]] = true
		}
	}
	for k := range r {
		for i := range r {
			for j := range r {
				r[i][j] = r[i][j] || r[i][k] && r[k][j]
			}
		}
	}
	return r
}

// Every group of tasks that need each other is told, once, by a cycle that is one.
func TestCycles(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := randomPlan(true).Draw(t, "plan")
		r := reached(p)
		g, faults := Link(p, nil)
		told := map[board.TaskID]bool{}
		for _, f := range faults {
			require.Equal(t, Cycle, f.Code)
			path := strings.Split(strings.TrimPrefix(f.Reason, "a cycle of needs: "), " → ")
			require.Equal(t, path[0], path[len(path)-1])
			for n := range path[1:] {
				from := g.places[board.TaskID(path[n])]
				require.Contains(t, p.Tasks[from].DependsOn, board.TaskID(path[n+1]))
				require.False(t, told[p.Tasks[from].ID], "told twice")
				told[p.Tasks[from].ID] = true
			}
		}
		for i := range p.Tasks {
			group := slices.IndexFunc(p.Tasks, func(other Task) bool {
				j := g.places[other.ID]
				return told[other.ID] && (i == j || r[i][j] && r[j][i])
			})
			require.Equal(t, r[i][i], group >= 0, "%s", p.Tasks[i].ID)
		}
		require.Len(t, g.order, len(p.Tasks))
		for i, needs := range g.needs {
			for _, need := range needs {
				require.Less(t, g.turn[need], g.turn[i])
			}
		}
	})
}

// Levels, the longest chain and the order of two tasks, against all paths.
func TestGraph(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := randomPlan(false).Draw(t, "plan")
		r := reached(p)
		g, faults := Link(p, nil)
		require.Empty(t, faults)
		var level func(i int) int
		var longest func(i int) int64
		level = func(i int) int {
			deepest := 0
			for _, need := range g.needs[i] {
				deepest = max(deepest, level(need))
			}
			return deepest + 1
		}
		longest = func(i int) int64 {
			before := int64(0)
			for _, need := range g.needs[i] {
				before = max(before, longest(need))
			}
			return before + p.Tasks[i].Seconds()
		}
		most := int64(0)
		var pairs []pair
		for i := range p.Tasks {
			require.Equal(t, level(i), g.Level(i))
			most = max(most, longest(i))
			for j := range p.Tasks {
				pairs = append(pairs, pair{i, j})
			}
		}
		chain, seconds := g.Longest()
		require.Equal(t, most, seconds)
		for n, i := range chain {
			seconds -= p.Tasks[i].Seconds()
			for j := range p.Tasks {
				mayBeNext := n == 0 || slices.Contains(g.needs[j], chain[n-1])
				require.True(t, mayBeNext || i != j)
				require.False(t, mayBeNext && j < i && g.rest[j] == g.rest[i], "an earlier task")
			}
		}
		require.Zero(t, seconds)
		for n, ordered := range g.precede(pairs) {
			require.Equal(t, r[pairs[n].then][pairs[n].first], ordered)
		}
	})
}

// More than 64 tasks come first in a question.
func TestManyPairs(t *testing.T) {
	t.Parallel()
	p := &Plan{Tasks: make([]Task, 300)}
	var pairs []pair
	for i := range p.Tasks {
		p.Tasks[i].ID = board.TaskID("t" + strconv.Itoa(i))
		if i >= 2 {
			p.Tasks[i].DependsOn = []board.TaskID{p.Tasks[i-2].ID}
		}
		for _, j := range []int{0, 1, i / 2, i, 298, 299} {
			pairs = append(pairs, pair{i, j})
		}
	}
	g, _ := Link(p, nil)
	for n, ordered := range g.precede(pairs) {
		first, then := pairs[n].first, pairs[n].then
		require.Equal(t, first < then && first%2 == then%2, ordered, pairs[n])
	}
}

// byHand works a plan off as Simulate says, a second at a time.
func byHand(g *Graph, agents int, barrier bool) int64 {
	left := map[int]int64{} // of tasks that agents have
	done := make([]bool, len(g.order))
	mayBegin := func(i int) bool {
		if _, busy := left[i]; busy || done[i] {
			return false
		}
		for j := range done {
			if !done[j] && (slices.Contains(g.needs[i], j) || barrier && g.levels[j] < g.levels[i]) {
				return false
			}
		}
		return true
	}
	better := func(a, b int) bool {
		if p, q := cmp.Or(g.plan.Tasks[a].Priority, 3), cmp.Or(g.plan.Tasks[b].Priority, 3); p != q {
			return p < q
		}
		if g.rest[a] != g.rest[b] {
			return g.rest[a] > g.rest[b]
		}
		return a < b
	}
	for now := int64(0); ; now++ {
		for i := range left {
			if left[i]--; left[i] == 0 {
				delete(left, i)
				done[i] = true
			}
		}
		if !slices.Contains(done, false) {
			return now
		}
		for len(left) < agents {
			best := -1
			for i := range done {
				if mayBegin(i) && (best < 0 || better(i, best)) {
					best = i
				}
			}
			if best < 0 {
				break
			}
			left[best] = g.plan.Tasks[best].Seconds()
		}
	}
}

// A simulation is the one by hand, and keeps to the bounds of Graham (Bounds on
// multiprocessing timing anomalies, 1969).
func TestSimulate(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := randomPlan(false).Draw(t, "plan")
		g, _ := Link(p, nil)
		_, critical := g.Longest()
		n := int64(rapid.IntRange(1, 10).Draw(t, "agents"))
		for _, barrier := range []bool{false, true} {
			r := g.Simulate(int(n), barrier)
			require.Equal(t, byHand(g, int(n), barrier), r.Makespan, "barrier %v", barrier)
			require.Equal(t, n*r.Makespan-g.Work(), r.Idle)
			require.GreaterOrEqual(t, r.Makespan, max(critical, (g.Work()+n-1)/n))
			if !barrier {
				require.LessOrEqual(t, n*r.Makespan, g.Work()+(n-1)*critical)
			}
			require.Equal(t, g.Work(), g.Simulate(1, barrier).Makespan)
		}
		require.Equal(t, critical, g.Simulate(len(p.Tasks), false).Makespan)
	})
}

// A barrier opens also where a plan's levels contradict what its tasks need.
func TestBarrierOfWrongLevels(t *testing.T) {
	t.Parallel()
	p := &Plan{Tasks: make([]Task, 2)}
	p.Tasks[0].Level, p.Tasks[1].Level = 1, 2
	p.Tasks[0].ID, p.Tasks[1].ID, p.Tasks[0].DependsOn = "a", "b", []board.TaskID{"b"}
	g, _ := Link(p, nil)
	require.EqualValues(t, 2*board.UsualEstimate/board.Duration(time.Second), g.Simulate(4, true).Makespan)
}

func TestPaying(t *testing.T) {
	t.Parallel()
	require.Equal(t, 4, Paying([]Run{{1, 400, 0}, {2, 200, 0}, {4, 103, 0}, {8, 100, 0}}))
	require.Equal(t, 2, Paying([]Run{{8, 100, 0}, {2, 100, 0}}))
	require.Equal(t, 3, Paying([]Run{{3, 0, 0}}))
}

// Tasks that write one path are told if and only if neither of two needs the other.
func TestOwners(t *testing.T) {
	t.Parallel()
	paths := []string{"a", "./a", "a/b", "a/b.go", "a/", "a/*", "a/**", "**", "a/[b]", "a/b/", "c"}
	rapid.Check(t, func(t *rapid.T) {
		p := randomPlan(false).Draw(t, "plan")
		for i := range p.Tasks {
			p.Tasks[i].Owns = rapid.SliceOfN(rapid.SampledFrom(paths), 0, 2).Draw(t, "owns")
		}
		r := reached(p)
		want := false
		for i := range p.Tasks {
			for j := range i {
				for _, a := range p.Tasks[i].Owns {
					for _, b := range p.Tasks[j].Owns {
						a, b := strings.TrimPrefix(a, "./"), strings.TrimPrefix(b, "./")
						inFile := !strings.ContainsAny(a+b, "*[") && (strings.HasPrefix(a, b+"/") && !strings.HasSuffix(a, "/") || strings.HasPrefix(b, a+"/") && !strings.HasSuffix(b, "/"))
						want = want || !r[i][j] && !r[j][i] && (glob.Overlap(a, b) || inFile)
					}
				}
			}
		}
		g, _ := Link(p, nil)
		c := checker{Graph: g}
		c.checkPaths()
		got := slices.ContainsFunc(c.faults, func(f Fault) bool { return f.Code == Ownership })
		require.Equal(t, want, got, "%v", c.faults)
	})
}

func plans(n int) *Plan {
	p := &Plan{Tasks: make([]Task, n)}
	for i := range p.Tasks {
		one := &p.Tasks[i]
		one.TaskInput = board.TaskInput{ID: board.TaskID("task-" + strconv.Itoa(i)), Title: "T", DoneWhen: "D", Spec: "S", Scope: "S", Verify: "true"}
		one.Files = &board.Files{Create: []string{fmt.Sprintf("src/%d/a.go", i)}, Read: []string{fmt.Sprintf("src/%d/a.go", i/2)}}
		for need := i / 2; need < i && need < i/2+3; need++ {
			one.DependsOn = append(one.DependsOn, board.TaskID("task-"+strconv.Itoa(need)))
		}
	}
	return p
}

func BenchmarkCheck(b *testing.B) {
	p := plans(10_000)
	b.ReportAllocs()
	find := func(path string) Found {
		if path == "S" {
			return Blob
		}
		return Nothing
	}
	for b.Loop() {
		require.Len(b, Check(p, Ground{Find: find}), 2)
	}
}

func BenchmarkSimulate(b *testing.B) {
	g, _ := Link(plans(10_000), nil)
	b.ReportAllocs()
	for b.Loop() {
		require.Positive(b, g.Simulate(8, true).Idle)
	}
}
