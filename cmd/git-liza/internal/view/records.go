package view

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// recordFolders are the folders of records in the order in which lists show them,
// by the names of their kinds.
var recordFolders = []struct {
	kind   string
	folder board.Folder
}{{"question", board.Questions}, {"discovery", board.Discovered}, {"anomaly", board.Anomalies}, {"note", board.Notes}}

// A RecordFilter selects records of a board. The zero value selects all that are
// open: questions and discoveries that somebody must still settle, anomalies that
// nobody dismissed, notes that prompts repeat.
type RecordFilter struct {
	Kind   string         // "question", "discovery", "anomaly" or "note", unless it is ""
	Task   board.TaskID   // only records about this task, unless it is ""
	Goal   board.GoalID   // only records of this goal's sprints, unless it is ""
	Sprint board.SprintID // only records of this sprint, unless it is ""
	By     board.Actor    // only records that this actor wrote, unless it is ""
	Since  time.Time      // only records that are not older
	All    bool           // settled, expired and archived ones too
}

// A Record is a question, a discovery, an anomaly or a note.
type Record struct {
	Kind    string // as in [RecordFilter]
	ID      board.RecordID
	About   string // the task that it is about or, of a note, whom it is for; "" if it is about none
	By      board.Actor
	At      time.Time
	Text    string
	Open    bool
	State   string // what became of it, or until when it holds, for people; "" if there is nothing to say
	Command string // settles it, "" where nothing is left to settle

	document board.Document
}

// Records returns the records that match a filter, by kind and then in the order in
// which they were written.
func (f RecordFilter) Records(r Reading) []Record {
	goals := map[string]board.GoalID{} // of sprints
	var list []Record
	for _, row := range recordFolders {
		if f.Kind != "" && f.Kind != row.kind {
			continue
		}
		first := len(list)
		for _, id := range r.Board.IDs(row.folder) {
			sprint, _, _ := strings.Cut(id, "/")
			if _, known := goals[sprint]; !known && f.Goal != "" {
				goals[sprint] = board.GoalOfRecord(r.Board, board.RecordID(id))
			}
			if f.Sprint != "" && sprint != string(f.Sprint) || f.Goal != "" && goals[sprint] != f.Goal {
				continue
			}
			if one, ok := recordOf(r, row.kind, r.Board.Load(board.Key{Folder: row.folder, ID: id})); ok && f.matches(one) {
				list = append(list, one)
			}
		}
		slices.SortStableFunc(list[first:], func(x, y Record) int { // of two numbers the longer one is larger
			return cmp.Or(x.At.Compare(y.At), cmp.Compare(len(x.ID), len(y.ID)), cmp.Compare(x.ID, y.ID))
		})
	}
	return list
}

func (f RecordFilter) matches(one Record) bool {
	return (f.All || one.Open) && (f.Task == "" || one.About == string(f.Task)) && (f.By == "" || one.By == f.By) && !one.At.Before(f.Since)
}

// recordOf describes a document of a folder of records. It is false for any other.
func recordOf(r Reading, kind string, doc board.Document) (Record, bool) {
	one := Record{Kind: kind, document: doc}
	switch d := doc.(type) {
	case *board.Question:
		one.ID, one.About, one.By, one.At, one.Text, one.Open = d.ID, string(d.Task), d.From, d.Asked, d.Text, d.IsOpen()
		if !d.IsOpen() || d.Lease != nil && d.Lease.Lease.After(r.At) {
			one.State = questionState(d, r.At)
		}
		one.Command = "git liza answer " + string(d.ID) + " TEXT"
	case *board.Discovery:
		one.ID, one.About, one.By, one.At, one.Text, one.Open = d.ID, string(d.During), d.By, d.At, d.Text, d.IsOpen(r.At)
		one.State = joinWords(d.Severity+", "+d.Urgency, markText(d.Dismissed, d.Archived))
		if d.Deferred != nil && d.Deferred.Until.After(r.At) {
			one.State = joinWords(one.State, "deferred until "+d.Deferred.Until.Format(Stamp)+": "+plaintext.Line(d.Deferred.Reason))
		}
		if d.Converted != "" {
			one.State = joinWords(one.State, "became "+string(d.Converted))
		}
		one.Command = "git liza task add --record " + string(d.ID) + " --draft"
	case *board.Anomaly:
		one.ID, one.About, one.By, one.At, one.Text, one.Open = d.ID, string(d.Task), d.By, d.At, anomalyText(d), d.Dismissed == nil && !d.Archived
		one.State = markText(d.Dismissed, d.Archived)
		one.Command = dismissCommand(d.ID)
	case *board.Note:
		one.ID, one.About, one.By, one.At, one.Text, one.Open = d.ID, d.For, d.By, d.At, d.Text, board.NoteIsCurrent(r.Board, d, r.At)
		one.State = joinWords(expiry(d, r.At), markText(d.Dismissed, d.Archived))
		one.Command = dismissCommand(d.ID)
	default:
		return one, false
	}
	if !one.Open {
		one.Command = ""
	}
	return one, true
}

