package board

import (
	"fmt"
	"strings"
)

// A Chain is the open tasks for which another one waits, each for the next. The last
// waits for none: it is in work or can be, or does not go on by itself.
type Chain struct {
	Tasks []TaskID
	last  *Task
}

// ChainOf is the chain of an open task, empty if no other task is in its way. Of several
// it is one that does not go on by itself, else the first.
func ChainOf(b *Board, id TaskID) Chain {
	t := b.Task(id)
	if t == nil || t.Status.Final() {
		return Chain{}
	}
	found, _ := linker{b, map[TaskID]bool{id: true}}.follow(t)
	return found
}

// A linker looks for chains, at each task once.
type linker struct {
	board *Board
	seen  map[TaskID]bool
}

// follow returns a chain behind a task, and whether its last task does not go on by itself.
func (l linker) follow(t *Task) (first Chain, stuck bool) {
	for _, id := range l.unmet(t) {
		if l.seen[id] {
			continue
		}
		l.seen[id] = true
		need := l.board.Task(id)
		if need == nil {
			continue
		}
		found, is := Chain{last: need}, need.Status.Final() || need.Status.NeedsPlanner() || need.Status.IsStuck()
		if !is {
			if behind, ends := l.follow(need); behind.last != nil {
				found, is = behind, ends
			}
		}
		found.Tasks = append([]TaskID{id}, found.Tasks...)
		if first.last == nil || is {
			first, stuck = found, is
		}
		if stuck {
			break
		}
	}
	return first, stuck
}

// unmet are the tasks that have to be merged before those count as merged that a task
// needs: of a reverted one what does its work again, or itself if nothing does.
func (l linker) unmet(t *Task) (list []TaskID) {
	for _, id := range t.DependsOn {
		need := l.board.Task(id)
		switch {
		case need == nil || Stands(l.board, need):
		case need.Status == Merged:
			if again := Outstanding(l.board, need); len(again) > 0 {
				list = append(list, again...)
				continue
			}
			list = append(list, id)
		default:
			list = append(list, id)
		}
	}
	return list
}

// Last is the task at the end of the chain, "" if it is empty.
func (c Chain) Last() TaskID {
	if c.last == nil {
		return ""
	}
	return c.last.ID
}

// String names the chain, such as "task-4, which is BLOCKED: Which unit?".
func (c Chain) String() string {
	if c.last == nil {
		return ""
	}
	var text strings.Builder
	text.WriteString(string(c.Tasks[0]))
	switch n := len(c.Tasks); {
	case n == 2:
		fmt.Fprintf(&text, ", which waits for %s", c.last.ID)
	case n > 2:
		fmt.Fprintf(&text, ", which waits for %s, at the end for %s", c.Tasks[1], c.last.ID)
	}
	return text.String() + ", which is " + c.last.standing()
}

// standing is the state of a task with the reason for it.
func (t *Task) standing() string {
	switch {
	case t.Reverted != nil && t.Status == Merged:
		return "reverted, and nothing does its work again"
	case t.Block == nil:
		return t.Status.String()
	}
	why, _, _ := strings.Cut(t.Block.Reason, "\n")
	if len(t.Block.Questions) > 0 {
		why, _, _ = strings.Cut(t.Block.Questions[0], "\n")
	}
	return t.Status.String() + ": " + why
}
