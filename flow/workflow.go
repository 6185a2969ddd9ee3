package flow

import (
	"github.com/git-liza/git-liza/flow/board"
)

// workflowPatterns are the globs of the artifacts of all goals in progress.
func workflowPatterns(b *board.Board) (globs []string) {
	for _, w := range board.OpenWorkflows(b) {
		globs = append(globs, w.Patterns()...)
	}
	return globs
}

// checkPhase refuses work on a task of another phase than that of its goal.
func checkPhase(p *play) *Refusal {
	t := p.task
	w, g := board.FindWorkflow(p.board, t.Goal), p.board.Goal(t.Goal)
	if w == nil || g == nil || t.Phase == board.AnyPhase {
		return nil
	}
	show := "git liza goal show " + string(g.ID)
	if t.Phase != g.Phase {
		return refuse(RulePhase, show, "%s belongs to the phase %s, and %s is in the phase %s", t.ID, shownPhase(t.Phase), g.ID, g.Phase)
	}
	if f := w.Phase(t.Phase); f != nil && !f.Admits(t) {
		return refuse(RulePhase, show, "the phase %s of %s has no tasks of the kind %s that %s does, as %s is", f.Name, g.ID, t.Kind, t.Doer().One(), t.ID)
	}
	return nil
}

// shownPhase is a phase for people.
func shownPhase(id board.PhaseID) string {
	if id == "" {
		return "(none)"
	}
	return string(id)
}

// checkParallel refuses one claim more than the workflow of the goal allows at once.
func checkParallel(p *play) *Refusal {
	w := board.FindWorkflow(p.board, p.task.Goal)
	if w == nil || w.Parallel == 0 || p.from == board.Claimed {
		return nil
	}
	claimed := 0
	var one board.TaskID
	board.EachInWork(p.board, func(s *board.Summary) {
		if s.Goal == p.task.Goal && s.Status == board.Claimed && s.ID != p.task.ID {
			claimed++
			if one == "" || board.CompareIDs(s.ID, one) < 0 {
				one = s.ID
			}
		}
	})
	if claimed < w.Parallel {
		return nil
	}
	return refuse(RuleParallel, "git liza show "+string(one), "at most %d tasks of %s are claimed at once, and %s is", w.Parallel, p.task.Goal, one)
}

// workflowOf is the workflow of a goal, as the move leaves it.
func workflowOf(p *play, goal board.GoalID) *board.Workflow {
	if p.workflow != nil && p.workflow.Goal == goal {
		return p.workflow
	}
	return board.FindWorkflow(p.board, goal)
}

// phaseOfNew is the phase of a new task: the one that it names, that of what it replaces,
// or that of its goal.
func phaseOfNew(p *play, in *board.TaskInput, replaced board.PhaseID) board.PhaseID {
	w := workflowOf(p, p.goalID())
	switch g := p.board.Goal(p.goalID()); {
	case w == nil || in.Phase != "":
		return in.Phase
	case replaced == board.AnyPhase || w.Phase(replaced) != nil:
		return replaced
	case g != nil:
		return g.Phase
	}
	return ""
}

// checkNewPhase refuses the phase of a task that is described, if it is none of the
// workflow of its goal, or not for its role and kind. Only people let a task belong to
// every phase; was is its phase before, or that of the task that it replaces.
func checkNewPhase(p *play, t *board.Task, was board.PhaseID, hint string) *Refusal {
	w := workflowOf(p, t.Goal)
	if w == nil {
		if t.Phase != "" && t.Phase != was {
			return refuse(RulePhase, hint, "%s names the phase %s, and %s has none", t.ID, t.Phase, t.Goal)
		}
		return nil
	}
	switch f := w.Phase(t.Phase); {
	case t.Phase == board.AnyPhase && was != board.AnyPhase && !p.move.By.IsHuman():
		return refuse(RuleRole, hint, "only a person lets %s belong to every phase", t.ID)
	case t.Phase == board.AnyPhase:
	case f == nil:
		return refuse(RulePhase, "git liza goal show "+string(t.Goal), "%s names the phase %s; those of %s are %s", t.ID, shownPhase(t.Phase), t.Goal, w.Names())
	case !f.Admits(t):
		return refuse(RulePhase, "git liza goal show "+string(t.Goal), "the phase %s of %s has no tasks of the kind %s that %s does, as %s is", f.Name, t.Goal, t.Kind, t.Doer().One(), t.ID)
	}
	return nil
}
