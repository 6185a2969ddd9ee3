package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
)

type initCommand struct {
	Goal        string        `arg:"" optional:"" help:"The goal in one line; default: the spec's first heading."`
	Spec        string        `default:"specs/vision.md" placeholder:"PATH" help:"The goal's spec; it must be committed."`
	Integration string        `default:"integration" placeholder:"BRANCH" help:"The branch that approved work reaches."`
	Lease       flow.Duration `default:"30m" help:"How long a claim or review lasts unless it is renewed."`
	Remote      string        `placeholder:"NAME" help:"Let this remote hold the board; one that has a board gives it to this clone."`
	Admin       string        `placeholder:"NAME" help:"Enforce who acts: make a key here and enter it as the board's first admin."`
	NoHooks     bool          `name:"no-hooks" help:"Install no hooks: git will refuse nothing here."`
}

func (c *initCommand) Run(inv *invocation) error {
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	if joined, err := c.joinRemoteBoard(inv, clone); err != nil || joined {
		return err
	}
	if err := c.refuseLocalBoard(inv, clone); err != nil {
		return err
	}
	d, err := clone.Prepare(inv.ctx, work.Plan{Title: c.Goal, Spec: clone.Specs.Rooted(c.Spec), Branch: c.Integration, Lease: c.Lease})
	if err != nil {
		return err
	}
	if c.Admin != "" {
		if err := clone.Principals.NameAdmin(inv.ctx, d, c.Admin); err != nil {
			return err
		}
	}
	r, err := clone.Init(inv.ctx, d)
	if err != nil {
		return err
	}
	if c.Admin != "" {
		if err := clone.Principals.Govern(inv.ctx, r.After, c.Admin); err != nil {
			return err
		}
	}
	if err := c.installBoardHooks(inv, clone, r.After); err != nil {
		return err
	}
	if c.Remote != "" {
		if _, err := clone.Join(inv.ctx, c.Remote, false); err != nil {
			return explainUnpublished(c.Remote, err)
		}
	}
	return c.report(inv, clone, r)
}

// refuseLocalBoard refuses to make a board here if a remote has one that this clone
// could take.
func (c *initCommand) refuseLocalBoard(inv *invocation, clone *work.Clone) error {
	tip, err := clone.Repo.Refs.Resolve(inv.ctx, layout.State)
	if err != nil || tip != "" || c.Remote != "" {
		return err
	}
	return c.refuseSecond(inv, clone.Store, c.Integration)
}

// explainUnpublished reports that the board was made here although the remote does
// not have it.
func explainUnpublished(remote string, err error) error {
	var refusal *flow.Refusal
	if errors.As(err, &refusal) {
		return &flow.Refusal{Rule: refusal.Rule, Hint: refusal.Hint,
			Reason: fmt.Sprintf("the board is made, but %s does not take it (git liza sync --set %s, once it does): %s", remote, remote, refusal.Reason)}
	}
	return fmt.Errorf("the board is made, but %s does not have it (git liza sync --set %s): %w", remote, remote, err)
}

// joinRemoteBoard takes the remote's board, if the remote has one and this clone has
// none.
func (c *initCommand) joinRemoteBoard(inv *invocation, clone *work.Clone) (bool, error) {
	if c.Remote == "" {
		return false, nil
	}
	tip, err := clone.Repo.Refs.Resolve(inv.ctx, layout.State)
	if err != nil || tip != "" {
		return false, err
	}
	url, err := clone.Repo.Config.Config(inv.ctx, "remote."+c.Remote+".url")
	if err != nil {
		return false, err
	}
	synced, err := clone.Join(inv.ctx, c.Remote, false)
	var refusal *flow.Refusal
	if url != "" && errors.As(err, &refusal) && refusal.Rule == flow.RuleNotFound {
		return false, nil // neither side has a board
	}
	if err != nil {
		return false, err
	}
	b, tip, err := clone.Store.Board(inv.ctx)
	if err != nil {
		return true, err
	}
	inv.progress("%s", joinedLine(synced))
	if err := c.installBoardHooks(inv, clone, b); err != nil {
		return true, err
	}
	return true, c.report(inv, clone, gitstore.Result{Already: true, Commit: tip, Before: b, After: b})
}

// installBoardHooks installs the hooks, whether or not a remote takes the board.
func (c *initCommand) installBoardHooks(inv *invocation, clone *work.Clone, b *flow.Board) error {
	if c.NoHooks {
		return nil
	}
	if err := inv.installHooks(clone, b); err != nil {
		return fmt.Errorf("the board is made, but not its hooks: %w", err)
	}
	return nil
}

// report prints the new board.
func (c *initCommand) report(inv *invocation, clone *work.Clone, r gitstore.Result) error {
	settings := r.After.Settings()
	warning, err := unwritten(inv, clone.Repo, r.After)
	if err != nil {
		return err
	}
	goal := r.After.Goal(settings.Goal)
	data := map[string]any{"goal": settings.Goal, "title": goal.Title, "spec": goal.Spec, "sprint": r.After.OpenSprint(settings.Goal),
		"integration": settings.Integration.Name, "tip": settings.Integration.Tip, "board": settings.Board, "admin": c.Admin, "remote": c.Remote}
	var warnings []string
	if warning != "" {
		warnings = append(warnings, warning)
	}
	if ahead := clone.Integration.Ahead(inv.ctx, r.After); ahead != nil {
		warnings = append(warnings, ahead.Text+", and tasks begin without that: "+hints{inv}.adapt(ahead.Hint))
	}
	for _, line := range warnings {
		inv.progress("warning: %s", line)
		data["warning"] = strings.Join(warnings, "; ")
	}
	held := ""
	if c.Remote != "" {
		held = "; " + c.Remote + " holds it"
	}
	if !c.NoHooks {
		held += "\nits hooks are in place: git liza hooks"
	}
	return inv.result(r, data, "blackboard on %s: %s (%s), integration branch %s at %s%s", layout.State,
		settings.Goal, goal.Title, settings.Integration.Name, settings.Integration.Tip.Short(), held)
}

// refuseSecond refuses a second board if a remote has one that this clone could
// take: two boards can never be joined.
func (c *initCommand) refuseSecond(inv *invocation, clone *gitstore.Store, branch string) error {
	remote, err := clone.Repo.Config.AnyRemote(inv.ctx)
	if err != nil || remote == "" {
		return err
	}
	there, err := clone.Repo.Refs.Resolve(inv.ctx, "refs/remotes/"+remote+"/"+branch)
	if err != nil || there == "" {
		return err
	}
	tip, err := clone.Remotes.BoardOf(inv.ctx, remote)
	if err != nil || tip == "" {
		return nil // a board can be made without the network
	}
	return &flow.Refusal{Rule: flow.RuleState, Hint: "git liza sync --set " + remote,
		Reason: fmt.Sprintf("%s has a board already, at %s", remote, tip.Short())}
}
