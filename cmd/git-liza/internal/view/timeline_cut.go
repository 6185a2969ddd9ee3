package view

import (
	"cmp"
	"slices"
	"time"
)

// cut returns the bars between two times, with the waits between them, oldest first. What
// began later is left out, and what ended later goes on.
func (c *course) cut(from, to time.Time) []Bar {
	all := make([]Bar, 0, len(c.bars))
	for _, b := range c.bars {
		if b.From.After(to) {
			continue
		}
		if b.Open || b.To.After(to) {
			b.To, b.Open = to, true
		}
		all = append(all, b)
	}
	all = append(all, c.waits(all, to)...)
	bars := all[:0]
	for _, b := range all {
		if b.To.Before(from) {
			continue
		}
		if b.From.Before(from) {
			b.From = from
		}
		bars = append(bars, b)
	}
	slices.SortStableFunc(bars, func(x, y Bar) int {
		return cmp.Or(x.From.Compare(y.From), cmp.Compare(x.rank(), y.rank()), x.To.Compare(y.To))
	})
	return bars
}

// rank orders bars that begin together: the state first.
func (b *Bar) rank() int {
	return slices.Index([]string{StateBar, WaitBar, ClaimBar, ReviewBar, SessionBar, GateBar}, b.Kind)
}

// waits returns the spans in which a task was open and nobody held it, or in which an agent
// was there and did nothing.
func (c *course) waits(bars []Bar, to time.Time) []Bar {
	var there, busy []Bar
	for _, b := range bars {
		switch {
		case b.Kind == StateBar:
			there = append(there, b)
		case b.Kind == ClaimBar || b.Kind == ReviewBar || c.state < 0 && b.Kind == SessionBar:
			busy = append(busy, b)
		}
	}
	slices.SortStableFunc(busy, func(x, y Bar) int { return x.From.Compare(y.From) })
	if len(there) == 0 && len(busy) > 0 { // an agent, which has no states
		end := to
		if !c.left.IsZero() && c.left.Before(to) {
			end = c.left
		}
		there = []Bar{{From: busy[0].From, To: end, Open: end.Equal(to)}}
	}
	var list []Bar
	for _, span := range there {
		at := span.From
		for _, b := range busy {
			if b.From.After(at) && at.Before(span.To) {
				end := slices.MinFunc([]time.Time{span.To, b.From}, time.Time.Compare)
				list = append(list, Bar{Kind: WaitBar, From: at, To: end})
			}
			if b.To.After(at) {
				at = b.To
			}
		}
		if at.Before(span.To) {
			list = append(list, Bar{Kind: WaitBar, From: at, To: span.To, Open: span.Open})
		}
	}
	return joinWaits(list)
}

// joinWaits makes one of waits that follow each other, as where a task changes its state
// and goes on waiting.
func joinWaits(list []Bar) []Bar {
	var joined []Bar
	for _, b := range list {
		if last := len(joined) - 1; last >= 0 && !joined[last].To.Before(b.From) {
			joined[last].To, joined[last].Open = b.To, b.Open
			continue
		}
		joined = append(joined, b)
	}
	return joined
}
