package main

import (
	"fmt"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

type unblockCommand struct {
	ID         board.TaskID `arg:"" help:"The task."`
	KeepBranch bool         `help:"The next claim continues the saved branch."`
	Unanswered bool         `help:"Close its open questions without an answer."`
}

func (c *unblockCommand) Run(inv *invocation, clone *work.Clone, b *board.Board) error {
	open := view.OpenQuestions(b, c.ID)
	asks := len(open) > 0 && !c.Unanswered && flow.Opens(b, board.ActUnblock, c.ID, clone.Caller, clone.Store.Now()) == nil
	if d := openDialog(inv); asks && d != nil {
		for _, q := range open {
			fmt.Fprintln(inv.stderr, view.QuestionText(lookOf(clone, b, "").reading, q, inv.width()))
		}
		yes, err := d.confirm("close " + view.Count(len(open), "question") + " without an answer?")
		if err != nil || !yes {
			inv.progress("%s is as it was; to answer: git liza answer %s", c.ID, c.ID)
			return inv.ctx.Err()
		}
	} else if asks && clone.Caller.By.IsHuman() && b.Task(c.ID).Block.Limit == "" && b.Task(c.ID).Block.Reason != "dependency_abandoned" {
		return &flow.Refusal{Rule: flow.RuleState, Hint: "git liza answer " + string(c.ID),
			Reason: fmt.Sprintf("%s waits for the answer to %s, which only --unanswered closes without one", c.ID, view.Count(len(open), "question"))}
	}
	r, err := unblockTask(inv, clone, c.ID, c.KeepBranch)
	if err != nil {
		return err
	}
	closed := closedBy(r, open)
	t := r.After.Task(c.ID)
	said := fmt.Sprintf("%s → %s", saidOf(r, "unblocked"), t.Status)
	if len(closed) > 0 {
		said += ", closed without an answer: " + view.JoinIDs(closed)
	}
	return inv.result(r, map[string]any{"task": c.ID, "status": t.Status, "unanswered": append([]board.RecordID{}, closed...)}, "%s %s", c.ID, said)
}

// unblockTask sends a blocked task back to work.
func unblockTask(inv *invocation, clone *work.Clone, id board.TaskID, keep bool) (gitstore.Result, error) {
	return clone.End(inv.ctx, board.ActUnblock, id, func(_ *board.Board, save *board.Save) (flow.Detail, error) {
		return &flow.UnblockMove{KeepBranch: keep, Saved: save}, nil
	})
}

// closedBy returns those of the questions that are closed without an answer.
func closedBy(r gitstore.Result, open []*board.Question) (closed []board.RecordID) {
	for _, q := range open {
		if now, _ := r.After.Load(board.Key{Folder: board.Questions, ID: string(q.ID)}).(*board.Question); now != nil && !now.IsOpen() && now.Answer == "" {
			closed = append(closed, q.ID)
		}
	}
	return closed
}
