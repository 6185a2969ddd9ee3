package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
)

type trustCommand struct {
	Hash string `arg:"" optional:"" help:"The hash of a command that the board names, or its first 40 digits."`
	All  bool   `help:"Allow every command of the board that waits; each is shown and, on a terminal, asked about."`
	List bool   `help:"Show the commands of the board and which of them may run here."`
}

// A commandRow is a command of the board in the form that trust shows.
type commandRow struct {
	Hash    string `json:"hash"`
	Command string `json:"command"`
	Where   string `json:"where"`
	Trusted bool   `json:"trusted"`
}

func (c *trustCommand) Run(inv *invocation) error {
	if c.Hash != "" && (c.All || c.List) || c.All && c.List {
		return usagef("git liza help trust", "a hash, --all and --list exclude each other")
	}
	l, err := inv.look()
	if err != nil {
		return err
	}
	if c.Hash != "" || c.All {
		if err := inv.operator(l.Repo, "trust in a command"); err != nil {
			return err
		}
	}
	known := work.BoardCommands(l.Board)
	if l.Board.Err() != nil {
		return l.Board.Err()
	}
	allowed, err := l.Trust.Allowed(inv.ctx)
	if err != nil {
		return err
	}
	rows := make([]commandRow, len(known))
	for i, one := range known {
		rows[i] = commandRow{work.CommandHash(one.Command), one.Command, one.Where, allowed.Check(one.Command) == nil}
	}
	if c.Hash != "" {
		rows, err = c.matchHash(rows)
	} else if c.All {
		rows, err = c.askHuman(inv, rows)
	}
	for i := range rows {
		if err != nil || !c.All && c.Hash == "" || rows[i].Trusted {
			continue
		}
		if err = l.Trust.Allow(inv.ctx, rows[i].Command); err == nil {
			rows[i].Trusted = true
		}
	}
	if err != nil {
		return err
	}
	return inv.answer("", map[string]any{"commands": append([]commandRow{}, rows...)}, cmp.Or(commandText(rows), c.noneText()))
}

// noneText is the output if there is no command to show.
func (c *trustCommand) noneText() string {
	if c.All {
		return "no command of the board waits"
	}
	return "the board names no command"
}

// matchHash returns the rows of the one command that the hash names. It checks for
// a second command, because an attacker can make the hashes of two commands begin
// alike.
func (c *trustCommand) matchHash(rows []commandRow) ([]commandRow, error) {
	if len(c.Hash) < work.ShownHash {
		return nil, &flow.Refusal{Rule: flow.RuleTrust, Hint: "git liza trust --list",
			Reason: fmt.Sprintf("%s is too little of a hash: it has 64 digits, of which the first %d are enough", flow.Excerpt(c.Hash, 80), work.ShownHash)}
	}
	rows = slices.DeleteFunc(rows, func(r commandRow) bool { return !strings.HasPrefix(r.Hash, c.Hash) })
	if len(rows) == 0 {
		return nil, &flow.Refusal{Rule: flow.RuleNotFound, Hint: "git liza trust --list", Reason: "the board names no command with the hash " + flow.Excerpt(c.Hash, 80)}
	}
	for _, r := range rows[1:] {
		if r.Hash != rows[0].Hash {
			return nil, &flow.Refusal{Rule: flow.RuleTrust, Hint: "git liza trust --list --json",
				Reason: fmt.Sprintf("two commands have the hash %s: %s (%s) and %s (%s)", c.Hash, rows[0].Hash, work.Visible(rows[0].Command), r.Hash, work.Visible(r.Command))}
		}
	}
	return rows, nil
}

// askHuman returns the waiting commands that a human on a terminal has allowed
// one by one. Without a terminal it shows all of them, and the flag --all
// allows them.
func (c *trustCommand) askHuman(inv *invocation, rows []commandRow) ([]commandRow, error) {
	rows = slices.DeleteFunc(rows, func(r commandRow) bool { return r.Trusted })
	if inv.json || !isTerminal(inv.stdin) {
		return rows, nil
	}
	d := &dialog{inv, bufio.NewReader(inv.stdin)}
	var list []commandRow
	for _, r := range rows {
		yes, err := d.mayRun(r.Where, r.Command)
		if err != nil {
			return nil, err
		}
		if yes {
			list = append(list, r)
		}
	}
	return list, nil
}

// mayRun asks whether a command of the board may run here.
func (d *dialog) mayRun(where, command string) (bool, error) {
	return d.confirm(fmt.Sprintf("%s: %s\nmay it run here?", where, work.Visible(command)))
}

// offerTrust asks on a terminal, before supervisors start, about each command of
// the board that they would wait for. They still wait for the commands that are
// not allowed, as they do without a terminal.
func offerTrust(inv *invocation, clone *work.Clone) error {
	d := openDialog(inv)
	if d == nil || inv.operator(clone.Repo, "trust in a command") != nil {
		return nil
	}
	b, _, err := clone.Store.Board(inv.ctx)
	if err != nil {
		return err
	}
	waiting, err := clone.Trust.Untrusted(inv.ctx, b)
	if err != nil {
		return err
	}
	for _, one := range waiting {
		yes, err := d.mayRun(one.Where, one.Command)
		if errors.Is(err, io.EOF) || inv.ctx.Err() != nil {
			return nil
		}
		if err == nil && yes {
			err = clone.Trust.Allow(inv.ctx, one.Command)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func commandText(rows []commandRow) string {
	var text strings.Builder
	for _, r := range rows {
		mark := "not yet"
		if r.Trusted {
			mark = "trusted"
		}
		fmt.Fprintf(&text, "%s  %-7s  %-12s  %s\n", r.Hash[:work.ShownHash], mark, r.Where, work.Visible(r.Command))
	}
	return text.String()
}

// untrustedText lists the commands of the board that are not allowed here yet,
// each with the command that allows it. It is "" if there are none.
func untrustedText(ctx context.Context, clone *work.Clone) (string, error) {
	b, _, err := clone.Store.Board(ctx)
	if err != nil {
		return "", err
	}
	list, err := clone.Trust.Untrusted(ctx, b)
	var text strings.Builder
	for i, one := range list {
		if i == 0 {
			text.WriteString("\nmay not run here yet:")
		}
		fmt.Fprintf(&text, "\n  %s: %s\n    git liza trust %s", one.Where, work.Visible(one.Command), work.CommandHash(one.Command)[:work.ShownHash])
	}
	return text.String(), err
}
