package view

import (
	"fmt"
	"strconv"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/metrics"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/plan"
)

// A Past is what a board tells about work like that of a plan. The zero value tells
// nothing.
type Past struct {
	records []plan.Record
	samples []plan.Sample
}

// PastOf is what became of the tasks of a board, archived ones too. Its errors are in
// [flow.Board.Err].
func PastOf(b *flow.Board, courses []metrics.Course) Past {
	live := map[flow.TaskID]*flow.Summary{}
	for _, s := range b.Summaries() {
		live[s.ID] = s
	}
	var p Past
	for _, c := range courses {
		troubled := c.Reverted || c.Rejections+c.Failures > 0
		s := live[c.Task]
		if s == nil && (troubled || c.Merged) {
			if t := b.Task(c.Task); t != nil {
				archived := t.Summary()
				s = &archived
			}
		}
		if s == nil {
			continue
		}
		if troubled {
			r := plan.Record{Paths: s.Owns, Rejections: c.Rejections, Failures: c.Failures}
			if c.Reverted {
				r.Reverts = 1
			}
			p.records = append(p.records, r)
		}
		if c.Merged {
			t := plan.Task{TaskInput: flow.TaskInput{Estimate: s.Estimate}}
			p.samples = append(p.samples, plan.Sample{Kind: s.Kind, Role: s.Role, Estimate: max(t.Seconds(), 1), Took: c.Took})
		}
	}
	return p
}

// A Risk is a task with the points of stated factors.
type Risk struct {
	Task     flow.TaskID `json:"task"`
	Sum      int         `json:"sum"`
	Files    int         `json:"files"`
	Depth    int         `json:"depth"`
	Verify   int         `json:"verify"`
	Estimate int         `json:"estimate"`
	History  int         `json:"history"`
}

// Rate rates the open tasks, the riskiest first.
func (g *Graph) Rate(p Past) {
	g.Risks = []Risk{}
	for _, r := range g.left.Risks(p.records) {
		g.Risks = append(g.Risks, Risk{g.plan.Tasks[r.Task].ID, r.Sum(), r.Files, r.Depth, r.Verify, r.Estimate, r.History})
	}
}

// risksText formats the risks as a table.
func (g *Graph) risksText(width int) string {
	if len(g.Risks) == 0 {
		return ""
	}
	var rows Table
	rows.Add("risk", "task", "files", "depth", "verify", "estimate", "history")
	for _, r := range g.Risks[:min(len(g.Risks), mostShown)] {
		row := []string{strconv.Itoa(r.Sum), string(r.Task)}
		for _, points := range []int{r.Files, r.Depth, r.Verify, r.Estimate, r.History} {
			row = append(row, strconv.Itoa(points))
		}
		rows.Add(row...)
	}
	text := "\n" + rows.Text(width)
	if more := len(g.Risks) - mostShown; more > 0 {
		text += fmt.Sprintf("and %d more: git liza plan show --risk --json\n", more)
	}
	return text
}

// A Forecast is how long the open tasks take by what merged ones took.
type Forecast struct {
	Merged int          `json:"merged"` // tasks that it learned from
	Needed int          `json:"needed"` // fewer are too few
	Ratios []RatioRow   `json:"ratios"` // empty without a calibration
	Runs   []ForecastOf `json:"runs"`   // likewise
}

// A RatioRow says how long tasks took, in percent of their estimates.
type RatioRow struct {
	Role  string `json:"role"` // "" for all
	Kind  string `json:"kind"`
	Tasks int    `json:"tasks"`
	P50   int64  `json:"p50_percent"`
	P80   int64  `json:"p80_percent"`
	P95   int64  `json:"p95_percent"`
}

// A ForecastOf is how long some agents take, in seconds.
type ForecastOf struct {
	Agents int   `json:"agents"`
	P50    int64 `json:"p50_seconds"`
	P80    int64 `json:"p80_seconds"`
	P95    int64 `json:"p95_seconds"`
}

// Foresee simulates some numbers of agents by what merged tasks took. With a barrier they
// go level by level.
func (g *Graph) Foresee(p Past, agents []int, barrier bool) {
	g.Forecast = &Forecast{Merged: len(p.samples), Needed: plan.FewestSamples, Ratios: []RatioRow{}, Runs: []ForecastOf{}}
	c := plan.Calibrate(p.samples)
	if c == nil {
		return
	}
	for i, r := range c.Ratios() {
		row := RatioRow{Tasks: r.Tasks, P50: r.P50, P80: r.P80, P95: r.P95}
		if i > 0 {
			row.Role, row.Kind = r.Role.String(), r.Kind.String()
		}
		g.Forecast.Ratios = append(g.Forecast.Ratios, row)
	}
	if len(g.plan.Tasks) == 0 {
		return
	}
	for _, n := range agents {
		g.Forecast.Runs = append(g.Forecast.Runs, ForecastOf(g.left.Forecast(c, n, barrier)))
	}
}

// text formats the forecast for people.
func (f *Forecast) text(width int) string {
	if f == nil {
		return ""
	}
	if len(f.Ratios) == 0 {
		return "\n" + Wrapped(fmt.Sprintf("No calibration: %s by agents here, and it needs %d. Until then only the estimates count.", wasMerged(f.Merged), f.Needed), width)
	}
	var rows Table
	rows.Add("takes, in % of the estimate", "tasks", "P50", "P80", "P95")
	percent := func(n int64) string { return strconv.FormatInt(n, 10) + " %" }
	for _, r := range f.Ratios {
		of := "all"
		if r.Role != "" {
			of = r.Role + ", " + r.Kind
		}
		rows.Add(of, strconv.Itoa(r.Tasks), percent(r.P50), percent(r.P80), percent(r.P95))
	}
	text := "\n" + rows.Text(width)
	if len(f.Runs) == 0 {
		return text
	}
	var runs Table
	runs.Add("agents", "P50", "P80", "P95")
	for _, r := range f.Runs {
		runs.Add(strconv.Itoa(r.Agents), spanOf(r.P50), spanOf(r.P80), spanOf(r.P95))
	}
	return text + "\n" + runs.Text(width)
}

func wasMerged(n int) string {
	if n == 1 {
		return "1 task was merged"
	}
	return fmt.Sprintf("%d tasks were merged", n)
}

// spanOf formats seconds, from an hour on to the minute. Sums of estimates can be more
// than a time.Duration holds.
func spanOf(seconds int64) string {
	minutes := (seconds + 30) / 60
	switch {
	case seconds < 60*60:
		return flow.Duration(time.Duration(seconds) * time.Second).String()
	case minutes%60 == 0:
		return fmt.Sprintf("%dh", minutes/60)
	}
	return fmt.Sprintf("%dh%dm", minutes/60, minutes%60)
}
