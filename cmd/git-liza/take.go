package main

import (
	"cmp"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

type takeQuestion struct {
	Question board.RecordID `arg:"" help:"The question, as show names it."`
	Lease    board.Duration `placeholder:"30m" help:"Default: the board's, of a review."`
	Free     bool           `help:"Give it back without an answer: agents may take it again."`
}

func (c *takeQuestion) Run(inv *invocation, clone *work.Clone) error {
	if c.Free && c.Lease != 0 {
		return usagef("git liza help take", "--free takes no --lease")
	}
	r, err := clone.Move(inv.ctx, board.ActTake, "", func(b *board.Board) (flow.Detail, error) {
		if c.Free {
			return &flow.TakeMove{Question: c.Question, Free: true}, nil
		}
		return &flow.TakeMove{Question: c.Question, Lease: cmp.Or(c.Lease, b.Settings().Config.ReviewLease)}, nil
	})
	if err != nil {
		return err
	}
	q, _ := r.After.Load(board.Key{Folder: board.Questions, ID: string(c.Question)}).(*board.Question)
	if c.Free {
		return inv.result(r, map[string]any{"question": q.ID, "task": q.Task, "lease_expires": nil}, "%s of %s is free", q.ID, q.Task)
	}
	return inv.result(r, map[string]any{"question": q.ID, "task": q.Task, "lease_expires": view.TimeValue(q.Lease.Lease)},
		"%s of %s taken by %s until %s", q.ID, q.Task, q.Lease.By, q.Lease.Lease.Format(time.RFC3339))
}
