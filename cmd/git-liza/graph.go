package main

import (
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/drawing"
	"github.com/git-liza/git-liza/cmd/git-liza/view"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
)

type graphCommand struct {
	Goal   flow.GoalID `arg:"" optional:"" placeholder:"GOAL" help:"Only the tasks of this goal, and what they wait for elsewhere; default: all."`
	Format string      `enum:"text,dot,mermaid,svg,json" default:"text" tool:"-" placeholder:"FORM" help:"text (the default), dot for Graphviz, mermaid for Markdown, svg, or json. mermaid and svg have at most 300 tasks, open ones first, and say how many are left out."`
	At     string      `placeholder:"REV|TIME" help:"The board as it was: a time, a span before now (2h, 3d), a mark such as sprint-1, or a commit of refs/liza/state."`
}

// Help explains the words of the text.
func (c *graphCommand) Help() string {
	return `Open tasks stand by step: those of the first step have no other task in the way,
those of the second wait for one of the first, and so on. "after task-3 +1" names
what a task waits for, "before 4" says how many open tasks wait for it. The longest
chain is marked with a star: the goal takes at least so long, with however many
agents. It is measured in tasks, or in work where enough was merged to know how long
tasks take. "stuck" are tasks that others wait for and that do not go on by
themselves.`
}

func (c *graphCommand) Run(inv *invocation) error {
	switch {
	case c.Format == "json":
		inv.json = true
	case inv.json && c.Format != "text" && c.Format != "":
		return usagef("git liza graph --format json", "--json is a format of its own and goes with no other")
	}
	l, err := inv.lookAt(c.At)
	if err != nil {
		return err
	}
	if err := checkGoal(l.Board, c.Goal); err != nil {
		return err
	}
	g := view.GraphOf(l.Board, c.Goal)
	if err := l.Board.Err(); err != nil {
		return err
	}
	if c.At == "" {
		pace := work.ReadPace(l.Clone)
		g.Estimate(func(n view.GraphNode) time.Duration { return pace.Each(n.Goal) })
	}
	return pager{inv}.present(g, c.text(inv, g))
}

// text returns the graph in the format that the user asked for.
func (c *graphCommand) text(inv *invocation, g view.Graph) string {
	switch c.Format {
	case "dot":
		return drawing.DOT(g)
	case "mermaid":
		return drawing.Mermaid(g)
	case "svg":
		return drawing.Graph(g, drawing.Place{Alone: true})
	}
	return g.Text(inv.width())
}
