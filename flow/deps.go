package flow

import (
	"slices"

	"github.com/git-liza/git-liza/flow/board"
)

// precedes reports whether the task then needs the task first, directly or
// indirectly.
func precedes(b *board.Board, first, then board.TaskID) bool {
	return slices.Contains(needsOf(b, then), first)
}

// needsOf are all tasks that a task depends on, directly or indirectly. They
// include the task itself only if there is a cycle.
func needsOf(b *board.Board, id board.TaskID) []board.TaskID {
	var order []board.TaskID
	seen := map[board.TaskID]bool{}
	queue := []board.TaskID{id}
	for len(queue) > 0 {
		t := b.Task(queue[0])
		queue = queue[1:]
		if t == nil || t.Status == board.Merged {
			// What a merged task needed is merged too, and cannot lead back here.
			continue
		}
		for _, d := range t.DependsOn {
			if !seen[d] {
				seen[d] = true
				order = append(order, d)
				queue = append(queue, d)
			}
		}
	}
	return order
}

// checkAcyclic refuses dependencies that do not exist or form a cycle with the task.
func checkAcyclic(b *board.Board, t *board.Task) *Refusal {
	for _, d := range t.DependsOn {
		if b.Task(d) == nil {
			return refuse(RuleNotFound, "git liza list --all", "%s depends on %s, which does not exist", t.ID, d)
		}
	}
	if len(t.DependsOn) > 0 && slices.Contains(needsOf(b, t.ID), t.ID) {
		return refuse(RuleCycle, "git liza show "+string(t.ID), "%s would depend on itself", t.ID)
	}
	return nil
}

// dependantsOf are the open tasks that have id among their dependencies.
func dependantsOf(b *board.Board, id board.TaskID) []board.Summary {
	var list []board.Summary
	b.Each(func(s *board.Summary) {
		if !s.Status.Final() && slices.Contains(s.DependsOn, id) {
			list = append(list, *s)
		}
	})
	slices.SortFunc(list, func(x, y board.Summary) int { return board.CompareIDs(x.ID, y.ID) })
	return list
}
