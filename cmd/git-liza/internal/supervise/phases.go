package supervise

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore"
)

// passPhase runs the gates of the first phase that lacks nothing else, and leads its goal
// to the next one. Phases without gates are left by moves that the board asks for.
func passPhase(ctx context.Context, s *supervisor, b *board.Board, t *lookResult) error {
	for _, g := range b.GoalsInProgress() {
		of := goalAct{board.ActPhase, g.ID}
		if len(board.ExitGates(b, g.ID)) == 0 || !flow.PhaseDue(b, g.ID) || !s.rush.merges(g.ID) || leavesMove(s, b, of, board.AtPhase, t) {
			continue
		}
		tip := b.Settings().Integration.Tip
		return s.makeAlone(ctx, mergeLock, t, func(ctx context.Context) (bool, error) {
			s.presence.setDoing(merging, "", fmt.Sprintf("the phase %s of %s", g.Phase, g.ID))
			r, err := work.Stages{Clone: s.clone}.PassPhase(ctx, g.ID)
			return afterGates(ctx, s, b, board.AtPhase, err == nil && !r.Already, err)
		}, func(why error) {
			if why != nil && s.rush.gates.noteMove(of, tip, why) && !flow.IsRefused(why, flow.RuleAdmin) {
				s.ask("%s: %s does not leave the phase %s: %v; git liza goal phase next --goal %s", s.id, g.ID, g.Phase, why, g.ID)
			}
		})
	}
	return b.Err()
}

// importPlan enters the tasks of the first approved plan whose phase has ended.
func importPlan(ctx context.Context, s *supervisor, b *board.Board, t *lookResult) error {
	for _, g := range b.GoalsInProgress() {
		of := goalAct{board.ActImport, g.ID}
		due := board.DuePlans(b, g.ID)
		if len(due) == 0 || !s.rush.merges(g.ID) || leavesMove(s, b, of, 0, t) {
			continue
		}
		made := s.clone.Caller.Move(board.ActImport, "", &flow.ImportMove{Plan: &due[0]})
		if made.Goal = g.ID; flow.Admissible(b, made, nil) != nil {
			continue
		}
		return s.makeAlone(ctx, dueLock, t, func(ctx context.Context) (bool, error) {
			return enterPlan(ctx, s, g.ID, due[0])
		}, func(why error) {
			if why != nil && s.rush.gates.noteMove(of, "", why) {
				s.ask("%s: the plan of %s is not imported: %v; %s", s.id, g.ID, why, planHint(due[0], why))
			}
		})
	}
	return b.Err()
}

// enterPlan makes the move of the import. What is wrong with the plan is a refusal.
func enterPlan(ctx context.Context, s *supervisor, goal board.GoalID, of board.PlanRef) (bool, error) {
	i, err := work.OpenPlan(ctx, s.clone, goal, of)
	if err != nil {
		return false, err
	}
	var r gitstore.Result
	if _, err = i.Check(ctx); err == nil {
		if err = s.clone.Trust.AllowPlanned(ctx, i.Tasks()); err != nil {
			return false, err
		}
		r, err = i.Enter(ctx)
	}
	if faults, ok := errors.AsType[*work.PlanFaults](err); ok {
		err = &flow.Refusal{Rule: flow.RulePlan, Reason: faults.Error(), Hint: faults.Hint}
	}
	return err == nil && !r.Already, err
}

// planHint is the command that helps with a plan that cannot be imported.
func planHint(of board.PlanRef, why error) string {
	if refusal, is := errors.AsType[*flow.Refusal](why); is && refusal.Hint != "" {
		return refusal.Hint
	}
	return "git liza check " + shell.Quote(of.Path)
}

// phaseStalls says which goals that the rush serves stay in their phase though no task of
// theirs is open.
func phaseStalls(r *Rush, b *board.Board) (stalls []Stall) {
	for _, g := range b.GoalsInProgress() {
		if !r.serves(b, g.ID) || board.FindWorkflow(b, g.ID) == nil {
			continue
		}
		stall := Stall{Status: fmt.Sprintf("the phase %s of %s", g.Phase, g.ID)}
		lacks := flow.ExitLacks(b, g.ID)
		switch {
		case len(lacks) > 0 && lacks[0].Rule == flow.RuleOpen:
			continue // the tasks are told
		case len(board.DuePlans(b, g.ID)) > 0 && r.gates.moves.at(goalAct{board.ActImport, g.ID}).said != "":
			stall.Why, stall.Hint = "its plan is not imported: "+r.gates.moves.at(goalAct{board.ActImport, g.ID}).said, "git liza plan import "+shell.Quote(board.DuePlans(b, g.ID)[0].Path)
		case len(lacks) > 0:
			stall.Why, stall.Hint = lacks[0].Reason, lacks[0].Hint
		case flow.PhaseDue(b, g.ID):
			stall.Why, stall.Hint = cmp.Or(r.gates.moves.at(goalAct{board.ActPhase, g.ID}).said, "nobody here leaves it"), "git liza goal phase next --goal "+string(g.ID)
		default:
			continue
		}
		stalls = append(stalls, stall)
	}
	return stalls
}
