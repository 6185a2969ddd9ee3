package main

import (
	"encoding/csv"
	"io"
	"slices"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view/metrics"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
)

type metricsCommand struct {
	By         string       `enum:",agent,role,sprint,task,provider,model,outcome" default:"" placeholder:"WHAT" help:"Rows by agent, role, sprint or task, with their work; by provider, model or outcome of sessions."`
	Goal       board.GoalID `placeholder:"G" help:"Only this goal; default: all."`
	Since      string       `placeholder:"T" help:"Only what happened not before this time (2026-01-17, 2026-01-17T14:06:00Z) or within this span (90m, 2h, 3d, 1w)."`
	CSV        bool         `name:"csv" xor:"form" help:"The rows as comma-separated values."`
	Prometheus bool         `xor:"form" help:"All numbers of the board as Prometheus reads them."`
}

func (c *metricsCommand) Run(inv *invocation) error {
	switch {
	case inv.json && (c.CSV || c.Prometheus):
		return usagef("git liza metrics --json", "--json is a form of its own: it goes with neither --csv nor --prometheus")
	case c.CSV && c.By == "":
		return usagef("git liza metrics --by agent --csv", "--csv prints rows: --by says of what")
	case c.Prometheus && (c.By != "" || c.Since != ""):
		return usagef("git liza metrics --prometheus", "--prometheus prints the numbers of the board up to now: it goes with neither --by nor --since")
	}
	since, err := parseSince(c.Since, inv.now().UTC())
	if err != nil {
		return err
	}
	l, err := inv.look()
	if err != nil {
		return err
	}
	if err := checkGoal(l.reading.Board, c.Goal); err != nil {
		return err
	}
	shown, err := readMetrics(inv, l.clone, metrics.Ask{By: metrics.By(c.By), Goal: c.Goal, Since: since, Budgets: l.reading.Board.Settings().Config.Budgets})
	if err != nil {
		return err
	}
	if err := l.reading.Board.Err(); err != nil {
		return err
	}
	switch {
	case c.CSV:
		return csv.NewWriter(inv.stdout).WriteAll(shown.CSV())
	case c.Prometheus:
		_, err := io.WriteString(inv.stdout, shown.Exposition())
		return err
	}
	return pager{inv}.present(shown.Value(), shown.Text(inv.width()))
}

// readMetrics answers what is asked, of the present if no time is asked for.
func readMetrics(inv *invocation, clone *work.Clone, ask metrics.Ask) (*view.Metrics, error) {
	counts, err := work.ReadCounts(inv.ctx, clone)
	if err != nil {
		return nil, err
	}
	if ask.Now.IsZero() {
		ask.Now = slices.MaxFunc([]time.Time{counts.At(), inv.now()}, time.Time.Compare) // the clock of whoever moved last may be ahead
	}
	return &view.Metrics{Report: counts.Report(ask), By: ask.By}, nil
}
