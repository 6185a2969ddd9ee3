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
)

// addControl adds a pause or a checkpoint that lasts too long.
func (c *alarmCollector) addControl(control board.ControlState) {
	if control.State.IsRunning() || control.State.IsStopped() {
		return
	}
	subject, next := "board", "git liza checkpoint show"
	text := "the checkpoint waits for a decision: " + control.Reason
	steps := []struct {
		kind AlarmKind
		span board.Duration
	}{{AbandonedAlarm, c.limits.CheckpointAbandoned}, {StuckAlarm, c.limits.CheckpointStuck}, {StaleAlarm, c.limits.CheckpointStale}}
	switch {
	case !control.NeedsDecision() && !control.IsDecided():
		text, next = "the board is paused: "+control.Reason, control.Onward(c.Board)
		steps = steps[:2]
		steps[0].kind, steps[0].span = ForgottenAlarm, c.limits.PauseForgotten
		steps[1].kind, steps[1].span = PauseAlarm, c.limits.PauseStale
	case control.Mark != "":
		subject = control.Mark
		text = control.Mark + " waits for a decision: " + control.Reason
	}
	if control.IsDecided() {
		text, next = "the checkpoint is decided ("+control.Decision+"), and the board does not go on", control.Onward(c.Board)
	}
	stops := slices.ContainsFunc(c.inbox.Items, func(i Item) bool { return i.stops && i.Subject == "board" })
	for _, step := range steps {
		if c.past(control.At, step.span) {
			c.add(Alarm{Kind: step.kind, Subject: subject, Moment: moment(control.At), Since: control.At, Text: text, Next: next, Call: stops, listed: stops})
			return // the others are past, too
		}
	}
}

// addBudgets adds budgets that are used up soon. Those that are spent are in the inbox.
func (c *alarmCollector) addBudgets() {
	var running []board.Spending
	for id, p := range c.Local.Presences {
		if !c.silent(id) && p.Usage != (board.Usage{}) {
			running = append(running, board.Spending{By: id, Task: p.Task, Usage: p.Usage})
		}
	}
	add := func(u flow.BudgetUse, since time.Time, next string) {
		if u.Percent >= c.limits.Approaching && u.Percent < 100 {
			c.add(Alarm{Kind: ApproachingAlarm, Subject: u.Of + "/budget", Moment: strconv.Itoa(u.Percent / 10 * 10), Recurs: true, Since: since, Next: next,
				Text: fmt.Sprintf("%s: %d %% of its budget is used", u.Of, u.Percent)})
		}
	}
	for _, id := range c.goals {
		for _, u := range flow.BudgetsUsed(c.Board, id, "", running...) {
			add(u, time.Time{}, "git liza config budgets")
		}
	}
	// Usage stands in the documents, and reading all of them is slow.
	perTask := c.config.Budgets.Task != board.Budget{}
	for _, t := range c.picture.rows.begun {
		if !t.Budgeted && !perTask || !flow.Allows(t.Status, board.ActSubmit) && len(t.Judges) == 0 {
			continue
		}
		if list := flow.BudgetsUsed(c.Board, "", t.ID, running...); len(list) > 0 && list[0].Of == string(t.ID) {
			add(list[0], t.Changed, "git liza show "+string(t.ID))
		}
	}
}

// addRubberStamps adds actors whose last verdicts were all approvals: each rejection has a
// blocker, so none of them found anything.
func (c *alarmCollector) addRubberStamps() {
	limit := c.limits.Approvals
	for _, a := range c.Local.Active {
		if steps := a.Approved / limit; steps > 0 {
			c.add(Alarm{Kind: RubberStampAlarm, Subject: string(a.By), Moment: strconv.Itoa(steps * limit), Recurs: true, Since: time.Unix(a.At, 0).UTC(),
				Next: "git liza metrics --by agent", Text: fmt.Sprintf("%s: the last %d verdicts approve, without a finding", a.By, steps*limit)})
		}
	}
}

// addAgents adds agents whose process died here, and those that hold work and are not
// heard of any more.
func (c *alarmCollector) addAgents() {
	for _, id := range c.Board.IDs(board.Agents) {
		a := c.Board.Agent(board.AgentID(id))
		if a == nil || !c.silent(a.ID) {
			continue
		}
		held, next := cmp.Or(a.Task, a.Review), "git liza agents"
		if held == "" && c.Local.Dead[a.ID] == 0 {
			continue
		}
		alarm := Alarm{Kind: DeadAlarm, Subject: id, Moment: string(a.Generation), Since: c.Local.Presences[a.ID].At}
		alarm.Text = id + " is dead"
		if c.Local.Dead[a.ID] == 0 {
			alarm.Text = id + " is not heard of any more"
		}
		if held != "" {
			alarm.Text += " and holds " + string(held)
			next = "git liza release " + string(held)
		}
		alarm.Next = next
		// A rush of this clone gives back what the dead hold.
		alarm.listed = slices.ContainsFunc(c.inbox.Items, func(i Item) bool { return i.Kind == "dead" && i.Subject == string(held) })
		alarm.Call = alarm.listed && (len(c.heard) == 0 || c.isLate(alarm.Since))
		c.add(alarm)
	}
}

