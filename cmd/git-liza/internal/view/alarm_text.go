package view

import (
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// An AlarmEvent is that an alarm fired or ended.
type AlarmEvent struct {
	At    time.Time `json:"at"`    // when it was seen
	Ended bool      `json:"ended"` // else it fired
	Alarm Alarm     `json:"alarm"`
}

// Text formats the event as a line for people.
func (e AlarmEvent) Text() string {
	stamp := e.At.UTC().Format("15:04:05") + "  "
	if e.Ended {
		return stamp + "ended  " + plaintext.Line(e.Alarm.Text)
	}
	return stamp + e.Alarm.Line(e.At)
}

// Line formats the alarm as a line for people: whether it is a call, what it is about, for
// how long, and the command to type.
func (a Alarm) Line(at time.Time) string {
	word := "note"
	if a.Call {
		word = "call"
	}
	line := word + "   " + plaintext.Line(a.Text)
	if span := at.Sub(a.Since); !a.Since.IsZero() && span >= time.Minute {
		line += ", for " + Span(span)
	}
	return line + "; " + plaintext.Line(a.Next)
}

// AlarmLines formats alarms for people, a line each.
func AlarmLines(list []Alarm, at time.Time) string {
	if len(list) == 0 {
		return "no alarms\n"
	}
	var out strings.Builder
	for _, a := range list {
		out.WriteString(a.Line(at) + "\n")
	}
	return out.String()
}

// CountCalls counts the alarms that are calls.
func CountCalls(list []Alarm) int {
	return len(lists.Where(list, func(a Alarm) bool { return a.Call }))
}

// Unreadable returns the alarm of a board that cannot be read, at the state that its ref
// names.
func Unreadable(reason, tip, repair string) Alarm {
	return Alarm{Kind: InvalidAlarm, Subject: "board", Moment: tip, Text: FirstLine(reason), Next: repair, Call: true}
}
