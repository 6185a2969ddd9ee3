package plan

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/git-liza/git-liza/flow"
)

// samplesOf are merged tasks with ratios, in tenths.
func samplesOf(kind flow.Kind, tenths ...int64) (list []Sample) {
	for _, n := range tenths {
		list = append(list, Sample{kind, flow.Coder, 1000, n * 100})
	}
	return list
}

// Ten merged tasks are a calibration, ten of a kind and role one of their own.
func TestCalibrate(t *testing.T) {
	t.Parallel()
	nine := samplesOf(flow.Code, 10, 10, 10, 10, 10, 10, 10, 10, 30)
	require.Nil(t, Calibrate(nine))
	c := Calibrate(append(nine, samplesOf(0, 20)...))
	require.Equal(t, []Ratio{{0, "", 10, 100, 100, 300}, {flow.Code, flow.Coder, 10, 100, 100, 300}}, c.Ratios(), "a kind that is left open is code")
	c = Calibrate(append(nine, samplesOf(flow.Docs, 5)...))
	require.Equal(t, []Ratio{{0, "", 10, 100, 100, 300}}, c.Ratios())
	docs := Task{}
	docs.Kind = flow.Docs
	require.Equal(t, c.all, c.of(&docs), "one is too few")
}

// The forecast of a small plan is one of those that all combinations of ratios give, near
// its place among them.
func TestForecast(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := randomPlan(false).Filter(func(p *Plan) bool { return len(p.Tasks) <= 4 }).Draw(t, "plan")
		for i := range p.Tasks {
			p.Tasks[i].Estimate *= 100
		}
		g, _ := Link(p, nil)
		ratios := rapid.SliceOfN(rapid.Int64Range(5, 40), 3, 3).Draw(t, "tenths")
		var samples []Sample
		for range 4 {
			samples = append(samples, samplesOf(flow.Code, ratios...)...)
		}
		c := Calibrate(samples)
		agents, barrier := rapid.IntRange(1, 3).Draw(t, "agents"), rapid.Bool().Draw(t, "barrier")
		var all []int64
		takes := make([]int64, len(p.Tasks))
		var choose func(i int)
		choose = func(i int) {
			if i == len(takes) {
				all = append(all, g.simulate(agents, barrier, takes).Makespan)
				return
			}
			for _, ratio := range ratios {
				takes[i] = p.Tasks[i].Seconds() * ratio / 10
				choose(i + 1)
			}
		}
		choose(0)
		slices.Sort(all)
		f := g.Forecast(c, agents, barrier)
		require.Equal(t, f, g.Forecast(c, agents, barrier))
		const off = 12 // percent: several deviations of 400 draws
		for _, is := range []struct {
			percent int
			found   int64
		}{{50, f.P50}, {80, f.P80}, {95, f.P95}} {
			require.Contains(t, all, is.found)
			require.GreaterOrEqual(t, is.found, rank(all, is.percent-off))
			require.LessOrEqual(t, is.found, rank(all, min(is.percent+off, 100)))
		}
	})
}

// Where every task took twice its estimate, every forecast is twice the simulation.
func TestForecastOfOneRatio(t *testing.T) {
	t.Parallel()
	twice := Calibrate(samplesOf(flow.Code, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20))
	rapid.Check(t, func(t *rapid.T) {
		p := randomPlan(false).Draw(t, "plan")
		g, _ := Link(p, nil)
		agents := rapid.IntRange(1, 4).Draw(t, "agents")
		span := 2 * g.Simulate(agents, true).Makespan
		require.Equal(t, Forecast{agents, span, span, span}, g.Forecast(twice, agents, true))
	})
}
