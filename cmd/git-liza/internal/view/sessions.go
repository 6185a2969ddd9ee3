package view

import (
	"cmp"
	"fmt"

	"github.com/git-liza/git-liza/gitstore"
)

// Session returns the record of an agent's session for JSON.
func Session(rec gitstore.SessionRecord) Object {
	return append(Object{{"id", rec.ID}}, ObjectOf(rec)...)
}

// SessionTable lists records of sessions for people, a line each.
func SessionTable(list []gitstore.SessionRecord) *Table {
	var rows Table
	for _, rec := range list {
		rows.Add(sessionRow(rec)...)
	}
	return &rows
}

func sessionRow(rec gitstore.SessionRecord) []string {
	provider := rec.Provider
	if rec.Model != "" {
		provider += ":" + rec.Model
	}
	// A narrow terminal cuts the end of a row, so the least important column
	// is last.
	row := []string{rec.ID.Short(), rec.Ended.Format(Stamp), string(rec.Agent), cmp.Or(string(rec.Task), "-")}
	if rec.Outcome == "" {
		return append(row, "unreadable", "", "", "", provider+"  "+rec.Ending)
	}
	used := SpentIn(rec.Usage)
	return append(row, rec.Outcome, used.Tokens(), used.Dollars(), Span(rec.Ended.Sub(rec.Began)), provider)
}

// SessionText formats the record of a session for people.
func SessionText(rec gitstore.SessionRecord, width int) string {
	on := ""
	if rec.Task != "" {
		on = " on " + string(rec.Task)
	}
	rows := Table{Indent: "  "}
	for _, m := range ObjectOf(rec) {
		switch m.Key {
		case "agent", "task", "outcome", "role":
		case "usage":
			rows.Add("usage", SpentIn(rec.Usage).Words())
		default:
			addRows(&rows, m.Key, m.Value)
		}
	}
	return Cut(fmt.Sprintf("%s  %s%s: %s", rec.ID.Short(), rec.Agent, on, rec.Outcome), width) + "\n" + rows.WrappedText(width)
}
