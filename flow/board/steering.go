package board

import (
	"slices"
	"time"
)

// Archivable are the tasks that became final until a time and may be archived. In the archive
// a superseded task counts as done, so it waits for what replaces it.
func Archivable(b *Board, until time.Time) []Summary {
	return slices.DeleteFunc(b.Tasks(), func(t Summary) bool {
		return !t.Status.Final() || t.Changed.After(until) || t.Status == Superseded && OpenReplacement(b, t.ID, map[TaskID]bool{}) != nil ||
			(t.Status != Merged || t.Reverted) && HoldsLevel(b, b.Task(t.ID))
	})
}

// NextDeadline is the first deadline after a time of an open sprint of the goals in
// progress, when flow.DueMoves may ask for a checkpoint; zero if there is none.
func NextDeadline(b *Board, at time.Time) (next time.Time) {
	for _, id := range OpenSprints(b) {
		if s := b.Sprint(id); s != nil && s.Deadline.After(at) && (next.IsZero() || s.Deadline.Before(next)) {
			next = s.Deadline
		}
	}
	return next
}

// PlannedTasks counts the planned tasks of a sprint, and those of them that became final
// in it: archived ones too, and those that were carried on.
func PlannedTasks(b *Board, s *Sprint) (planned, final int) {
	planned, final = s.Archived, s.Archived
	b.Each(func(t *Summary) {
		switch {
		case t.Stretch || t.Sprint != s.ID:
		case t.Status.Final():
			final++
			planned++
		default:
			planned++
		}
	})
	for _, id := range s.Carried {
		if t := b.Task(id); t != nil && !t.Stretch {
			planned++
		}
	}
	return planned, final
}

// OpenReplacement is the first task that is not final of those that replace a task,
// directly or not; nil if there is none.
func OpenReplacement(b *Board, id TaskID, seen map[TaskID]bool) *Summary {
	t := b.Task(id)
	if t == nil || seen[id] || len(seen) > MaxList {
		return nil
	}
	seen[id] = true
	if !t.Status.Final() {
		s := t.Summary()
		return &s
	}
	for _, by := range t.SupersededBy {
		if open := OpenReplacement(b, by, seen); t.Status == Superseded && open != nil {
			return open
		}
	}
	return nil
}
