package view

import (
	"slices"
	"strconv"

	"github.com/git-liza/git-liza/flow/board"
)

// Select returns the tasks that match a filter: archived ones first, each part
// in order of creation. live are the tasks that are not archived.
func (r Reading) Select(live []*board.Summary, f Filter) []*board.Summary {
	var list []*board.Summary
	if f.Archived {
		list = r.archived()
	}
	return slices.DeleteFunc(append(list, live...), func(t *board.Summary) bool {
		return len(f.Status) > 0 && !slices.Contains(f.Status, t.Status) || f.Goal != "" && t.Goal != f.Goal ||
			f.Mine != "" && (t.Status.Final() || t.Coder != f.Mine && !t.IsReviewedBy(f.Mine)) || !f.Match(t, r.At) || f.Ready && (t.Status.Final() || r.whyNot(t.ID) != "")
	})
}

// archived returns the archived tasks in order of creation.
func (r Reading) archived() []*board.Summary {
	var list []*board.Summary
	for _, id := range r.Board.IDs(board.Archive) { // of thousands one at a time
		if t := r.Board.Task(board.TaskID(id)); t != nil {
			short := t.Summary()
			list = append(list, &short)
		}
	}
	slices.SortStableFunc(list, func(x, y *board.Summary) int { return x.Created.Compare(y.Created) })
	return list
}

// TaskTable lists tasks for people: id, state, priority, holder, title. live are
// the tasks that are not archived. Where a width leaves no room for the titles, priority
// and then holder are left out, and at last the state is shortened.
func (r Reading) TaskTable(list, live []*board.Summary, width int) *Table {
	on, levels := needsAmong(r.Board, live), laddersOf(r.Board)
	const columns = 5
	rows, room := Table{Rows: make([][]string, 0, len(list))}, make([]string, 0, columns*len(list))
	for _, t := range list {
		who := string(t.Coder)
		if what, detail := workOrNeed(&r, t, on); what != "" {
			who = detail
		}
		title := leveled(levels.mark(t), t.Title)
		if t.Reason != "" {
			title += " (" + FirstLine(t.Reason) + ")"
		}
		if t.Reverted {
			title += revertedWord(t)
		}
		room = append(room, string(t.ID), t.Status.String(), strconv.Itoa(t.Priority), who, title)
		rows.Add(slices.Clip(room[len(room)-columns:])...)
	}
	const state, spare, leastState = 1, 2, 8
	for left := 2; left > 0 && rows.lacks(width) > 0; left-- {
		for i, row := range rows.Rows {
			rows.Rows[i] = slices.Delete(row, spare, spare+1)
		}
	}
	if n := rows.lacks(width); n > 0 {
		room := max(rows.columns()[state]-n, leastState)
		for _, row := range rows.Rows {
			row[state] = Cut(row[state], room)
		}
	}
	return &rows
}

// revertedWord says of a merged task that it was taken back, and what does its work again.
func revertedWord(t *board.Summary) string {
	if len(t.Successors) == 0 {
		return " (reverted)"
	}
	return " (reverted, again as " + JoinIDs(t.Successors) + ")"
}
