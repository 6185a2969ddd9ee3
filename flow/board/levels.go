package board

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/lists"
)

// A Level is what the gates said of a level of a goal, the document
// levels/<goal>/<number>.yaml. All levels below one that passed have passed; one that
// failed stays when something is left to do below it.
type Level struct {
	Goal     GoalID    `yaml:"goal"`
	Number   int       `yaml:"number"` // from 1
	Passed   bool      `yaml:"passed,keep"`
	Tip      ObjectID  `yaml:"tip"`      // of integration, on which the gates ran
	Without  TaskIDs   `yaml:"without"`  // tasks that a person left out
	Receipts []Receipt `yaml:"receipts"` // of gates that failed
	By       Actor     `yaml:"by"`
	At       time.Time `yaml:"at"`
}

// LevelID is the id of the document of a level.
func LevelID(goal GoalID, number int) string { return string(goal) + "/" + strconv.Itoa(number) }

// ID is the id of the document.
func (l *Level) ID() string { return LevelID(l.Goal, l.Number) }

// Failure says which gates the level failed, with what they printed.
func (l *Level) Failure() string {
	results := lists.Of(l.Receipts, func(r Receipt) string { return fmt.Sprintf("\ngate %s: %s\n%s", r.Gate, r.Result, r.Output) })
	return fmt.Sprintf("level %d failed at %s", l.Number, l.Tip.Short()) + strings.Join(results, "")
}

// FindLevel is what is recorded of a level; nil if nothing is.
func FindLevel(b *Board, goal GoalID, number int) *Level {
	l, _ := b.Load(Key{Levels, LevelID(goal, number)}).(*Level)
	return l
}

// LastLevel is the highest level of a goal of which something is recorded, and below which
// all have passed; nil if there is none.
func LastLevel(b *Board, goal GoalID) (last *Level) {
	for l := FindLevel(b, goal, 1); l != nil; l = FindLevel(b, goal, l.Number+1) {
		if last = l; !l.Passed {
			break
		}
	}
	return last
}

// NextLevel is the level of a goal that passes next, from 1.
func NextLevel(b *Board, goal GoalID) int {
	switch last := LastLevel(b, goal); {
	case last == nil:
		return 1
	case last.Passed:
		return last.Number + 1
	default:
		return last.Number
	}
}

// A round is the question whether a level of a goal can pass, without some tasks.
type round struct {
	board   *Board
	goal    GoalID
	number  int
	without []TaskID
	known   map[TaskID]bool // tasks that were looked at, with the answer
}

// roundOf asks about a level. What was left out of the levels below is left out again.
func roundOf(b *Board, goal GoalID, number int, without []TaskID) round {
	left := slices.Clone(without)
	for n := 1; n < number; n++ {
		if below := FindLevel(b, goal, n); below != nil {
			left = append(left, below.Without...)
		}
	}
	return round{b, goal, number, left, map[TaskID]bool{}}
}

// OpenAtLevel is the oldest live task of a goal, up to a level, that keeps the level from
// passing, one that is not final before others; nil if there is none. without are left
// out.
func OpenAtLevel(b *Board, goal GoalID, number int, without []TaskID) (first *Summary) {
	r := roundOf(b, goal, number, without)
	for _, s := range b.Summaries() {
		if s.Goal != goal || s.Level < 1 || s.Level > number || r.done(s.ID) {
			continue
		}
		if !s.Status.Final() {
			return s
		}
		first = cmp.Or(first, s)
	}
	return first
}

// done reports whether nothing of a task is left to do at the level: it is left out, is
// merged and stands, is replaced by what is done, or was given up by a person.
func (r round) done(id TaskID) (done bool) {
	if was, looked := r.known[id]; looked {
		return was
	}
	r.known[id] = false
	t := r.board.Task(id)
	switch {
	case t == nil:
	case slices.Contains(r.without, id):
		done = true
	case t.Status == Merged:
		done = t.Reverted == nil || r.replaced(t)
	case t.Status == Abandoned:
		done = t.AbandonedBy == "" || t.AbandonedBy.IsHuman()
	case t.Status == Superseded:
		done = r.replaced(t)
	}
	r.known[id] = done
	return done
}

