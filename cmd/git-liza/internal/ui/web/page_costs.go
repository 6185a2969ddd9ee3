package web

import (
	"cmp"
	"slices"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view/metrics"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
)

// A costsPage is what sessions used, and what is left.
type costsPage struct {
	By        metrics.By  `json:"by"`
	Usage     view.Object `json:"usage"`
	Uncounted int         `json:"uncounted"` // sessions that did not report their usage
	Budgets   []budgetRow `json:"budgets"`
	Rows      []costRow   `json:"rows"`
	Divisions []choice    `json:"-"`
	Goals     []choice    `json:"-"`
	Total     view.Spent  `json:"-"`
	More      int         `json:"-"` // rows that are left out
	Shown     []costRow   `json:"-"`
}

// A costRow is the share of an agent, a task, …
type costRow struct {
	Name    string      `json:"name"`
	Percent int         `json:"percent"` // of the cost, or of the tokens if no cost is known
	Usage   view.Object `json:"usage"`
	Spent   view.Spent  `json:"-"`
}

// A budgetRow is a budget and what is spent of it.
type budgetRow struct {
	Of      string `json:"of"`
	Limit   string `json:"limit"`
	Spent   string `json:"spent"`
	Percent int    `json:"percent"`
}

// divisions are what costs are divided by.
func divisions() []metrics.By {
	return []metrics.By{metrics.ByTask, metrics.ByAgent, metrics.ByRole, metrics.ByProvider, metrics.ByModel, metrics.BySprint, metrics.ByOutcome}
}

func showCosts(v *visit) (any, error) {
	r, err := v.look()
	if err != nil {
		return nil, err
	}
	counts, err := readCounts(v, v.reader.clone, r.Tip)
	if err != nil {
		return nil, err
	}
	goal := board.GoalID(v.query.Get("goal"))
	ask := metrics.Ask{By: metrics.ByTask, Goal: goal, Budgets: r.Board.Settings().Config.Budgets}
	if by := metrics.By(v.query.Get("by")); slices.Contains(divisions(), by) {
		ask.By = by
	}
	if v.frame.Past {
		ask.Now = r.At
	}
	report := counts.Report(ask)
	page := costsPage{By: ask.By, Usage: view.ObjectOf(report.Usage), Uncounted: report.Uncounted,
		Budgets: []budgetRow{}, Rows: []costRow{}, Goals: goalChoices(v, r.Board, goal), Total: view.Spent{Usage: report.Usage, Uncounted: report.Uncounted}}
	for _, by := range divisions() {
		page.Divisions = append(page.Divisions, choice{"by " + string(by), addressWith(v, "by", string(by)), by == ask.By})
	}
	none := map[bool]string{true: "nothing", false: "unknown"}[report.Uncounted == 0]
	for _, b := range report.Budgets {
		page.Budgets = append(page.Budgets, budgetRow{b.Of, view.Amount(b.Limit), cmp.Or(view.Amount(b.Spent), none), percentOf(b)})
	}
	for _, row := range report.Rows {
		if row.Usage.Sessions == 0 {
			continue // it has work of others alone
		}
		page.Rows = append(page.Rows, costRow{row.Name, view.Percent(row.Usage, report.Usage), view.ObjectOf(row.Usage), view.Spent{Usage: row.Usage, Uncounted: row.Uncounted}})
	}
	page.Shown = page.Rows[:min(len(page.Rows), mostRows)]
	page.More = len(page.Rows) - len(page.Shown)
	return page, r.Board.Err()
}

// readCounts reads the counts of the moves up to now, also for a page of the past. While the
// state of now cannot be read it ends with the last one that could.
func readCounts(v *visit, c *work.Clone, shown board.ObjectID) (*metrics.Counts, error) {
	newest, _ := v.server.Feed.now()
	if newest.Broken == nil {
		return work.ReadCounts(v.request.Context(), c)
	}
	return work.ReadCountsAt(v.request.Context(), c, cmp.Or(newest.Tip, shown))
}

// percentOf is how much of a budget is spent, by what is spent most of; rounded down, as
// alarms count.
func percentOf(b metrics.Spending) int {
	part := 0.0
	if b.Limit.Tokens > 0 {
		part = float64(b.Spent.Tokens) / float64(b.Limit.Tokens)
	}
	if b.Limit.Cost > 0 {
		part = max(part, float64(b.Spent.Cost)/float64(b.Limit.Cost))
	}
	return int(min(part, 100) * 100)
}
