package main

import (
	"errors"
	"slices"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/plan/planfile"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plan"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

type planShowCommand struct {
	File string       `arg:"" optional:"" placeholder:"FILE" help:"A plan in a form that git liza check takes; - for standard input; default: the board."`
	Goal board.GoalID `placeholder:"G" help:"Of the board, only the tasks of this goal, and what they wait for elsewhere; default: all."`
	planShown
}

// planShown says how a plan is shown.
type planShown struct {
	Agents []int  `default:"1,2,4,8" tool:"-" placeholder:"N,…" help:"Numbers of agents to simulate, from 1 to 1000; default 1,2,4,8."`
	Risk   bool   `help:"Rate the risk of each open task by stated factors."`
	At     string `placeholder:"REV|TIME" help:"The board as it was: a time, a span before now (2h, 3d), a mark such as sprint-1, or a commit of refs/liza/state."`
}

func (c *planShown) Help() string { return helpText("plan show") }

// check refuses flags that do not go together.
func (c *planShown) check() error {
	if c.At != "" && c.Risk {
		return usagef("git liza plan show --at "+shell.Quote(c.At), "--risk is about now, and goes with no --at")
	}
	if len(c.Agents) > 20 || len(c.Agents) > 0 && (slices.Min(c.Agents) < 1 || slices.Max(c.Agents) > 1000) {
		return usagef("git liza help plan show", "--agents takes at most 20 numbers from 1 to 1000")
	}
	return nil
}

func (c *planShowCommand) Run(inv *invocation) error {
	if c.File == "" {
		g, err := c.boardPlan(inv, c.Goal)
		if err != nil {
			return err
		}
		return pager{inv}.present(g, g.Text(inv.width()))
	}
	if c.Goal != "" || c.At != "" {
		return usagef("git liza plan show "+shell.Quote(c.File), "--goal and --at are about the board: leave them out, or the file")
	}
	if err := c.check(); err != nil {
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
		return r.refuse(&work.PlanFaults{Wrong: wrong}, file, "git liza help check")
	}
	g := view.PlanOf(&file.Plan, linked)
	var l look
	if c.Risk && ground.OnBoard != nil {
		if l, err = inv.look(); err != nil {
			return err
		}
	}
	if err := c.fill(inv, l, &g); err != nil {
		return err
	}
	text := g.Text(inv.width())
	if lines := r.reportLines(file); lines != "" {
		text += "\n" + lines
	}
	return pager{inv}.present(planPicture{g, reportOf(file)}, text)
}

// boardPlan is the plan of the board, of one goal unless it is "".
func (c *planShown) boardPlan(inv *invocation, goal board.GoalID) (view.Graph, error) {
	if err := c.check(); err != nil {
		return view.Graph{}, err
	}
	l, err := inv.lookAt(c.At)
	if err != nil {
		return view.Graph{}, err
	}
	if err := checkGoal(l.reading.Board, goal); err != nil {
		return view.Graph{}, err
	}
	g := view.GraphOf(l.reading.Board, goal)
	if err := l.reading.Board.Err(); err != nil {
		return g, err
	}
	return g, c.fill(inv, l, &g)
}

// A planPicture is what is shown of a plan; of one of another system with the report.
type planPicture struct {
	view.Graph
	*planfile.Report
}

// fill adds to a plan what flags ask for. The risk is rated also by what happened on the
// board, if there is one.
func (c *planShown) fill(inv *invocation, l look, g *view.Graph) error {
	if len(c.Agents) > 0 {
		g.Simulate(c.Agents)
	}
	if !c.Risk {
		return nil
	}
	if l.reading.Board == nil {
		g.Rate(nil)
		return nil
	}
	counts, err := work.ReadCountsAt(inv.ctx, l.clone, l.reading.Tip)
	if err != nil {
		return err
	}
	g.Rate(view.RecordsOf(l.reading.Board, counts.Troubles()))
	return l.reading.Board.Err()
}
