package flow

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"github.com/git-liza/git-liza/flow/board"
)

// failedLevel is what failed of a goal and has not passed since: the lowest level that passes
// next, else one above it, below which something is left to do; nil if nothing is.
func failedLevel(b *board.Board, goal board.GoalID) *board.Level {
	if last := board.LastLevel(b, goal); last != nil && !last.Passed {
		return last
	}
	if g := b.Goal(goal); g != nil && g.Failed > 0 {
		return board.FindLevel(b, goal, g.Failed)
	}
	return nil
}

// levelReach is the highest level of a goal whose tasks may be claimed.
func levelReach(b *board.Board, goal board.GoalID) int {
	if board.BarrierOf(b, goal) == board.LevelBarrier {
		return board.NextLevel(b, goal)
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
	next := board.NextLevel(p.board, t.Goal)
	if failed := FailedLevel(p.board, t.Goal); failed != nil {
		failed.Reason = fmt.Sprintf("%s is at level %d, and %s", t.ID, t.Level, failed.Reason)
		return failed
	}
	if open := board.OpenAtLevel(p.board, t.Goal, next, nil); open != nil {
		return refuse(RuleLevel, "git liza show "+string(open.ID), "%s is at level %d and waits for level %d of %s: %s is %s",
			t.ID, t.Level, next, t.Goal, open.ID, open.Status)
	}
	return refuse(RuleLevel, "git liza goal level pass --goal "+string(t.Goal), "%s is at level %d, and nobody has looked yet whether level %d of %s passes", t.ID, t.Level, next, t.Goal)
}

// FailedLevel refuses what waits for a goal without a failed level; nil if none failed.
func FailedLevel(b *board.Board, goal board.GoalID) *Refusal {
	failed := failedLevel(b, goal)
	if failed == nil {
		return nil
	}
	hint := "git liza goal show " + string(goal) + " --level " + strconv.Itoa(failed.Number)
	if board.DueLevel(b, goal) == failed.Number { // on another tip
		hint = "git liza goal level pass --goal " + string(goal)
	}
	return refuse(RuleLevel, hint, "level %d of %s failed at %s", failed.Number, goal, failed.Tip.Short())
}

// levelsSettled reports whether no level of a goal failed, and none is left that has to pass.
func levelsSettled(b *board.Board, goal board.GoalID) bool {
	if failedLevel(b, goal) != nil {
		return false
	}
	return !board.AskedOfLevels(b, goal) || board.NextLevel(b, goal) > board.DeepestLevel(b, goal)
}

// clearLevels removes what is recorded of the levels of a goal from one on, because
// something is left to do there. A record that one of them failed stays: what is above it waits until it passes.
func clearLevels(p *effect, goal board.GoalID, from int) {
	last := board.LastLevel(p.board, goal)
	if last == nil || from < 1 {
		return
	}
	for n := last.Number; n >= from; n-- {
		if !board.FindLevel(p.board, goal, n).Passed {
			continue
		}
		p.put(board.Key{Folder: board.Levels, ID: board.LevelID(goal, n)}, nil)
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
func checkLevels(b *board.Board) *Refusal {
	for _, id := range b.IDs(board.Goals) {
		if g := b.Goal(board.GoalID(id)); g != nil && g.Failed > 0 {
			if l := board.FindLevel(b, g.ID, g.Failed); l == nil || l.Passed {
				return breach("level %d of %s did not fail", g.Failed, g.ID)
			}
		}
	}
	for _, id := range b.IDs(board.Levels) {
		l, _ := b.Load(board.Key{Folder: board.Levels, ID: id}).(*board.Level)
		switch {
		case l == nil:
		case l.Number < 1 || l.ID() != id || b.Goal(l.Goal) == nil:
			return breach("the level %s is not one of a goal", id)
		case !l.Passed && l.Number > b.Goal(l.Goal).Failed:
			return breach("level %d of %s failed, and nothing waits for it", l.Number, l.Goal)
		case !l.Passed:
		case l.Number > 1 && (board.FindLevel(b, l.Goal, l.Number-1) == nil || !board.FindLevel(b, l.Goal, l.Number-1).Passed):
			return breach("level %d of %s is recorded, and the one below has not passed", l.Number, l.Goal)
		}
	}
	return nil
}

// keptForLevel refuses agents to put a task aside that keeps a level of its goal from
// passing: what is archived counts as done.
func keptForLevel(p *play, t *board.Task) *Refusal {
	if p.move.By.IsHuman() || !board.HoldsLevel(p.board, t) {
		return nil
	}
	return refuse(RuleState, "git liza show "+string(t.ID), "%s is %s, and a person says whether level %d of %s passes without it", t.ID, t.Status, t.Level, t.Goal)
}
