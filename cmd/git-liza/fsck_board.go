package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// checkBoard holds the board against its invariants, and every branch against it.
func checkBoard(inv *invocation, l look) error {
	for _, list := range view.StateLists {
		if list.Folder == board.Archive {
			continue // there may be very many, and each was checked when it was archived
		}
		for _, id := range l.reading.Board.IDs(list.Folder) {
			l.reading.Board.Load(board.Key{Folder: list.Folder, ID: id})
		}
	}
	l.reading.Board.Principals()
	err := flow.Check(l.reading.Board)
	if l.reading.Board.Err() != nil {
		return l.reading.Board.Err()
	}
	if err != nil {
		return invalid(err)
	}
	if _, err := l.clone.Store.Audit.CheckTips(inv.ctx, l.reading.Board); err != nil {
		return damagedBoard(inv, l.clone, err)
	}
	n := len(l.reading.Board.Tasks())
	return inv.answer("", map[string]any{"state": l.reading.Tip, "tasks": n, "breaches": []view.Breach{}}, fmt.Sprintf("%s: valid, %s outside the archive", l.reading.Tip.Short(), view.Count(n, "task")))
}

// invalid returns the failure with every breach that a check found.
func invalid(err error) error {
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	}
	var list []view.Breach
	var text strings.Builder
	for _, one := range all {
		b := breachOf(one)
		list = append(list, b)
		fmt.Fprintf(&text, "\n%s", b.Reason)
	}
	reason := "the board is invalid:" + text.String()
	return &partial{failure{code: exitFailed, outcome: "failed", rule: list[0].Rule, reason: reason, hint: "git liza fsck --full"}, map[string]any{"breaches": list}}
}

// damagedBoard returns the failure with every unreadable object of a sound
// board. Where git does not run with its configuration it reads no object, and that alone
// is the failure.
func damagedBoard(inv *invocation, clone *work.Clone, err error) error {
	var damaged *gitstore.Damaged
	if !errors.As(err, &damaged) {
		return err
	}
	if b, _, err := clone.Store.Board(inv.ctx); err == nil {
		found := clone.Doctor.Preflight(inv.ctx, b)
		if git := found[0]; git.Check == "git" && git.State == "fail" {
			return &partial{failure{code: exitFailed, outcome: "failed", rule: flow.RuleDoctor, reason: git.Check + " " + git.Text, hint: git.Hint}, map[string]any{"breaches": []view.Breach{}}}
		}
	}
	list := []view.Breach{}
	reason := "the board is sound, and objects are missing or damaged:"
	for _, d := range damaged.List {
		what := d.What
		if d.Commit != "" {
			what += " at " + d.Commit.Short()
		}
		b := view.Breach{Rule: flow.RuleDamaged, Reason: what + ": " + d.Reason, Commit: d.Commit}
		list = append(list, b)
		reason += "\n" + b.Reason
	}
	return &partial{failure{code: exitFailed, outcome: "failed", rule: flow.RuleDamaged, reason: reason, hint: damaged.Hint}, map[string]any{"breaches": list}}
}
