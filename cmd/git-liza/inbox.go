package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

type inboxCommand struct {
	Words  []string `arg:"" optional:"" name:"filter|duration" help:"Only items for which all these words hold, such as kind:question age:>1h; with --snooze, for how long, default a day."`
	Count  bool     `xor:"what" help:"Only the number of items, for a prompt."`
	All    bool     `xor:"what" help:"Also what only others settle, and what is snoozed."`
	Snooze string   `xor:"what" placeholder:"ITEM" help:"Do not show an item in this clone for a time: its subject, such as task-2, or its kind and subject, question:task-2."`
}

// Help explains whose inbox it is, and what ends a snooze.
func (c *inboxCommand) Help() string {
	return `The inbox is yours: of the principal of this clone, else of the human that git's
user.name names; with --as that of the agent. First comes what stops the whole
board, then the oldest. Each item has the command that settles it. What only
others settle is a number.

A snoozed item comes back when its time is over, and earlier when it happens
anew. Snoozes are this clone's and no part of the board.

The words of a filter are those of git liza list, here of the task that an item
is about; kind:, age: and text are the item's own.`
}

func (c *inboxCommand) Run(inv *invocation) error {
	filter, span, err := c.parse()
	if err != nil {
		return err
	}
	l, err := inv.look()
	if err != nil {
		return err
	}
	in, err := l.readInbox(inv)
	if err != nil {
		return err
	}
	if c.Snooze != "" {
		return c.snooze(inv, l, in, span)
	}
	switch in = in.Select(filter, l.reading.FindSummary); {
	case c.Count:
		return inv.answer("", map[string]any{"count": len(in.Items)}, fmt.Sprint(len(in.Items)))
	case c.All:
		in = in.All()
	}
	accent, err := accentOf(inv, l.clone.Repo)
	if err != nil {
		return err
	}
	return l.answer(inv, in, in.Text(inv.width(), accent))
}

// parse reads the words: a filter, or with --snooze a span.
func (c *inboxCommand) parse() (filter view.Filter, span time.Duration, err error) {
	switch span = 24 * time.Hour; {
	case c.Snooze == "" && len(c.Words) == 1 && isSpan(c.Words[0]):
		err = usagef("git liza help inbox", "a duration belongs to --snooze")
	case c.Snooze == "":
		if filter, err = view.ParseFilter(c.Words); err != nil {
			err = usagef("git liza help inbox", "%v", err)
		}
	case len(c.Words) > 1:
		err = usagef("git liza help inbox", "--snooze takes one span of time, such as 4h")
	case len(c.Words) == 1:
		var d board.Duration
		if span, err = parseSpan(c.Words[0]); err == nil {
			err = d.UnmarshalText([]byte(span.String()))
		}
		if err != nil {
			err = usagef("git liza help inbox", "--snooze: %v", err)
		}
	}
	return filter, span, err
}

func isSpan(text string) bool {
	_, ok := gitstore.ParseSpan(text)
	return ok
}

// snooze hides the items that a name means until the span is over.
func (c *inboxCommand) snooze(inv *invocation, l look, in *view.Inbox, span time.Duration) error {
	if err := l.checkPerson(); err != nil {
		return err
	}
	items := in.Named(c.Snooze)
	if len(items) == 0 {
		return &flow.Refusal{Rule: flow.RuleNotFound, Hint: "git liza inbox", Reason: "nothing in the inbox is about " + board.Excerpt(c.Snooze, 80)}
	}
	until := l.reading.At.Add(span).UTC().Truncate(time.Second)
	kept, names := readSnoozes(l.clone.Repo), []string{}
	for _, i := range items {
		kept[i.Key()] = until
		names = append(names, i.Kind+":"+i.Subject)
	}
	if err := kept.write(l.clone.Repo, l.reading.At, in.Keys()); err != nil {
		return err
	}
	return inv.answer("changed", map[string]any{"snoozed": names, "until": view.TimeValue(until)}, strings.Join(names, ", ")+" until "+until.Format(view.Stamp))
}

// readInbox returns the inbox of the caller, after it has found what the machine
// needs.
func (l *look) readInbox(inv *invocation) (*view.Inbox, error) {
	p, err := l.picture(inv, (*look).findNeeds)
	if err != nil {
		return nil, err
	}
	in := p.Inbox()
	return in, l.reading.Board.Err()
}

// snoozes are until when a clone does not show items of the inbox, by their keys:
// the file liza/snoozed below git's folder, which is no part of the board. A file
// that cannot be read hides nothing.
type snoozes map[string]time.Time

func snoozeFile(repo *git.Repo) string { return privateFile(repo, "snoozed") }

func readSnoozes(repo *git.Repo) snoozes {
	if kept, err := git.ReadJSON[snoozes](snoozeFile(repo)); err == nil && kept != nil {
		return kept
	}
	return snoozes{}
}

// write replaces the file atomically. It leaves out what has ended, and what is not
// among the keys: it does not come back.
func (s snoozes) write(repo *git.Repo, now time.Time, keys []string) error {
	for key, until := range s {
		if !until.After(now) || !slices.Contains(keys, key) {
			delete(s, key)
		}
	}
	return git.ReplaceJSON(snoozeFile(repo), s)
}
