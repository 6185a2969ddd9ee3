// Package plan judges a plan: tasks with what they need, the files that they write and
// how long they probably take. It finds their levels and the longest chain, simulates
// how long several agents need for them, and says what is wrong, all at once. It reads
// no file and no repository.
package plan

import (
	"cmp"

	"github.com/git-liza/git-liza/flow/board"
)

// A Plan is a feature cut into tasks, in the order of its file.
type Plan struct {
	Feature string
	Tasks   []Task
	Names   map[int]string // of levels that have one
	Barrier board.Barrier  // of the goal; 0: the plan says none
	Said    Said
}

// A Task is the description of a task. Its level 0 is one more than that of the deepest
// task that it needs.
type Task struct {
	board.TaskInput `yaml:",inline"`
}

// Said is what a file says of its tasks together. It follows from the tasks, and may
// contradict them.
type Said struct {
	Tasks    *int
	Minutes  *int // of all estimates
	Critical *int // minutes of the longest chain
	Rows     []Row
}

// A Row is a level with the tasks that a file lists in it.
type Row struct {
	Level int
	Tasks []board.TaskID
	Key   string // under which the row stands in the file
}

// Seconds is the estimate of a task. It is no time.Duration, which thousands of long
// estimates would overflow.
func (t *Task) Seconds() int64 {
	return int64(cmp.Or(t.Estimate/1e9, board.UsualEstimate/1e9))
}

// files are the files that a task names.
func (t *Task) files() board.Files {
	if t.Files == nil {
		return board.Files{}
	}
	return *t.Files
}

// A Fault is an error in a plan, or a warning.
type Fault struct {
	Code    Code
	Place   Place
	Reason  string // a sentence
	Warning bool
}

// A Place is where a fault is in a plan.
type Place struct {
	Task  int    // from 0; -1 for the plan itself
	Key   string // of the task or plan, keys below others after a dot; "" for the task itself
	Entry int    // from 0, if the key holds a list; else -1
}
