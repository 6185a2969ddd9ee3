package view

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// A Column is the tasks of the same stage, those first that have been there longest; of
// the done ones the newest first.
type Column struct {
	Name  string     `json:"name"` // draft, to do, work, review, approved, blocked or done
	Count int        `json:"count"`
	Rows  []*FlowRow `json:"rows"`
}

// A FlowRow is a task in a [Column].
type FlowRow struct {
	ID     board.TaskID   `json:"id"`
	Title  string         `json:"title"`
	Status board.Status   `json:"status"`
	Goal   board.GoalID   `json:"goal"`
	Sprint board.SprintID `json:"sprint"`
	Who    board.Actor    `json:"who"`    // that works on it or reviews it, "" if nobody does
	Since  time.Time      `json:"since"`  // when its state changed
	Due    *time.Time     `json:"due"`    // when the lease of who ends; null without one
	Wait   string         `json:"wait"`   // what it waits for: the "for" of a group in status, "" if it is final
	Detail string         `json:"detail"` // more about that
	Level  int            `json:"level"`  // 0 where levels mean nothing to the goal

	task *board.Summary
}

// Summary returns the task in short. It is shared and must not be changed.
func (r *FlowRow) Summary() *board.Summary { return r.task }

// Named returns the title behind the level.
func (r *FlowRow) Named() string { return leveled(r.Level, r.Title) }

// TasksIn returns the tasks in columns by their ids.
func TasksIn(list []Column) map[board.TaskID]*board.Summary {
	tasks := map[board.TaskID]*board.Summary{}
	for i := range list {
		for _, r := range list[i].Rows {
			tasks[r.ID] = r.task
		}
	}
	return tasks
}

// columnNames are the columns in their order; the last is that of final tasks.
var columnNames = [...]string{"draft", "to do", "work", "review", "approved", "blocked", "done"}

// columnOf has for each state the place of its column. The rules table is searched once,
// not for each task.
var columnOf = sync.OnceValue(func() map[board.Status]int {
	of := map[board.Status]int{}
	for _, status := range board.Statuses() {
		name := "to do"
		switch {
		case status.IsDraft():
			name = "draft"
		case status.IsBlocked():
			name = "blocked"
		case status.Final():
			name = "done"
		case flow.Allows(status, board.ActMerge):
			name = "approved"
		case flow.Allows(status, board.ActReview):
			name = "review"
		case flow.Allows(status, board.ActSubmit):
			name = "work"
		}
		of[status] = slices.Index(columnNames[:], name)
	}
	return of
})

// newFlowRow returns a task as a row.
func newFlowRow(r *row, at time.Time) *FlowRow {
	t := r.Summary
	row := &FlowRow{ID: t.ID, Title: t.Title, Status: t.Status, Goal: t.Goal, Sprint: t.Sprint, Since: t.Changed, Wait: r.what, Detail: r.detail, Level: r.level, task: t}
	by, lease := t.Reviewing(at)
	if t.Lease.After(at) {
		by, lease = t.Coder, t.Lease
	}
	if lease.After(at) {
		row.Who, row.Due = by, &lease
	}
	return row
}

// compare orders the rows of a column.
func (r *FlowRow) compare(other *FlowRow) int {
	return cmp.Or(r.Since.Compare(other.Since), cmp.Compare(len(r.ID), len(other.ID)), cmp.Compare(r.ID, other.ID))
}

// Flow returns the tasks outside the archive by how far they are.
func (p *Picture) Flow() []Column {
	if p.columns == nil {
		p.groupTasks()
		p.columns = new(columns)
		for _, r := range p.rows.all {
			r.shown = newFlowRow(r, p.reading.At)
			of := p.columns.of(r.shown)
			*of = append(*of, r.shown)
		}
		for i := range p.columns {
			slices.SortFunc(p.columns[i], (*FlowRow).compare)
		}
	}
	list := make([]Column, len(columnNames))
	for i, name := range columnNames {
		list[i] = Column{name, len(p.columns[i]), append([]*FlowRow{}, p.columns[i]...)}
	}
	slices.Reverse(list[len(list)-1].Rows)
	return list
}

// columns are the rows of all columns, each in order.
type columns [len(columnNames)][]*FlowRow

func (c *columns) of(r *FlowRow) *[]*FlowRow { return &c[columnOf()[r.Status]] }

// remove takes the row of a task out of its column.
func (c *columns) remove(r *row) {
	if c == nil || r.shown == nil {
		return
	}
	of := c.of(r.shown)
	if i, known := slices.BinarySearchFunc(*of, r.shown, (*FlowRow).compare); known {
		*of = slices.Delete(*of, i, i+1)
	}
}

// update puts the row of a task as it is now into its column. It reports whether the row
// may be another one than before.
func (c *columns) update(r *row, at time.Time) bool {
	if c == nil {
		return true
	}
	now := newFlowRow(r, at)
	if r.shown != nil && r.shown.equal(now) {
		return false
	}
	c.remove(r)
	r.shown = now
	of := c.of(now)
	i, _ := slices.BinarySearchFunc(*of, now, (*FlowRow).compare)
	*of = slices.Insert(*of, i, now)
	return true
}

// equal reports whether two rows show the same.
func (r *FlowRow) equal(other *FlowRow) bool {
	x, y := *r, *other
	same := x.Due == y.Due || x.Due != nil && y.Due != nil && x.Due.Equal(*y.Due)
	x.Due, y.Due = nil, nil
	return same && x == y
}
