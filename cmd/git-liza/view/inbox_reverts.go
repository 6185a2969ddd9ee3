package view

import (
	"fmt"
	"maps"
	"slices"

	"github.com/git-liza/git-liza/flow"
)

// addReverted adds the reverted tasks that others need: to open ones somebody has to do
// the work again, and merged ones stand on what is not there any more.
func (c *collector) addReverted() {
	if !c.Board.HasRules(3) {
		return
	}
	needs := c.unmetNeeds(c.tasks)
	open, merged := map[flow.TaskID][]flow.TaskID{}, map[flow.TaskID][]flow.TaskID{}
	for i := range c.tasks {
		t := &c.tasks[i]
		for _, d := range t.DependsOn {
			switch {
			case !needs[d].reverted:
			case !t.Status.Final():
				open[d] = append(open[d], t.ID)
			case t.Status.IsMerged() && flow.Stands(c.Board, c.Board.Task(t.ID)):
				merged[d] = append(merged[d], t.ID)
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(needs)) {
		t := c.Board.Task(id)
		if !needs[id].reverted || t == nil || t.Reverted == nil {
			continue
		}
		again := flow.Outstanding(c.Board, t)
		if len(again) == 0 && len(open[id]) > 0 {
			c.addRevert("reverted", id, t, fmt.Sprintf("%s was reverted by %s, and %s", id, t.Reverted, needing(open[id])), "git liza undo "+string(id)+" --reopen")
		}
		if len(again) > 0 {
			continue // the merged work is there again soon
		}
		for _, standing := range merged[id] {
			c.addRevert("reverted_need", standing, t, fmt.Sprintf("%s is merged and needs %s, which was reverted by %s", standing, id, t.Reverted), "git liza undo "+string(standing))
		}
	}
}

// addRevert adds an item about work that was taken back.
func (c *collector) addRevert(kind string, subject flow.TaskID, reverted *flow.Task, text, command string) {
	c.add(Item{Kind: kind, Subject: string(subject), Text: text, Command: command, since: reverted.Reverted.At, rule: flow.RuleDependencies, act: flow.ActAdd})
}

// needing says which tasks need another one.
func needing(list []flow.TaskID) string {
	if len(list) == 1 {
		return string(list[0]) + " needs it"
	}
	slices.Sort(list)
	return fmt.Sprintf("%s and %d more need it", list[0], len(list)-1)
}