// replaced reports whether the tasks that stand in for another one are done. Those of a
// higher level are the business of that level.
func (r round) replaced(t *Task) (done bool) {
	for _, id := range t.SupersededBy {
		by := r.board.Task(id)
		switch {
		case by == nil:
			return false
		case by.Goal == r.goal && by.Level > r.number:
		case t.Status == Merged && by.Status == Abandoned && !slices.Contains(r.without, id):
			continue
		case !r.done(id):
			return false
		}
		done = true
	}
	return done
}

// DueLevel is the level of a goal that can pass now: its tasks, and those of the levels
// below, are done, and nothing is recorded of it on the present tip of integration. It
// is 0 where nothing asks for levels to pass, and where none can.
func DueLevel(b *Board, goal GoalID) int {
	g := b.Goal(goal)
	if g == nil || g.Status != InProgress || !AskedOfLevels(b, goal) {
		return 0
	}
	next := NextLevel(b, goal)
	failed := FindLevel(b, goal, next)
	if next > DeepestLevel(b, goal) || failed != nil && failed.Tip == b.Settings().Integration.Tip || OpenAtLevel(b, goal, next, nil) != nil {
		return 0
	}
	return next
}

// AskedOfLevels reports whether the levels of a goal have to pass.
func AskedOfLevels(b *Board, goal GoalID) bool {
	return BarrierOf(b, goal) == LevelBarrier || len(b.Settings().Config.GatesAt(AtLevel)) > 0
}

// UnmendedLevel is the level of a goal that failed while nothing is about to mend it: no
// task at it or below is open, and integration is where its gates ran. It is nil if there
// is none.
func UnmendedLevel(b *Board, goal GoalID) *Level {
	failed := LastLevel(b, goal)
	if failed == nil || failed.Passed || failed.Tip != b.Settings().Integration.Tip {
		return nil
	}
	if open := OpenAtLevel(b, goal, failed.Number, nil); open != nil && !open.Status.Final() {
		return nil
	}
	return failed
}

// DeepestLevel is the highest level of the live tasks of a goal, 0 if there is none. What failed
// passes although all its tasks are archived.
func DeepestLevel(b *Board, goal GoalID) (level int) {
	if g := b.Goal(goal); g != nil {
		level = g.Failed
	}
	b.Each(func(s *Summary) {
		if s.Goal == goal {
			level = max(level, s.Level)
		}
	})
	return level
}

// HoldsLevel reports whether a final task keeps a level of its goal from passing: only
// people put it aside.
func HoldsLevel(b *Board, t *Task) bool {
	g := b.Goal(t.Goal)
	return t.Level > 0 && g != nil && g.Status == InProgress && !roundOf(b, t.Goal, t.Level, nil).done(t.ID)
}

// A Schedule says in which order the tasks of a goal may be begun.
type Schedule struct {
	Barrier Barrier  `yaml:"barrier"` // zero is that of the configuration
	Levels  []string `yaml:"levels"`  // names of the levels, that of level 1 first
}

// A Barrier says what holds back tasks beside what they depend on.
type Barrier uint8

// The barriers.
const (
	NoBarrier    Barrier = iota + 1 // nothing does
	LevelBarrier                    // a level begins when the levels below have passed
)

var barrierNames = names{"barrier", "none", "level"}

// String is the barrier's name, that of [NoBarrier] for the zero value.
func (b Barrier) String() string { return barrierNames.name(uint8(cmp.Or(b, NoBarrier))) }

// MarshalText writes the name; the zero value is an error.
func (b Barrier) MarshalText() ([]byte, error) { return barrierNames.marshal(uint8(b)) }

// UnmarshalText accepts exactly the names of [Barrier.String].
func (b *Barrier) UnmarshalText(text []byte) error { return unmarshalName(b, text, barrierNames) }

// BarrierOf is the barrier of a goal: its own, else that of the configuration.
func BarrierOf(b *Board, goal GoalID) Barrier {
	if g := b.Goal(goal); g != nil && g.Schedule != nil && g.Schedule.Barrier != 0 {
		return g.Schedule.Barrier
	}
	if own := b.Settings().Config.Schedule.Barrier; own != 0 {
		return own
	}
	return NoBarrier
}
