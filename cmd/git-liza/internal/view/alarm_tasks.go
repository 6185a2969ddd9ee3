package view

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// driftShown is how long merged work that was far behind is an alarm: nothing ends it.
const driftShown = time.Hour

// addTasks adds the alarms about single tasks.
func (c *alarmCollector) addTasks() {
	for row := range c.picture.rows.each(board.Status.IsMerged) {
		c.addDrift(row.Summary)
	}
	begun := c.picture.rows.begun
	for _, row := range begun {
		c.addTask(row.Summary)
	}
	for row := range c.picture.rows.each(func(s board.Status) bool { return s.IsDraft() || s.IsStuck() }) {
		if _, known := begun.place(row); !known {
			c.addTask(row.Summary)
		}
	}
}

// addTask adds the alarms about an open task.
func (c *alarmCollector) addTask(t *board.Summary) {
	c.addLeases(t)
	c.addRejected(t)
	c.addLimits(t)
	c.addUnmoved(t)
}

// addDrift adds merged work that stood on an old integration.
func (c *alarmCollector) addDrift(s *board.Summary) {
	until := s.Changed.Add(driftShown)
	if c.config.DriftAlarm == 0 || !until.After(c.At) {
		return
	}
	t := c.Board.Task(s.ID)
	if t == nil || t.Merge == nil || t.Merge.Adopted || t.Merge.Drift < c.config.DriftAlarm {
		return
	}
	c.wakeBy(until)
	c.add(Alarm{Kind: DriftAlarm, Subject: string(s.ID), Moment: string(t.Merge.Commit), Since: t.Merge.At, Next: "git liza show " + string(s.ID),
		Text: fmt.Sprintf("%s was %s behind when it was merged", s.ID, Count(t.Merge.Drift, "commit"))})
}

// addLeases adds claims and reviews whose lease has ended.
func (c *alarmCollector) addLeases(t *board.Summary) {
	id := string(t.ID)
	if flow.Allows(t.Status, board.ActSubmit) && c.past(t.Lease, c.limits.Lease) {
		c.add(Alarm{Kind: LeaseAlarm, Subject: id, Moment: moment(t.Lease), Since: t.Lease, Next: "git liza release " + id,
			Text: fmt.Sprintf("%s: the lease of %s has ended", id, t.Coder)})
	}
	for _, j := range t.Judges {
		if j.By == "" || j.Done || !c.past(j.Lease, c.limits.Lease) {
			continue
		}
		a := Alarm{Kind: ReviewLeaseAlarm, Subject: id + "/" + j.Role.String(), Moment: moment(j.Lease), Since: j.Lease, Next: "git liza review " + id,
			Text: fmt.Sprintf("%s: the review of %s has ended without a verdict", id, j.By)}
		if flow.Opens(c.Board, board.ActReview, t.ID, c.Person, c.At) != nil {
			a.Next = "git liza show " + id
		}
		c.add(a)
	}
}

// addRejected adds rejected work that nobody improves, or that has been rejected half as
// often as the limit allows.
func (c *alarmCollector) addRejected(s *board.Summary) {
	id := string(s.ID)
	if most := c.config.Limits.Over(s.Limits).Cycles; s.Cycles > 0 && 2*s.Cycles >= most {
		if t := c.Board.Task(s.ID); t != nil && t.Attempt != nil {
			c.add(Alarm{Kind: ReviewLoopAlarm, Subject: id, Moment: fmt.Sprintf("%d.%d", t.Attempt.Number, s.Cycles), Since: s.Changed, Next: "git liza show " + id + " --patch",
				Text: fmt.Sprintf("%s was rejected %d times", id, s.Cycles)})
		}
	}
	coder := s.Coder.Agent()
	if !flow.Allows(s.Status, board.ActDismiss) || coder == "" {
		return
	}
	if a := c.Board.Agent(coder); a != nil && a.Degraded == "" && !c.silent(coder) {
		return
	}
	t := c.Board.Task(s.ID)
	if t == nil {
		return
	}
	rejected := s.Changed
	if r := t.Judgement(t.RejectedBy).Rejection; r != nil {
		rejected = r.At
	}
	if c.past(rejected, c.limits.Orphaned) {
		c.add(Alarm{Kind: OrphanedAlarm, Subject: id, Moment: moment(rejected), Since: rejected, Next: "git liza rush",
			Text: fmt.Sprintf("%s was rejected, and %s is gone", id, coder)})
	}
}

