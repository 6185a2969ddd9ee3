package metrics

import (
	"slices"

	"github.com/git-liza/git-liza/flow/board"
)

// A Trouble is what went wrong with the work on a task.
type Trouble struct {
	Task       board.TaskID
	Rejections int
	Failures   int // attempts to merge that failed
	Reverted   bool
}

// Troubles are the tasks with which something went wrong, in order of creation.
func (n *Counts) Troubles() []Trouble {
	place := make(map[board.TaskID]int, len(n.Tasks))
	list := make([]Trouble, len(n.Tasks))
	for i, t := range n.Tasks {
		place[t.ID] = i
		list[i] = Trouble{Task: t.ID, Reverted: t.Reverted.N > 0}
	}
	for _, v := range n.Verdicts {
		if i, known := place[v.Task]; known && !v.Approved {
			list[i].Rejections++
		}
	}
	for _, f := range n.Failures {
		if i, known := place[f.Task]; known {
			list[i].Failures++
		}
	}
	return slices.DeleteFunc(list, func(t Trouble) bool { return !t.Reverted && t.Rejections+t.Failures == 0 })
}
