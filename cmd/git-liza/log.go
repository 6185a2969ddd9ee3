package main

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

type logCommand struct {
	ID    board.TaskID  `arg:"" optional:"" help:"Only the moves that changed this task."`
	Count int           `short:"n" placeholder:"N" help:"At most so many."`
	Since string        `placeholder:"T" help:"Only moves not before this time (2026-01-17, 2026-01-17T14:06:00Z) or within this span (90m, 2h, 3d, 1w)."`
	Agent []board.Actor `placeholder:"ID" help:"Only moves by this agent or human (coder-1, human:ann); repeatable."`
	Act   []board.Act   `placeholder:"ACT" help:"Only moves of this kind (claim, submit); repeatable."`
	YAML  bool          `name:"yaml" xor:"form" help:"One YAML list of the moves with all that they say."`
	JSONL bool          `name:"jsonl" xor:"form" help:"One JSON object a line."`

	Follow bool `help:"Print the oldest first, and go on with each move that is made, until you interrupt it; as lines or with --jsonl."`
}

func (c *logCommand) Run(inv *invocation) error {
	if c.Count < 0 {
		return usagef("git liza help log", "-n takes a number from 1 on, not %d", c.Count)
	}
	if c.Follow && (inv.json || c.YAML) {
		return usagef("git liza log --jsonl --follow", "--follow prints lines: it goes with --jsonl, not with --json or --yaml")
	}
	since, err := parseSince(c.Since, inv.now().UTC())
	if err != nil {
		return err
	}
	var list []view.Entry
	var newest git.ID
	keep := func(e gitstore.Event) bool {
		newest = cmp.Or(newest, e.Commit)
		if e.Move.At.Before(since) {
			return false // the moves that follow are older still
		}
		if c.selects(e) {
			list = append(list, view.EntryOf(e))
		}
		return c.Count == 0 || len(list) < c.Count
	}
	if c.ID == "" {
		err = visitMoves(inv, keep)
	} else if l, lookErr := inv.look(); lookErr != nil {
		err = lookErr
	} else {
		newest = l.reading.Tip
		err = l.historyOf(inv, c.ID, keep)
	}
	if err != nil {
		return err
	}
	if c.JSONL && len(list) > 0 {
		if err := findChanges(inv, list, list[len(list)-1], list[0]); err != nil {
			return err
		}
	}
	if c.Follow {
		return c.follow(inv, list, newest)
	}
	return c.print(inv, list)
}

// selects reports whether the flags select a move, whatever its time.
func (c *logCommand) selects(e gitstore.Event) bool {
	return (len(c.Agent) == 0 || slices.Contains(c.Agent, e.Move.By)) && (len(c.Act) == 0 || slices.Contains(c.Act, e.Move.Act))
}

// follow prints moves, oldest first, and those that are made after the newest one that was
// read, until an interrupt.
func (c *logCommand) follow(inv *invocation, list []view.Entry, newest git.ID) error {
	clone, err := inv.reader()
	if err != nil {
		return err
	}
	board, err := clone.FollowTip(inv.ctx)
	if err != nil {
		return err
	}
	slices.Reverse(list)
	for {
		if err := c.printLines(inv, list); err != nil {
			return err
		}
		tip, changed := board.Now()
		if tip == "" || tip == newest {
			select {
			case <-changed:
			case <-inv.ctx.Done():
				return nil
			}
			list = nil
			continue
		}
		if list, err = c.between(inv, clone, newest, tip); err != nil {
			return err
		}
		newest = tip
	}
}

// between returns the selected moves after one state up to another, oldest first.
func (c *logCommand) between(inv *invocation, clone *work.Clone, old, now git.ID) ([]view.Entry, error) {
	var list []view.Entry
	keep := func(e gitstore.Event) (bool, error) {
		if c.selects(e) {
			list = append(list, view.EntryOf(e))
		}
		return true, nil
	}
	var err error
	if c.ID != "" {
		err = clone.Store.TaskMoves(inv.ctx, c.ID, old, now, keep)
	} else {
		err = git.VisitCommits(inv.ctx, clone.Repo, []string{string(now), "^" + string(old), "--"}, func(commit git.ID) (bool, error) {
			e, err := clone.Store.ReadEvent(commit)
			if err != nil {
				return false, err
			}
			return keep(e)
		})
	}
	if err != nil {
		return nil, err
	}
	slices.Reverse(list)
	if c.JSONL && len(list) > 0 {
		err = findChanges(inv, list, list[0], list[len(list)-1])
	}
	return list, err
}

