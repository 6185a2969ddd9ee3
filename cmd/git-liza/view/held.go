package view

import (
	"fmt"
	"time"

	"github.com/git-liza/git-liza/flow"
)

// A Held is what a decision holds back of a goal.
type Held struct {
	Checkpoint string        `json:"checkpoint"`
	Decision   string        `json:"decision"`
	Tasks      []flow.TaskID `json:"tasks"` // that nobody claims now
	Since      time.Time     `json:"since"`
}

// heldOf returns what a decision holds back of a goal, nil if none does.
func heldOf(b *flow.Board, g *flow.Goal) *Held {
	if g.Hold == nil {
		return nil
	}
	return &Held{g.Hold.Checkpoint, g.Hold.Decision, append([]flow.TaskID{}, flow.HeldTasks(b, g.ID)...), g.Hold.At}
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
func answerHold(h *flow.Hold, goal, usual flow.GoalID) string {
	command := "git liza align TEXT --answers " + h.Checkpoint
	if goal != usual {
		command += " --goal " + string(goal)
	}
	return command
}

// explainHold is for a task that a decision holds back.
func (x waiting) explainHold(w *Why) {
	h := x.Board.Goal(x.task.Goal).Hold
	w.For = fmt.Sprintf("the answer to %s of %s: %s", h.Decision, h.Checkpoint, FirstLine(h.Message))
	if x.task.Status.Allows(flow.ActSubmit) {
		w.For += fmt.Sprintf("; the lease of %s has ended (git liza release %s)", x.task.Coder, x.task.ID)
	}
	w.Who = "a planner, or a person, who may also lift it (git liza checkpoint lift --goal " + string(x.task.Goal) + " --reason R)"
	w.Command = answerHold(h, x.task.Goal, x.goal())
}

// addHolds adds the decisions that no planner is there to answer.
func (c *collector) addHolds() {
	var goals []*flow.Goal
	for _, id := range c.goals {
		if g := c.Board.Goal(id); g != nil && g.Hold != nil {
			goals = append(goals, g)
		}
	}
	if len(goals) == 0 {
		return
	}
	for _, a := range c.picture.Agents() {
		if row := c.Board.Role(a.Role); row != nil && row.Capacity == flow.Plans && a.Presence != nil && a.Dead == 0 && !a.Presence.Silent(a.Presence.at) {
			return
		}
	}
	for _, g := range goals {
		h := g.Hold
		c.add(Item{Kind: "hold", Subject: string(g.ID), since: h.At, moment: h.Checkpoint, rule: flow.RuleDecision, act: flow.ActAlign,
			Text:    fmt.Sprintf("%s of %s holds %s back: %s", h.Decision, h.Checkpoint, Count(len(flow.HeldTasks(c.Board, g.ID)), "task"), FirstLine(h.Message)),
			Command: answerHold(h, g.ID, c.goal())})
	}
}
