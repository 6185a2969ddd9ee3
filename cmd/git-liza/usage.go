package main

import (
	"cmp"

	"github.com/git-liza/git-liza/cmd/git-liza/view"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

type usageCommand struct {
	By    string `enum:"task,role,agent,provider,model,outcome,sprint" default:"task" placeholder:"WHAT" help:"task (the default), role, agent, provider, model, outcome or sprint."`
	Since string `placeholder:"T" help:"Only sessions that ended not before this time (2026-01-17, 2026-01-17T14:06:00Z) or within this span (90m, 2h, 3d, 1w)."`
}

func (c *usageCommand) Run(inv *invocation) error {
	since, err := parseSince(c.Since, inv.now().UTC())
	if err != nil {
		return err
	}
	clone, err := inv.reader()
	if err != nil {
		return err
	}
	used := &view.Usage{By: c.By}
	var failed error
	err = visitMoves(inv, func(e gitstore.Event) bool {
		if e.Move.At.Before(since) {
			return false
		}
		if d, ok := e.Move.Detail.(*flow.SessionMove); ok {
			var name string
			name, failed = c.shareOf(clone.Store, e, d)
			used.Add(name, d)
		}
		return failed == nil
	})
	if err = cmp.Or(err, failed); err != nil {
		return err
	}
	return inv.answer("", used.Value(), used.Text(inv.width()))
}

// shareOf returns the share that a session belongs to.
func (c *usageCommand) shareOf(store *gitstore.Store, e gitstore.Event, d *flow.SessionMove) (string, error) {
	switch c.By {
	case "role":
		return d.Role.String(), nil
	case "agent":
		return string(e.Move.By), nil
	case "provider":
		return d.Provider, nil
	case "model":
		return d.Model, nil
	case "outcome":
		return d.Outcome, nil
	case "sprint":
		b, err := store.BoardAt(e.Parent)
		if err != nil {
			return "", err
		}
		_, sprint := b.Payers(e.Move.Goal, e.Move.Task)
		return string(sprint), b.Err()
	}
	return string(e.Move.Task), nil
}
