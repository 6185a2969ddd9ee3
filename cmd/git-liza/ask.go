package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plaintext"
)

type askCommand struct {
	To      board.Role     `arg:"" placeholder:"ROLE|human" help:"Whose agents may answer; human: only a person or a planner."`
	Text    string         `arg:"" help:"The question; - for standard input."`
	Task    board.TaskID   `placeholder:"ID" help:"The task that you hold; default: the only one."`
	Parent  board.RecordID `placeholder:"QUESTION" help:"The question that you have taken, for whose answer you ask."`
	Wait    bool           `help:"Wait for the answer, and print it."`
	Timeout board.Duration `default:"10m" placeholder:"10m" help:"How long --wait waits at the most; default 10m, no more than 1h."`
}

func (c *askCommand) Run(inv *invocation) error {
	if c.Timeout > longestAwait {
		return usagef("git liza help ask", "--timeout is %s at the most", longestAwait)
	}
	text, err := inv.text(c.Text)
	if err != nil {
		return err
	}
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	r, err := clone.Make(inv.ctx, board.ActAsk, "", &flow.AskMove{About: c.Task, To: c.To, Text: text, Parent: c.Parent})
	if err != nil {
		return err
	}
	id := board.RecordID(writtenID(r, board.Questions))
	q, _ := r.After.Load(board.Key{Folder: board.Questions, ID: string(id)}).(*board.Question)
	if !c.Wait {
		return inv.result(r, questionData(q), "%s about %s asked of %s", id, q.Task, asked(q))
	}
	if q, err = awaitAnswer(inv, clone, q, c.Timeout, true); err != nil {
		return err
	}
	return inv.result(r, questionData(q), "%s", answerText(q))
}

// asked names whom a question is to.
func asked(q *board.Question) string {
	if q.To == "" || q.To == board.HumanRole {
		return "a person or a planner"
	}
	return q.To.One()
}

func questionData(q *board.Question) map[string]any {
	return map[string]any{"question": q.ID, "task": q.Task, "to": q.To, "answer": q.Answer, "by": q.By, "open": q.IsOpen()}
}

// awaitAnswer waits for the answer to a question, and returns the question with it. Without
// one in time, and if it was closed, it fails; made says that this
// command has asked it.
func awaitAnswer(inv *invocation, clone *work.Clone, q *board.Question, limit board.Duration, made bool) (*board.Question, error) {
	late, closed := "conflict", "failed"
	if made {
		late, closed = "changed", "changed"
	}
	q, err := work.AwaitAnswer(inv.ctx, clone, q.ID, time.Duration(limit), func(left time.Duration) {
		inv.progress("%s waits for an answer up to %s more", q.ID, left.Round(time.Second))
	})
	switch {
	case err != nil:
		return nil, err
	case q.IsOpen():
		return nil, &partial{failure{exitConflict, late, flow.RuleTimeLimit, fmt.Sprintf("nobody has answered %s after %s", q.ID, limit),
			"git liza handoff " + string(q.Task) + " --summary S --next-action N", nil}, questionData(q)}
	case q.Answer == "":
		return nil, &partial{failure{exitFailed, closed, flow.RuleExists, fmt.Sprintf("%s closed the question %s without an answer", q.By, q.ID),
			"git liza show " + string(q.Task), nil}, questionData(q)}
	}
	return q, nil
}

func answerText(q *board.Question) string {
	return fmt.Sprintf("%s: %s", q.By, strings.TrimSpace(plaintext.Lines(q.Answer)))
}

// An askTool is ask with a bound that clients of the protocol tolerate.
type askTool struct {
	To      board.Role     `arg:"" help:"Whose agents may answer, or human."`
	Text    string         `arg:"" help:"The question, answerable in a sentence."`
	Wait    bool           `help:"Wait for the answer."`
	Timeout board.Duration `default:"10m" help:"How long, such as 90s; at most 10m."`
}

// Run asks. In a session that looks for an answer it asks for that one.
func (c *askTool) Run(inv *invocation) error {
	if most := board.Duration(10 * time.Minute); c.Timeout > most {
		return usagef("git liza help ask", "timeout is %s at the most", most)
	}
	return (&askCommand{To: c.To, Text: c.Text, Wait: c.Wait, Timeout: c.Timeout}).Run(inv)
}
