package main

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/artifacts/library"
	"github.com/git-liza/git-liza/cmd/git-liza/view"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore"
)

type phaseCommands struct {
	Next phaseNextCommand `cmd:"" help:"End the phase: run its gates, and begin the next one."`
	Back phaseBackCommand `cmd:"" help:"Go back to an earlier phase."`

	Reload phaseReloadCommand `cmd:"" help:"Read the workflow of a goal anew, or give it another one."`
}

// phaseGoal opens the repository for a move on the phase of a goal.
func phaseGoal(inv *invocation, named flow.GoalID) (*work.Clone, *flow.Board, flow.GoalID, error) {
	clone, err := chooseGoal(inv).open(named)
	if err != nil {
		return nil, nil, "", err
	}
	b, _, err := clone.Store.Board(inv.ctx)
	if err != nil {
		return nil, nil, "", err
	}
	goal, err := chooseGoal(inv).about(clone, b, named)
	return clone, b, goal, err
}

type phaseNextCommand struct {
	goalFlag
}

func (c *phaseNextCommand) Run(inv *invocation) error {
	clone, _, goal, err := phaseGoal(inv, c.Goal)
	if err != nil {
		return err
	}
	r, err := work.Stages{Clone: clone}.PassPhase(inv.ctx, goal)
	if err != nil {
		return err
	}
	return phaseResult(inv, r)
}

type phaseBackCommand struct {
	goalFlag
	To     flow.PhaseID `placeholder:"PHASE" help:"Default: the one before."`
	Reason string       `required:"" help:"Why; - for standard input."`
}

func (c *phaseBackCommand) Run(inv *invocation) error {
	reason, err := inv.text(c.Reason)
	if err != nil {
		return err
	}
	clone, b, goal, err := phaseGoal(inv, c.Goal)
	if err != nil {
		return err
	}
	to := c.To
	if to == "" {
		if to, err = phaseBefore(b, goal); err != nil {
			return err
		}
	}
	r, err := clone.For(goal).Make(inv.ctx, flow.ActPhase, "", &flow.PhaseMove{To: to, Reason: reason})
	if err != nil {
		return err
	}
	return phaseResult(inv, r)
}

// phaseBefore is the phase before that of a goal; "" without a workflow, which the rules
// refuse.
func phaseBefore(b *flow.Board, goal flow.GoalID) (flow.PhaseID, error) {
	g, w := b.Goal(goal), flow.FindWorkflow(b, goal)
	if g == nil || w == nil {
		return "", b.Err()
	}
	if w.Phases[0].Name == g.Phase {
		return "", &flow.Refusal{Rule: flow.RulePhase, Hint: "git liza goal show " + string(goal), Reason: fmt.Sprintf("%s is the first phase of %s", g.Phase, goal)}
	}
	var before flow.PhaseID
	for _, f := range w.Phases {
		if f.Name == g.Phase {
			break
		}
		before = f.Name
	}
	return before, nil
}

type phaseReloadCommand struct {
	goalFlag
	Workflow string       `placeholder:"NAME|FILE" help:"Another workflow; liza for none. Default: its own, as its file is now."`
	Phase    flow.PhaseID `placeholder:"PHASE" help:"In which it stands then; default the same one, of another workflow the first."`
	Map      []string     `sep:"none" placeholder:"OLD=NEW" help:"The phase that open tasks of another one get; none=NEW for those that have none. Repeatable."`
	Every    string       `placeholder:"none|task|phase" help:"At what a person is asked; default as before."`
	Reason   string       `help:"Why; - for standard input."`
}

func (c *phaseReloadCommand) Run(inv *invocation) error {
	reason, err := inv.text(c.Reason)
	if err != nil {
		return err
	}
	clone, b, goal, err := phaseGoal(inv, c.Goal)
	if err != nil {
		return err
	}
	g := b.Goal(goal)
	if g == nil {
		return noGoal(b, goal)
	}
	m := &flow.ReloadMove{Phase: c.Phase, Reason: reason}
	if m.Map, err = parsePhaseMap(c.Map); err != nil {
		return err
	}
	if m.Every, err = parseEvery(c.Every, g.Every); err != nil {
		return err
	}
	if m.Workflow, err = c.workflow(inv, clone, flow.FindWorkflow(b, goal), goal); err != nil {
		return err
	}
	r, err := clone.For(goal).Make(inv.ctx, flow.ActReload, "", m)
	var refusal *flow.Refusal
	if errors.As(err, &refusal) && c.Workflow != "" {
		refusal.Hint = strings.Replace(refusal.Hint, "git liza goal phase reload --map", "git liza goal phase reload --workflow "+shell.Quote(c.Workflow)+" --map", 1)
	}
	if err != nil {
		return err
	}
	return phaseResult(inv, r)
}

// noGoal says that the board lacks a goal.
func noGoal(b *flow.Board, goal flow.GoalID) error {
	return cmp.Or(b.Err(), error(&flow.Refusal{Rule: flow.RuleNotFound, Hint: "git liza goal list", Reason: "there is no goal " + string(goal)}))
}

// workflow reads the workflow that the goal is to have. was is the copy that it has, nil
// if it has none.
func (c *phaseReloadCommand) workflow(inv *invocation, clone *work.Clone, was *flow.Workflow, goal flow.GoalID) (*flow.Workflow, error) {
	switch {
	case c.Workflow != "":
		return readWorkflow(inv, clone, c.Workflow)
	case was == nil:
		return nil, &flow.Refusal{Rule: flow.RuleWorkflow, Hint: "git liza artifact define", Reason: fmt.Sprintf("%s has no workflow to read anew", goal)}
	case was.Path == "" || path.Dir(was.Path) == library.WorkflowsFolder:
		return readWorkflow(inv, clone, was.Name)
	}
	return readWorkflow(inv, clone, filepath.Join(clone.Repo.WorkTree(), filepath.FromSlash(was.Path)))
}

// parsePhaseMap reads words like OLD=NEW.
func parsePhaseMap(words []string) (list []flow.PhaseMap, err error) {
	for _, word := range words {
		from, to, ok := strings.Cut(word, "=")
		var pair flow.PhaseMap
		if from != "none" && ok {
			err = pair.From.UnmarshalText([]byte(from))
		}
		if !ok || err != nil || pair.To.UnmarshalText([]byte(to)) != nil {
			return nil, usagef("git liza help goal phase reload", "--map: %q is not like OLD=NEW", flow.Excerpt(word, 80))
		}
		list = append(list, pair)
	}
	return list, nil
}

// parseEvery reads at what a person is asked; "" is what was.
func parseEvery(said string, was flow.Every) (every flow.Every, err error) {
	switch said {
	case "":
		return was, nil
	case "none":
		return 0, nil
	}
	if err := every.UnmarshalText([]byte(said)); err != nil {
		return 0, usagef("git liza help goal set", "--every: %v", err)
	}
	return every, nil
}

// phaseResult prints the phase in which a move left a goal.
func phaseResult(inv *invocation, r gitstore.Result) error {
	p := view.PhaseOf(r.After, movedGoal(r))
	return inv.result(r, p, "%s", p.Line())
}
