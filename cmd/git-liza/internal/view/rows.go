package view

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// A row is a task of a picture, with what it waits for.
type row struct {
	*board.Summary

	what, detail string       // what it waits for: a row of waits, and more about it
	level        int          // of the task where lists show it, else 0
	roles        []board.Role // whose verdicts it waits for too
	shown        *FlowRow     // nil until somebody looks at the flow
}

// rowList are rows in the order of their creation.
type rowList []*row

func (l rowList) place(r *row) (int, bool) {
	if n := len(l); n == 0 || l[n-1].Compare(r.Summary) < 0 {
		return n, false // the usual case: lists are made in their order
	}
	return slices.BinarySearchFunc(l, r.Summary, func(other *row, t *board.Summary) int { return other.Compare(t) })
}

func (l *rowList) insert(r *row) (place int) {
	i, known := l.place(r)
	if !known {
		*l = slices.Insert(*l, i, r)
	}
	return i
}

func (l *rowList) remove(r *row) {
	if i, known := l.place(r); known {
		*l = slices.Delete(*l, i, i+1)
	}
}

// states is more than the number of the states of tasks.
const states = 16

// A tally counts tasks by their states.
type tally [states]int

// count returns the number of the tasks in states that fit.
func (c *tally) count(fits func(board.Status) bool) (n int) {
	if c == nil {
		return 0
	}
	for _, status := range board.Statuses() {
		if fits(status) {
			n += c[status]
		}
	}
	return n
}

func (c *tally) open() int   { return c.count(func(s board.Status) bool { return !s.Final() }) }
func (c *tally) merged() int { return c.count(board.Status.IsMerged) }

// progress says how many of the tasks of a goal that were not given up are merged, and how many
// are archived; "" without tasks.
func (c *tally) progress(g *board.Goal) string {
	all := c.sum()
	if all == 0 {
		return ""
	}
	text := fmt.Sprintf("%d of %d merged", c.merged(), c.open()+c.merged())
	if archived := partOf(g).Added - all; archived > 0 {
		text += fmt.Sprintf(", %d archived", archived)
	}
	return text
}

func (c *tally) sum() int { return c.count(func(board.Status) bool { return true }) }

// rows are the tasks of a board outside the archive, in the groups in which they are
// looked for.
type rows struct {
	all      rowList
	short    []*board.Summary // of all
	byID     map[board.TaskID]*row
	in       [states]rowList // by state
	of       map[board.GoalID]*tally
	whole    tally
	people   map[board.Actor]int // how many tasks a person coded, and how many reviews he holds or held
	begun    rowList             // open ones on which somebody works or worked, and those with a budget of their own
	reverted rowList
	leased   rowList                 // under a lease, which may have ended
	needers  map[board.TaskID][]*row // who depends on a task; nil until it is asked for
	changed  map[board.GoalID]latest // under no lease, of the goals that were asked for
	goal     struct {
		id board.GoalID
		*tally
	} // the one that was counted last
}

func newRows(tasks []*board.Summary) *rows {
	rs := &rows{all: make(rowList, 0, len(tasks)), short: make([]*board.Summary, 0, len(tasks)), byID: make(map[board.TaskID]*row, len(tasks)), of: map[board.GoalID]*tally{}, people: map[board.Actor]int{}, changed: map[board.GoalID]latest{}}
	list := make([]row, len(tasks))
	for i, t := range tasks {
		list[i].Summary = t
		rs.add(&list[i])
	}
	return rs
}

func (rs *rows) add(r *row) {
	rs.byID[r.ID] = r
	rs.short = slices.Insert(rs.short, rs.all.insert(r), r.Summary)
	rs.in[r.Status].insert(r)
	rs.count(r, 1)
	leased := len(r.leases()) > 0
	if last, known := rs.changed[r.Goal]; known && !leased && !r.Changed.Before(last.at) {
		rs.changed[r.Goal] = latest{r.Changed, true}
	}
	if !r.Status.Final() && (r.Budgeted || r.Coder != "" || r.Failures > 0) {
		rs.begun.insert(r)
	}
	if r.Reverted {
		rs.reverted.insert(r)
	}
	if leased {
		rs.leased.insert(r)
	}
	if rs.needers != nil {
		rs.need(r)
	}
}

