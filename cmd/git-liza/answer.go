package main

import (
	"fmt"

	"github.com/git-liza/git-liza/flow"
)

type answerCommand struct {
	Question flow.RecordID `arg:"" help:"The question, as show names it."`
	Text     string        `arg:"" help:"The answer; - for standard input."`
}

func (c *answerCommand) Run(inv *invocation) error {
	text, err := inv.text(c.Text)
	if err != nil {
		return err
	}
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	r, err := clone.Make(inv.ctx, flow.ActAnswer, "", &flow.AnswerMove{Question: c.Question, Text: text})
	if err != nil {
		return err
	}
	q, _ := r.After.Load(flow.Key{Folder: flow.Questions, ID: string(c.Question)}).(*flow.Question)
	t := r.After.Task(q.Task)
	open := 0
	for _, other := range flow.QuestionsAbout(r.After, t.ID) {
		if other.IsOpen() {
			open++
		}
	}
	next := ""
	switch {
	case open > 0:
		next = fmt.Sprintf(", %d of its questions left", open)
	case t.Block != nil:
		next = ", it can go on: git liza unblock " + string(t.ID)
	}
	return inv.result(r, map[string]any{"question": c.Question, "task": t.ID, "open": open}, "%s of %s answered%s", c.Question, t.ID, next)
}
