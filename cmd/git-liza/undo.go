package main

import (
	"errors"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/config"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

type undoCommand struct {
	ID     board.TaskID   `arg:"" optional:"" help:"The merged task; without it, what takes your last move back is named."`
	With   []board.TaskID `placeholder:"IDS" help:"Merged tasks to take back with it, those that need it among them."`
	Reopen bool           `help:"Add tasks that do the work again; what needs the old ones waits for these."`
	Now    bool           `help:"Without a review: integration follows the revert at once, if the gates pass. Only for those who may adopt."`
	Reason string         `placeholder:"R" help:"Why."`
}

func (c *undoCommand) Run(inv *invocation, clone *work.Clone) error {
	if c.ID == "" {
		return c.nameLast(inv, clone)
	}
	done, r, err := clone.Undo(inv.ctx, work.Undo{Task: c.ID, With: c.With, Reopen: c.Reopen, Now: c.Now, Reason: c.Reason,
		Announce: func(affected work.Affected) { announce(inv, affected, false) }})
	if err != nil {
		return err
	}
	return inv.result(r, done, "%s", c.text(r, done))
}

// nameLast names the caller's last move and what takes it back, and changes nothing.
func (c *undoCommand) nameLast(inv *invocation, clone *work.Clone) error {
	if len(c.With) > 0 || c.Reopen || c.Now || c.Reason != "" {
		return usagef("git liza help undo", "these flags are about a task to take back")
	}
	b, tip, err := clone.Store.Board(inv.ctx)
	if err != nil {
		return err
	}
	var last *gitstore.Event
	err = clone.Store.Log(tip, func(e gitstore.Event) (bool, error) {
		if e.Move.By == clone.By && e.Unknown == "" {
			last = &e
		}
		return last == nil, inv.ctx.Err()
	})
	if err != nil {
		return err
	}
	if last == nil || last.Parent == "" {
		return inv.answer("", map[string]any{"last": nil, "command": "", "why": "no move of yours can be taken back"}, "no move of yours can be taken back")
	}
	before, err := clone.Store.BoardAt(last.Parent)
	if err != nil {
		return err
	}
	delta, err := clone.Store.Delta(last.Parent, last.Commit)
	if err != nil {
		return err
	}
	back := view.Compensate(last.Move, delta.Keys, before, b)
	if old := oldSetting(last.Move, before); old != "" {
		back = view.Compensation{Command: old}
	}
	if err := errors.Join(b.Err(), before.Err()); err != nil {
		return err
	}
	entry := view.Entry{State: last.Commit, Move: last.Move}
	return inv.answer("", map[string]any{"last": entry.Value(), "command": back.Command, "why": back.Why}, view.UndoText(entry, back, inv.width()))
}

// oldSetting returns the command that sets what a change of the configuration changed to
// the value that it had, "" if it is more than one value or a gate.
func oldSetting(m flow.Move, before *board.Board) (command string) {
	d, ok := m.Detail.(*flow.ConfigMove)
	if !ok {
		return ""
	}
	was, is := before.Settings().Config, d.Config
	now := map[string]string{}
	for _, v := range config.Values(&is) {
		now[v.Key] = v.String()
	}
	old := config.Values(&was)
	if len(old) != len(now) {
		return ""
	}
	for _, v := range old {
		if v.String() == now[v.Key] {
			continue
		}
		if command == "" && isUsual(v) {
			command = "git liza config --unset " + v.Key
			continue
		}
		if command != "" || v.String() == "" {
			return ""
		}
		command = "git liza config " + v.Key + " " + shell.Quote(v.String())
		if list, several := v.Pointer.(*[]string); several {
			command = "git liza config " + v.Key + " " + shell.Join(*list...)
		}
	}
	return command
}

// text says what became of it.
func (c *undoCommand) text(r gitstore.Result, done work.Undone) string {
	var text string
	switch t := r.After.Task(c.ID); {
	case r.Move.Act == board.ActAdopt:
		text = r.After.Settings().Integration.Name + " follows " + done.Commit.Short() + ", without " + view.JoinIDs(done.Reverts)
	case t.Reverted != nil:
		text = string(c.ID) + " is reverted by " + t.Reverted.String()
	default:
		text = string(done.Task) + " takes " + view.JoinIDs(done.Reverts) + " back"
		if len(done.WaitsFor) > 0 {
			text += ", waits for " + view.JoinIDs(done.WaitsFor)
		} else {
			text += " → " + done.Status.String()
		}
	}
	if len(done.Successors) > 0 {
		text += "\nthe work is done again by " + view.JoinIDs(done.Successors)
	}
	for i, path := range done.Paths {
		if i == mostAffected {
			return text + "\n  and " + view.Count(len(done.Paths)-i, "more path")
		}
		text += "\n  " + git.Visible(path)
	}
	return text
}