func (rs *rows) remove(r *row) {
	delete(rs.byID, r.ID)
	if i, known := rs.all.place(r); known {
		rs.all, rs.short = slices.Delete(rs.all, i, i+1), slices.Delete(rs.short, i, i+1)
	}
	rs.in[r.Status].remove(r)
	rs.count(r, -1)
	if last, known := rs.changed[r.Goal]; known && !r.Changed.Before(last.at) {
		rs.changed[r.Goal] = latest{last.at, false}
	}
	rs.begun.remove(r)
	rs.reverted.remove(r)
	rs.leased.remove(r)
	if rs.needers == nil {
		return
	}
	for _, d := range r.DependsOn {
		if rest := slices.DeleteFunc(rs.needers[d], func(other *row) bool { return other == r }); len(rest) > 0 {
			rs.needers[d] = rest
		} else {
			delete(rs.needers, d)
		}
	}
}

// count counts a task n times.
func (rs *rows) count(r *row, n int) {
	if rs.goal.tally == nil || rs.goal.id != r.Goal {
		rs.goal.id, rs.goal.tally = r.Goal, rs.of[r.Goal]
		if rs.goal.tally == nil {
			rs.goal.tally = new(tally)
			rs.of[r.Goal] = rs.goal.tally
		}
	}
	rs.goal.tally[r.Status] += n
	rs.whole[r.Status] += n
	note := func(by board.Actor) {
		if by.IsHuman() {
			rs.people[by] += n
		}
	}
	note(r.Coder)
	for _, j := range r.Judges {
		note(j.By)
	}
}

// need notes on which tasks a row depends.
func (rs *rows) need(r *row) {
	for i, d := range r.DependsOn {
		if !slices.Contains(r.DependsOn[:i], d) {
			rs.needers[d] = append(rs.needers[d], r)
		}
	}
}

// whoNeed returns the rows that depend on a task, oldest first.
func (rs *rows) whoNeed(id board.TaskID) rowList {
	if rs.needers == nil {
		rs.needers = make(map[board.TaskID][]*row, len(rs.all))
		for _, r := range rs.all {
			rs.need(r)
		}
	}
	list := slices.Clone(rs.needers[id])
	slices.SortFunc(list, func(x, y *row) int { return x.Compare(y.Summary) })
	return list
}

// each returns the rows in states that fit, those of a state after the other.
func (rs *rows) each(fits func(board.Status) bool) iter.Seq[*row] {
	return func(visit func(*row) bool) {
		for _, status := range board.Statuses() {
			if !fits(status) {
				continue
			}
			for _, r := range rs.in[status] {
				if !visit(r) {
					return
				}
			}
		}
	}
}

// with returns the rows in states that fit, oldest first.
func (rs *rows) with(fits func(board.Status) bool) iter.Seq[*row] {
	return func(visit func(*row) bool) {
		var groups []rowList
		for _, status := range board.Statuses() {
			if list := rs.in[status]; fits(status) && len(list) > 0 {
				groups = append(groups, list)
			}
		}
		for len(groups) > 0 {
			first := 0
			for i := range groups {
				if groups[i][0].Compare(groups[first][0].Summary) < 0 {
					first = i
				}
			}
			if !visit(groups[first][0]) {
				return
			}
			if groups[first] = groups[first][1:]; len(groups[first]) == 0 {
				groups = slices.Delete(groups, first, first+1)
			}
		}
	}
}

// among returns the rows of the tasks that a map has, oldest first.
func (rs *rows) among(tasks map[board.TaskID]Step) (list rowList) {
	for id := range tasks {
		if r := rs.byID[id]; r != nil {
			list.insert(r)
		}
	}
	return list
}

// lastChange returns when a task of a goal changed last that is under no lease, the zero
// time without such tasks.
func (rs *rows) lastChange(goal board.GoalID) time.Time {
	last := rs.changed[goal]
	if last.sure {
		return last.at
	}
	last = latest{sure: true}
	for _, t := range rs.all {
		if t.Goal == goal && t.Changed.After(last.at) && len(t.leases()) == 0 {
			last.at = t.Changed
		}
	}
	rs.changed[goal] = last
	return last.at
}

// latest is a time after which no task changed, and whether one changed then.
type latest struct {
	at   time.Time
	sure bool
}

// unheld counts the open tasks of a goal that nobody holds at a time.
func (rs *rows) unheld(goal board.GoalID, at time.Time) int {
	return len(lists.Where(rs.all, func(t *row) bool { return t.Goal == goal && !t.Status.Final() && !t.Lease.After(at) }))
}

// leases returns when the leases of the claim and of the reviews end, or ended.
func (r *row) leases() []time.Time {
	list := append([]time.Time{r.Lease}, lists.Of(r.Judges, func(j board.Judge) time.Time { return j.Lease })...)
	return slices.DeleteFunc(list, time.Time.IsZero)
}
