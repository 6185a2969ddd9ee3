package flow

import (
	"slices"
	"strconv"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// countEnd enters how a claim ended in the goal, before it does: claimed is how many the
// principal's agents hold, with this one, and text the error.
func countEnd(p *effect, end board.End, claimed int, text string) {
	g := p.board.Goal(p.task.Goal)
	if g == nil {
		return
	}
	edited := *g
	edited.Pressure = slices.Clone(g.Pressure)
	who := chargedAccount(p.board, p.move.Principal)
	at := slices.IndexFunc(edited.Pressure, func(o board.Pressure) bool { return o.Principal == who })
	if at < 0 {
		if len(edited.Pressure) >= board.MaxList {
			edited.Pressure = edited.Pressure[1:]
		}
		edited.Pressure = append(edited.Pressure, board.Pressure{Principal: who})
		at = len(edited.Pressure) - 1
	}
	edited.Pressure[at] = edited.Pressure[at].After(end, claimed, p.board.Settings().Config.Pressure.Rate)
	edited.Streak = g.Streak.After(end)
	p.put(board.Key{Folder: board.Goals, ID: string(g.ID)}, &edited)
	if s := edited.Streak; s != nil && s.Failures == board.StreakLength {
		p.recordAnomaly(board.FailureStreak, p.task.ID, map[string]string{"failures": strconv.Itoa(s.Failures), "fingerprint": s.Fingerprint, "error": board.Clean(board.Clip(text))})
	}
}

// chargedAccount is a principal that a move names, "" on a board without principals, where a
// move may name any.
func chargedAccount(b *board.Board, principal string) string {
	if len(b.Principals().List) == 0 {
		return ""
	}
	return principal
}

// countClaims counts the tasks of a goal that agents of a principal hold, of any on a board
// without principals.
func countClaims(b *board.Board, goal board.GoalID, principal string) (n int) {
	known := len(b.Principals().List) > 0
	board.EachInWork(b, func(s *board.Summary) {
		if s.Status != board.Claimed || s.Goal != goal || s.Coder.IsHuman() {
			return
		}
		if a := b.Agent(s.Coder.Agent()); !known || a != nil && a.Principal == principal {
			n++
		}
	})
	return n
}

// mostClaims is how many tasks of a goal the agents of a principal may hold at once; 0 is not
// bounded.
func mostClaims(b *board.Board, goal board.GoalID, principal string) int {
	g := b.Goal(goal)
	if g == nil {
		return 0
	}
	if o := lists.Find(g.Pressure, func(o board.Pressure) bool { return o.Principal == principal }); o != nil {
		return o.Cap
	}
	return 0
}

// checkPressure refuses an agent one more task of a goal of which too many fail.
func checkPressure(p *play) *Refusal {
	t := p.task
	if p.move.By.IsHuman() {
		return nil
	}
	who := chargedAccount(p.board, p.move.Principal)
	most := mostClaims(p.board, t.Goal, who)
	if most == 0 || p.from == board.Claimed && chargedAccount(p.board, t.Claim.Principal) == who {
		return nil
	}
	if n := countClaims(p.board, t.Goal, who); n >= most {
		return refuse(RulePressure, "git liza goal show "+string(t.Goal), "many claims of %s failed: %d of its tasks are worked on at once, and no more than %d may be", t.Goal, n, most)
	}
	return nil
}
