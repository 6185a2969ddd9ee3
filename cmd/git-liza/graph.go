package main

import (
	"github.com/git-liza/git-liza/cmd/git-liza/internal/ui/drawing"
	"github.com/git-liza/git-liza/flow/board"
)

type graphCommand struct {
	Goal   board.GoalID `arg:"" optional:"" placeholder:"GOAL" help:"Only the tasks of this goal, and what they wait for elsewhere; default: all."`
	Format string       `enum:"text,dot,mermaid,svg" default:"text" tool:"-" placeholder:"FORM" help:"text (the default), dot for Graphviz, mermaid for Markdown, or svg. mermaid and svg have at most 300 tasks, open ones first, and say how many are left out."`
	planShown
}

func (c *graphCommand) Run(inv *invocation) error {
	if inv.json && c.Format != "text" && c.Format != "" {
		return usagef("git liza graph --json", "--json is a format of its own and goes with no other")
	}
	g, err := c.boardPlan(inv, c.Goal)
	if err != nil {
		return err
	}
	text := ""
	switch c.Format {
	case "dot":
		text = drawing.DOT(g)
	case "mermaid":
		text = drawing.Mermaid(g)
	case "svg":
		text = drawing.Graph(g, drawing.Place{Alone: true})
	default:
		text = g.Text(inv.width())
	}
	return pager{inv}.present(g, text)
}
