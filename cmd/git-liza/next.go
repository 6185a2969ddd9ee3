package main

import (
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/view"
)

type nextCommand struct{}

// Help explains whose step it is.
func (c *nextCommand) Help() string {
	return `The first item of the inbox, else the first step that would advance the board,
else what brings merged work to your branch; for an agent (--as) what it is to do
next. --json: action, subject, command, why, and the rule that asks for it, if one
does.`
}

func (c *nextCommand) Run(inv *invocation) error {
	l, err := inv.look()
	if err != nil {
		return err
	}
	picture, err := l.picture(inv, func(l *look, inv *invocation, p *view.Picture) error {
		by, _, err := inv.actor(l.Repo)
		if err != nil {
			by = ""
		}
		l.Local.Identity = l.IdentityOf(by)
		return l.findNeeds(inv, p)
	})
	if err != nil {
		return err
	}
	next := picture.Next()
	if next.Action == "" && !picture.CanTake() {
		if take := takeCommand(inv, l.Repo, l.Board); take != "" {
			next = view.TakeStep(take, l.Board.Settings().Integration)
		}
	}
	if err := l.Board.Err(); err != nil {
		return err
	}
	next.Command = hints{inv}.adapt(next.Command)
	// An agent that only --as names is named again.
	if inv.as != inv.getenv("LIZA_AGENT_ID") && !strings.Contains(next.Command, " --as ") {
		next.Command += " --as " + inv.as
	}
	return inv.answer("", next, next.Text())
}
