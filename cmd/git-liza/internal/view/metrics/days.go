package metrics

import (
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow/board"
)

// A Day is how many tasks were in each state when a day, in UTC, ended.
type Day struct {
	Day    time.Time // its beginning
	Counts map[board.Status]int
}

// A SprintDay is how many planned tasks a sprint had, and how many were not final, when a
// day, in UTC, ended; on the last one before it was closed, which carries the rest on.
type SprintDay struct {
	Sprint        board.SprintID
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
	first, last := dayOf(w.tasks[0].Stays[0].Since.At), dayOf(min(w.now, w.counts.Last.At))
	first = max(first, last-mostDays+1)
	if w.since > 0 {
		first = max(first, dayOf(w.since))
	}
	for n := first; n <= last; n++ {
		list = append(list, Day{dayTime(n), map[board.Status]int{}})
	}
	for _, t := range w.tasks {
		for i, s := range t.Stays {
			if s.Since.At > w.now {
				break
			}
			end := last + 1 // the stay is that of the ends of the days before
			if i+1 < len(t.Stays) && t.Stays[i+1].Since.At <= w.now {
				end = min(end, dayOf(t.Stays[i+1].Since.At))
			}
			for n := max(first, dayOf(s.Since.At)); n < end; n++ {
				list[n-first].Counts[s.Status]++
			}
		}
	}
	return list
}

// burndown has the days of each sprint, in the order in which they began.
func (w *window) burndown() (list []SprintDay) {
	for _, s := range w.counts.Sprints {
		if w.goal != "" && s.Goal != w.goal || s.Begun.At > w.now {
			continue
		}
		end := moment{w.counts.Last.N + 1, min(w.now, w.counts.Last.At)}
		if s.Ended.N > 0 && s.Ended.At <= w.now {
			end = s.Ended
		}
		first, last := dayOf(s.Begun.At), dayOf(end.At)
		if w.since > 0 {
			first = max(first, dayOf(w.since))
		}
		members := w.membersOf(s.ID)
		for n := max(first, last-mostDays+1); n <= last; n++ {
			then := moment{end.N, (n+1)*dayLength - 1}
			if n == last {
				then.At = end.At
			}
			day := SprintDay{Sprint: s.ID, Day: dayTime(n)}
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
func (w *window) membersOf(id board.SprintID) []*task {
	return slices.DeleteFunc(slices.Clone(w.counts.Tasks), func(t *task) bool {
		return !slices.ContainsFunc(t.Memberships, func(m membership) bool { return m.Sprint == id })
	})
}

// plannedBefore is the state of the task before a move, at a time, and whether the sprint
// planned it then.
func (t *task) plannedBefore(id board.SprintID, then moment) (status board.Status, planned bool) {
	for _, m := range t.Memberships {
		if m.Since.N < then.N && m.Since.At <= then.At {
			planned = m.Sprint == id && !m.Stretch
		}
	}
	for _, s := range t.Stays {
		if s.Since.N < then.N && s.Since.At <= then.At {
			status = s.Status
		}
	}
	return status, planned && status != 0
}
