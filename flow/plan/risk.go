package plan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/glob"
)

// A Record says what happened to work that wrote some paths.
type Record struct {
	Paths      []string // patterns
	Rejections int
	Failures   int // merges that failed
	Reverts    int
}

// points are those of a record: work that was taken back has two.
func (r *Record) points() int { return r.Rejections + r.Failures + 2*r.Reverts }

// A Risk is a task with the points of each factor.
type Risk struct {
	Task     int
	Files    int // one for each two paths that it writes, at most 5
	Depth    int // one for each task in the longest row of those that it needs, at most 5
	Verify   int // 3 if nothing verifies it, and it is not only text
	Estimate int // one for each half hour after the first one, at most 5; 1 without estimate
	History  int // of work on its paths: one for each rejection and failed merge, two for each revert, at most 5
}

// mostPoints bounds the points of a factor.
const mostPoints = 5

// Sum is the sum of all factors.
func (r Risk) Sum() int { return r.Files + r.Depth + r.Verify + r.Estimate + r.History }

// Risks rates all tasks, the highest sum first, of equal ones in the order of the plan.
func (g *Graph) Risks(records []Record) []Risk {
	depth := make([]int, len(g.order))
	h := newHistory(records)
	list := make([]Risk, len(g.order))
	for _, i := range g.order {
		for _, need := range g.needs[i] {
			depth[i] = max(depth[i], depth[need]+1)
		}
		t := &g.plan.Tasks[i]
		paths := written(t)
		r := Risk{Task: i, Files: min(len(paths)/2, mostPoints), Depth: min(depth[i], mostPoints), History: h.points(paths)}
		if t.Verify == "" && !t.isText() {
			r.Verify = 3
		}
		if r.Estimate = 1; t.Estimate != 0 {
			const half = 30 * 60
			r.Estimate = int(min(max(t.Seconds()-1, 0)/half, mostPoints))
		}
		list[i] = r
	}
	slices.SortStableFunc(list, func(a, b Risk) int { return cmp.Compare(b.Sum(), a.Sum()) })
	return list
}

// isText reports whether a task writes only texts, which no command verifies.
func (t *Task) isText() bool { return t.Kind == board.Docs || t.Kind == board.Spec }

// written are the patterns of the paths that a task writes, each once: its files, else
// what it owns.
func written(t *Task) []string {
	paths := t.Files.Written()
	if len(paths) == 0 {
		paths = t.Owns
	}
	return slices.Compact(slices.Sorted(slices.Values(paths)))
}

// A history finds what happened to work on paths.
type history struct {
	records  []Record
	by       map[string][]int // records by path
	paths    []string         // of records, in the order in which they come
	patterns []string         // those of them that can match several paths
	compared int
}

func newHistory(records []Record) *history {
	h := &history{records: records, by: map[string][]int{}}
	for i := range records {
		if records[i].points() == 0 {
			continue
		}
		for _, name := range records[i].Paths {
			if h.by[name] == nil {
				h.paths = append(h.paths, name)
				if isPattern(name) {
					h.patterns = append(h.patterns, name)
				}
			}
			h.by[name] = append(h.by[name], i)
		}
	}
	return h
}

func isPattern(name string) bool {
	return strings.ContainsAny(name, `*?[\`) || strings.HasSuffix(name, "/")
}

// points are those of all records with one of the paths, at most mostPoints.
func (h *history) points(paths []string) (sum int) {
	found := map[int]bool{}
	for _, name := range paths {
		others := h.patterns
		if isPattern(name) {
			others = h.paths
		}
		same := []string{name}
		for _, other := range others {
			if h.compared++; h.compared <= mostComparisons && glob.Overlap(name, other) {
				same = append(same, other)
			}
		}
		for _, other := range same {
			for _, i := range h.by[other] {
				found[i] = true
			}
		}
	}
	for i := range found {
		sum += h.records[i].points()
	}
	return min(sum, mostPoints)
}
