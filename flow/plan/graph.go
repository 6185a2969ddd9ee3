package plan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
)

// A Graph is the tasks of a plan with what they need, by their places in the plan. It
// has no cycle: [Link] leaves needs out that it finds wrong.
type Graph struct {
	plan   *Plan
	places map[board.TaskID]int
	needs  [][]int
	feeds  [][]int // the reverse of needs
	order  []int   // every task after those that it needs
	turn   []int   // of each task, its place in order
	levels []int
	rest   []int64 // seconds of the longest chain that begins with each task
}

// Link follows the needs of all tasks. The faults say where it cannot: ids that occur
// twice, needs that neither the plan nor the board has, and cycles. onBoard may be nil.
func Link(p *Plan, onBoard func(board.TaskID) bool) (*Graph, []Fault) {
	g := &Graph{plan: p, places: make(map[board.TaskID]int, len(p.Tasks)), needs: make([][]int, len(p.Tasks)), feeds: make([][]int, len(p.Tasks))}
	faults := g.findPlaces()
	for i := range p.Tasks {
		for entry, id := range p.Tasks[i].DependsOn {
			need, known := g.places[id]
			switch {
			case id == "": // the reader has refused it
			case known:
				g.needs[i] = append(g.needs[i], need)
			case onBoard == nil || !onBoard(id):
				faults = append(faults, errorAt(NotFound, Place{i, "depends_on", entry}, "%s depends on %s, which does not exist", g.name(i), id))
			}
		}
	}
	s := sorter{Graph: g, depth: make([]int, len(p.Tasks))}
	for i := range p.Tasks {
		if s.depth[i] == 0 {
			s.visit(i)
		}
	}
	for i, needs := range g.needs {
		for _, need := range needs {
			g.feeds[need] = append(g.feeds[need], i)
		}
	}
	g.findLevels()
	return g, append(faults, s.faults...)
}

// findPlaces finds the tasks by their ids, and those whose id is another's.
func (g *Graph) findPlaces() (faults []Fault) {
	folded := make(map[string]int, len(g.plan.Tasks))
	for i := range g.plan.Tasks {
		id := g.plan.Tasks[i].ID
		if id == "" {
			continue
		}
		if first, taken := folded[strings.ToLower(string(id))]; taken {
			faults = append(faults, errorAt(Exists, Place{i, "id", -1}, "there is a task %s already", g.plan.Tasks[first].ID))
			continue
		}
		folded[strings.ToLower(string(id))] = i
		g.places[id] = i
	}
	return faults
}

// A sorter finds an order of the tasks in depth-first search, and cycles.
type sorter struct {
	*Graph
	depth  []int // of a task on the path, from 1; -1 of one that is in order; else 0
	path   []int
	told   []int // of each task on the path: depth of the last one up to it that is in a reported cycle
	faults []Fault
}

func (s *sorter) visit(i int) {
	told := 0
	if len(s.told) > 0 {
		told = s.told[len(s.told)-1]
	}
	s.path, s.told = append(s.path, i), append(s.told, told)
	s.depth[i] = len(s.path)
	s.needs[i] = slices.DeleteFunc(s.needs[i], func(need int) bool {
		if s.depth[need] > 0 {
			s.report(s.depth[need])
			return true
		}
		if s.depth[need] == 0 {
			s.visit(need)
		}
		return false
	})
	s.path, s.told = s.path[:len(s.path)-1], s.told[:len(s.told)-1]
	s.depth[i] = -1
	s.order = append(s.order, i)
}

// report tells the cycle from a task on the path, by its depth, to the end of the path
// and back. Of cycles that share a task it tells one: there may be very many.
func (s *sorter) report(from int) {
	if s.told[len(s.told)-1] >= from {
		return
	}
	cycle := s.path[from-1:]
	ids := make([]board.TaskID, len(cycle))
	for n, i := range cycle {
		ids[n] = s.plan.Tasks[i].ID
		s.told[from-1+n] = from + n
	}
	last := cycle[len(cycle)-1]
	entry := slices.Index(s.plan.Tasks[last].DependsOn, ids[0])
	s.faults = append(s.faults, errorAt(Cycle, Place{last, "depends_on", entry}, "a cycle of needs: %s", board.Cycle(ids)))
}

func (g *Graph) findLevels() {
	n := len(g.order)
	g.turn, g.levels, g.rest = make([]int, n), make([]int, n), make([]int64, n)
	for turn, i := range g.order {
		g.turn[i], g.levels[i] = turn, 1
		for _, need := range g.needs[i] {
			g.levels[i] = max(g.levels[i], g.levels[need]+1)
		}
		if said := g.plan.Tasks[i].Level; said > 0 {
			g.levels[i] = said
		}
	}
	for _, i := range slices.Backward(g.order) {
		for _, j := range g.feeds[i] {
			g.rest[i] = max(g.rest[i], g.rest[j])
		}
		g.rest[i] += g.plan.Tasks[i].Seconds()
	}
}

// name is how faults call a task.
func (g *Graph) name(i int) string {
	if id := g.plan.Tasks[i].ID; id != "" {
		return string(id)
	}
	return "a task without id"
}

// Needs are the places of the tasks that a task needs.
func (g *Graph) Needs(i int) []int { return g.needs[i] }

// Level is the level of a task, from 1: the one that it names, else one more than the
// deepest task that it needs.
func (g *Graph) Level(i int) int { return g.levels[i] }

// Levels are the levels that have tasks, in rising order.
func (g *Graph) Levels() []int {
	return slices.Compact(slices.Sorted(slices.Values(g.levels)))
}

// Longest is the chain of needs that takes longest, in the order of work, and how many
// seconds it takes. Of equal ones it is the one whose tasks come first in the plan.
func (g *Graph) Longest() (chain []int, seconds int64) {
	next := make([]int, len(g.order))
	for i := range next {
		next[i] = i
	}
	for len(next) > 0 {
		first := slices.MaxFunc(next, func(a, b int) int {
			return cmp.Or(cmp.Compare(g.rest[a], g.rest[b]), b-a)
		})
		if len(chain) == 0 {
			seconds = g.rest[first]
		}
		chain = append(chain, first)
		next = g.feeds[first]
	}
	return chain, seconds
}

// Work is the sum of all estimates, in seconds.
func (g *Graph) Work() (seconds int64) {
	for i := range g.plan.Tasks {
		seconds += g.plan.Tasks[i].Seconds()
	}
	return seconds
}

// A pair asks whether the task first is needed by the task then, directly or not.
type pair struct{ first, then int }

// precede answers many pairs. It goes through the plan once for every 64 tasks that
// come first in one of them.
func (g *Graph) precede(pairs []pair) []bool {
	answers := make([]bool, len(pairs))
	byFirst := map[int][]int{}
	var firsts []int
	for at, p := range pairs {
		if byFirst[p.first] == nil {
			firsts = append(firsts, p.first)
		}
		byFirst[p.first] = append(byFirst[p.first], at)
	}
	for batch := range slices.Chunk(firsts, 64) {
		from := make([]uint64, len(g.order)) // for each task, those of the batch that it needs
		bit := make(map[int]uint64, len(batch))
		for n, i := range batch {
			bit[i] = 1 << n
		}
		for _, i := range g.order {
			for _, need := range g.needs[i] {
				from[i] |= from[need] | bit[need]
			}
		}
		for _, i := range batch {
			for _, at := range byFirst[i] {
				answers[at] = from[pairs[at].then]&bit[i] != 0
			}
		}
	}
	return answers
}
