package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

type awaitCommand struct {
	ID      board.TaskID   `arg:"" help:"The task."`
	For     string         `enum:"verdict,resubmission,merge,answer" default:"verdict" help:"What to wait for: verdict (default), resubmission, merge, or answer: to the first question that you asked about it and that is open."`
	Timeout board.Duration `default:"10m" placeholder:"10m" help:"How long at the most; default 10m, no more than 1h."`
}

// longestAwait bounds a wait, because an agent that waits forever hangs.
const longestAwait = board.Duration(time.Hour)

func (c *awaitCommand) Run(inv *invocation) error {
	if c.Timeout > longestAwait {
		return usagef("git liza help await", "--timeout is %s at the most", longestAwait)
	}
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	if c.For == "answer" {
		return c.awaitAnswer(inv, clone)
	}
	b, err := clone.Await(inv.ctx, c.ID, flow.WaitFor(c.For), time.Duration(c.Timeout), func(t *board.Task, left time.Duration) {
		state := fmt.Sprintf("%s is %s", t.ID, t.Status)
		inv.progress("%s; waiting for %s up to %s more", cmp.Or(c.returned(inv, t), state), c.For, left.Round(time.Second))
	})
	if err != nil {
		return err
	}
	l := lookOf(clone, b, "")
	l.findAsker(inv)
	answer := l.reading.AnswerFor(clone.Caller, b.Task(c.ID), c.For)
	if said := c.returned(inv, b.Task(c.ID)); said != "" {
		answer.Text = said + "\n" + answer.Text
	}
	return inv.answer("", answer.Value, answer.Text)
}

// awaitAnswer waits for the answer to a question that was asked during the work, or prints
// the last one.
func (c *awaitCommand) awaitAnswer(inv *invocation, clone *work.Clone) error {
	b, _, err := clone.Store.Board(inv.ctx)
	if err != nil {
		return err
	}
	own := slices.DeleteFunc(board.QuestionsAbout(b, c.ID), func(q *board.Question) bool { return !q.During || q.From != clone.Caller.By })
	if len(own) == 0 {
		return &flow.Refusal{Rule: flow.RuleNotFound, Reason: fmt.Sprintf("%s has asked nothing about %s", clone.Caller.By, c.ID), Hint: "git liza ask ROLE TEXT"}
	}
	q := own[len(own)-1]
	if i := slices.IndexFunc(own, (*board.Question).IsOpen); i >= 0 {
		q = own[i]
	}
	if q, err = awaitAnswer(inv, clone, q, c.Timeout, false); err != nil {
		return err
	}
	return inv.answer("", questionData(q), answerText(q))
}

// returned says that an answer let the task go on, "" if that was not its last move. What
// cannot be read is not said: the state of the task is.
func (c *awaitCommand) returned(inv *invocation, t *board.Task) string {
	l, err := inv.look()
	if err != nil || !flow.Allows(t.Status, board.ActClaim) || len(board.QuestionsAbout(l.reading.Board, t.ID)) == 0 {
		return ""
	}
	var last []view.Entry
	err = l.historyOf(inv, c.ID, func(e gitstore.Event) bool {
		last = append(last, view.EntryOf(e))
		return e.Move.Act == board.ActSession
	})
	if err != nil {
		return ""
	}
	view.FindReturned(last, l.clone.Store.BoardAt)
	return view.ReturnedText(last)
}

// An awaitTool is await with a bound that clients of the protocol tolerate.
type awaitTool struct {
	ID      board.TaskID   `arg:"" help:"The task."`
	For     string         `enum:"verdict,resubmission,merge,answer" default:"verdict" help:"What to wait for."`
	Timeout board.Duration `default:"10m" help:"How long, such as 90s."`
}

// Run waits.
func (c *awaitTool) Run(inv *invocation) error {
	if most := board.Duration(10 * time.Minute); c.Timeout > most {
		return usagef("git liza help await", "timeout is %s at the most", most)
	}
	return (&awaitCommand{ID: c.ID, For: c.For, Timeout: c.Timeout}).Run(inv)
}
