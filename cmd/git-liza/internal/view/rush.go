package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// A Progress says how far a goal is.
type Progress struct {
	Merged int `json:"merged"` // its tasks that are merged
	Of     int `json:"of"`     // its tasks but for those that were given up or replaced
}

// Text formats the progress for people.
func (p Progress) Text() string { return fmt.Sprintf("%d of %d", p.Merged, p.Of) }

// A RushLine is one thing that a rush says.
type RushLine struct {
	At       time.Time     `json:"at"`
	Kind     string        `json:"kind"` // move, need, remark, team or output
	Goal     board.GoalID  `json:"goal,omitempty"`
	Task     board.TaskID  `json:"task,omitempty"`
	Title    string        `json:"title,omitempty"`
	Agent    board.AgentID `json:"agent,omitempty"` // whose output it is
	Text     string        `json:"text"`
	Progress *Progress     `json:"progress,omitempty"` // of the goal, in a line about a task
}

// The bounds of the columns of what a rush says, in characters.
const (
	mostTitle  = 28
	leastTitle = 8  // a narrower column is left out
	mostID     = 12 // longer ids move the rest of their line
	leastTask  = 6
	eventWidth = 48 // what most events and the progress after them take
	clock      = "15:04:05Z"
)

// A RushLayout formats what a rush says, line by line.
type RushLayout struct {
	Width int  // of the terminal; 0 for none
	Goals bool // the rush serves several goals, so that progress names its goal

	ids int // the width of the column of ids
}

// Text formats a line for people. Columns of lines about tasks are aligned. What does
// not fit the width is broken between words, titles are cut.
func (r *RushLayout) Text(l RushLine) string {
	text, at := plaintext.Line(l.Text), l.At.UTC().Format(clock)
	switch {
	case l.Agent != "":
		return at + "  " + string(l.Agent) + " | " + text
	case l.Task == "":
		return wrapText(text, r.Width, at)
	}
	r.ids = max(r.ids, leastTask, min(cells(string(l.Task)), mostID))
	columns := []string{at, pad(string(l.Task), r.ids)}
	if n := r.titleWidth(); n > 0 {
		columns = append(columns, pad(Cut(plaintext.Line(l.Title), n), n))
	}
	if l.Progress != nil {
		progress := l.Progress.Text()
		if r.Goals {
			progress = string(l.Goal) + " " + progress
		}
		text += " " + strings.ReplaceAll(" "+progress, " ", unbroken)
	}
	return wrapText(text, r.Width, columns...)
}

// titleWidth is the width of the column of titles, 0 for none.
func (r *RushLayout) titleWidth() int {
	if r.Width == 0 {
		return mostTitle
	}
	n := min(r.Width-len(clock)-r.ids-eventWidth-6, mostTitle)
	if n < leastTitle {
		return 0
	}
	return n
}

// leastText is the width below which the text of a line is not kept in its column.
const leastText = 24

// wrapText puts columns before a text, which takes several lines if the width demands it.
func wrapText(text string, width int, columns ...string) string {
	lead := ""
	for _, column := range columns {
		lead += column + "  "
	}
	indent := cells(lead)
	if width > 0 && width-indent < leastText || indent == 0 {
		indent = 2
	}
	var out strings.Builder
	out.WriteString(lead)
	at, begun := cells(lead), false
	for word := range strings.SplitSeq(text, " ") {
		if width > 0 && begun && at+1+cells(word) > width {
			out.WriteString("\n" + strings.Repeat(" ", indent))
			at, begun = indent, false
		}
		if begun {
			out.WriteByte(' ')
			at++
		}
		out.WriteString(word)
		at, begun = at+cells(word), true
	}
	return strings.ReplaceAll(strings.TrimRight(out.String(), " "), unbroken, " ")
}

// unbroken is a blank at which no line is broken.
const unbroken = "\u00a0"

// pad fills a text up to a width in characters of a terminal.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(width-cells(text), 0))
}

// An OpenTask is a task that a rush leaves open.
type OpenTask struct {
	Task    board.TaskID `json:"task"`
	Status  string       `json:"status"`
	Why     string       `json:"why"`
	Command string       `json:"hint"` // to type
}

// A MergedTask is a task that was merged while a rush ran.
type MergedTask struct {
	ID    board.TaskID
	Title string
}

// A RushSummary is how a rush ended.
type RushSummary struct {
	Merged []MergedTask // by anybody, while it ran
	Open   []OpenTask
	Used   Spent
	Took   time.Duration
	Next   string // the command to type next, "" for none

	Untrusted []UntrustedCommand // what may not run on this machine yet
}

// An UntrustedCommand is a command of the board that nobody has allowed on this machine.
type UntrustedCommand struct {
	Where   string `json:"where"` // the tasks or the gate that want it
	Command string `json:"command"`
	Hint    string `json:"hint"` // allows it
}

// mostRows bounds the tasks in each part of a summary for people.
const mostRows = 10

// Text formats the summary for people.
func (s RushSummary) Text(width int) string {
	var text strings.Builder
	head := fmt.Sprintf("%s merged, %s tokens, %s dollars, in %s", Count(len(s.Merged), "task"), s.Used.Tokens(), s.Used.Dollars(), Span(s.Took))
	text.WriteString(wrapText(head, width) + "\n")
	var rows Table
	label, room := "merged", max(width, mostTitle+20)-10
	if width == 0 {
		room = 100 // a title may have thousands of characters
	}
	for _, t := range s.Merged[:min(len(s.Merged), mostRows)] {
		rows.Add(label, string(t.ID), Cut(plaintext.Line(t.Title), room-len(t.ID)))
		label = ""
	}
	if more := len(s.Merged) - mostRows; more > 0 {
		rows.Add(label, fmt.Sprintf("and %d more", more), "")
	}
	label = "open"
	shown := s.Open[:min(len(s.Open), mostRows)]
	for i, o := range shown {
		rows.Add(label, string(o.Task), FirstLine(o.Status+": "+o.Why))
		label = ""
		if last := i == len(shown)-1; o.Command != "" && (last || shown[i+1].Command != o.Command) {
			rows.Add(label, "", o.Command)
		}
	}
	if more := len(s.Open) - mostRows; more > 0 {
		rows.Add(label, fmt.Sprintf("and %d more", more), "git liza status")
	}
	s.addUntrusted(&rows)
	if s.Next != "" {
		rows.Add("next", s.Next)
	}
	text.WriteString(rows.WrappedText(width))
	return text.String()
}

// addUntrusted adds the rows of the commands that may not run yet.
func (s RushSummary) addUntrusted(rows *Table) {
	label := "to trust"
	for _, one := range s.Untrusted[:min(len(s.Untrusted), mostRows)] {
		rows.Add(label, plaintext.Line(one.Where), plaintext.Line(one.Command))
		rows.Add("", "", one.Hint)
		label = ""
	}
	if more := len(s.Untrusted) - mostRows; more > 0 {
		rows.Add(label, fmt.Sprintf("and %d more", more), "git liza trust --list")
	}
}
