package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/worktrees"
)

type gateCommands struct {
	List   gateListCommand   `cmd:"" default:"1" help:"The gates of the board, in their order, and where one cannot run; the default."`
	Run    gateRunCommand    `cmd:"" help:"Run gates in this checkout; the board is told nothing."`
	Outage gateOutageCommand `cmd:"" help:"Record that a gate cannot run on a machine, or that it runs again."`
}

type gateListCommand struct{}

func (c *gateListCommand) Run(inv *invocation, l look) error {
	gates, outages := l.reading.Board.Settings().Config.Gates, board.OutagesOf(l.reading.Board)
	if err := l.reading.Board.Err(); err != nil {
		return err
	}
	var rows view.Table
	for _, g := range gates {
		state := g.Stage().String()
		if g.Required {
			state += ", required"
		}
		for _, o := range outages {
			if o.Gate == g.Name {
				state += ", cannot run on " + o.Host
			}
		}
		rows.Add(g.Name, state, g.Command)
	}
	if len(gates) == 0 {
		inv.progress("the board has no gates: git liza config gates.tests.command 'make test'")
	}
	return inv.answer("", map[string]any{"gates": view.ValueOf(append([]board.Gate{}, gates...)), "outages": view.ValueOf(append([]board.Outage{}, outages...))}, rows.WrappedText(inv.width()))
}

type gateRunCommand struct {
	Names []string `arg:"" optional:"" placeholder:"NAME" help:"As git liza gate list names them; default: all."`
}

// Help says how a gate runs.
func (c *gateRunCommand) Help() string {
	return `Each runs in the top folder of the checkout as it is, with the environment and limits
that it has at a merge, whatever became of those before. What this machine does not trust
does not run. The exit code is 1 if one does not pass.`
}

func (c *gateRunCommand) Run(inv *invocation, l look) error {
	dir := l.clone.Repo.WorkTree()
	if dir == "" {
		return worktrees.ErrNoWorkTree
	}
	config := l.reading.Board.Settings().Config
	gates := config.Gates
	if len(c.Names) > 0 {
		gates = nil
	}
	for _, name := range c.Names {
		g, there := config.Gate(name)
		if !there {
			return &flow.Refusal{Rule: flow.RuleNotFound, Reason: "the board has no gate " + shell.Quote(name), Hint: "git liza gate list"}
		}
		gates = append(gates, g)
	}
	head, err := work.ParseCommit(inv.ctx, l.clone, "HEAD")
	if err != nil {
		return err
	}
	receipts, err := l.clone.RunGates(inv.ctx, gates, head, dir)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, r := range receipts {
		fmt.Fprintf(&text, "%s: %s (%s)\n", r.Gate, r.Result, r.Duration)
		if !r.HasPassed() {
			text.WriteString(board.Clean(r.Output) + "\n")
		}
	}
	data := map[string]any{"receipts": view.ValueOf(append([]board.Receipt{}, receipts...))}
	i := slices.IndexFunc(receipts, func(r board.Receipt) bool { return !r.HasPassed() })
	if i < 0 {
		return inv.answer("", data, text.String())
	}
	return inv.partly(failure{code: exitFailed, outcome: "failed", rule: flow.RuleGate, hint: "git liza config " + shell.Quote("gates."+receipts[i].Gate),
		reason: fmt.Sprintf("gate %s does not pass (exit %d)", receipts[i].Gate, receipts[i].Exit)}, data, text.String())
}

type gateOutageCommand struct {
	Gate  string `arg:"" help:"A gate of the board."`
	Host  string `placeholder:"NAME" help:"Default: this machine."`
	Error string `placeholder:"TEXT" help:"Why it cannot run there."`
	Over  bool   `help:"It runs there again, or the machine is gone."`
}

// Help explains what an outage is.
func (c *gateOutageCommand) Help() string {
	return `A gate that cannot run, because its program is missing or the disk is full,
blames no task. Supervisors record it for their machine, and wait; a second
machine with the same gate makes them stop at a checkpoint.`
}

func (c *gateOutageCommand) Run(inv *invocation) error {
	m := &flow.OutageMove{Gate: c.Gate, Host: c.Host, Error: c.Error, Over: c.Over}
	if m.Host == "" {
		host, err := os.Hostname()
		if err != nil {
			return err
		}
		m.Host = host
	}
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	r, err := clone.Make(inv.ctx, board.ActOutage, "", m)
	if err != nil {
		return err
	}
	said := "cannot run on " + m.Host
	if m.Over {
		said = "runs on " + m.Host + " again"
	}
	return inv.result(r, map[string]any{"gate": m.Gate, "host": m.Host, "over": m.Over}, "gate %s %s", m.Gate, said)
}
