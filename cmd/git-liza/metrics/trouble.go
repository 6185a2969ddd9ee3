package metrics

import (
	"slices"

	"github.com/git-liza/git-liza/flow"
)

// A Trouble is what went wrong with the work on a task.
type Trouble struct {
	Task       flow.TaskID
	Rejections int
	Failures   int // attempts to merge that failed
	Reverted   bool
}

// Troubles are the tasks with which something went wrong, in order of creation.
func (n *Counts) Troubles() []Trouble {
	place := make(map[flow.TaskID]int, len(n.tasks))
	list := make([]Trouble, len(n.tasks))
	for i, t := range n.tasks {
		place[t.id] = i
		list[i] = Trouble{Task: t.id, Reverted: t.reverted.n > 0}
	}
	for _, v := range n.verdicts {
		if i, known := place[v.task]; known && !v.approved {
			list[i].Rejections++
		}
	}
	for _, f := range n.failures {
		if i, known := place[f.task]; known {
			list[i].Failures++
		}
	}
	return slices.DeleteFunc(list, func(t Trouble) bool { return !t.Reverted && t.Rejections+t.Failures == 0 })
}
