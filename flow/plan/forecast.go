package plan

import (
	"cmp"
	"slices"

	"github.com/git-liza/git-liza/flow"
)

// FewestSamples is how many merged tasks a calibration needs.
const FewestSamples = 10

// A Sample is a merged task: its estimate, and how long it took from its first claim to
// its merge. Both are seconds, and at least one.
type Sample struct {
	Kind     flow.Kind
	Role     flow.Role
	Estimate int64
	Took     int64
}

// A Ratio says how long tasks took for each hundred seconds of their estimates, in half,
// in 80 % and in 95 % of the cases at most.
type Ratio struct {
	Kind          flow.Kind // zero: of all tasks
	Role          flow.Role
	Tasks         int
	P50, P80, P95 int64
}

// A Forecast is how long several agents need for a plan, in seconds: in half, in 80 % and
// in 95 % of the cases at most.
type Forecast struct {
	Agents        int
	P50, P80, P95 int64
}

// A Calibration says how long tasks take against their estimates.
type Calibration struct {
	all  []float64 // ratios in rising order
	like map[likeness][]float64
}

// A likeness is what tasks have in common that take alike.
type likeness struct {
	kind flow.Kind
	role flow.Role
}

// likenessOf is that of a task whose kind and role may be left open.
func likenessOf(k flow.Kind, r flow.Role) likeness {
	return likeness{cmp.Or(k, flow.Code), cmp.Or(r, flow.Coder)}
}

// Calibrate learns from merged tasks. It is nil if they are fewer than [FewestSamples].
func Calibrate(samples []Sample) *Calibration {
	if len(samples) < FewestSamples {
		return nil
	}
	c := &Calibration{like: map[likeness][]float64{}}
	for _, s := range samples {
		ratio := float64(s.Took) / float64(s.Estimate)
		of := likenessOf(s.Kind, s.Role)
		c.all, c.like[of] = append(c.all, ratio), append(c.like[of], ratio)
	}
	slices.Sort(c.all)
	for of, list := range c.like {
		if len(list) < FewestSamples {
			delete(c.like, of)
			continue
		}
		slices.Sort(list)
	}
	return c
}

// of are the ratios for a task: those of its kind and role, if there are enough.
func (c *Calibration) of(t *Task) []float64 {
	if own := c.like[likenessOf(t.Kind, t.Role)]; own != nil {
		return own
	}
	return c.all
}

// Ratios are what was learned: of all tasks, then of each kind and role with enough.
func (c *Calibration) Ratios() []Ratio {
	ratio := func(of likeness, list []float64) Ratio {
		return Ratio{of.kind, of.role, len(list), int64(rank(list, 50)*100 + 0.5), int64(rank(list, 80)*100 + 0.5), int64(rank(list, 95)*100 + 0.5)}
	}
	list := []Ratio{ratio(likeness{}, c.all)}
	for of, own := range c.like {
		list = append(list, ratio(of, own))
	}
	slices.SortFunc(list[1:], func(a, b Ratio) int { return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.Kind, b.Kind)) })
	return list
}

// rank is the smallest number of a sorted list that at least percent of it do not exceed.
func rank[T cmp.Ordered](sorted []T, percent int) T {
	return sorted[max(0, (len(sorted)*percent+99)/100-1)]
}

// Forecast simulates agents many times, each time with other ratios of merged tasks. It
// is the same for the same plan and samples.
func (g *Graph) Forecast(c *Calibration, agents int, barrier bool) Forecast {
	const most, fewest, work = 400, 10, 50_000 // a large plan has less to spread
	ratios := make([][]float64, len(g.order))
	for i := range ratios {
		ratios[i] = c.of(&g.plan.Tasks[i])
	}
	takes := make([]int64, len(g.order))
	spans := make([]int64, min(most, max(fewest, work/max(len(g.order), 1))))
	for n := range spans {
		for i := range takes {
			lot := mix(uint64(n)<<32|uint64(i)) % uint64(len(ratios[i]))
			takes[i] = max(int64(float64(g.plan.Tasks[i].Seconds())*ratios[i][lot]+0.5), 1)
		}
		spans[n] = g.simulate(agents, barrier, takes).Makespan
	}
	slices.Sort(spans)
	return Forecast{agents, rank(spans, 50), rank(spans, 80), rank(spans, 95)}
}

// mix turns a number into one that looks drawn by lot: the steps of splitmix64, by
// Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014.
func mix(n uint64) uint64 {
	n += 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}
