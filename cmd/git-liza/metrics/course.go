package metrics

import "github.com/git-liza/git-liza/flow"

// A Course is what became of a task.
type Course struct {
	Task       flow.TaskID
	Rejections int
	Failures   int // attempts to merge that failed
	Reverted   bool
	Merged     bool  // by its agents, not by a person who adopted it
	Took       int64 // seconds from its first claim to its merge
}

// Courses are those of all tasks, in order of creation.
func (n *Counts) Courses() []Course {
	place := make(map[flow.TaskID]int, len(n.tasks))
	list := make([]Course, len(n.tasks))
	for i, t := range n.tasks {
		place[t.id] = i
		c := Course{Task: t.id, Reverted: t.reverted.n > 0}
		if at, ok := t.merged(n.last.at); ok && !t.adopted && len(t.claims) > 0 {
			c.Merged, c.Took = true, max(at.at-t.claims[0].at.at, 1)
		}
		list[i] = c
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
	return list
}
