package view

import (
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow"
)

// addAsked adds the tasks that wait for the answer of a person, or of agents whose role
// does not plan: no planner is needed for them.
func (c *collector) addAsked() {
	known := map[flow.TaskID]bool{}
	for _, trigger := range c.triggers {
		if trigger.Record == "" {
			known[trigger.Task] = true
		}
	}
	for t := range c.picture.rows.with(flow.Status.IsBlocked) {
		if !t.Asks || known[t.ID] || c.Board.Budget("", t.ID) != nil {
			continue
		}
		item := Item{Kind: "blocked", Subject: string(t.ID), Command: "git liza show " + string(t.ID), since: t.Changed, act: flow.ActUnblock, task: t.ID}
		if len(OpenQuestions(c.Board, t.ID)) > 0 {
			c.ask(&item, t.ID)
			c.add(item)
		}
	}
}

// addDeferred adds the discoveries that were put off until a time that is over. Those that
// are immediate are known already.
func (c *collector) addDeferred() {
	for _, id := range c.Board.IDs(flow.Discovered) {
		d, ok := c.Board.Load(flow.Key{Folder: flow.Discovered, ID: id}).(*flow.Discovery)
		if !ok || d.Deferred == nil || !d.IsOpen(c.At) {
			continue
		}
		item := Item{Kind: "discovery", Subject: string(d.ID), Text: "put off until " + d.Deferred.Until.UTC().Format(time.DateOnly) + ": " + FirstLine(d.Text),
			Command: "git liza convert " + string(d.ID), since: d.Deferred.Until, act: flow.ActConvert}
		c.list = slices.DeleteFunc(c.list, func(i Item) bool { return i.Kind == item.Kind && i.Subject == item.Subject })
		c.add(item)
	}
}
