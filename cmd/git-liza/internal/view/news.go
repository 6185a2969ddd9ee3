package view

import (
	"fmt"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// News is what has happened since a time.
type News struct {
	From     any            `json:"from"` // null if it is not known since when
	Merged   []board.TaskID `json:"merged"`
	Rejected []board.TaskID `json:"rejected"`
	Asked    []board.TaskID `json:"asked"` // whose holders have asked a question
	Usage    any            `json:"usage"` // of the sessions that ended

	from time.Time
	used Spent
}

// NewNews returns the news since a time, of no move yet; the zero time if nobody
// knows since when.
func NewNews(from time.Time) *News {
	return &News{From: TimeValue(from), Merged: []board.TaskID{}, Rejected: []board.TaskID{}, Asked: []board.TaskID{}, Usage: Spent{}.value(), from: from}
}

// Add adds a move; moves come newest first.
func (n *News) Add(m flow.Move) {
	put := func(list *[]board.TaskID, ids ...board.TaskID) {
		*list = lists.Add(*list, ids...)
	}
	switch d := m.Detail.(type) {
	case *flow.MergeMove:
		put(&n.Merged, m.Task)
	case *flow.AdoptMove:
		put(&n.Merged, d.Tasks...)
	case *flow.RejectMove:
		put(&n.Rejected, m.Task)
	case *flow.BlockMove:
		if len(d.Questions) > 0 {
			put(&n.Asked, m.Task)
		}
	case *flow.SessionMove:
		n.used = n.used.plus(d)
		n.Usage = n.used.value()
	}
}

// text formats the news for people.
func (n *News) text(at time.Time, width int) string {
	if n.from.IsZero() {
		return "\nsince last  you have not asked before: the next time shows what is new\n"
	}
	var rows [][]string
	for _, row := range []struct {
		what string
		ids  []board.TaskID
	}{{"merged", n.Merged}, {"rejected", n.Rejected}, {"asked", n.Asked}} {
		if len(row.ids) == 0 {
			continue
		}
		rows = append(rows, []string{row.what, fmt.Sprint(len(row.ids)), joinFirst(row.ids, glanceNames)})
	}
	heading := fmt.Sprintf("since %s ago", ago(at, n.from))
	used := ""
	if n.used.Usage.Sessions > 0 {
		used = Cut("  used  "+n.used.Words(), width) + "\n"
	}
	if len(rows) == 0 {
		return "\n" + heading + "  nothing merged, rejected or asked\n" + used
	}
	return section(heading, rows, width) + used
}
