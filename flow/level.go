package flow

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// LevelMove records whether a level passed. All tasks up to it are done, and the gates of
// levels ran on the tip of integration.
type LevelMove struct {
	Level    int             `yaml:"level"`
	Tip      board.ObjectID  `yaml:"tip"`
	Receipts []board.Receipt `yaml:"receipts"`
	Without  board.TaskIDs   `yaml:"without"` // reverted or abandoned tasks that a person leaves out
}

func (l *LevelMove) subject() string { return strconv.Itoa(l.Level) }

// passable lets only those that may merge record levels, of a goal in progress.
func passable(p *play) *Refusal { return cmp.Or(mergeable(p), goalOpen(p)) }

func (l *LevelMove) ask(_ Move, b *board.Board) Query {
	if len(l.Receipts) == 0 {
		return Query{}
	}
	return Query{Submission: b.Settings().Integration.Tip}
}

func (l *LevelMove) fill(p *play) {
	l.Tip = cmp.Or(l.Tip, p.board.Settings().Integration.Tip)
	if l.Level == 0 {
		l.Level = board.NextLevel(p.board, p.goalID())
	}
}

func (l *LevelMove) already(p *play) bool {
	is := board.FindLevel(p.board, p.goalID(), cmp.Or(l.Level, board.NextLevel(p.board, p.goalID())))
	return is != nil && is.Tip == l.Tip && is.Passed == (len(l.failed(p)) == 0)
}

func (l *LevelMove) check(p *play) *Refusal {
	goal, hint := p.goalID(), "git liza goal level pass --goal "+string(p.goalID())
	switch next := board.NextLevel(p.board, goal); {
	case l.Level != next:
		return refuse(RuleLevel, hint, "level %d of %s passes next, not %d", next, goal, l.Level)
	case next > board.DeepestLevel(p.board, goal):
		return refuse(RuleLevel, "git liza goal show "+string(goal), "%s has no level %d", goal, next)
	}
	if tip := p.board.Settings().Integration.Tip; l.Tip != tip {
		return refuse(RuleTip, hint, "integration is at %s, the gates of level %d ran at %s", tip.Short(), l.Level, l.Tip.Short())
	}
	for i, id := range l.Without {
		t := p.board.Task(id)
		switch {
		case !p.move.By.IsHuman():
			return refuse(RuleRole, hint, "only a human leaves tasks out of a level")
		case t == nil || t.Goal != goal || slices.Contains(l.Without[:i], id):
			return refuse(RuleNotFound, "git liza list --all", "there is no task %s of %s, or it is named twice", board.Clip(string(id)), goal)
		case t.Status != board.Abandoned && (t.Status != board.Merged || t.Reverted == nil):
			return refuse(RuleState, "git liza show "+string(id), "%s is %s: only what was given up or taken back is left out", id, t.Status)
		}
	}
	if open := board.OpenAtLevel(p.board, goal, l.Level, l.Without); open != nil {
		return refuse(RuleOpen, "git liza show "+string(open.ID), "%s of level %d is %s: a level passes when all its tasks are done", open.ID, open.Level, open.Status)
	}
	return l.gates(p, hint)
}

// gates refuses a level whose gates did not run.
func (l *LevelMove) gates(p *play, hint string) *Refusal {
	if r := checkReceipts(p, board.AtLevel, l.Receipts, hint); r != nil || len(l.failed(p)) > 0 {
		return r
	}
	return checkPassed(p, board.AtLevel, l.Receipts, "", nil, hint)
}

// failed are the receipts of required gates that failed.
func (l *LevelMove) failed(p *play) []board.Receipt {
	return lists.Where(l.Receipts, func(r board.Receipt) bool {
		g, there := p.board.Settings().Config.Gate(r.Gate)
		return there && g.Stage() == board.AtLevel && g.Required && r.Command == g.Command && (r.Result == board.Fail || r.Result == board.TimedOut)
	})
}

func (l *LevelMove) apply(p *effect) {
	failed := l.failed(p.play)
	p.put(board.Key{Folder: board.Levels, ID: board.LevelID(p.goalID(), l.Level)}, &board.Level{Goal: p.goalID(), Number: l.Level, Passed: len(failed) == 0, Tip: l.Tip, Without: l.Without,
		Receipts: failed, By: p.move.By, At: p.move.At})
	editGoal(p, func(g *board.Goal) { g.CountFailed(l.Level, len(failed) == 0) })
	recordGates(p, board.AtLevel, "", l.Receipts)
}
