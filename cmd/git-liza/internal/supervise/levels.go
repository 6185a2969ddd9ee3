package supervise

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// mergeLock is the lock of the process of a clone that prepares what integration is to
// be: while gates run on it, the others do not move it.
const mergeLock = "merge"

// passLevel runs the gates of the first level that can pass now, and records the result.
func passLevel(ctx context.Context, s *supervisor, b *board.Board, t *lookResult) error {
	for _, g := range b.GoalsInProgress() {
		of := goalAct{board.ActLevel, g.ID}
		n := board.DueLevel(b, g.ID)
		if n == 0 || !s.rush.merges(g.ID) || leavesMove(s, b, of, board.AtLevel, t) {
			continue
		}
		return s.makeAlone(ctx, mergeLock, t, func(ctx context.Context) (bool, error) {
			s.presence.setDoing(merging, "", fmt.Sprintf("level %d of %s", n, g.ID))
			r, err := work.Stages{Clone: s.clone}.PassLevel(ctx, g.ID, nil)
			return afterGates(ctx, s, b, board.AtLevel, err == nil && !r.Already, err)
		}, func(why error) {
			if why != nil && s.rush.gates.noteMove(of, "", why) && !flow.IsRefused(why, flow.RuleAdmin) {
				s.ask("%s: level %d of %s cannot pass: %v", s.id, n, g.ID, why)
			}
		})
	}
	return b.Err()
}

// completeGoal runs the gates of goals for the first goal whose end the board leaves to
// supervisors, and completes the goal. Boards without such gates ask for that themselves.
func completeGoal(ctx context.Context, s *supervisor, b *board.Board, t *lookResult) error {
	set := b.Settings()
	if !set.Config.Goal.Auto || len(set.Config.GatesAt(board.AtGoal)) == 0 {
		return nil
	}
	for _, g := range b.GoalsInProgress() {
		of := goalAct{board.ActComplete, g.ID}
		if !s.rush.merges(g.ID) || isLevelOpen(b, g.ID) {
			continue
		}
		d := &flow.CompleteMove{Reason: "all tasks are final"}
		made := s.clone.Caller.Move(board.ActComplete, "", d)
		made.Goal = g.ID
		err := s.clone.Store.CheckMove(ctx, b, made)
		switch {
		case err != nil && !flow.IsRefused(err):
			return err
		case !flow.IsRefused(err, flow.RuleGate) || leavesMove(s, b, of, board.AtGoal, t):
			continue
		case awaitPlanner(s, b, g.ID, t):
			continue
		}
		return s.makeAlone(ctx, mergeLock, t, func(ctx context.Context) (bool, error) {
			err := work.Stages{Clone: s.clone}.PassGoal(ctx, d)
			if err == nil {
				_, err = s.clone.For(g.ID).Make(ctx, board.ActComplete, "", d)
			}
			if err == nil {
				tellUnentered(ctx, s, g.ID)
			}
			return afterGates(ctx, s, b, board.AtGoal, err == nil, err)
		}, func(why error) {
			if why != nil && s.rush.gates.noteMove(of, set.Integration.Tip, why) {
				s.ask("%s: %s cannot be completed: %v", s.id, g.ID, why)
			}
		})
	}
	return b.Err()
}

// isLevelOpen reports whether the level of a goal that passes next has failed, or its
// gates are still to run: the goal is not completed before.
func isLevelOpen(b *board.Board, goal board.GoalID) bool {
	last := board.LastLevel(b, goal)
	return last != nil && !last.Passed || board.DueLevel(b, goal) > 0
}

// leavesMove reports whether a move about a goal is not tried now: it could not be made
// before, or a gate of its stage cannot run here. t gets the time when it is tried again.
func leavesMove(s *supervisor, b *board.Board, of goalAct, at board.Stage, t *lookResult) bool {
	if until, left := s.rush.gates.isLeft(of, b.Settings().Integration.Tip); left {
		t.wakeBy(until)
		return true
	}
	for _, o := range s.outagesAt(b, at) {
		if next := s.rush.gates.gates.at(o.Gate).next; time.Now().Before(next) {
			t.wakeBy(next)
			return true
		}
	}
	return false
}

// afterGates follows up on a move for which the gates of a stage ran, and records which of
// them could not. It returns whether the move was made; a board that has gone on
// meanwhile is no error.
func afterGates(ctx context.Context, s *supervisor, b *board.Board, at board.Stage, made bool, err error) (bool, error) {
	var outage *work.Outage
	switch {
	case errors.As(err, &outage):
		return true, s.recordOutage(ctx, b, outage)
	case flow.IsRefused(err, flow.RuleTip, flow.RuleLevel, flow.RulePhase, flow.RuleOpen):
		return false, nil
	case err != nil:
		return false, err
	}
	for _, o := range s.outagesAt(b, at) {
		if err := s.endOutage(ctx, o); err != nil {
			return made, err
		}
	}
	return made, nil
}

// levelStalls says which levels of the goals that the rush serves do not pass.
func (r *Rush) levelStalls(b *board.Board) (stalls []Stall) {
	for _, g := range b.GoalsInProgress() {
		if !r.serves(b, g.ID) {
			continue
		}
		name := func(n int) string { return fmt.Sprintf("level %d of %s", n, g.ID) }
		if last := board.LastLevel(b, g.ID); last != nil && !last.Passed {
			stall := Stall{Status: name(last.Number), Why: "it failed at " + last.Tip.Short(), Hint: fmt.Sprintf("git liza goal show %s --level %d", g.ID, last.Number)}
			for _, receipt := range last.Receipts {
				stall.Why += fmt.Sprintf("\ngate %s: %s", receipt.Gate, receipt.Result)
			}
			stalls = append(stalls, stall)
		} else if n := board.DueLevel(b, g.ID); n > 0 {
			stall := Stall{Status: name(n), Why: "nobody here passes it", Hint: "git liza goal level pass --goal " + string(g.ID)}
			for _, s := range r.idleSupervisors() {
				for _, o := range s.outagesAt(b, board.AtLevel) {
					stall.Why, stall.Hint = refuseOutage(o).Reason, refuseOutage(o).Hint
				}
			}
			stalls = append(stalls, stall)
		}
	}
	return stalls
}
