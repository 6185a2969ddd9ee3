package supervise

import (
	"cmp"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/lists"
)

// triggerTries remembers for which triggers planners had sessions, so that a trigger
// that a planner cannot answer does not wake it forever.
type triggerTries struct {
	sharedMap[string, triggerState] // by triggerKey
}

// A triggerState is the history of a trigger; zero if no planner has had a session for it.
type triggerState struct {
	tries       int
	leftToHuman bool // a planner had a session and left it to a human
	next        time.Time
	failure     string
}

// triggerKey names a trigger together with its state: a task that has changed since is
// a new trigger.
func triggerKey(t flow.Trigger) string {
	since := t.Since.Format(time.RFC3339)
	if t.Reason == "no_tasks" {
		since = ""
	}
	return string(t.Goal) + " " + t.Reason + " " + string(t.Task) + " " + string(t.Record) + " " + since
}

// dueTriggers returns the triggers that should wake a planner now and the failure of
// the last session on one of them. If none is due, next is when the first will be.
func (p *triggerTries) dueTriggers(list []flow.Trigger, limit int) (due []flow.Trigger, failure string, next time.Time) {
	for _, t := range list {
		w := p.at(triggerKey(t))
		switch {
		case w.leftToHuman || w.tries >= limit:
		case time.Now().Before(w.next):
			next = earlier(next, w.next)
		default:
			due = append(due, t)
			failure = cmp.Or(failure, w.failure)
		}
	}
	return due, failure, next
}

// failedTriggers returns the triggers on which as many sessions failed as one may
// have.
func (p *triggerTries) failedTriggers(list []flow.Trigger, limit int) []flow.Trigger {
	return lists.Where(list, func(t flow.Trigger) bool {
		w := p.at(triggerKey(t))
		return !w.leftToHuman && w.tries >= limit
	})
}

// noteSession records the result of a session for the triggers that are still there.
func (p *triggerTries) noteSession(list []flow.Trigger, left bool, failure string, l Limits) {
	for _, t := range list {
		p.change(triggerKey(t), func(w triggerState) triggerState {
			return triggerState{w.tries + 1, left, time.Now().Add(l.pause(w.tries)), failure}
		})
	}
}

// triggersText lists triggers for people.
func triggersText(list []flow.Trigger) string {
	return strings.Join(lists.Of(list, func(t flow.Trigger) string {
		return strings.TrimSpace(t.Reason + " " + cmp.Or(string(t.Task), string(t.Record)))
	}), ", ")
}

// remainingTriggers returns the triggers that are still on the board unchanged.
func remainingTriggers(before, now []flow.Trigger) []flow.Trigger {
	there := lists.Set(now, triggerKey)
	return lists.Where(before, func(t flow.Trigger) bool { return there[triggerKey(t)] })
}
