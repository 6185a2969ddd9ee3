package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
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
	d := c.dialog(inv)
	if c.Hash != "" || c.All || d != nil {
		if err := inv.operator(l.clone.Repo, "trust in a command"); err != nil {
			return err
		}
	}
	rows, err := commandRows(inv, l)
	switch {
	case err == nil && c.Hash != "":
		rows, err = c.matchHash(rows)
	case c.All:
		rows = slices.DeleteFunc(rows, func(r commandRow) bool { return r.Trusted })
	}
	switch {
	case err == nil && d != nil:
		err = d.trust(l, rows)
	case err == nil && (c.Hash != "" || c.All):
		for i := range rows {
			if err = l.clone.Trust.Allow(inv.ctx, rows[i].Command); err != nil {
				break
			}
			rows[i].Trusted = true
		}
	}
	if err != nil {
		return err
	}
	if c.All && d != nil {
		rows = slices.DeleteFunc(rows, func(r commandRow) bool { return !r.Trusted })
	}
	return inv.answer("", map[string]any{"commands": append([]commandRow{}, rows...)}, cmp.Or(commandText(rows), c.noneText()))
}

// dialog returns the dialog in which a person is asked about each command, nil if
// nobody is asked. With --all, who types the answers does not have to see the
// questions.
func (c *trustCommand) dialog(inv *invocation) *dialog {
	switch {
	case c.Hash != "" || c.List:
		return nil
	case c.All && !inv.json && isTerminal(inv.stdin):
		return newDialog(inv)
	case c.All:
		return nil
	}
	return openDialog(inv)
}

// commandRows returns the rows of the commands of the board.
func commandRows(inv *invocation, l look) ([]commandRow, error) {
	known, err := l.clone.Trust.Commands(inv.ctx, l.reading.Board)
	if err != nil {
		return nil, err
	}
	allowed, err := l.clone.Trust.Allowed(inv.ctx)
	rows := make([]commandRow, len(known))
	for i, one := range known {
		rows[i] = commandRow{Hash: work.CommandHash(one.Command), Command: one.Command, Where: one.Where, Trusted: allowed.Check(one.Command) == nil}
	}
	return rows, err
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
			Reason: fmt.Sprintf("%s is too little of a hash: it has 64 digits, of which the first %d are enough", board.Excerpt(c.Hash, 80), work.ShownHash)}
	}
	rows = slices.DeleteFunc(rows, func(r commandRow) bool { return !strings.HasPrefix(r.Hash, c.Hash) })
	if len(rows) == 0 {
		return nil, &flow.Refusal{Rule: flow.RuleNotFound, Hint: "git liza trust --list", Reason: "the board names no command with the hash " + board.Excerpt(c.Hash, 80)}
	}
	for _, r := range rows[1:] {
		if r.Hash != rows[0].Hash {
			return nil, &flow.Refusal{Rule: flow.RuleTrust, Hint: "git liza trust --list --json",
				Reason: fmt.Sprintf("two commands have the hash %s: %s (%s) and %s (%s)", c.Hash, rows[0].Hash, git.Visible(rows[0].Command), r.Hash, git.Visible(r.Command))}
		}
	}
	return rows, nil
}

// trust asks about each command that is not allowed, once even if it stands in
// several places, and allows it at once. It marks the rows of what it allowed.
func (d *dialog) trust(l look, rows []commandRow) error {
	asked := map[string]bool{}
	for i, r := range rows {
		if r.Trusted || asked[r.Command] {
			continue
		}
		asked[r.Command] = true
		same := lists.Where(rows[i:], func(other commandRow) bool { return other.Command == r.Command })
		where := lists.Of(same, func(other commandRow) string { return other.Where })
		by, err := l.origin(d.invocation, r)
		if err != nil {
			return err
		}
		yes, err := d.confirm(fmt.Sprintf("%s: %s\n%s put it there; may it run here?", strings.Join(where, ", "), git.Visible(r.Command), by))
		if err != nil {
			return err
		}
		if !yes {
			continue
		}
		if err := l.clone.Trust.Allow(d.ctx, r.Command); err != nil {
			return err
		}
		for j := range rows {
			rows[j].Trusted = rows[j].Trusted || rows[j].Command == r.Command
		}
	}
	return nil
}

// origin returns who put a command on the board: the last who set the verify of a
// task to it, or its creator; the last whose configuration has it.
func (l look) origin(inv *invocation, r commandRow) (board.Actor, error) {
	var by board.Actor
	if strings.HasPrefix(r.Where, "extension ") {
		return "what was approved", nil
	}
	if t := l.reading.Board.Task(board.TaskID(r.Where)); t != nil {
		err := l.historyOf(inv, t.ID, func(e gitstore.Event) bool {
			if d, ok := e.Move.Detail.(*flow.EditMove); ok && d.Input.Verify == r.Command {
				by = e.Move.By
			}
			return by == ""
		})
		return cmp.Or(by, t.CreatedBy), err
	}
	err := l.clone.Store.Log(l.reading.Tip, func(e gitstore.Event) (bool, error) {
		switch d := e.Move.Detail.(type) {
		case *flow.ConfigMove:
			by = e.Move.By
		case *flow.AmendMove:
			if d.Config != nil {
				by = e.Move.By
			}
		}
		return by == "", inv.ctx.Err()
	})
	return cmp.Or(by, "the init of the board"), err
}

// offerTrust asks on a terminal, before supervisors start, about each command of
// the board that they would wait for. They still wait for the commands that are
// not allowed, as they do without a terminal.
func offerTrust(inv *invocation, clone *work.Clone) error {
	d := openDialog(inv)
	if d == nil || inv.operator(clone.Repo, "trust in a command") != nil {
		return nil
	}
	b, tip, err := clone.Store.Board(inv.ctx)
	if err != nil {
		return err
	}
	l := lookOf(clone, b, tip)
	rows, err := commandRows(inv, l)
	if err == nil {
		err = d.trust(l, rows)
	}
	if errors.Is(err, io.EOF) || inv.ctx.Err() != nil {
		return nil
	}
	return err
}

func commandText(rows []commandRow) string {
	var text strings.Builder
	for _, r := range rows {
		mark := "not yet"
		if r.Trusted {
			mark = "trusted"
		}
		fmt.Fprintf(&text, "%s  %-7s  %-12s  %s\n", r.Hash[:work.ShownHash], mark, r.Where, git.Visible(r.Command))
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
		fmt.Fprintf(&text, "\n  %s: %s\n    git liza trust %s", one.Where, git.Visible(one.Command), work.CommandHash(one.Command)[:work.ShownHash])
	}
	return text.String(), err
}

// untrustedCommands are the commands of the board that may not run on this machine; none
// if that cannot be read.
func untrustedCommands(ctx context.Context, clone *work.Clone, b *board.Board) []view.UntrustedCommand {
	list, err := clone.Trust.Untrusted(ctx, b)
	if err != nil {
		return []view.UntrustedCommand{}
	}
	return append([]view.UntrustedCommand{}, lists.Of(list, func(one work.BoardCommand) view.UntrustedCommand {
		return view.UntrustedCommand{Where: one.Where, Command: git.Visible(one.Command), Hint: "git liza trust " + work.CommandHash(one.Command)[:work.ShownHash]}
	})...)
}
