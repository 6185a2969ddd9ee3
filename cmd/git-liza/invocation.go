package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/hooks/stubs"
)

// An invocation is one run of the program: its folder, its actor, and its
// output. Commands print only through it.
type invocation struct {
	output
	ctx      context.Context
	keyboard *keyboard // nil in a test
	stdin    io.Reader
	environ  []string
	now      func() time.Time
	dir      string
	args     []string  // what was typed after git liza
	sole     string    // the provider that was chosen because no other is installed
	as       string    // --as or LIZA_AGENT_ID, "" for the human
	opened   *git.Repo // by repo; nil before
}

func (inv *invocation) getenv(key string) string { return proc.Value(inv.environ, key) }

// clone opens the repository for moves. It fails without an actor.
func (inv *invocation) clone() (*work.Clone, error) {
	c, err := inv.reader()
	if err != nil {
		return nil, err
	}
	by, g, err := inv.actor(c.Repo)
	if err != nil {
		return nil, err
	}
	if inv.as == "" && by.IsHuman() {
		if err := work.CheckPerson(inv.ctx, c, by); err != nil {
			return nil, err
		}
	}
	c.Distant = inv.call != nil
	if c.Usual, err = usualGoal(inv, c); err != nil {
		return nil, err
	}
	return c, c.Identify(inv.ctx, by, g)
}

// repo opens the repository. It prints what a command waits for.
func (inv *invocation) repo() (*git.Repo, error) {
	repo, err := git.OpenNear(inv.ctx, inv.dir, inv.getenv("LIZA_CLONE"))
	if err != nil {
		return nil, err
	}
	repo.Notice = func(line string) {
		if inv.call != nil {
			inv.call.tell(line)
		}
		fmt.Fprintln(inv.stderr, line)
	}
	repo.Background = inv.background
	repo.IsOwnHook = stubs.OwnOnly(repo)
	inv.opened = repo
	return repo, nil
}

// reader opens the repository without an actor, for reading. The clone still
// knows its principal.
func (inv *invocation) reader() (*work.Clone, error) {
	repo, err := inv.repo()
	if err != nil {
		return nil, err
	}
	c, err := work.Open(inv.ctx, repo, inv.now, inv.environ)
	if err != nil {
		return nil, err
	}
	c.Specs.Dir, c.Store.Commits.Judge, c.Store.Landed = inv.dir, judgeArtifacts, hooksAfter(inv, c)
	if inv.call == nil && inv.getenv("LIZA_AGENT_ID") == "" {
		_ = c.Checkouts.RemoveLeft(inv.ctx, inv.dir) // the next command tries again
	}
	c.Principal, err = repo.Config.Config(inv.ctx, "liza.principal")
	return c, err
}
