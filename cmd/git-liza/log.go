package main

import (
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/view"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

type logCommand struct {
	ID    flow.TaskID  `arg:"" optional:"" help:"Only the moves that changed this task."`
	Count int          `short:"n" placeholder:"N" help:"At most so many."`
	Since string       `placeholder:"T" help:"Only moves not before this time (2026-01-17, 2026-01-17T14:06:00Z) or within this span (90m, 2h, 3d, 1w)."`
	Agent []flow.Actor `placeholder:"ID" help:"Only moves by this agent or human (coder-1, human:ann); repeatable."`
	Act   []flow.Act   `placeholder:"ACT" help:"Only moves of this kind (claim, submit); repeatable."`
	YAML  bool         `name:"yaml" xor:"form" help:"One YAML list of the moves with all that they say."`
	JSONL bool         `name:"jsonl" xor:"form" help:"One JSON object a line."`
}

func (c *logCommand) Run(inv *invocation) error {
	if c.Count < 0 {
		return usagef("git liza help log", "-n takes a number from 1 on, not %d", c.Count)
	}
	since, err := parseSince(c.Since, inv.now().UTC())
	if err != nil {
		return err
	}
	var list []view.Entry
	keep := func(e gitstore.Event) bool {
		if e.Move.At.Before(since) {
			return false // the moves that follow are older still
		}
		if (len(c.Agent) == 0 || slices.Contains(c.Agent, e.Move.By)) && (len(c.Act) == 0 || slices.Contains(c.Act, e.Move.Act)) {
			list = append(list, view.Entry{State: e.Commit, Move: e.Move, Unknown: e.Unknown})
		}
		return c.Count == 0 || len(list) < c.Count
	}
	if c.ID == "" {
		err = visitMoves(inv, keep)
	} else if l, lookErr := inv.look(); lookErr != nil {
		err = lookErr
	} else {
		err = l.historyOf(inv, c.ID, keep)
	}
	if err != nil {
		return err
	}
	return c.print(inv, list)
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
func (l look) historyOf(inv *invocation, id flow.TaskID, visit func(gitstore.Event) bool) error {
	if _, err := l.task(id); err != nil {
		return err
	}
	args := []string{"rev-list", string(l.Tip), "--"}
	for _, folder := range []flow.Folder{flow.Tasks, flow.Archive} {
		args = append(args, ":(top,literal)"+gitstore.DocumentPath(flow.Key{Folder: folder, ID: string(id)}))
	}
	out, err := l.Repo.Git(inv.ctx, args...)
	if err != nil {
		return err
	}
	for commit := range strings.FieldsSeq(string(out)) {
		e, err := l.Store.ReadEvent(git.ID(commit))
		if err != nil {
			return err
		}
		if !visit(e) {
			break
		}
	}
	return nil
}

func (c *logCommand) print(inv *invocation, list []view.Entry) error {
	switch {
	case inv.json:
		return inv.answer("", map[string]any{"moves": view.LogValue(list)}, "")
	case c.JSONL:
		for i := range list {
			if err := inv.encode(list[i].Value()); err != nil {
				return err
			}
		}
		return nil
	case c.YAML:
		text, err := view.LogYAML(list)
		if err != nil {
			return err
		}
		return pager{inv}.present(nil, text)
	}
	return pager{inv}.present(nil, view.LogText(list, inv.width()))
}
