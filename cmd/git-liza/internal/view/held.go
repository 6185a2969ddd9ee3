package view

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/shell"
)

// A Held is what a decision holds back of a goal.
type Held struct {
	Checkpoint string         `json:"checkpoint"`
	Decision   string         `json:"decision"`
	Tasks      []board.TaskID `json:"tasks"` // that nobody claims now
	Since      time.Time      `json:"since"`
}

// heldOf returns what a decision holds back of a goal, nil if none does.
func heldOf(b *board.Board, g *board.Goal) *Held {
	if g.Hold == nil {
		return nil
	}
	return &Held{g.Hold.Checkpoint, g.Hold.Decision, append([]board.TaskID{}, board.HeldTasks(b, g.ID)...), g.Hold.At}
}

// Text describes it after the counts of a goal.
func (h *Held) Text() string {
	if h == nil {
		return ""
	}
	return fmt.Sprintf(", %d held since %s", len(h.Tasks), h.Checkpoint)
}

// answerHold returns the command that answers a decision about a goal, as one that
// names no goal would mean usual.
func answerHold(h *board.Hold, g *board.Goal, usual board.GoalID) string {
	goal := g.ID
	if h.Decision == "PIVOT" {
		return "git liza goal set TITLE --pivot " + string(goal)
	}
	command := "git liza record alignment TEXT --answers " + h.Checkpoint
	if goal != usual {
		command += " --goal " + string(goal)
	}
	return command
}

// explainHold is for a task that a decision holds back.
func (x waiting) explainHold(w *Why) {
	g := x.Board.Goal(x.task.Goal)
	h := g.Hold
	w.For = fmt.Sprintf("the answer to %s of %s: %s", h.Decision, h.Checkpoint, FirstLine(h.Message))
	if flow.Allows(x.task.Status, board.ActSubmit) {
		w.For += fmt.Sprintf("; the lease of %s has ended (git liza release %s)", x.task.Coder, x.task.ID)
	}
	w.Who = "a planner, or a person, who may also lift it (git liza checkpoint lift --goal " + string(x.task.Goal) + " --reason R)"
	w.Command = answerHold(h, g, x.goal())
	if h.Decision == "PIVOT" {
		w.For, w.Who = fmt.Sprintf("the goal that takes the place of %s, by %s: %s", g.ID, h.Checkpoint, FirstLine(h.Message)), "a person"
	}
}

// addHolds adds the decisions that no planner is there to answer.
func (c *collector) addHolds() {
	planned := false
	for _, id := range c.goals {
		g := c.Board.Goal(id)
		if g == nil || g.Hold == nil {
			continue
		}
		h, act := g.Hold, board.ActAlign
		if h.Decision == "PIVOT" {
			act = board.ActGoal
		} else if planned = planned || c.isPlanned(); planned {
			continue
		}
		c.add(Item{Kind: "hold", Subject: string(g.ID), since: h.At, moment: h.Checkpoint, rule: flow.RuleDecision, act: act,
			Text:    fmt.Sprintf("%s of %s holds %s back: %s", h.Decision, h.Checkpoint, Count(len(board.HeldTasks(c.Board, g.ID)), "task"), FirstLine(h.Message)),
			Command: answerHold(h, g, c.goal())})
	}
}

// isPlanned reports whether a supervisor is active for a role that plans.
func (c *collector) isPlanned() bool {
	return slices.ContainsFunc(c.picture.Agents(), func(a Agent) bool {
		row := c.Board.Role(a.Role)
		return row != nil && row.Capacity == board.Plans && a.Presence != nil && a.Dead == 0 && !a.Presence.Silent(a.Presence.at)
	})
}

// addOutages adds the gates that cannot run.
func (c *collector) addOutages() {
	for _, o := range board.OutagesOf(c.Board) {
		c.add(Item{Kind: "outage", Subject: o.Gate + "@" + o.Host, since: o.At, act: board.ActOutage,
			Text: fmt.Sprintf("gate %s cannot run on %s: %s", o.Gate, o.Host, FirstLine(o.Error)), Command: outageOver(o)})
	}
}

// outageOver returns the command that says that a gate runs again.
func outageOver(o board.Outage) string {
	return "git liza gate outage " + shell.Quote(o.Gate) + " --host " + shell.Quote(o.Host) + " --over"
}

// addLevels adds the levels that failed and that no task mends.
func (c *collector) addLevels() {
	for _, id := range c.goals {
		l := board.UnmendedLevel(c.Board, id)
		if l == nil {
			continue
		}
		gates := lists.Of(l.Receipts, func(r board.Receipt) string { return r.Gate })
		c.add(Item{Kind: "level", Subject: l.ID(), since: l.At, rule: flow.RuleLevel, act: board.ActAdd,
			Text:    fmt.Sprintf("level %d of %s failed at %s, and no task mends it: %s", l.Number, l.Goal, l.Tip.Short(), strings.Join(gates, ", ")),
			Command: fmt.Sprintf("git liza goal show %s --level %d", l.Goal, l.Number)})
	}
}
