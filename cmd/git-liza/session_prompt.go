package main

import (
	"fmt"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

type sessionPromptCommand struct {
	goalFlag
	Role     board.Role   `arg:"" help:"As git liza role list names it: planner, coder, code-reviewer."`
	Task     board.TaskID `arg:"" optional:"" help:"What it works on; a planner needs none."`
	Provider string       `placeholder:"P" help:"The provider that would be told; default: the one configured for the role."`
	Explain  bool         `help:"List the sections, and the layer each comes from, instead."`
}

func (c *sessionPromptCommand) Run(inv *invocation, l look) error {
	a, err := c.assignment(inv, l)
	if err != nil {
		return err
	}
	if err := c.addProvider(inv, l, &a); err != nil {
		return err
	}
	prompt, err := supervise.Prompt(inv.ctx, l.clone.Repo, l.reading.Board, a)
	if err != nil {
		return err
	}
	warnUnmerged(inv, l.clone, l.reading.Board)
	text := prompt.Text()
	if c.Explain {
		text = prompt.Explain()
	}
	type section struct {
		Name  string `json:"name"`
		Layer string `json:"layer"`
		Text  string `json:"text"`
	}
	sections := make([]section, len(prompt.Sections))
	for i, one := range prompt.Sections {
		sections[i] = section(one)
	}
	return inv.answer("", map[string]any{"role": c.Role, "task": c.Task, "sections": sections, "text": prompt.Text()}, text)
}

// warnUnmerged says which edited files agents are not told of.
func warnUnmerged(inv *invocation, clone *work.Clone, b *board.Board) {
	for _, f := range clone.Doctor.Unmerged(inv.ctx, b) {
		inv.progress("warning: %s", f.Text)
	}
}

// addProvider adds what depends on the provider. If none is chosen, the prompt
// is for a provider whose agents report themselves.
func (c *sessionPromptCommand) addProvider(inv *invocation, l look, a *supervise.PromptInput) error {
	chosen, err := providerChoice{inv, &l.clone.Repo.Config.Configuration}.forRole(l.reading.Board.Role(c.Role), c.Provider)
	if err != nil || chosen.text == "" {
		return err
	}
	team, err := newSupervisors(inv)
	if err != nil {
		return err
	}
	p, err := team.provider(c.Role, c.Provider)
	a.Report, a.Compliance, a.Loads, a.Advice = string(p.Commit), string(p.Contract), p.Loads, p.Advice
	return err
}

// assignment returns the work for which an agent of the role would be
// started.
func (c *sessionPromptCommand) assignment(inv *invocation, l look) (supervise.PromptInput, error) {
	a := supervise.PromptInput{Role: c.Role, Task: c.Task, At: l.reading.At, Environ: inv.environ}
	if err := checkRole(l.reading.Board, c.Role); err != nil {
		return a, err
	}
	limits := supervise.DefaultLimits()
	if err := readLimits(inv.ctx, &l.clone.Repo.Config.Configuration, &limits); err != nil {
		return a, err
	}
	a.Await, a.Learnt = limits.Await, limits.Learnt
	if by, _, err := inv.actor(l.clone.Repo); err == nil && by.Role() == c.Role {
		a.Agent = by.Agent()
	}
	if l.reading.Board.Role(c.Role).Capacity == board.Plans {
		return a, c.findTriggers(inv, l, &a)
	}
	if c.Task == "" {
		return a, usagef("git liza list", "a prompt for %s is about a task: git liza session prompt %s TASK", c.Role.One(), c.Role)
	}
	t, err := l.task(c.Task)
	if err != nil {
		return a, err
	}
	a.Worktree = l.clone.Checkouts.Folder(t)
	if a.Rejections, err = supervise.EarlierRejections(inv.ctx, l.clone.Store, l.reading.Board, t); err != nil {
		return a, err
	}
	if l.reading.Board.Role(c.Role).Capacity == board.Does {
		a.Failure, err = supervise.LastFailure(inv.ctx, l.clone.Store, t, c.Role)
	}
	if l.reading.Board.Role(c.Role).Capacity == board.Judges {
		if t.Submission == nil {
			return a, &flow.Refusal{Rule: flow.RuleState, Hint: "git liza show " + string(t.ID), Reason: fmt.Sprintf("%s has no submission to review, it is %s", t.ID, t.Status)}
		}
		if l.clone.Checkouts.Trees != nil {
			a.Worktree = l.clone.Checkouts.Trees.Path(t.ID.ReviewFolder(c.Role, t.Submission.Number))
		}
		a.Reviewed, err = supervise.LastReview(inv.ctx, l.clone.Store, t, c.Role)
	}
	return a, err
}

// findTriggers finds the triggers for which a planner would be started, only those of
// the task if one is given. If the board has none, the prompt says that a
// human asks.
func (c *sessionPromptCommand) findTriggers(inv *invocation, l look, a *supervise.PromptInput) (err error) {
	if a.Goal, err = aboutGoal(inv, l.clone, l.reading.Board, c.Goal); err != nil {
		return err
	}
	if c.Task != "" {
		t, err := l.task(c.Task)
		if err != nil {
			return err
		}
		a.Goal = t.Goal
	}
	for _, t := range flow.Triggers(l.reading.Board, a.Goal) {
		if c.Task == "" || t.Task == c.Task {
			a.Triggers = append(a.Triggers, t)
		}
	}
	if len(a.Triggers) == 0 {
		a.Triggers = []flow.Trigger{{Reason: "asked", Task: c.Task, Text: "no planner is needed now; a human asks", Since: l.reading.At}}
	}
	return nil
}
