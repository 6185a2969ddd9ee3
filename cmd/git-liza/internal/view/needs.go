package view

import (
	"sync"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// A need is a task on which another one depends.
type need struct {
	said     string // of one that does not count as merged
	reverted bool
	again    bool // it was reverted, and what others do decides whether it counts
}

// needs are the tasks on which others depend.
type needs struct {
	board    *board.Board // nil: no task is archived
	live     func(board.TaskID) *board.Summary
	archived map[board.TaskID]need // those that were looked at
}

// needsAmong are the needs of tasks outside the archive. They are looked up when the first
// one is asked for.
func needsAmong(b *board.Board, tasks []*board.Summary) *needs {
	needed := sync.OnceValue(func() map[board.TaskID]*board.Summary { return neededAmong(tasks) })
	return &needs{b, func(id board.TaskID) *board.Summary { return needed()[id] }, map[board.TaskID]need{}}
}

// neededAmong are those tasks on which others of them depend.
func neededAmong(tasks []*board.Summary) map[board.TaskID]*board.Summary {
	n := lists.Sum(tasks, func(t *board.Summary) int { return len(t.DependsOn) })
	needed := make(map[board.TaskID]*board.Summary, n)
	for _, t := range tasks {
		for _, d := range t.DependsOn {
			needed[d] = nil
		}
	}
	for _, t := range tasks {
		if _, is := needed[t.ID]; is {
			needed[t.ID] = t
		}
	}
	return needed
}

// on returns a task as a need. Tasks that are not live are archived: they are merged, and
// only the rules know whether they were reverted.
func (n *needs) on(id board.TaskID) need {
	if n == nil {
		return need{}
	}
	if t := n.live(id); t != nil {
		switch {
		case !t.Status.IsMerged():
			return need{said: "after " + string(id)}
		case t.Reverted:
			return needOf(n.board, n.board.Task(id))
		}
		return need{}
	}
	known, looked := n.archived[id]
	if !looked && n.board != nil {
		known = needOf(n.board, n.board.Task(id))
		n.archived[id] = known
	}
	return known
}

// needOf returns a task on which another one depends as a need.
func needOf(b *board.Board, t *board.Task) need {
	switch {
	case t == nil:
		return need{}
	case board.Stands(b, t):
		return need{again: t.Reverted != nil}
	case t.Reverted != nil:
		return need{string(t.ID) + " is reverted", true, true}
	}
	return need{said: "after " + string(t.ID)}
}

// unmetNeed returns the first task that a task waits for: to be claimed for each that does
// not count as merged, to be merged for each that was reverted. It is "" if there is none.
func unmetNeed(t *board.Summary, on *needs) (board.TaskID, string) {
	waits := unheldWaits()[t.Status]
	if waits != forWork && waits != "merge" {
		return "", ""
	}
	for _, d := range t.DependsOn {
		if n := on.on(d); n.said != "" && (waits == forWork || n.reverted) {
			return d, n.said
		}
	}
	return "", ""
}
