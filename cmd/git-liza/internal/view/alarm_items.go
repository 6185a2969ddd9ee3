package view

import (
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// uncalled are the items of the inbox that are no alarms: they wait for the convenience of
// a person, or an alarm of another kind tells of them when they have waited too long.
var uncalled = []string{"control", "ahead", "behind", "dead", "draft", "unstaffed"}

// addItems adds what is in the inbox: calls, unless others settle it or it is snoozed.
func (c *alarmCollector) addItems() {
	kinds := map[string]AlarmKind{"broken": InvalidAlarm, "paused": ProviderAlarm}
	for _, i := range c.inbox.All().Items {
		if slices.Contains(uncalled, i.Kind) {
			continue
		}
		a := Alarm{Kind: AlarmKind(i.Kind), Subject: i.Subject, Moment: i.moment, Since: i.since, Text: i.Text, Next: i.Command}
		if kind, other := kinds[i.Kind]; other {
			a.Kind = kind
		}
		if a.Moment == "" && !i.since.IsZero() {
			a.Moment = moment(i.since)
		}
		c.nameMoment(&a, i)
		a.listed = i.For == ""
		a.Call = a.listed && i.Kind != "text" && !(c.settlesSoon(i) && !c.isLate(a.Since))
		c.add(a)
	}
}

// nameMoment makes the moment of an alarm about a blocked task that of its block: a task
// changes in other ways too.
func (c *alarmCollector) nameMoment(a *Alarm, i Item) {
	if i.Kind == "broken" {
		a.Moment = string(c.Local.Breach.Commit)
	}
	if !slices.Contains([]string{"blocked", "exhausted", "integration_failed"}, i.Kind) {
		return
	}
	t := c.Board.Task(board.TaskID(i.Subject))
	switch {
	case t == nil:
	case i.Kind == "exhausted" && len(t.Failures) > 0:
		a.Since = t.Failures[len(t.Failures)-1].At
	case t.Block != nil && !t.Block.At.IsZero():
		a.Since = t.Block.At
	default:
		return
	}
	if t != nil {
		a.Moment = moment(a.Since)
	}
}

// settlesSoon reports whether an agent that is heard of may settle an item.
func (c *alarmCollector) settlesSoon(i Item) bool {
	switch i.Kind {
	case "question":
		open := OpenQuestions(c.Board, board.TaskID(i.Subject))
		if len(open) == 0 || open[0].To == board.HumanRole {
			return false
		}
		if row := c.Board.Role(open[0].To); row != nil && row.Capacity != board.Plans {
			return c.heard[row.Name]
		}
		return c.planned
	case "blocked", "exhausted", "integration_failed", "discovery", "hold":
		return c.planned
	case "recheck":
		return len(c.heard) > 0
	}
	return false
}

// isLate reports whether agents had time enough to settle what has waited since a moment:
// a third of what a goal may stand still.
func (c *alarmCollector) isLate(since time.Time) bool { return c.past(since, c.limits.Stalled/3) }

// silent reports whether an agent is not heard of any more. One that never was is not
// silent: somebody may have registered it by hand.
func (c *alarmCollector) silent(id board.AgentID) bool {
	p, there := c.Local.Presences[id]
	return c.Local.Dead[id] != 0 || there && p.Silent(c.At)
}

// hasGivenUp reports whether all sessions of a planner failed.
func hasGivenUp(p gitstore.Presence) bool { return p.Doing == gitstore.Failing }
