package main

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view/metrics"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

type checkpointShowCommand struct {
	Checkpoint string `arg:"" optional:"" placeholder:"N|MARK" help:"Its number or mark, such as checkpoint-2; default: where the board is, else the last one."`
}

func (c *checkpointShowCommand) Run(inv *invocation, l look) error {
	n, err := c.number(l.reading.Board)
	if err != nil {
		return err
	}
	mark := "checkpoint-" + strconv.Itoa(n)
	at, err := l.markedState(inv, mark)
	if err != nil {
		return err
	}
	if at == "" {
		return &flow.Refusal{Rule: flow.RuleNotFound, Reason: "there is no checkpoint " + mark, Hint: "git liza checkpoint show"}
	}
	to, err := l.clone.Store.BoardAt(at)
	if err != nil {
		return err
	}
	var from *board.Board
	begun, err := l.markedState(inv, "checkpoint-"+strconv.Itoa(n-1))
	if err == nil && begun != "" {
		from, err = l.clone.Store.BoardAt(begun)
	}
	if err != nil {
		return err
	}
	var moves []flow.Move
	err = l.clone.Store.Events(at, func(e gitstore.Event) (bool, error) {
		if e.Commit == begun {
			return false, nil
		}
		moves = append(moves, e.Move)
		return true, inv.ctx.Err()
	})
	if err != nil {
		return err
	}
	shown := view.NewCheckpoint(mark, from, to, moves)
	until, err := numberOfMove(inv, l, at)
	if err != nil {
		return err
	}
	figures, err := readMetrics(inv, l.clone, metrics.Ask{Now: to.At(), After: until - len(moves), Until: until})
	if err != nil {
		return err
	}
	shown.SetMetrics(figures)
	decided, err := decisionAfter(inv, l, n, at)
	if err != nil {
		return err
	}
	shown.Decided(decided, l.reading.Board.Settings().Next.Mark == n+1 && l.reading.Board.Settings().Control.NeedsDecision())
	if err := cmp.Or(to.Err(), l.reading.Board.Err()); err != nil {
		return err
	}
	return pager{inv}.present(map[string]any{"summary": shown}, shown.Text(inv.width()))
}

// numberOfMove returns how many moves led to a state.
func numberOfMove(inv *invocation, l look, at git.ID) (int, error) {
	out, err := l.clone.Repo.Git(inv.ctx, "rev-list", "--first-parent", "--count", string(at), "--")
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(out)))
}

// number returns the number of the checkpoint that is meant.
func (c *checkpointShowCommand) number(b *board.Board) (int, error) {
	last := b.Settings().Next.Mark - 1
	if c.Checkpoint == "" && last < 1 {
		return 0, &flow.Refusal{Rule: flow.RuleNotFound, Reason: "there was no checkpoint yet", Hint: "git liza checkpoint --reason R"}
	}
	if c.Checkpoint == "" {
		return last, nil
	}
	n, err := strconv.Atoi(strings.TrimPrefix(c.Checkpoint, "checkpoint-"))
	if err != nil || n < 1 {
		return 0, usagef("git liza checkpoint show", "%s is no number and no mark of a checkpoint", view.Cut(strconv.Quote(c.Checkpoint), 80))
	}
	return n, nil
}

// markedState returns the state that a mark names, "" if there is no such mark.
func (l look) markedState(inv *invocation, mark string) (git.ID, error) {
	return l.clone.Repo.Refs.Resolve(inv.ctx, board.MarkRef(mark))
}

// decisionAfter returns the decision that was made last of checkpoint n, which is at a
// state, nil if there is none.
func decisionAfter(inv *invocation, l look, n int, at git.ID) (decided *flow.Move, err error) {
	until, err := l.markedState(inv, "checkpoint-"+strconv.Itoa(n+1))
	if err != nil {
		return nil, err
	}
	err = l.clone.Store.Events(cmp.Or(until, git.ID(l.reading.Tip)), func(e gitstore.Event) (bool, error) {
		if e.Move.Act == board.ActDecide {
			decided = &e.Move
		}
		return decided == nil && e.Commit != at, inv.ctx.Err()
	})
	return decided, err
}
