package view

import (
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// A Level is a level of a goal as lists show it.
type Level struct {
	Number   int           `json:"level"`
	Name     string        `json:"name"`
	Result   string        `json:"result"` // passed, failed, "" if nothing is recorded
	Tasks    int           `json:"tasks"`
	Open     int           `json:"open"`  // tasks that are not final
	Tip      flow.ObjectID `json:"tip"`   // on which its gates ran
	Since    any           `json:"since"` // when that was recorded
	Receipts []any         `json:"receipts"`
	failed   []flow.Receipt
	goal     flow.GoalID
}

// Levels are the levels of a goal up to its deepest task, and what is recorded of them.
func Levels(b *flow.Board, goal flow.GoalID) []Level {
	var list []Level
	at := func(n int) *Level {
		for len(list) < n {
			list = append(list, Level{Number: len(list) + 1, Receipts: []any{}, goal: goal})
		}
		return &list[n-1]
	}
	for _, t := range b.Tasks() {
		if t.Goal != goal || t.Level < 1 {
			continue
		}
		l := at(t.Level)
		l.Tasks++
		if !t.Status.Final() {
			l.Open++
		}
	}
	for n := 1; ; n++ {
		is := flow.FindLevel(b, goal, n)
		if is == nil {
			break
		}
		l := at(n)
		l.Result, l.Tip, l.Since, l.failed = levelWord(is), is.Tip, TimeValue(is.At), is.Receipts
		l.Receipts = append(l.Receipts, lists.Of(is.Receipts, func(r flow.Receipt) any { return ValueOf(r) })...)
	}
	if g := b.Goal(goal); g != nil && g.Schedule != nil {
		for i, name := range g.Schedule.Levels[:min(len(g.Schedule.Levels), len(list))] {
			list[i].Name = name
		}
	}
	return list
}

func levelWord(l *flow.Level) string {
	if l.Passed {
		return "passed"
	}
	return "failed"
}

// LevelTable lists levels for people.
func LevelTable(levels []Level) *Table {
	rows := &Table{}
	for _, l := range levels {
		rows.Add(fmt.Sprintf("L%d", l.Number), plaintext.Line(l.Name), fmt.Sprintf("%d of %d open", l.Open, l.Tasks), l.Result, l.Tip.Short())
	}
	return rows
}

// LevelText is one level for people, with the output of the gates that failed.
func LevelText(l Level) string {
	var text strings.Builder
	text.WriteString(joinWords(strings.TrimSpace(fmt.Sprintf("L%d %s", l.Number, plaintext.Line(l.Name))), fmt.Sprintf("%d of %d open", l.Open, l.Tasks), l.Result) + "\n")
	for _, r := range l.failed {
		fmt.Fprintf(&text, "\n%s %s: %s\n%s\n", plaintext.Line(r.Gate), r.Result, plaintext.Line(r.Command), plaintext.Lines(r.Output))
	}
	return text.String()
}

// LevelResult says in one line what is recorded of a level.
func LevelResult(l *flow.Level) string {
	results := lists.Of(l.Receipts, func(r flow.Receipt) string { return fmt.Sprintf(", %s: %s", plaintext.Line(r.Gate), r.Result) })
	return fmt.Sprintf("level %d of %s %s at %s", l.Number, l.Goal, levelWord(l), l.Tip.Short()) + strings.Join(results, "")
}
