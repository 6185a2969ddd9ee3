package view

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// A Usage is the usage of sessions, divided into shares.
type Usage struct {
	By     string // the kind of the shares: task, role, agent, …
	total  Spent
	shares map[string]Spent
}

// A share is the usage of some of the sessions.
type share struct {
	name string
	Spent
}

// ranked sorts the shares by cost, then by tokens, the highest first.
func (u *Usage) ranked() []share {
	list := make([]share, 0, len(u.shares))
	for name, used := range u.shares {
		list = append(list, share{name, used})
	}
	slices.SortStableFunc(list, func(x, y share) int {
		return cmp.Or(cmp.Compare(y.Usage.Cost, x.Usage.Cost), cmp.Compare(y.Usage.Tokens(), x.Usage.Tokens()), strings.Compare(x.name, y.name))
	})
	return list
}

// Text formats the usage for people.
func (u *Usage) Text(width int) string {
	if u.total.Usage.Sessions == 0 {
		return "no session is recorded"
	}
	rows := Table{Rows: [][]string{{u.By, "sessions", "tokens", "dollars", "share", "took", "input", "cached", "output"}}}
	for _, one := range append(u.ranked(), share{"total", u.total}) {
		used, name := one.Usage, cmp.Or(one.name, "-")
		// A narrow terminal cuts the end of a row, so the least important
		// column is last.
		row := []string{plaintext.Line(name), strconv.Itoa(used.Sessions), one.Tokens(), one.Dollars(), fmt.Sprintf("%d%%", Percent(used, u.total.Usage)), took(used)}
		if one.Uncounted >= used.Sessions {
			row[4] = unknown
		}
		for _, n := range []int64{used.Input, used.Cached, used.Output} {
			row = append(row, known(strconv.FormatInt(n, 10), one.Spent))
		}
		rows.Add(row...)
	}
	return rows.Text(width)
}

// Percent returns the share of the total in percent: of the cost, or of the
// tokens if no cost is known.
func Percent(u, total board.Usage) int {
	of, all := float64(u.Cost), float64(total.Cost)
	if all == 0 {
		of, all = float64(u.Tokens()), float64(total.Tokens())
	}
	if all == 0 {
		return 0
	}
	return int(100*of/all + 0.5)
}

// Spent is the usage of sessions, and the number of sessions that did not
// report theirs.
type Spent struct {
	Usage     board.Usage
	Uncounted int // sessions that did not report their usage
}

func (s Spent) plus(d *flow.SessionMove) Spent {
	used := d.Usage
	used.Sessions = 1
	s.Usage = s.Usage.Plus(used)
	if !d.Counted() {
		s.Uncounted++
	}
	return s
}

// SpentIn returns the usage in the record of one session.
func SpentIn(u board.Usage) Spent {
	uncounted := 1 - min(u.Sessions, 1)
	u.Sessions = 1
	return Spent{u, uncounted}
}

// told is the usage of sessions as the board has it, which does not count those that told
// nothing: without any token, none did.
func told(u board.Usage) Spent {
	if u.Tokens() > 0 {
		return Spent{Usage: u}
	}
	return Spent{u, u.Sessions}
}

// value returns the usage for JSON. Its numbers are those of the counted
// sessions.
func (s Spent) value() Object { return ObjectOf(s.Usage).With("uncounted", s.Uncounted) }

// Tokens formats the known tokens. A plus says that there are unknown ones
// too.
func (s Spent) Tokens() string { return known(strconv.FormatInt(s.Usage.Tokens(), 10), s) }

// Dollars formats the known cost. Most programs report only tokens.
func (s Spent) Dollars() string {
	if s.Usage.Cost == 0 && s.Usage.Tokens() > 0 {
		return unknown
	}
	return known(s.Usage.Cost.String(), s)
}

// unknown stands for a number that no session reported. A number with a plus
// counts only the sessions that reported theirs.
const unknown = "unknown"

func known(number string, s Spent) string {
	switch {
	case s.Uncounted == 0:
		return number
	case s.Uncounted >= s.Usage.Sessions:
		return unknown
	}
	return number + "+"
}

// took formats the wall-clock time that sessions took.
func took(u board.Usage) string { return Span(time.Duration(min(u.Seconds, 1<<32)) * time.Second) }

// Words formats the usage of sessions for people.
func (s Spent) Words() string {
	text := fmt.Sprintf("%s, %s tokens, %s dollars, %s", Count(s.Usage.Sessions, "session"), s.Tokens(), s.Dollars(), took(s.Usage))
	if s.Uncounted > 0 && s.Uncounted < s.Usage.Sessions {
		text += fmt.Sprintf(" (of %s it is unknown)", Count(s.Uncounted, "session"))
	}
	return text
}

// Amount formats tokens and money for people, such as 12 tokens, 0.5 dollars. What is zero is
// left out, and both are "".
func Amount(b board.Budget) string {
	var parts []string
	if b.Tokens != 0 {
		parts = append(parts, Count(int(b.Tokens), "token"))
	}
	if b.Cost != 0 {
		parts = append(parts, b.Cost.String()+" dollars")
	}
	return strings.Join(parts, ", ")
}

// ShortCost formats money with cents, such as $1.20.
func ShortCost(c board.Cost) string {
	const dollar, cent = 1_000_000, 10_000
	return fmt.Sprintf("$%d.%02d", c/dollar, c%dollar/cent)
}

// shortNumber formats a number in at most five characters, such as 21k.
func shortNumber(n int64) string {
	for _, unit := range []string{"", "k", "M", "G"} {
		if n < 10_000 || unit == "G" {
			return strconv.FormatInt(n, 10) + unit
		}
		n /= 1000
	}
	return ""
}
