package main

import (
	"cmp"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

type nextCommand struct{}

func (c *nextCommand) Run(inv *invocation, l look) error {
	var err error
	if l.reading.About, err = aboutGoal(inv, l.clone, l.reading.Board, ""); err != nil {
		return err
	}
	on, err := focusedGoal(inv, l.clone)
	if err != nil {
		return err
	}
	if by, _, err := inv.actor(l.clone.Repo); err != nil || by.IsHuman() {
		l.reading.Focus = board.TaskID(on.Task)
	}
	picture, err := l.picture(inv, func(l *look, inv *invocation, p *view.Picture) error {
		by, _, err := inv.actor(l.clone.Repo)
		if err != nil {
			by = ""
		}
		l.reading.Local.Identity = l.reading.IdentityOf(by)
		return l.findNeeds(inv, p)
	})
	if err != nil {
		return err
	}
	if err := nextLacks(inv, l, picture); err != nil {
		return err
	}
	next := picture.Next()
	if next.Action == "" && !picture.CanTake() {
		if take := takeCommand(inv, l.clone.Repo, l.reading.Board); take != "" {
			next = view.TakeStep(take, l.reading.Board.Settings().Integration)
		}
	}
	next.Command = hints{inv}.adapt(next.Command)
	// An agent that only --as names is named again.
	if inv.as != inv.getenv("LIZA_AGENT_ID") && !strings.Contains(next.Command, " --as ") {
		next.Command += " --as " + inv.as
	}
	return l.answer(inv, next, next.Text())
}

// nextLacks refuses to name a step where the goal, its spec, its phase or the focus of
// this clone has to be mended first.
func nextLacks(inv *invocation, l look, picture *view.Picture) error {
	lacks, goal := picture.Lacking(), l.reading.About
	kept, err := readFocus(l.clone.Repo)
	if reason, hint, wrong := strings.Cut(kept.trouble(l.reading.Board), ", and is ignored: "); wrong && lacks == nil && inv.getenv("LIZA_GENERATION") == "" {
		lacks, goal = &flow.Refusal{Rule: flow.RuleGoal, Reason: reason, Hint: hint}, board.GoalID(kept.Goal)
	}
	if err := cmp.Or(err, l.reading.Board.Err()); err != nil || lacks == nil {
		return err
	}
	return &partial{failure{exitRefused, "refused", lacks.Rule, lacks.Reason, lacks.Hint, nil}, view.StepTo(lacks.Hint, string(goal), lacks.Reason, lacks.Rule)}
}