// printLines prints a line for each move.
func (c *logCommand) printLines(inv *invocation, list []view.Entry) error {
	if !c.JSONL {
		text, err := logText(inv, list)
		if err == nil {
			_, err = io.WriteString(inv.stdout, text)
		}
		return err
	}
	for i := range list {
		if err := inv.encode(list[i].Line()); err != nil {
			return err
		}
	}
	return nil
}

// findChanges finds the states between which moves led tasks, of the oldest to the newest.
// It leaves them out where documents cannot be read: the log is for broken boards too.
func findChanges(inv *invocation, list []view.Entry, oldest, newest view.Entry) error {
	clone, err := inv.reader()
	if err != nil {
		return err
	}
	places := make(map[board.ObjectID]int, len(list))
	for i := range list {
		places[list[i].State] = i
	}
	parents, err := clone.Repo.Git(inv.ctx, "rev-parse", "--verify", "--quiet", string(oldest.State)+"^")
	if err != nil {
		parents = nil // it is the first move
	}
	_ = clone.Store.Steps(inv.ctx, git.ID(strings.TrimSpace(string(parents))), newest.State, func(s gitstore.Step) error {
		if i, ok := places[s.Commit]; ok {
			list[i].Changed = append([]gitstore.TaskStep{}, s.Tasks...)
		}
		return nil
	})
	return inv.ctx.Err()
}

// visitMoves visits all moves, newest first, until visit returns false. It
// does not read the board, which may be broken.
func visitMoves(inv *invocation, visit func(gitstore.Event) bool) error {
	clone, err := inv.reader()
	if err != nil {
		return err
	}
	tip, err := clone.Store.Tip(inv.ctx)
	if err != nil {
		return err
	}
	return clone.Store.Log(tip, func(e gitstore.Event) (bool, error) { return visit(e), inv.ctx.Err() })
}

// historyOf visits the moves that changed a task, newest first, until visit
// returns false.
func (l look) historyOf(inv *invocation, id board.TaskID, visit func(gitstore.Event) bool) error {
	if _, err := l.task(id); err != nil {
		return err
	}
	return l.clone.Store.TaskMoves(inv.ctx, id, "", l.reading.Tip, func(e gitstore.Event) (bool, error) { return visit(e), nil })
}

// wholeHistoryOf returns the moves that changed a task, oldest first.
func (l look) wholeHistoryOf(inv *invocation, id board.TaskID) (list []view.Entry, err error) {
	err = l.historyOf(inv, id, func(e gitstore.Event) bool {
		list = append(list, view.EntryOf(e))
		return true
	})
	slices.Reverse(list)
	return list, err
}

func (c *logCommand) print(inv *invocation, list []view.Entry) error {
	switch {
	case inv.json:
		return inv.answer("", map[string]any{"moves": view.LogValue(list)}, "")
	case c.JSONL:
		return c.printLines(inv, list)
	case c.YAML:
		text, err := view.LogYAML(list)
		if err != nil {
			return err
		}
		return pager{inv}.present(nil, text)
	}
	text, err := logText(inv, list)
	if err != nil {
		return err
	}
	return pager{inv}.present(nil, text)
}

// logText formats moves for people.
func logText(inv *invocation, list []view.Entry) (string, error) {
	if slices.ContainsFunc(list, func(e view.Entry) bool { return e.Move.Act == board.ActAnswer }) {
		clone, err := inv.reader()
		if err != nil {
			return "", err
		}
		view.FindReturned(list, clone.Store.BoardAt)
	}
	return view.LogText(list, inv.width()), nil
}
