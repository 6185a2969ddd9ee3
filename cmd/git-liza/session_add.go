package main

import (
	"cmp"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/gitstore/secret"
)

type sessionAddCommand struct {
	Task     board.TaskID   `arg:"" optional:"" help:"What it was about; none for planning."`
	Provider string         `required:"" help:"What ran."`
	Outcome  string         `required:"" help:"submitted, approved, rejected, blocked, handoff, planned, nothing, failed, hung, budget, quota, called_off, lost, killed or loop."`
	Error    string         `placeholder:"TEXT" help:"By which it failed, at most 1 KiB."`
	Ends     bool           `help:"It was for the claim or the review of the task that the agent holds, and ends it."`
	Role     board.Role     `placeholder:"ROLE" help:"Default: that of the agent, else coder for a task and planner without."`
	Model    string         `help:"Its model."`
	Input    int64          `placeholder:"N" help:"All tokens that it read."`
	Cached   int64          `placeholder:"N" help:"Those of them that came from a cache."`
	Written  int64          `placeholder:"N" help:"All tokens that it wrote."`
	Cost     board.Cost     `placeholder:"DOLLARS" help:"What it cost."`
	Took     board.Duration `placeholder:"5m" help:"How long it took, on the clock."`
	Prompt   string         `placeholder:"FILE" help:"What an agent was told, to be kept."`
	Output   string         `placeholder:"FILE" help:"What an agent printed, to be kept; secrets in it are hidden."`
	Format   string         `default:"plain" help:"Of the output: plain, or the family of a command line, such as claude or codex."`
}

func (c *sessionAddCommand) Run(inv *invocation, clone *work.Clone) error {
	m := &flow.SessionMove{Provider: c.Provider, Model: c.Model, Role: c.role(clone.Caller.By), Outcome: c.Outcome, Error: c.Error,
		Usage: board.Usage{Input: c.Input, Cached: c.Cached, Output: c.Written, Cost: c.Cost, Seconds: int64(time.Duration(c.Took) / time.Second)}}
	if c.Input+c.Written > 0 || c.Cost > 0 {
		m.Usage.Sessions = 1 // it is counted
	}
	if c.Prompt+c.Output != "" {
		var err error
		if m.Record, err = c.keep(inv, clone, m); err != nil {
			return err
		}
	}
	r, err := clone.Move(inv.ctx, board.ActSession, c.Task, func(b *board.Board) (flow.Detail, error) {
		if c.Ends {
			m.Of = heldSince(b.Task(c.Task), clone.Caller.By)
		}
		return m, nil
	})
	if err != nil {
		return err
	}
	return inv.result(r, map[string]any{"task": c.Task, "record": m.Record, "usage": view.ValueOf(m.Usage)}, "recorded %s", view.SpentIn(m.Usage).Words())
}

// heldSince is when the claim or the review of a task began that an actor holds; zero
// without one.
func heldSince(t *board.Task, by board.Actor) time.Time {
	if t == nil {
		return time.Time{}
	}
	if t.Claim != nil && t.Claim.By == by {
		return t.Claim.Since
	}
	if _, review := t.HeldReview(by); review != nil {
		return review.Since
	}
	return time.Time{}
}

func (c *sessionAddCommand) role(by board.Actor) board.Role {
	switch {
	case c.Role != "":
		return c.Role
	case by.Role() != "":
		return by.Role()
	case c.Task == "":
		return board.Planner
	}
	return board.Coder
}

// byHand is the generation in the records of sessions whose agents have none.
const byHand = board.Generation("0000000000000000")

// keep saves the session before the move names it.
func (c *sessionAddCommand) keep(inv *invocation, clone *work.Clone, m *flow.SessionMove) (git.ID, error) {
	agent := clone.Caller.By.Agent()
	if agent == "" {
		return "", usagef("git liza help session add", "what an agent was told and printed is kept --as that agent")
	}
	rec := gitstore.SessionRecord{Agent: agent, Generation: cmp.Or(clone.Caller.Generation, byHand), Role: m.Role, Task: c.Task, Provider: c.Provider,
		Model: c.Model, Format: c.Format, Outcome: c.Outcome, Ended: clone.Store.Now(), Usage: m.Usage}
	rec.Began = rec.Ended.Add(-time.Duration(c.Took))
	mask := secret.New(inv.environ)
	var texts [2][]byte
	for i, path := range []string{c.Prompt, c.Output} {
		if path == "" {
			continue
		}
		text, err := inv.readInput(path)
		if err != nil {
			return "", err
		}
		texts[i] = mask.Bytes(text)
	}
	return gitstore.SaveSession(inv.ctx, clone.Repo, rec, texts[0], texts[1])
}
