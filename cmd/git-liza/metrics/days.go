package metrics

import (
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow"
)

// A Day is how many tasks were in each state when a day, in UTC, ended.
type Day struct {
	Day    time.Time // its beginning
	Counts map[flow.Status]int
}

// A SprintDay is how many planned tasks a sprint had, and how many were not final, when a
// day, in UTC, ended; on the last one before it was closed, which carries the rest on.
type SprintDay struct {
	Sprint        flow.SprintID
	Day           time.Time // its beginning
	Planned, Open int
}

// mostDays bounds the days of one list; the last ones stay.
const mostDays = 400

const dayLength = int64(24 * time.Hour / time.Second)

// dayOf is the number of the day of a time.
func dayOf(at int64) int64 {
	if at < 0 {
		return (at+1)/dayLength - 1
	}
	return at / dayLength
}

func dayTime(n int64) time.Time { return time.Unix(n*dayLength, 0).UTC() }

// days are the days of the span, from the one on which the first task was added.
func (w *window) days() (list []Day) {
	if len(w.tasks) == 0 {
		return nil
	}
	first, last := dayOf(w.tasks[0].stays[0].since.at), dayOf(min(w.now, w.counts.last.at))
	first = max(first, last-mostDays+1)
	if w.since > 0 {
		first = max(first, dayOf(w.since))
	}
	for n := first; n <= last; n++ {
		list = append(list, Day{dayTime(n), map[flow.Status]int{}})
	}
	for _, t := range w.tasks {
		for i, s := range t.stays {
			if s.since.at > w.now {
				break
			}
			end := last + 1 // the stay is that of the ends of the days before
			if i+1 < len(t.stays) && t.stays[i+1].since.at <= w.now {
				end = min(end, dayOf(t.stays[i+1].since.at))
			}
			for n := max(first, dayOf(s.since.at)); n < end; n++ {
				list[n-first].Counts[s.status]++
			}
		}
	}
	return list
}

// burndown has the days of each sprint, in the order in which they began.
func (w *window) burndown() (list []SprintDay) {
	for _, s := range w.counts.sprints {
		if w.goal != "" && s.goal != w.goal || s.begun.at > w.now {
			continue
		}
		end := moment{w.counts.last.n + 1, min(w.now, w.counts.last.at)}
		if s.ended.n > 0 && s.ended.at <= w.now {
			end = s.ended
		}
		first, last := dayOf(s.begun.at), dayOf(end.at)
		if w.since > 0 {
			first = max(first, dayOf(w.since))
		}
		members := w.membersOf(s.id)
		for n := max(first, last-mostDays+1); n <= last; n++ {
			then := moment{end.n, (n+1)*dayLength - 1}
			if n == last {
				then.at = end.at
			}
			day := SprintDay{Sprint: s.id, Day: dayTime(n)}
			day.count(members, then)
			list = append(list, day)
		}
	}
	return list
}

// count counts the tasks that the sprint planned before a move, at a time.
func (d *SprintDay) count(members []*task, then moment) {
	for _, t := range members {
		status, planned := t.plannedBefore(d.Sprint, then)
		if planned {
			d.Planned++
			if !status.Final() {
				d.Open++
			}
		}
	}
}

// membersOf are the tasks that ever belonged to a sprint.
func (w *window) membersOf(id flow.SprintID) (list []*task) {
	for _, t := range w.counts.tasks {
		if slices.ContainsFunc(t.memberships, func(m membership) bool { return m.sprint == id }) {
			list = append(list, t)
		}
	}
	return list
}

// plannedBefore is the state of the task before a move, at a time, and whether the sprint
// planned it then.
func (t *task) plannedBefore(id flow.SprintID, then moment) (status flow.Status, planned bool) {
	for _, m := range t.memberships {
		if m.since.n < then.n && m.since.at <= then.at {
			planned = m.sprint == id && !m.stretch
		}
	}
	for _, s := range t.stays {
		if s.since.n < then.n && s.since.at <= then.at {
			status = s.status
		}
	}
	return status, planned && status != 0
}