// addUnmoved adds drafts that nobody finalizes, work that does not merge, and work that
// went to another coder.
func (c *alarmCollector) addUnmoved(s *board.Summary) {
	id := string(s.ID)
	switch {
	case s.Status.IsDraft() && c.past(s.Changed, c.limits.Draft):
		c.add(Alarm{Kind: DraftAlarm, Subject: id, Moment: moment(s.Changed), Since: s.Changed, Next: board.Completion(c.Board, s.ID),
			Text: fmt.Sprintf("%s is still a draft: %s", id, s.Title)})
	case s.Status.IsBlocked():
	case s.Status.IsStuck():
		c.add(Alarm{Kind: MergeAlarm, Subject: id, Moment: moment(s.FailedAt), Since: s.FailedAt, Next: "git liza show " + id, Text: c.mergeFailure(s.ID)})
	case flow.Allows(s.Status, board.ActSubmit):
		c.addReassigned(s)
	}
}

// mergeFailure says why a task does not merge.
func (c *alarmCollector) mergeFailure(id board.TaskID) string {
	text := string(id) + " does not merge"
	t := c.Board.Task(id)
	switch {
	case t == nil || t.Integration == nil:
	case len(t.Integration.Paths) > 0:
		text += ": conflicts in " + strings.Join(t.Integration.Paths, ", ")
	case t.Integration.Gate != "":
		text += ": " + t.Integration.Gate + " fails"
	}
	return text
}

// addReassigned adds a task that another coder has begun afresh.
func (c *alarmCollector) addReassigned(s *board.Summary) {
	t := c.Board.Task(s.ID)
	if t == nil || t.Attempt == nil || t.Attempt.Number < 2 {
		return
	}
	last := board.Actor("")
	for _, w := range t.Coders {
		if w.By != t.Attempt.Coder {
			last = w.By
		}
	}
	if last != "" {
		c.add(Alarm{Kind: ReassignedAlarm, Subject: string(t.ID), Moment: strconv.Itoa(t.Attempt.Number), Since: t.Claim.Since, Next: "git liza show " + string(t.ID),
			Text: fmt.Sprintf("%s went from %s to %s", t.ID, last, t.Attempt.Coder)})
	}
}

// addLimits adds a task that comes close to one of its limits.
func (c *alarmCollector) addLimits(s *board.Summary) {
	limits := c.config.Limits.Over(s.Limits)
	near := func(n, most int) bool { return n < most && n*100 >= c.limits.Approaching*most }
	add := func(limit, unit string, n, most int, of *board.Task) {
		number := 0
		if of != nil && of.Attempt != nil {
			number = of.Attempt.Number
		}
		c.add(Alarm{Kind: ApproachingAlarm, Subject: string(s.ID) + "/" + limit, Moment: fmt.Sprintf("%d.%d", number, n), Since: s.Changed,
			Next: "git liza show " + string(s.ID), Text: fmt.Sprintf("%s: %d of %d %s", s.ID, n, most, unit)})
	}
	if near(s.Iteration, limits.Iterations) {
		add("iterations", "iterations", s.Iteration, limits.Iterations, c.Board.Task(s.ID))
	}
	if near(s.Cycles, limits.Cycles) {
		add("review_cycles", "rejections", s.Cycles, limits.Cycles, c.Board.Task(s.ID))
	}
	if near(s.Failures, limits.Failures) {
		add("failures", "failures", s.Failures, limits.Failures, nil)
	}
	if near(s.FailedBy, limits.FailedCoders) {
		add("failed_coders", "coders failed", s.FailedBy, limits.FailedCoders, nil)
	}
	if !s.FailedAt.IsZero() && near(limits.MergeFails-1, limits.MergeFails) {
		if t := c.Board.Task(s.ID); t != nil && near(t.MergeFails, limits.MergeFails) {
			add("integration_failures", "failed merges", t.MergeFails, limits.MergeFails, t)
		}
	}
	if len(s.Judges) > 0 && near(limits.NoVerdicts-1, limits.NoVerdicts) {
		c.addLostReviews(s, limits, near)
	}
}

// addLostReviews adds a submission of which reviews end without a verdict.
func (c *alarmCollector) addLostReviews(s *board.Summary, limits board.Limits, near func(n, most int) bool) {
	t := c.Board.Task(s.ID)
	if t == nil {
		return
	}
	for _, j := range t.Judgements {
		if n := j.NoVerdicts; near(n, limits.NoVerdicts) {
			c.add(Alarm{Kind: ApproachingAlarm, Subject: string(s.ID) + "/no_verdicts", Moment: fmt.Sprintf("%d.%s.%d", t.Submissions, j.Role, n), Since: s.Changed,
				Next: "git liza show " + string(s.ID), Text: fmt.Sprintf("%s: %d of %d reviews ended without a verdict", s.ID, n, limits.NoVerdicts)})
		}
	}
}
