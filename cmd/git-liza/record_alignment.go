package main

import "github.com/git-liza/git-liza/flow"

type alignCommand struct {
	goalFlag
	Text    string `arg:"" tool:"Where things stand." help:"Where things stand against the original intent; - for standard input."`
	Answers string `placeholder:"CHECKPOINT" tool:"The checkpoint whose decision it answers." help:"It answers the decision at this checkpoint: what is held back can be claimed again."`
}

func (c *alignCommand) said() *string { return &c.Text }

func (c *alignCommand) Run(inv *invocation) error {
	said := "aligned"
	if c.Answers != "" {
		said += ", the hold of " + c.Answers + " ends"
	}
	clone, err := openGoal(inv, c.Goal)
	if err != nil {
		return err
	}
	r, err := clone.Make(inv.ctx, flow.ActAlign, "", &flow.AlignMove{Text: c.Text, Answers: c.Answers})
	if err != nil {
		return err
	}
	id := movedGoal(r)
	return inv.result(r, map[string]any{"goal": id}, "%s %s", id, said)
}
