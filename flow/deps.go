package flow

import "slices"

// precedes reports whether the task then needs the task first, directly or
// indirectly.
func precedes(b *Board, first, then TaskID) bool {
	return slices.Contains(needsOf(b, then), first)
}

// needsOf are all tasks that a task depends on, directly or indirectly. They
// include the task itself only if there is a cycle.
func needsOf(b *Board, id TaskID) []TaskID {
	var order []TaskID
	seen := map[TaskID]bool{}
	queue := []TaskID{id}
	for len(queue) > 0 {
		t := b.Task(queue[0])
		queue = queue[1:]
		if t == nil || t.Status == Merged {
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
func checkAcyclic(b *Board, t *Task) *Refusal {
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
func dependantsOf(b *Board, id TaskID) []Summary {
	var list []Summary
	b.each(func(s *Summary) {
		if !s.Status.Final() && slices.Contains(s.DependsOn, id) {
			list = append(list, *s)
		}
	})
	slices.SortFunc(list, func(x, y Summary) int { return compareIDs(x.ID, y.ID) })
	return list
}
