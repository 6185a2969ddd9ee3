package main

import (
	"fmt"

	"github.com/git-liza/git-liza/cmd/git-liza/view"
	"github.com/git-liza/git-liza/flow"
)

// workCommands are the acts of coders, reviewers and supervisors.
type workCommands struct {
	Claim   claimCommand   `cmd:"" group:"Work" help:"Take a task and get its worktree."`
	Renew   renewCommand   `cmd:"" group:"Work" help:"Prolong the lease of a claim or review."`
	Intent  intentCommand  `cmd:"" group:"Work" help:"Say what you are going to do; needed before submit."`
	Submit  submitCommand  `cmd:"" group:"Work" help:"Ask for a review of the task branch's tip."`
	Block   blockCommand   `cmd:"" group:"Work" help:"Stop work until somebody answers."`
	Handoff handoffCommand `cmd:"" group:"Work" help:"Leave word for whoever continues."`
	Release releaseCommand `cmd:"" group:"Work" help:"Give a claim or review back."`
	Await   awaitCommand   `cmd:"" group:"Work" help:"Wait in the session for the verdict on a submission."`
	reviewCommands
	mergeCommands
}

type claimCommand struct {
	ID    flow.TaskID   `arg:"" optional:"" help:"Default: the best claimable task."`
	Lease flow.Duration `placeholder:"30m" help:"Default: the board's."`
}

func (c *claimCommand) Run(s *session) error {
	clone, err := s.clone()
	if err != nil {
		return err
	}
	got, r, err := clone.Claim(s.ctx, c.ID, c.Lease)
	if err != nil {
		return err
	}
	if got.Warning != "" {
		s.progress("warning: %s", got.Warning)
	}
	return s.result(r, got, "%s claimed by %s until %s, iteration %d\n%s", got.Task, clone.By,
		got.Lease.Format("2006-01-02 15:04:05Z"), got.Iteration, got.Worktree)
}

type renewCommand struct {
	ID    flow.TaskID   `arg:""`
	Lease flow.Duration `placeholder:"30m" help:"Default: the board's."`
}

func (c *renewCommand) Run(s *session) error {
	clone, err := s.clone()
	if err != nil {
		return err
	}
	r, err := clone.Renew(s.ctx, c.ID, c.Lease)
	if err != nil {
		return err
	}
	t := r.After.Task(c.ID)
	lease := t.Review
	if t.Claim != nil {
		lease = &flow.Review{By: t.Claim.By, Lease: t.Claim.Lease}
	}
	return s.result(r, map[string]any{"task": c.ID, "lease_expires": lease.Lease}, "%s renewed for %s until %s", c.ID, lease.By,
		lease.Lease.Format("2006-01-02 15:04:05Z"))
}

type intentCommand struct {
	ID             flow.TaskID `arg:"" help:"The task."`
	Summary        string      `required:"" help:"What you are going to do."`
	Validation     string      `required:"" help:"How you will know that it works."`
	Files          []string    `sep:"none" help:"Files you expect to touch; repeatable."`
	Assumption     []string    `sep:"none" help:"What you take for given; repeatable."`
	Risk           []string    `sep:"none" help:"What could go wrong; repeatable."`
	Extend         []string    `sep:"none" placeholder:"GLOB" help:"Paths beyond what the task owns; repeatable."`
	TestsNotNeeded string      `placeholder:"WHY" help:"Why no test changes."`
}

func (c *intentCommand) Run(s *session) error {
	clone, err := s.clone()
	if err != nil {
		return err
	}
	r, err := clone.Make(s.ctx, flow.ActIntent, c.ID, &flow.IntentMove{Intent: flow.Intent{Summary: c.Summary, Validation: c.Validation,
		Files: c.Files, Assumptions: c.Assumption, Risks: c.Risk, Extend: c.Extend, TestsNotNeeded: c.TestsNotNeeded}})
	if err != nil {
		return err
	}
	return s.taskResult(r, c.ID, "intent recorded")
}

type submitCommand struct {
	ID     flow.TaskID `arg:""`
	Commit string      `placeholder:"SHA" help:"Must be the tip of the task's branch, which is the default."`
}

func (c *submitCommand) Run(s *session) error {
	clone, err := s.clone()
	if err != nil {
		return err
	}
	var commit flow.ObjectID
	if c.Commit != "" {
		if _, _, err := clone.Store.Board(s.ctx); err != nil {
			return err
		}
		if commit, err = clone.Repo.ParseCommit(s.ctx, c.Commit); err != nil {
			return err
		}
	}
	r, err := clone.Submit(s.ctx, c.ID, commit)
	if err != nil {
		return err
	}
	sub := r.After.Task(c.ID).Submission
	return s.result(r, map[string]any{"task": c.ID, "status": r.After.Task(c.ID).Status, "commit": sub.Commit, "base_commit": sub.Base,
		"submission": sub.Number, "changed": sub.Changed}, "%s submitted %s (%s) → %s", c.ID, sub.Commit.Short(), view.Count(sub.Changed, "path"), r.After.Task(c.ID).Status)
}

type blockCommand struct {
	ID        flow.TaskID `arg:"" help:"The task."`
	Reason    string      `required:"" help:"What is in the way."`
	Question  []string    `required:"" sep:"none" help:"What must be answered; one to three."`
	Attempted []string    `sep:"none" help:"What was tried; repeatable."`
}

func (c *blockCommand) Run(s *session) error {
	clone, err := s.clone()
	if err != nil {
		return err
	}
	r, err := clone.Make(s.ctx, flow.ActBlock, c.ID, &flow.BlockMove{Reason: c.Reason, Questions: c.Question, Attempted: c.Attempted})
	if err != nil {
		return err
	}
	return s.taskResult(r, c.ID, "blocked")
}

type handoffCommand struct {
	ID         flow.TaskID `arg:"" help:"The task."`
	Summary    string      `required:"" help:"Where things stand, in one phrase."`
	NextAction string      `required:"" help:"What to do next, in one phrase."`
	Approach   string      `help:"How it is being done."`
	Blocker    []string    `sep:"none" help:"What is in the way; repeatable."`
	File       []string    `sep:"none" help:"Files that matter; repeatable."`
	NextStep   []string    `sep:"none" help:"Steps after the next action; repeatable."`
	DeadEnd    []string    `sep:"none" help:"What does not work; repeatable."`
}

func (c *handoffCommand) Run(s *session) error {
	clone, err := s.clone()
	if err != nil {
		return err
	}
	r, err := clone.Make(s.ctx, flow.ActHandoff, c.ID, &flow.HandoffMove{Handoff: flow.Handoff{Summary: c.Summary, NextAction: c.NextAction,
		Approach: c.Approach, Blockers: c.Blocker, Files: c.File, NextSteps: c.NextStep, DeadEnds: c.DeadEnd}})
	if err != nil {
		return err
	}
	return s.taskResult(r, c.ID, "handed off")
}

type releaseCommand struct {
	ID        flow.TaskID `arg:""`
	NoVerdict bool        `help:"The review ends without a verdict, and counts as such."`
}

func (c *releaseCommand) Run(s *session) error {
	clone, err := s.clone()
	if err != nil {
		return err
	}
	r, err := clone.Release(s.ctx, c.ID, c.NoVerdict)
	if err != nil {
		return err
	}
	return s.taskResult(r, c.ID, "released")
}

// blockers counts findings for people.
func blockers(list []flow.Finding) string {
	if len(list) == 1 {
		return "1 blocker"
	}
	return fmt.Sprintf("%d blockers", len(list))
}
