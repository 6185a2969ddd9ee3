package main

import "strings"

type nextCommand struct{}

// Help explains whose step it is.
func (c *nextCommand) Help() string {
	return `The first item of the inbox, else the first step that would advance the board;
for an agent (--as) what it is to do next. --json: action, subject, command, why,
and the rule that asks for it, if one does.`
}

func (c *nextCommand) Run(inv *invocation) error {
	l, err := inv.look()
	if err != nil {
		return err
	}
	in, err := l.readInbox(inv)
	if err != nil {
		return err
	}
	by, _, err := inv.actor(l.Repo)
	if err != nil {
		by = ""
	}
	l.Local.Identity = l.IdentityOf(by)
	next := l.NextOf(in, l.Board.Tasks())
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
