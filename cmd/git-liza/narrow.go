package main

import (
	"cmp"
	"slices"

	"github.com/git-liza/git-liza/flow"
)

// A narrowed is a blackboard that names fewer tasks in short than it holds.
// The rules look at all tasks in work whenever they are asked about one; a
// question about ten thousand tasks that nobody has begun would look at ten
// thousand times as many.
type narrowed struct {
	board *flow.Board
	tasks []flow.Summary
}

// Load returns the document of the whole board.
func (n narrowed) Load(key flow.Key) (flow.Document, error) { return n.board.Load(key), n.board.Err() }

// List returns the ids of the whole board.
func (n narrowed) List(f flow.Folder) ([]string, error) { return n.board.IDs(f), n.board.Err() }

// Summaries describes the tasks that were picked.
func (n narrowed) Summaries() ([]flow.Summary, error) { return n.tasks, n.board.Err() }

// narrow is the board with every task in work, and of those that wait for a
// coder the first so many, by priority, then age.
func narrow(b *flow.Board, tasks []flow.Summary, waiting int) *flow.Board {
	open := unmerged(tasks)
	var picked []flow.Summary
	var free []*flow.Summary
	for i := range tasks {
		t := &tasks[i]
		switch {
		case t.Status.Final() || t.Status == flow.Draft:
		case t.Status != flow.Unclaimed:
			picked = append(picked, *t)
		case waiting > 0 && !slices.ContainsFunc(t.DependsOn, func(d flow.TaskID) bool { return open[d] }):
			free = append(free, t)
		}
	}
	slices.SortStableFunc(free, func(x, y *flow.Summary) int { return cmp.Compare(x.Priority, y.Priority) })
	for _, t := range free[:min(len(free), waiting)] {
		picked = append(picked, *t)
	}
	return flow.Open(narrowed{b, picked}, b.At())
}
