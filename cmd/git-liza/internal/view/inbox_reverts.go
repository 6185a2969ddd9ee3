package view

import (
	"fmt"
	"slices"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// addReverted adds the reverted tasks that others need: to open ones somebody has to do
// the work again, and merged ones stand on what is not there any more.
func (c *collector) addReverted() {
	for _, id := range c.picture.revertedNeeds() {
		t := c.Board.Task(id)
		if t == nil || t.Reverted == nil {
			continue
		}
		var open, merged []board.TaskID
		for _, r := range c.picture.rows.whoNeed(id) {
			switch {
			case !r.Status.Final():
				open = append(open, r.ID)
			case r.Status.IsMerged() && board.Stands(c.Board, c.Board.Task(r.ID)):
				merged = append(merged, r.ID)
			}
		}
		if c.picture.rows.byID[id] == nil && len(open) == 0 {
			continue // it is archived, and what needed it is done
		}
		again := board.Outstanding(c.Board, t)
		if len(again) == 0 && len(open) > 0 {
			c.addRevert("reverted", id, t, fmt.Sprintf("%s was reverted by %s, and %s", id, t.Reverted, needing(open)), "git liza undo "+string(id)+" --reopen")
		}
		if len(again) > 0 {
			continue // the merged work is there again soon
		}
		for _, standing := range merged {
			c.addRevert("reverted_need", standing, t, fmt.Sprintf("%s is merged and needs %s, which was reverted by %s", standing, id, t.Reverted), "git liza undo "+string(standing))
		}
	}
}

// revertedNeeds returns the tasks that may be needed and were reverted, by id.
func (p *Picture) revertedNeeds() (list []board.TaskID) {
	p.groupTasks() // which looks at the archived ones
	needed := lists.Where(p.rows.reverted, func(r *row) bool { return p.needs.on(r.ID).reverted })
	list = lists.Of(needed, func(r *row) board.TaskID { return r.ID })
	for id, n := range p.needs.archived {
		if n.reverted {
			list = append(list, id)
		}
	}
	slices.Sort(list)
	return list
}

// addRevert adds an item about work that was taken back.
func (c *collector) addRevert(kind string, subject board.TaskID, reverted *board.Task, text, command string) {
	c.add(Item{Kind: kind, Subject: string(subject), Text: text, Command: command, since: reverted.Reverted.At, rule: flow.RuleDependencies, act: board.ActAdd})
}

// needing says which tasks need another one.
func needing(list []board.TaskID) string {
	if len(list) == 1 {
		return string(list[0]) + " needs it"
	}
	slices.Sort(list)
	return fmt.Sprintf("%s and %d more need it", list[0], len(list)-1)
}
