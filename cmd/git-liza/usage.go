package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

type usageCommand struct {
	By    string `enum:"task,role,agent,provider,model,outcome,sprint" default:"task" placeholder:"WHAT" help:"task (the default), role, agent, provider, model, outcome or sprint."`
	Since string `placeholder:"T" help:"Only sessions that ended not before this time (2026-01-17, 2026-01-17T14:06:00Z) or within this span (90m, 2h, 3d, 1w)."`
}

// A share is what some of the sessions used.
type share struct {
	name string
	spent
}

// spent is what sessions have used, and how many of them told nothing of it.
type spent struct {
	usage     flow.Usage
	uncounted int
}

func (s spent) plus(d *flow.SessionMove) spent {
	used := d.Usage
	used.Sessions = 1
	s.usage = s.usage.Plus(used)
	if !d.Counted() {
		s.uncounted++
	}
	return s
}

// spentOf is what one session has used, as its record has it.
func spentOf(u flow.Usage) spent {
	uncounted := 1 - min(u.Sessions, 1)
	u.Sessions = 1
	return spent{u, uncounted}
}

// view is the usage as JSON has it. Its numbers are of the sessions that are
// counted.
func (s spent) view() object {
	return append(viewOf(s.usage).(object), member{"uncounted", s.uncounted})
}

// tokens are those that are known of, and that there are others.
func (s spent) tokens() string { return known(strconv.FormatInt(s.usage.Tokens(), 10), s) }

// dollars are those that are known of. Most programs tell tokens alone.
func (s spent) dollars() string {
	if s.usage.Cost == 0 && s.usage.Tokens() > 0 {
		return unknown
	}
	return known(s.usage.Cost.String(), s)
}

// unknown stands for a number that nobody told; one with a plus is of those
// sessions that told theirs.
const unknown = "unknown"

func known(number string, s spent) string {
	switch {
	case s.uncounted == 0:
		return number
	case s.uncounted >= s.usage.Sessions:
		return unknown
	}
	return number + "+"
}

func (c *usageCommand) Run(s *session) error {
	since, err := parseSince(c.Since, s.now().UTC())
	if err != nil {
		return err
	}
	clone, err := s.reader()
	if err != nil {
		return err
	}
	var total spent
	shares := map[string]spent{}
	var failed error
	err = s.history(func(e gitstore.Event) bool {
		if e.Move.At.Before(since) {
			return false
		}
		if d, ok := e.Move.Detail.(*flow.SessionMove); ok {
			var name string
			name, failed = c.of(clone.Store, e, d)
			total, shares[name] = total.plus(d), shares[name].plus(d)
		}
		return failed == nil
	})
	if err = cmp.Or(err, failed); err != nil {
		return err
	}
	list := ranked(shares)
	return s.answer("", c.view(total, list), c.text(total, list, s.width()))
}

// of is which share a session belongs to.
func (c *usageCommand) of(store *gitstore.Store, e gitstore.Event, d *flow.SessionMove) (string, error) {
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
		_, sprint := b.Payers(e.Move.Task)
		return string(sprint), b.Err()
	}
	return string(e.Move.Task), nil
}

// ranked puts what cost most first, then what used most tokens.
func ranked(shares map[string]spent) []share {
	list := make([]share, 0, len(shares))
	for name, used := range shares {
		list = append(list, share{name, used})
	}
	slices.SortFunc(list, func(x, y share) int {
		return cmp.Or(cmp.Compare(y.usage.Cost, x.usage.Cost), cmp.Compare(y.usage.Tokens(), x.usage.Tokens()), strings.Compare(x.name, y.name))
	})
	return list
}

// percent is how much of the total a usage is: of the cost, or of the tokens
// where nothing has a price.
func percent(u, total flow.Usage) int {
	of, all := float64(u.Cost), float64(total.Cost)
	if all == 0 {
		of, all = float64(u.Tokens()), float64(total.Tokens())
	}
	if all == 0 {
		return 0
	}
	return int(100*of/all + 0.5)
}

func (c *usageCommand) view(total spent, list []share) any {
	rows := []object{}
	for _, one := range list {
		rows = append(rows, append(object{{c.By, one.name}, {"percent", percent(one.usage, total.usage)}}, one.view()...))
	}
	return object{{"by", c.By}, {"total", total.view()}, {"rows", rows}}
}

func (c *usageCommand) text(total spent, list []share, width int) string {
	if total.usage.Sessions == 0 {
		return "no session is recorded"
	}
	rows := table{rows: [][]string{{c.By, "sessions", "tokens", "dollars", "share", "took", "input", "cached", "output"}}}
	for _, one := range append(list, share{"total", total}) {
		u, name := one.usage, one.name
		if name == "" {
			name = "-"
		}
		// What a narrow terminal cuts is what is missed least.
		row := []string{oneLine(name), strconv.Itoa(u.Sessions), one.tokens(), one.dollars(), fmt.Sprintf("%d%%", percent(u, total.usage)), took(u)}
		if one.uncounted >= u.Sessions {
			row[4] = unknown
		}
		for _, n := range []int64{u.Input, u.Cached, u.Output} {
			row = append(row, known(strconv.FormatInt(n, 10), one.spent))
		}
		rows.add(row...)
	}
	return rows.text(width)
}

// took is the time on the clock.
func took(u flow.Usage) string { return span(time.Duration(min(u.Seconds, 1<<32)) * time.Second) }

// words is what sessions have used, for people.
func (s spent) words() string {
	text := fmt.Sprintf("%s, %s tokens, %s dollars, %s", count(s.usage.Sessions, "session"), s.tokens(), s.dollars(), took(s.usage))
	if s.uncounted > 0 && s.uncounted < s.usage.Sessions {
		text += fmt.Sprintf(" (of %s it is unknown)", count(s.uncounted, "session"))
	}
	return text
}
