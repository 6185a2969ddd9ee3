package main

import (
	"errors"
	"slices"

	"github.com/git-liza/git-liza/cmd/git-liza/drawing"
	"github.com/git-liza/git-liza/cmd/git-liza/planfile"
	"github.com/git-liza/git-liza/cmd/git-liza/view"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/plan"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

type planShowCommand struct {
	File string      `arg:"" optional:"" placeholder:"FILE" help:"A plan in a form that plan check takes; - for standard input; default: the board."`
	Goal flow.GoalID `placeholder:"G" help:"Of the board, only the tasks of this goal, and what they wait for elsewhere; default: all."`
	planShown
}

// planShown says how a plan is shown.
type planShown struct {
	Agents []int  `default:"1,2,4,8" tool:"-" placeholder:"N,…" help:"Numbers of agents to simulate, from 1 to 1000; default 1,2,4,8."`
	Format string `enum:"text,dot,mermaid,svg,json" default:"text" tool:"-" placeholder:"FORM" help:"text (the default), dot for Graphviz, mermaid for Markdown, svg, or json. mermaid and svg have at most 300 tasks, open ones first, and say how many are left out."`
	Risk   bool   `help:"Rate the risk of each open task by stated factors."`
	Spread bool   `name:"estimate" help:"How long it takes in half, in 80 % and in 95 % of the cases, by what merged tasks took."`
	At     string `placeholder:"REV|TIME" help:"The board as it was: a time, a span before now (2h, 3d), a mark such as sprint-1, or a commit of refs/liza/state."`
}

// Help explains the words of the text, and what the simulation assumes.
func (c *planShown) Help() string {
	return `Open tasks stand by level where levels mean something, else by step: those of the
first step have no other task in the way, those of the second wait for one of the first,
and so on. "after task-3 +1" names what a task waits for, "before 4" says how many open
tasks wait for it. The longest chain is marked with a star: it takes as long with however
many agents. "stuck" are tasks that others wait for and that do not go on by themselves.

A free agent is thought to take, of the tasks whose needs are met, the first by priority,
then by the chain that it begins, then the oldest. A task takes its estimate, 15 minutes
where it has none, and is whole until it is merged. "level by level" lets no task begin
before all of lower levels are done.

--risk sums points: one for each two files that a task writes, for each task in the row
of those that it needs, and for each half hour of its estimate after the first one (one
without estimate), three without verify, and what happened to work on its paths before:
one for a rejection or a failed merge, two for a revert. Each factor has at most five.
--estimate needs ten merged tasks. It compares the time from the first claim to the merge
with the estimate, for each kind and role of which there are ten, and simulates with that.`
}

// check refuses flags that do not go together.
func (c *planShown) check(inv *invocation) error {
	switch {
	case c.Format == "json":
		inv.json = true
	case inv.json && c.Format != "text" && c.Format != "":
		return usagef("git liza plan show --format json", "--json is a format of its own and goes with no other")
	}
	if c.At != "" && (c.Risk || c.Spread) {
		return usagef("git liza plan show --at "+shell.Quote(c.At), "--risk and --estimate are about now, and go with no --at")
	}
	if len(c.Agents) > 20 || len(c.Agents) > 0 && (slices.Min(c.Agents) < 1 || slices.Max(c.Agents) > 1000) {
		return usagef("git liza help plan show", "--agents takes at most 20 numbers from 1 to 1000")
	}
	return nil
}

func (c *planShowCommand) Run(inv *invocation) error {
	if c.File == "" {
		return c.showBoard(inv, c.Goal)
	}
	if c.Goal != "" || c.At != "" {
		return usagef("git liza plan show FILE", "--goal and --at are about the board: leave them out, or the file")
	}
	if err := c.check(inv); err != nil {
		return err
	}
	r := planReader{inv, c.File}
	file, err := r.read()
	if err != nil {
		return err
	}
	ground, err := r.ground("")
	if errors.Is(err, git.ErrNoRepository) {
		ground, err = &work.Ground{}, nil
	}
	if err != nil {
		return err
	}
	file.Settle(ground.OnBoard)
	linked, faults := plan.Link(&file.Plan, ground.OnBoard)
	if err := ground.Err(); err != nil {
		return err
	}
	if wrong, _ := file.Locate(faults); len(wrong) > 0 {
		return r.refuse(&work.PlanFaults{Wrong: wrong}, file, "git liza help plan check")
	}
	g := view.PlanOf(&file.Plan, linked)
	var past view.Past
	if ground.OnBoard != nil && (c.Risk || c.Spread) {
		l, err := inv.look()
		if err != nil {
			return err
		}
		if past, err = pastOf(inv, l); err != nil {
			return err
		}
	}
	return c.present(inv, planPicture{g, reportOf(file)}, past, file.Plan.Barrier == flow.LevelBarrier, r.reportLines(file))
}

// pastOf is what a board tells about work like that of a plan.
func pastOf(inv *invocation, l look) (view.Past, error) {
	counts, err := work.ReadCountsAt(inv.ctx, l.Clone, l.Tip)
	if err != nil {
		return view.Past{}, err
	}
	return view.PastOf(l.Board, counts.Courses()), l.Board.Err()
}

// showBoard shows the plan of the board, of one goal unless it is "".
func (c *planShown) showBoard(inv *invocation, goal flow.GoalID) error {
	if err := c.check(inv); err != nil {
		return err
	}
	l, err := inv.lookAt(c.At)
	if err != nil {
		return err
	}
	if err := checkGoal(l.Board, goal); err != nil {
		return err
	}
	g := view.GraphOf(l.Board, goal)
	if err := l.Board.Err(); err != nil {
		return err
	}
	var past view.Past
	if c.Risk || c.Spread {
		if past, err = pastOf(inv, l); err != nil {
			return err
		}
	}
	return c.present(inv, planPicture{Graph: g}, past, g.HasBarrier(l.Board), "")
}

// A planPicture is what is shown of a plan; of one of another system with the report.
type planPicture struct {
	view.Graph
	*planfile.Report
}

// present simulates what is left of a plan, and shows it in the format that the user
// asked for. A text ends with the lines of the report.
func (c *planShown) present(inv *invocation, g planPicture, past view.Past, barrier bool, report string) error {
	if len(c.Agents) > 0 {
		g.Simulate(c.Agents)
	}
	if c.Risk {
		g.Rate(past)
	}
	if c.Spread {
		g.Foresee(past, c.Agents, barrier)
	}
	var text string
	switch c.Format {
	case "dot":
		text = drawing.DOT(g.Graph)
	case "mermaid":
		text = drawing.Mermaid(g.Graph)
	case "svg":
		text = drawing.Graph(g.Graph, drawing.Place{Alone: true})
	default:
		text = g.Text(inv.width())
		if report != "" {
			text += "\n" + report
		}
	}
	return pager{inv}.present(g, text)
}