// addDeadlines adds open sprints that are past their deadline.
func (c *alarmCollector) addDeadlines() {
	for _, id := range c.goals {
		s := c.Board.Sprint(c.Board.OpenSprint(id))
		if s == nil || !c.past(s.Deadline, 0) {
			continue
		}
		c.add(Alarm{Kind: DeadlineAlarm, Subject: string(s.ID), Moment: moment(s.Deadline), Since: s.Deadline, Next: "git liza sprint show " + string(s.ID),
			Text: fmt.Sprintf("%s is past its deadline", s.ID)})
	}
}

// A backlog is the work of a goal that waits for a role.
type backlog struct {
	goal  board.GoalID
	role  board.Role
	count int
	since time.Time // when the oldest began to wait
}

// addUnstaffed adds roles that work waits for and of which no agent is heard.
func (c *alarmCollector) addUnstaffed() {
	unheard := func(row *board.RoleRow) bool { return row.Capacity != board.Plans && !c.heard[row.Name] }
	if !c.Board.Settings().Control.State.IsRunning() || !slices.ContainsFunc(c.Board.Roles(), unheard) {
		return
	}
	for _, w := range c.backlogs() {
		if !c.past(w.since, c.limits.Unstaffed) {
			continue
		}
		next := board.RushCommand(c.Board, w.role)
		listed := slices.ContainsFunc(c.inbox.Items, func(i Item) bool { return i.Kind == string(UnstaffedAlarm) && i.Subject == w.role.String() })
		c.add(Alarm{listed: listed, Kind: UnstaffedAlarm, Subject: string(w.goal) + "/" + w.role.String(), Moment: moment(w.since), Since: w.since, Next: next,
			Text: fmt.Sprintf("%s %s for %s, and none is there", Count(w.count, "task"), verb(w.count, "waits", "wait"), w.role.One())})
	}
}

// backlogs returns what waits for each role of which no agent is heard, by goal in progress.
func (c *alarmCollector) backlogs() (list []*backlog) {
	note := func(t *board.Summary, role board.Role) {
		i := slices.IndexFunc(list, func(w *backlog) bool { return w.goal == t.Goal && w.role == role })
		if i < 0 {
			i = len(list)
			list = append(list, &backlog{goal: t.Goal, role: role, since: t.Changed})
		}
		w := list[i]
		w.count++
		if t.Changed.Before(w.since) {
			w.since = t.Changed
		}
	}
	for name, members := range c.picture.groups {
		role := board.Role(name)
		if name == "work" || role == board.HumanRole || c.heard[role] {
			continue
		}
		row := c.Board.Role(role)
		for _, t := range members {
			kind := unheldWaits()[t.Status]
			if (kind == forReview || kind == forWork && row != nil) && slices.Contains(c.goals, t.Goal) {
				note(t.Summary, role)
			}
		}
	}
	return list
}

// addStalled adds goals of which no task has come to another state for long while work is
// open.
func (c *alarmCollector) addStalled(control board.ControlState) {
	if !control.State.IsRunning() {
		return
	}
	for _, id := range c.goals {
		last := c.lastStep(id)
		if c.picture.rows.of[id].open() == 0 || !c.past(last, c.limits.Stalled) {
			continue
		}
		c.add(Alarm{Kind: StalledAlarm, Subject: string(id), Moment: moment(last), Since: last, Next: "git liza status --goal " + string(id),
			Text: fmt.Sprintf("%s: no task has changed: %s", id, c.standstill(id))})
	}
}

// lastStep returns when a task of a goal last came to another state or into other hands. A
// task under a lease changes whenever the lease is renewed, which is no step.
func (c *alarmCollector) lastStep(id board.GoalID) time.Time {
	last := c.picture.rows.lastChange(id)
	for _, row := range c.picture.rows.leased {
		if row.Goal != id {
			continue
		}
		if t := c.Board.Task(row.ID); t != nil {
			for _, at := range steps(t) {
				if at.After(last) {
					last = at
				}
			}
		}
	}
	return last
}

// steps returns when a task under a lease was claimed; of submitted work when that was
// submitted, and when its reviews began and its verdicts came.
func steps(t *board.Task) (list []time.Time) {
	if t.Claim != nil {
		return []time.Time{t.Claim.Since}
	}
	if t.Submission != nil {
		list = append(list, t.Submission.At)
	}
	for _, j := range t.Judgements {
		if j.Review != nil {
			list = append(list, j.Review.Since)
		}
		if j.Verdict != nil {
			list = append(list, j.Verdict.At)
		}
	}
	return list
}

// standstill says what the tasks of a goal wait for, or which rule keeps them from being
// taken.
func (c *alarmCollector) standstill(id board.GoalID) string {
	groups := map[string]int{}
	for _, t := range c.picture.rows.all {
		if t.Goal == id {
			for _, name := range t.groups() {
				groups[name]++
			}
		}
	}
	var words []string
	for _, w := range waitsOf(c.Board) {
		if groups[w.what] == 0 {
			continue
		}
		said := fmt.Sprintf("%d %s", groups[w.what], w.label)
		row := c.Board.Role(w.role)
		switch {
		case w.role != "" && !c.heard[w.role] && w.role != board.HumanRole:
			said += " (none is there)"
		case row != nil && row.Capacity == board.Does:
			if _, refusal := flow.Best(c.Board, board.ActClaim, c.FreeAgent(w.role), c.At, func(t board.Summary) bool { return t.Goal != id }); refusal != nil {
				said += fmt.Sprintf(" (refused: %s)", refusal.Rule)
			}
		}
		words = append(words, said)
	}
	return strings.Join(words, ", ")
}
