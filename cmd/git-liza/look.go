package main

import (
	"errors"
	"os"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A look is the blackboard as one command read it, with the clone that it was
// read from. Its methods add what the reading needs from the clone.
type look struct {
	clone   *work.Clone
	reading view.Reading
}

// lookOf returns the look at a board that a clone has read.
func lookOf(clone *work.Clone, b *board.Board, tip git.ID) look {
	return look{clone, view.Reading{Board: b, Tip: tip, At: clone.Store.Now(), Principal: clone.Principal, Checkout: func(t *board.Task) string {
		folder := clone.Checkouts.Folder(t)
		if _, err := os.Stat(folder); err != nil {
			return "" // it is on another host
		}
		return folder
	}}}
}

// answer answers with what was read of the board, once all of that could be read.
func (l look) answer(inv *invocation, data any, text string) error {
	if err := l.reading.Board.Err(); err != nil {
		return err
	}
	return inv.answer("", data, text)
}

// look reads the blackboard. It needs no actor.
func (inv *invocation) look() (look, error) {
	clone, err := inv.reader()
	if err != nil {
		return look{}, err
	}
	b, tip, err := clone.Store.Board(inv.ctx)
	return lookOf(clone, b, tip), err
}

// lookAt reads the blackboard as it was at a time, mark or commit; as it is for "". It does
// not read the current state for an earlier one, because it may be broken.
func (inv *invocation) lookAt(rev string) (look, error) {
	if rev == "" {
		return inv.look()
	}
	clone, err := inv.reader()
	if err != nil {
		return look{}, err
	}
	commit, err := clone.Store.Rev(inv.ctx, rev)
	if err != nil {
		return look{}, err
	}
	b, err := clone.Store.BoardAt(commit)
	if _, _, now := clone.Store.Board(inv.ctx); now == nil && errors.Is(err, gitstore.ErrUnreleased) {
		err = &flow.Refusal{Rule: flow.RuleFormat, Hint: "git liza board show", Reason: "a build from before the first release wrote that state, and no release reads it"}
	}
	return lookOf(clone, b, commit), err
}

// findAsker sets the agent whose claims the reading speaks of: the one that runs
// the command if its role does tasks, else a coder that could begin now.
func (l *look) findAsker(inv *invocation) {
	l.reading.Asker = l.reading.FreeAgent(board.Coder)
	if by, g, err := inv.actor(l.clone.Repo); err == nil && l.reading.Board.CapacityOf(by) == board.Does {
		if principal, err := work.PrincipalOf(inv.ctx, l.clone.Repo, by); err == nil {
			l.reading.Asker = flow.Caller{By: by, Principal: principal, Generation: g}
		}
	}
}

// task returns a task in any state, or a refusal.
func (l look) task(id board.TaskID) (*board.Task, error) {
	t := l.reading.Board.Task(id)
	if err := l.reading.Board.Err(); err != nil {
		return nil, err
	}
	if t == nil {
		return nil, &flow.Refusal{Rule: flow.RuleNotFound, Hint: "git liza list --all", Reason: "there is no task " + string(id)}
	}
	return t, nil
}
