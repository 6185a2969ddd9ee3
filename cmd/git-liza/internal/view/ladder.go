package view

import (
	"fmt"
	"math"

	"github.com/git-liza/git-liza/flow"
)

// A ladder is what lists say of the levels of a goal.
type ladder struct {
	shown bool // beside the titles of tasks
	reach int  // the highest level whose tasks may be claimed
}

// ladders are those of the goals of a board, by goal.
type ladders map[flow.GoalID]ladder

func laddersOf(b *flow.Board) ladders {
	if b == nil {
		return nil
	}
	of := ladders{}
	for _, g := range flow.All[*flow.Goal](b, flow.Goals) {
		barrier, last := flow.BarrierOf(b, g.ID) == flow.LevelBarrier, flow.LastLevel(b, g.ID)
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
func (l ladders) mark(t *flow.Summary) int {
	if l[t.Goal].shown {
		return t.Level
	}
	return 0
}

// keeps reports whether levels below that of a task keep it from being claimed.
func (l ladders) keeps(t *flow.Summary) bool {
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
