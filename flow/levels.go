package flow

import (
	"cmp"
	"fmt"
	"math"
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
	Without  taskIDs   `yaml:"without"`  // tasks that a person left out
	Receipts []Receipt `yaml:"receipts"` // of gates that failed
	By       Actor     `yaml:"by"`
	At       time.Time `yaml:"at"`
}

// LevelID is the id of the document of a level.
func LevelID(goal GoalID, number int) string { return string(goal) + "/" + strconv.Itoa(number) }

// ID is the id of the document.
func (l *Level) ID() string { return LevelID(l.Goal, l.Number) }

// failure says which gates the level failed, with what they printed.
func (l *Level) failure() string {
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

// failedLevel is what failed of a goal and has not passed since: the lowest level that passes
// next, else one above it, below which something is left to do; nil if nothing is.
func failedLevel(b *Board, goal GoalID) *Level {
	if last := LastLevel(b, goal); last != nil && !last.Passed {
		return last
	}
	if g := b.Goal(goal); g != nil && g.Failed > 0 {
		return FindLevel(b, goal, g.Failed)
	}
	return nil
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

// levelReach is the highest level of a goal whose tasks may be claimed.
func levelReach(b *Board, goal GoalID) int {
	if BarrierOf(b, goal) == LevelBarrier {
		return NextLevel(b, goal)
	}
	if failed := failedLevel(b, goal); failed != nil {
		return failed.Number
	}
	return math.MaxInt
}

// checkLevel refuses the claim of a task above a level that failed, and, where the goal
// has that barrier, above one that has not passed.
func checkLevel(p *play) *Refusal {
	t := p.task
	if t.Level <= 1 || t.Level <= levelReach(p.board, t.Goal) {
		return nil
	}
	next := NextLevel(p.board, t.Goal)
	if failed := FailedLevel(p.board, t.Goal); failed != nil {
		failed.Reason = fmt.Sprintf("%s is at level %d, and %s", t.ID, t.Level, failed.Reason)
		return failed
	}
	if open := openAtLevel(p.board, t.Goal, next, nil); open != nil {
		return refuse(RuleLevel, "git liza show "+string(open.ID), "%s is at level %d and waits for level %d of %s: %s is %s",
			t.ID, t.Level, next, t.Goal, open.ID, open.Status)
	}
	return refuse(RuleLevel, "git liza goal level pass --goal "+string(t.Goal), "%s is at level %d, and nobody has looked yet whether level %d of %s passes", t.ID, t.Level, next, t.Goal)
}

// FailedLevel refuses what waits for a goal without a failed level; nil if none failed.
func FailedLevel(b *Board, goal GoalID) *Refusal {
	failed := failedLevel(b, goal)
	if failed == nil {
		return nil
	}
	hint := "git liza goal show " + string(goal) + " --level " + strconv.Itoa(failed.Number)
	if DueLevel(b, goal) == failed.Number { // on another tip
		hint = "git liza goal level pass --goal " + string(goal)
	}
	return refuse(RuleLevel, hint, "level %d of %s failed at %s", failed.Number, goal, failed.Tip.Short())
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

// openAtLevel is the oldest live task of a goal, up to a level, that keeps the level from
// passing, one that is not final before others; nil if there is none. without are left
// out.
func openAtLevel(b *Board, goal GoalID, number int, without []TaskID) (first *Summary) {
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
	if g == nil || g.Status != InProgress || !askedOfLevels(b, goal) {
		return 0
	}
	next := NextLevel(b, goal)
	failed := FindLevel(b, goal, next)
	if next > deepestLevel(b, goal) || failed != nil && failed.Tip == b.Settings().Integration.Tip || openAtLevel(b, goal, next, nil) != nil {
		return 0
	}
	return next
}

// askedOfLevels reports whether the levels of a goal have to pass.
func askedOfLevels(b *Board, goal GoalID) bool {
	return BarrierOf(b, goal) == LevelBarrier || len(b.Settings().Config.GatesAt(AtLevel)) > 0
}

// levelsSettled reports whether no level of a goal failed, and none is left that has to pass.
func levelsSettled(b *Board, goal GoalID) bool {
	if failedLevel(b, goal) != nil {
		return false
	}
	return !askedOfLevels(b, goal) || NextLevel(b, goal) > deepestLevel(b, goal)
}

// UnmendedLevel is the level of a goal that failed while nothing is about to mend it: no
// task at it or below is open, and integration is where its gates ran. It is nil if there
// is none.
func UnmendedLevel(b *Board, goal GoalID) *Level {
	failed := LastLevel(b, goal)
	if failed == nil || failed.Passed || failed.Tip != b.Settings().Integration.Tip {
		return nil
	}
	if open := openAtLevel(b, goal, failed.Number, nil); open != nil && !open.Status.Final() {
		return nil
	}
	return failed
}

// deepestLevel is the highest level of the live tasks of a goal, 0 if there is none. What failed
// passes although all its tasks are archived.
func deepestLevel(b *Board, goal GoalID) (level int) {
	if g := b.Goal(goal); g != nil {
		level = g.Failed
	}
	b.each(func(s *Summary) {
		if s.Goal == goal {
			level = max(level, s.Level)
		}
	})
	return level
}

// clearLevels removes what is recorded of the levels of a goal from one on, because
// something is left to do there. A record that one of them failed stays: what is above it waits until it passes.
func clearLevels(p *effect, goal GoalID, from int) {
	last := LastLevel(p.board, goal)
	if last == nil || from < 1 {
		return
	}
	for n := last.Number; n >= from; n-- {
		if !FindLevel(p.board, goal, n).Passed {
			continue
		}
		p.put(Key{Levels, LevelID(goal, n)}, nil)
	}
}

// reviseLevels clears what new tasks, and those that came to another level, leave to do.
func reviseLevels(p *effect) {
	for _, t := range p.added {
		clearLevels(p, t.Goal, t.Level)
	}
	for _, t := range p.repointed {
		if was := p.prior.Task(t.ID); was != nil && was.Level != t.Level {
			clearLevels(p, t.Goal, min(cmp.Or(was.Level, t.Level), t.Level))
		}
	}
}

// checkLevels refuses records of levels that have a gap below them, or a failed one.
func checkLevels(b *Board) *Refusal {
	for _, id := range b.IDs(Goals) {
		if g := b.Goal(GoalID(id)); g != nil && g.Failed > 0 {
			if l := FindLevel(b, g.ID, g.Failed); l == nil || l.Passed {
				return breach("level %d of %s did not fail", g.Failed, g.ID)
			}
		}
	}
	for _, id := range b.IDs(Levels) {
		l, _ := b.Load(Key{Levels, id}).(*Level)
		switch {
		case l == nil:
		case l.Number < 1 || l.ID() != id || b.Goal(l.Goal) == nil:
			return breach("the level %s is not one of a goal", id)
		case !l.Passed && l.Number > b.Goal(l.Goal).Failed:
			return breach("level %d of %s failed, and nothing waits for it", l.Number, l.Goal)
		case !l.Passed:
		case l.Number > 1 && (FindLevel(b, l.Goal, l.Number-1) == nil || !FindLevel(b, l.Goal, l.Number-1).Passed):
			return breach("level %d of %s is recorded, and the one below has not passed", l.Number, l.Goal)
		}
	}
	return nil
}

// holdsLevel reports whether a final task keeps a level of its goal from passing: only
// people put it aside.
func holdsLevel(b *Board, t *Task) bool {
	g := b.Goal(t.Goal)
	return t.Level > 0 && g != nil && g.Status == InProgress && !roundOf(b, t.Goal, t.Level, nil).done(t.ID)
}

// keptForLevel refuses agents to put a task aside that keeps a level of its goal from
// passing: what is archived counts as done.
func keptForLevel(p *play, t *Task) *Refusal {
	if p.move.By.IsHuman() || !holdsLevel(p.board, t) {
		return nil
	}
	return refuse(RuleState, "git liza show "+string(t.ID), "%s is %s, and a person says whether level %d of %s passes without it", t.ID, t.Status, t.Level, t.Goal)
}
