package view

import (
	"fmt"
	"math"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// A Level is a level of a goal as lists show it.
type Level struct {
	Number   int            `json:"level"`
	Name     string         `json:"name"`
	Result   string         `json:"result"` // passed, failed, "" if nothing is recorded
	Tasks    int            `json:"tasks"`
	Open     int            `json:"open"`  // tasks that are not final
	Tip      board.ObjectID `json:"tip"`   // on which its gates ran
	Since    any            `json:"since"` // when that was recorded
	Receipts []any          `json:"receipts"`
	failed   []board.Receipt
	goal     board.GoalID
}

// Levels are the levels of a goal up to its deepest task, and what is recorded of them.
func Levels(b *board.Board, goal board.GoalID) []Level {
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
		is := board.FindLevel(b, goal, n)
		if is == nil {
			break
		}
		l := at(n)
		l.Result, l.Tip, l.Since, l.failed = levelWord(is), is.Tip, TimeValue(is.At), is.Receipts
		l.Receipts = append(l.Receipts, lists.Of(is.Receipts, func(r board.Receipt) any { return ValueOf(r) })...)
	}
	if g := b.Goal(goal); g != nil && g.Schedule != nil {
		for i, name := range g.Schedule.Levels[:min(len(g.Schedule.Levels), len(list))] {
			list[i].Name = name
		}
	}
	return list
}

func levelWord(l *board.Level) string {
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
func LevelResult(l *board.Level) string {
	results := lists.Of(l.Receipts, func(r board.Receipt) string { return fmt.Sprintf(", %s: %s", plaintext.Line(r.Gate), r.Result) })
	return fmt.Sprintf("level %d of %s %s at %s", l.Number, l.Goal, levelWord(l), l.Tip.Short()) + strings.Join(results, "")
}

// A ladder is what lists say of the levels of a goal.
type ladder struct {
	shown bool // beside the titles of tasks
	reach int  // the highest level whose tasks may be claimed
}

// ladders are those of the goals of a board, by goal.
type ladders map[board.GoalID]ladder

func laddersOf(b *board.Board) ladders {
	if b == nil {
		return nil
	}
	of := ladders{}
	for _, g := range board.All[*board.Goal](b, board.Goals) {
		barrier, last := board.BarrierOf(b, g.ID) == board.LevelBarrier, board.LastLevel(b, g.ID)
		one := ladder{shown: barrier || g.Schedule != nil && len(g.Schedule.Levels) > 0, reach: math.MaxInt}
		switch {
		case last != nil && !last.Passed:
			one.reach = last.Number
		case barrier && last != nil:
			one.reach = last.Number + 1
		case barrier:
			one.reach = 1
		}
		of[g.ID] = one
	}
	return of
}

// mark is the level of a task where lists show it, else 0.
func (l ladders) mark(t *board.Summary) int {
	if l[t.Goal].shown {
		return t.Level
	}
	return 0
}

// keeps reports whether levels below that of a task keep it from being claimed.
func (l ladders) keeps(t *board.Summary) bool {
	one, known := l[t.Goal]
	return known && t.Level > one.reach
}

// leveled is a title behind the level of its task; 0 is none.
func leveled(level int, title string) string {
	if level == 0 {
		return title
	}
	return fmt.Sprintf("[L%d] %s", level, title)
}
