package view

import (
	"fmt"
	"strconv"
	"time"

	"github.com/git-liza/git-liza/flow/board"
)

// Stamp is the layout of times in UTC for people, see [time.Time.Format].
const Stamp = "2006-01-02 15:04:05Z"

// Span formats a span of time for people: 40s, 12m, 3h, 5 days.
func Span(d time.Duration) string {
	switch d = d.Abs(); {
	case d < time.Minute:
		return d.Truncate(time.Second).String()
	case d < time.Hour:
		return board.Duration(d.Truncate(time.Minute)).String()
	case d < 48*time.Hour:
		return board.Duration(d.Truncate(time.Hour)).String()
	}
	return Count(int(d.Hours()/24), "day")
}

// ShortSpan formats a span of time in at most four characters: now, 40s, 12m, 3h, 5d.
func ShortSpan(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Second:
		return "now"
	case d < time.Minute:
		return d.Truncate(time.Second).String()
	case d < time.Hour:
		return strconv.Itoa(int(d.Minutes())) + "m"
	case d < 48*time.Hour:
		return strconv.Itoa(int(d.Hours())) + "h"
	}
	return strconv.Itoa(int(d.Hours()/24)) + "d"
}

// leaseText describes the end of a lease.
func leaseText(until, at time.Time) string {
	switch {
	case until.IsZero():
		return ""
	case until.After(at):
		return Span(until.Sub(at)) + " left"
	}
	return "lease ended " + Span(at.Sub(until)) + " ago"
}

// ago formats the time since an event. It is never negative, although the
// clock of another host may be ahead.
func ago(now, then time.Time) string { return Span(max(now.Sub(then), 0)) }

// spanOf formats seconds, from an hour on to the minute. Sums of estimates can be more
// than a time.Duration holds.
func spanOf(seconds int64) string {
	minutes := (seconds + 30) / 60
	switch {
	case seconds < 60*60:
		return board.Duration(time.Duration(seconds) * time.Second).String()
	case minutes%60 == 0:
		return fmt.Sprintf("%dh", minutes/60)
	}
	return fmt.Sprintf("%dh%dm", minutes/60, minutes%60)
}
