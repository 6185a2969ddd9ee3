package board

import (
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/lists"
)

// Misses is how often agents have looked for the answer in vain. Whoever let a lease end
// could not say so any more.
func (q *Question) Misses(at time.Time) int {
	if q.Lease != nil && !q.Lease.Live(at) && !q.Lease.By.IsHuman() {
		return q.Missed + 1
	}
	return q.Missed
}

// IsLeft reports whether agents have looked for the answer as often as they may, as for a
// verdict: it is left to a person.
func (q *Question) IsLeft(b *Board, at time.Time) bool {
	limits := b.Settings().Config.Limits
	if t := b.Task(q.Task); t != nil {
		limits = limits.Over(t.Limits)
	}
	return q.Misses(at) >= limits.NoVerdicts
}

// IsFor reports whether agents of a role may look for the answer. What blocks a task wakes
// a planner without a lease.
func (q *Question) IsFor(row *RoleRow) bool {
	if row == nil || row.Capacity == Plans && !q.During {
		return false
	}
	return q.To == row.Name || q.To == "" && row.Capacity == Plans
}

// OpenQuestions are the questions that wait for an answer, oldest first.
func OpenQuestions(b *Board) (list []*Question) {
	b.Each(func(s *Summary) {
		if s.Status.Final() || !s.Asks && len(s.Asking) == 0 {
			return
		}
		t := b.Task(s.ID)
		if t == nil {
			return
		}
		list = append(list, OpenQuestionsOf(b, t)...)
	})
	slices.SortFunc(list, (*Question).compare)
	return list
}

// OpenQuestionsOf are the questions that a task waits for, and those that were asked
// during its work, in their order, without the answered ones.
func OpenQuestionsOf(b *Board, t *Task) (list []*Question) {
	ids := lists.Of(t.Asking, func(a Asking) RecordID { return a.Question })
	if t.Block != nil {
		ids = slices.Concat(t.Block.Asked, ids)
	}
	for _, id := range ids {
		if q := FindQuestion(b, id); q != nil && q.IsOpen() {
			list = append(list, q)
		}
	}
	return list
}

// compare orders questions by when they were asked. Of two numbers the longer one is
// larger.
func (q *Question) compare(other *Question) int {
	if c := q.Asked.Compare(other.Asked); c != 0 {
		return c
	}
	if c := len(q.ID) - len(other.ID); c != 0 {
		return c
	}
	return strings.Compare(string(q.ID), string(other.ID))
}