// dismissCommand returns the command that dismisses a record.
func dismissCommand(id board.RecordID) string {
	return "git liza record dismiss " + string(id) + " --reason R"
}

// anomalyText is the type of an anomaly with its details, by name.
func anomalyText(a *board.Anomaly) string {
	words := []string{a.Type.String()}
	for _, key := range slices.Sorted(maps.Keys(a.Details)) {
		value := a.Details[key]
		if strings.ContainsAny(value, " \t\n\"") {
			value = strconv.Quote(value)
		}
		words = append(words, key+"="+value)
	}
	return strings.Join(words, " ")
}

// expiry says when prompts stop to repeat a note, "" for never.
func expiry(n *board.Note, now time.Time) string {
	switch {
	case n.Expires.IsZero():
		return ""
	case n.Expires.After(now):
		return "for " + Span(n.Expires.Sub(now)) + " more"
	}
	return "expired " + ago(now, n.Expires) + " ago"
}

// markText says who dismissed a record and why, and whether it is archived.
func markText(by *board.Dismissal, archived bool) string {
	text := ""
	if by != nil {
		text = string(by.By) + " dismissed it: " + plaintext.Line(by.Reason)
	}
	if archived {
		text = joinWords(text, "archived")
	}
	return text
}

func joinWords(words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), ", ")
}

// RecordsValue returns records for JSON: the keys of their documents, with kind,
// open and the command that settles them.
func RecordsValue(list []Record) []Object {
	values := make([]Object, 0, len(list))
	for _, one := range list {
		v := Object{{"kind", one.Kind}}
		if keys, ok := ValueOf(one.document).(Object); ok {
			v = append(v, keys...)
		}
		values = append(values, v.With("open", one.Open).With("command", one.Command))
	}
	return values
}

// recordHeadings are the headings of the kinds in a list.
var recordHeadings = map[string]string{"question": "questions", "discovery": "discoveries", "anomaly": "anomalies", "note": "notes"}

// RecordsText formats records for people: below the heading of its kind each with
// its text, what is said of it, and the command that settles it. Commands are not
// broken over lines.
func RecordsText(list []Record, now time.Time, width int) string {
	ids := 0
	for _, one := range list {
		ids = max(ids, cells(string(one.ID)))
	}
	var out strings.Builder
	for i, one := range list {
		if i == 0 || list[i-1].Kind != one.Kind {
			out.WriteString(strings.Repeat("\n", min(i, 1)) + recordHeadings[one.Kind] + "\n")
		}
		rows := Table{Indent: "  "}
		rows.Add(fmt.Sprintf("%-*s", ids, one.ID), plaintext.Line(one.Text))
		rows.Add("", plaintext.Line(one.state(now)))
		out.WriteString(rows.WrappedText(width))
		if one.Command != "" {
			out.WriteString(strings.Repeat(" ", ids+4) + one.Command + "\n")
		}
	}
	return out.String()
}

// state says what a record is about, who wrote it and when, and what became
// of it.
func (one Record) state(now time.Time) string {
	about := one.About
	if one.Kind == "note" {
		about = "for " + one.About
	}
	return joinWords(about, string(one.By), ago(now, one.At)+" ago", one.State)
}

// QuestionText shows a question to the person who answers it, with what is known of
// the task that asks it.
func QuestionText(r Reading, q *board.Question, width int) string {
	title, rows := "", Table{Indent: "  "}
	rows.Add("question", plaintext.Line(q.Text))
	if t := r.Board.Task(q.Task); t != nil {
		title = ", " + plaintext.Line(t.Title)
		rows.Add("done when", plaintext.Line(t.DoneWhen))
		rows.Add("spec", plaintext.Line(t.Spec))
		if t.Block != nil {
			rows.Add("why", plaintext.Line(t.Block.Reason))
			for _, tried := range t.Block.Attempted {
				rows.Add("tried", plaintext.Line(tried))
			}
		}
	}
	return Wrapped(fmt.Sprintf("%s: %s asks about %s%s, %s ago", q.ID, q.From, q.Task, title, ago(r.At, q.Asked)), width) + rows.WrappedText(width)
}
