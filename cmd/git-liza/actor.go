package main

import (
	"cmp"
	"fmt"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// actor returns the actor of the moves: that of [invocation.claimed], checked
// against the sessions that this process descends from.
func (inv *invocation) actor(repo *git.Repo) (board.Actor, board.Generation, error) {
	by, g, err := inv.claimed(repo)
	if wrong := work.CheckActor(repo, "", by, g); wrong != nil {
		return "", "", wrong
	}
	return by, g, err
}

// operator refuses to an agent in its session what only the human of this
// machine may do: decide what the machine runs and what becomes of history. It
// refuses in every clone of the session's board.
func (inv *invocation) operator(repo *git.Repo, what string) error {
	board := ""
	if b, _, err := gitstore.OpenStore(inv.ctx, repo, inv.now).Board(inv.ctx); err == nil {
		board = b.Settings().Board
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

// claimed returns the actor that the command line and the environment name: --as
// or LIZA_AGENT_ID, else the human. Inside a task's worktree it never falls back
// to the human. It refuses a spawned agent that names another one, because that
// one could approve the agent's own work.
func (inv *invocation) claimed(repo *git.Repo) (board.Actor, board.Generation, error) {
	var by board.Actor
	var g board.Generation
	own := inv.getenv("LIZA_AGENT_ID")
	if spawned := board.Generation(inv.getenv("LIZA_GENERATION")).Spawned(); spawned && (inv.as == "" || inv.as != own) {
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
	if by := findReviewer(inv, repo); by != "" {
		return by, "", nil
	}
	if worktrees.NameOf(repo) != "" {
		return "", "", &flow.Refusal{Rule: flow.RuleIdentity, Hint: "export LIZA_AGENT_ID=" + string(findHolder(inv, repo)),
			Reason: "inside a task's worktree a move needs --as ID or LIZA_AGENT_ID"}
	}
	by, err := person(inv, repo)
	return by, "", err
}

// person returns the human that liza.person names, or else git's user.name.
func person(inv *invocation, repo *git.Repo) (board.Actor, error) {
	named, err := repo.Config.Config(inv.ctx, work.PersonKey)
	if err != nil {
		return "", err
	}
	if by := board.Actor(named); by.IsHuman() {
		return by, nil
	} else if named != "" {
		return "", usagef("git config --unset "+work.PersonKey, "%s is %q, and has to be human:NAME", work.PersonKey, named)
	}
	name, err := repo.Config.Config(inv.ctx, "user.name")
	if err != nil {
		return "", err
	}
	if name == "" {
		if name, _, err = repo.Config.Identity(inv.ctx); err != nil {
			return "", err
		}
	}
	return board.Human(name), nil
}

// findReviewer returns the holder of the review in whose checkout the command runs, if
// that is the person of this clone or an agent that a person plays by hand; "" if not.
// After the verdict the checkout is still that person's.
func findReviewer(inv *invocation, repo *git.Repo) board.Actor {
	name := worktrees.NameOf(repo)
	id, _, role := board.ParseFolder(name)
	if role == "" || inv.getenv("LIZA_AGENT_ID") != "" {
		return ""
	}
	me, err := person(inv, repo)
	if err != nil {
		return ""
	}
	clone, err := work.Open(inv.ctx, repo, inv.now, inv.environ)
	if err != nil {
		return ""
	}
	b, _, err := clone.Store.Board(inv.ctx)
	if err != nil {
		return ""
	}
	by := clone.Checkouts.LeftBy(name)
	if t := b.Task(id); t != nil && t.Judgement(role).Review != nil {
		by = t.Judgement(role).Review.By
	}
	a := b.Agent(by.Agent())
	if by == me || a != nil && a.Generation == "" {
		return by
	}
	return ""
}

// findHolder returns the agent that works in the checkout below .worktrees/ that the
// command runs in.
func findHolder(inv *invocation, repo *git.Repo) board.Actor {
	const unknown = "coder-1"
	b, _, err := gitstore.OpenStore(inv.ctx, repo, inv.now).Board(inv.ctx)
	if err != nil {
		return unknown
	}
	id, _, review := board.ParseFolder(worktrees.NameOf(repo))
	switch t := b.Task(id); {
	case t == nil:
	case review != "" && t.Judgement(review).Review != nil:
		return t.Judgement(review).Review.By
	case review != "":
		return board.Actor(review + "-1")
	case t.Claim != nil:
		return t.Claim.By
	case t.Attempt != nil: // the task waits for a verdict, or work continues after one
		return t.Attempt.Coder
	}
	return unknown
}
