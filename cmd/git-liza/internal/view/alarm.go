package view

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// An AlarmKind is what an alarm is about. The kinds of items of the inbox are kinds of
// alarms too.
type AlarmKind string

// The kinds of alarms that are no items of the inbox, or items of another name.
const (
	LeaseAlarm       AlarmKind = "lease"                // the lease of a claim has ended
	ReviewLeaseAlarm AlarmKind = "review_lease"         // the lease of a review has ended
	OrphanedAlarm    AlarmKind = "orphaned"             // work was rejected, and its coder is gone
	ReviewLoopAlarm  AlarmKind = "review_loop"          // a task is rejected again and again
	MergeAlarm       AlarmKind = "integration_failed"   // approved work does not merge
	ReassignedAlarm  AlarmKind = "reassigned"           // another coder began a task afresh
	ApproachingAlarm AlarmKind = "approaching"          // a limit or a budget is nearly used up
	StalledAlarm     AlarmKind = "stalled"              // no task of a goal changes
	DraftAlarm       AlarmKind = "draft"                // nobody finalizes a draft
	InvalidAlarm     AlarmKind = "invalid"              // the board is not valid, or cannot be read
	StaleAlarm       AlarmKind = "checkpoint_stale"     // a checkpoint waits for long
	StuckAlarm       AlarmKind = "checkpoint_stuck"     // it waits for longer
	AbandonedAlarm   AlarmKind = "checkpoint_abandoned" // it waits for longest
	PauseAlarm       AlarmKind = "pause_stale"          // the board is paused for long
	ForgottenAlarm   AlarmKind = "pause_forgotten"      // it is paused for longer
	UnstaffedAlarm   AlarmKind = "unstaffed"            // work waits for a role, and no agent of it is there
	DeadAlarm        AlarmKind = "dead"                 // an agent died, or is not heard of
	DriftAlarm       AlarmKind = "drift"                // merged work stood on an old integration
	ProviderAlarm    AlarmKind = "provider"             // a provider is paused in this clone
	DeadlineAlarm    AlarmKind = "deadline"             // the deadline of a sprint has passed
	RubberStampAlarm AlarmKind = "rubber_stamp"         // somebody approves whatever comes
)

// An Alarm is something that went wrong or waits for too long.
type Alarm struct {
	Kind    AlarmKind
	Subject string    // a task, a goal, an agent or another name
	Moment  string    // the board's, of this occurrence
	Since   time.Time // zero if nobody knows
	Text    string    // one line, untrusted
	Next    string    // the command to type
	Call    bool      // a person has to act; else it is a note

	Recurs bool // the moment is a figure, which the board may come to again

	listed bool // the inbox of the reading shows what it is about
}

// Key returns the name of this occurrence of the alarm, which is the same on every host:
// when the same happens again, the key is another, unless the alarm recurs.
func (a Alarm) Key() string { return string(a.Kind) + " " + a.Subject + " " + a.Moment }

// Unlisted returns the alarms that are about nothing in the inbox. All calls are about an
// item of it.
func Unlisted(list []Alarm) []Alarm {
	return slices.DeleteFunc(slices.Clone(list), func(a Alarm) bool { return a.listed })
}

// MarshalJSON writes the alarm for programs.
func (a Alarm) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Kind    AlarmKind `json:"kind"`
		Subject string    `json:"subject"`
		Since   any       `json:"since"` // null if nobody knows
		Text    string    `json:"text"`
		Next    string    `json:"next"`
		Call    bool      `json:"call"`
		Key     string    `json:"key"`
	}{a.Kind, a.Subject, TimeValue(a.Since), a.Text, a.Next, a.Call, a.Key()})
}

// An alarmCollector collects the alarms of a board.
type alarmCollector struct {
	Reading // at a time not before the board's
	picture *Picture
	config  *board.Config  // of the board
	limits  board.Alarms   // thresholds
	goals   []board.GoalID // in progress
	inbox   *Inbox
	heard   map[board.Role]bool // an agent of the role is heard of
	planned bool                // one of them plans, and has not given up
	list    []Alarm
	known   map[string]bool // kind and subject of those in the list
	due     time.Time       // when time alone makes another one; zero: never
}

// Alarms returns what went wrong or waits for too long: calls first, of each the oldest.
// A call is in the inbox of [Reading.Person], and no agent is about to settle it.
func (p *Picture) Alarms() []Alarm {
	list, due := p.alarms(p.Inbox())
	p.alarmDue = due
	return list
}

// alarms is [Picture.Alarms] with the inbox of the picture. due is when time alone
// changes the alarms, zero if never.
func (p *Picture) alarms(in *Inbox) (list []Alarm, due time.Time) {
	p.groupTasks()
	r := p.reading
	if r.At.Before(r.Board.At()) {
		r.At = r.Board.At() // a clock that is behind knows no better
	}
	settings := r.Board.Settings()
	c := &alarmCollector{Reading: r, config: &settings.Config, limits: settings.Config.Alarms.Filled(), goals: servedGoals(r),
		picture: p, inbox: in, known: map[string]bool{}}
	c.listen()
	c.addItems()
	if r.Local.Breach == nil {
		c.addControl(settings.Control)
		c.addTasks()
		c.addBudgets()
		c.addRubberStamps()
		c.addAgents()
		c.addDeadlines()
		c.addUnstaffed()
		c.addStalled(settings.Control)
	}
	slices.SortStableFunc(c.list, func(x, y Alarm) int {
		place := func(a Alarm) int {
			switch {
			case a.Call:
				return 0
			case a.Since.IsZero():
				return 2
			}
			return 1
		}
		return cmp.Or(place(x)-place(y), x.Since.Compare(y.Since), strings.Compare(x.Key(), y.Key()))
	})
	return c.list, c.due
}

// add adds an alarm, unless the board does not want its kind or has it already.
func (c *alarmCollector) add(a Alarm) {
	if name := string(a.Kind) + " " + a.Subject; !c.known[name] && !slices.Contains(c.limits.Off, string(a.Kind)) {
		c.known[name] = true
		a.Text = FirstLine(a.Text)
		c.list = append(c.list, a)
	}
}

// past reports whether a span has passed since a time. The zero time is never past.
func (c *alarmCollector) past(since time.Time, span board.Duration) bool {
	then := since.Add(time.Duration(span))
	if since.IsZero() || !then.After(c.At) {
		return !since.IsZero()
	}
	c.wakeBy(then)
	return false
}

// wakeBy notes that the alarms may change at a time.
func (c *alarmCollector) wakeBy(at time.Time) {
	if c.due.IsZero() || at.Before(c.due) {
		c.due = at
	}
}

// moment formats a time of the board for a key.
func moment(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// listen finds the roles of which an agent is heard of.
func (c *alarmCollector) listen() {
	c.heard = map[board.Role]bool{}
	for id, p := range c.Local.Presences {
		if c.silent(id) {
			continue
		}
		c.wakeBy(p.HeardUntil().Add(time.Second))
		a := c.Board.Agent(id)
		if a == nil || a.Degraded != "" {
			continue
		}
		c.heard[a.Role] = true
		c.planned = c.planned || c.Board.CapacityOf(board.Actor(id)) == board.Plans && !hasGivenUp(p)
	}
}

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
