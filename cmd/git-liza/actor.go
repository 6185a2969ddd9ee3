package main

import (
	"cmp"
	"fmt"

	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// actor is the maker of the moves: [invocation.claimed], checked against the agents
// from whose sessions this process descends.
func (inv *invocation) actor(repo *git.Repo) (flow.Actor, flow.Generation, error) {
	by, g, err := inv.claimed(repo)
	if wrong := work.CheckActor(repo, "", by, g); wrong != nil {
		return "", "", wrong
	}
	return by, g, err
}

// operator refuses an agent in its session what is for the human of this
// machine alone: what it runs, and what becomes of history. That goes for each
// clone of the board that its session is on.
func (inv *invocation) operator(repo *git.Repo, what string) error {
	board := ""
	if store, err := gitstore.OpenStore(inv.ctx, repo, inv.now); err == nil {
		if b, _, err := store.Board(inv.ctx); err == nil {
			board = b.Settings().Board
		}
	}
	by, g, err := inv.claimed(repo)
	if wrong := work.CheckActor(repo, board, by, g); wrong != nil {
		return wrong
	}
	if err == nil && g.Spawned() {
		err = &flow.Refusal{Rule: flow.RuleIdentity, Hint: "git liza help block", Reason: what + " is for a human on this machine, not for an agent in its session: ask"}
	}
	return err
}

// claimed is the maker of the moves by the command line and the environment: --as or
// LIZA_AGENT_ID, else the human. Inside a task's worktree an agent is not taken for
// the human by mistake, and a spawned agent is never taken for another one, which
// could approve its work.
func (inv *invocation) claimed(repo *git.Repo) (flow.Actor, flow.Generation, error) {
	var by flow.Actor
	var g flow.Generation
	own := inv.getenv("LIZA_AGENT_ID")
	if spawned := flow.Generation(inv.getenv("LIZA_GENERATION")).Spawned(); spawned && (inv.as == "" || inv.as != own) {
		return "", "", &flow.Refusal{Rule: flow.RuleIdentity, Hint: "git liza help",
			Reason: fmt.Sprintf("a process that a supervisor spawned for an agent acts as that agent (%s) and as nobody else", cmp.Or(own, "LIZA_AGENT_ID"))}
	}
	if inv.as != "" {
		if err := by.UnmarshalText([]byte(inv.as)); err != nil {
			return "", "", usagef("git liza agents", "--as: %v", err)
		}
		if text := inv.getenv("LIZA_GENERATION"); text != "" && own == inv.as {
			if err := g.UnmarshalText([]byte(text)); err != nil {
				return "", "", usagef("git liza help", "LIZA_GENERATION: %v", err)
			}
		}
		return by, g, nil
	}
	if worktrees.NameOf(repo) != "" {
		return "", "", &flow.Refusal{Rule: flow.RuleIdentity, Hint: "export LIZA_AGENT_ID=" + string(findHolder(inv, repo)),
			Reason: "inside a task's worktree a move needs --as ID or LIZA_AGENT_ID"}
	}
	name, err := repo.Config(inv.ctx, "user.name")
	if err != nil {
		return "", "", err
	}
	if name == "" {
		if name, _, err = repo.Identity(inv.ctx); err != nil {
			return "", "", err
		}
	}
	return flow.Human(name), "", nil
}

// findHolder is the actor whose checkout below .worktrees/ the command runs in.
func findHolder(inv *invocation, repo *git.Repo) flow.Actor {
	const unknown = "coder-1"
	store, err := gitstore.OpenStore(inv.ctx, repo, inv.now)
	if err != nil {
		return unknown
	}
	b, _, err := store.Board(inv.ctx)
	if err != nil {
		return unknown
	}
	id, _, review := flow.ParseFolder(worktrees.NameOf(repo))
	switch t := b.Task(id); {
	case t == nil:
	case review && t.Review != nil:
		return t.Review.By
	case review:
		return "code-reviewer-1"
	case t.Claim != nil:
		return t.Claim.By
	case t.Attempt != nil: // it waits for a verdict, or goes on after one
		return t.Attempt.Coder
	}
	return unknown
}
