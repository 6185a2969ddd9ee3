package board

import (
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow/lists"
)

// Stands reports whether a task that needs another one may count it as merged: it is, and
// was not reverted, or what does its work again is merged and stands.
func Stands(b *Board, t *Task) bool {
	return t != nil && t.Status == Merged && (t.Reverted == nil || doneAgain(b, t, map[TaskID]bool{}))
}

// Outstanding returns the open tasks that have to be merged before a reverted task counts
// as merged again, none if nobody does its work again.
func Outstanding(b *Board, t *Task) []TaskID {
	return OutstandingReverts(b, t, map[TaskID]bool{})
}

// doneAgain reports whether each of the successors of a task stands, of those that were
// not given up; of a superseded one, whether its replacements do. known are the tasks
// that were looked at, so that each is looked at once.
func doneAgain(b *Board, t *Task, known map[TaskID]bool) (done bool) {
	if was, looked := known[t.ID]; looked {
		return was
	}
	known[t.ID] = false
	for _, id := range t.SupersededBy {
		switch by := b.Task(id); {
		case by == nil:
			return false
		case by.Status == Abandoned:
			continue
		case by.Status == Merged && by.Reverted == nil:
		case !AnyOf(Merged, Superseded).Has(by.Status) || !doneAgain(b, by, known):
			return false
		}
		done = true
	}
	known[t.ID] = done
	return done
}

// OutstandingReverts are the tasks that have to be merged before a reverted one stands again,
// in the order of its successors. known are the tasks that were looked at.
func OutstandingReverts(b *Board, t *Task, known map[TaskID]bool) (open []TaskID) {
	if known[t.ID] {
		return nil
	}
	known[t.ID] = true
	for _, id := range t.SupersededBy {
		switch next := b.Task(id); {
		case next == nil || next.Status == Abandoned || Stands(b, next):
		case AnyOf(Merged, Superseded).Has(next.Status):
			open = append(open, OutstandingReverts(b, next, known)...)
		default:
			open = append(open, id)
		}
	}
	return open
}

// String names what took the work back.
func (r *Reverted) String() string {
	if r.Task != "" {
		return string(r.Task)
	}
	return string(r.By) + " with " + r.Commit.Short()
}

// MergedDependants returns the merged tasks that need one of the list, directly or
// indirectly, are not in it and were not reverted, the oldest first. Those in the
// archive are read only if archived is true: there can be very many.
func MergedDependants(b *Board, list []TaskID, archived bool) (found []TaskID) {
	type need struct {
		id TaskID
		on []TaskID
	}
	var merged []need
	add := func(id TaskID, on []TaskID) {
		if len(on) > 0 && !slices.Contains(list, id) {
			merged = append(merged, need{id, on})
		}
	}
	if archived {
		for _, id := range b.IDs(Archive) {
			if t := b.Task(TaskID(id)); t != nil && t.Status == Merged {
				add(t.ID, t.DependsOn)
			}
		}
	}
	for _, s := range b.Summaries() {
		if s.Status == Merged {
			add(s.ID, s.DependsOn)
		}
	}
	taken := lists.Set(list, func(id TaskID) TaskID { return id })
	for n := -1; n < len(found); { // each pass may find who needs what the last one found
		n = len(found)
		for _, m := range merged {
			if !taken[m.id] && slices.ContainsFunc(m.on, func(id TaskID) bool { return taken[id] }) && Stands(b, b.Task(m.id)) {
				taken[m.id], found = true, append(found, m.id)
			}
		}
	}
	return found
}

// Reverted says by what a merged task was taken back.
type Reverted struct {
	By     Actor     `yaml:"by"`
	Task   TaskID    `yaml:"task"` // "" of an adoption
	Commit ObjectID  `yaml:"commit"`
	At     time.Time `yaml:"at"`
}
