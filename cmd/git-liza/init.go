package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore"
)

type initCommand struct {
	Goal        string         `arg:"" optional:"" help:"What you want, in a line or more. Without a spec they become its first page, committed on the current branch. Default: the spec's first heading."`
	Spec        string         `placeholder:"PATH" help:"The goal's spec: committed, or not there yet. Default: specs/vision.md, or if that is of another goal, specs/goal-1.md."`
	Integration string         `default:"integration" placeholder:"BRANCH" help:"The branch that approved work reaches."`
	Lease       board.Duration `default:"30m" help:"How long a claim or review lasts unless it is renewed."`
	Remote      string         `placeholder:"NAME" help:"Let this remote hold the board; one that has a board gives it to this clone."`
	Admin       string         `placeholder:"NAME" help:"Enforce who acts: make a key here and enter it as the board's first admin."`
	Scan        bool           `help:"Look for the commands that build, test and check, and show the gates to set. Runs none of them."`
	Anew        bool           `help:"Begin anew where a build from before the first release made the board: its refs go below refs/liza/rescue/."`
	NoHooks     bool           `name:"no-hooks" help:"Install no hooks: git will refuse nothing here."`
}

func (c *initCommand) Run(inv *invocation, clone *work.Clone) error {
	if c.Anew {
		if err := c.putAside(inv, clone); err != nil {
			return err
		}
	}
	if joined, err := c.joinRemoteBoard(inv, clone); err != nil || joined {
		return err
	}
	d, vision, err := c.prepare(inv, clone)
	if err != nil {
		return err
	}
	if c.Admin != "" {
		if err := clone.Principals.NameAdmin(inv.ctx, d, c.Admin); err != nil {
			return err
		}
	}
	r, err := clone.Init(inv.ctx, d, vision)
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
	if err := c.publish(inv, clone); err != nil {
		return err
	}
	return c.report(inv, clone, r, vision)
}

// prepare returns the root move and the vision to write with it. Where there is a
// board, both are empty. It refuses to make a board here if a remote has one that
// this clone could take.
func (c *initCommand) prepare(inv *invocation, clone *work.Clone) (*flow.InitMove, *work.Vision, error) {
	tip, err := clone.Repo.Refs.Resolve(inv.ctx, layout.State)
	if err != nil {
		return nil, nil, err
	}
	if tip != "" {
		b, _, err := clone.Store.Board(inv.ctx)
		if err != nil {
			return nil, nil, err
		}
		return &flow.InitMove{}, nil, c.refuseSpec(clone, b)
	}
	if c.Remote == "" && !c.Anew {
		if err := c.refuseSecond(inv, clone.Store); err != nil {
			return nil, nil, err
		}
	}
	return clone.Prepare(inv.ctx, work.Plan{Goal: c.Goal, Spec: clone.Specs.Rooted(c.Spec), Branch: c.Integration, Lease: c.Lease})
}

// putAside frees the names of the refs of a board from before the first release.
func (c *initCommand) putAside(inv *invocation, clone *work.Clone) error {
	_, _, err := clone.Store.Board(inv.ctx)
	if errors.Is(err, gitstore.ErrUnreleased) && c.Remote == "" {
		if err := clone.CheckAnew(inv.ctx); err != nil {
			return err
		}
	}
	folder, err := clone.PutAside(inv.ctx, false)
	if err == nil && folder != "" {
		inv.progress("the refs of the earlier board are kept below %s", folder)
	}
	return err
}

// refuseSpec refuses a spec that no goal of a board has: only a new board takes its first
// goal from here.
func (c *initCommand) refuseSpec(clone *work.Clone, b *board.Board) error {
	if c.Spec == "" {
		return nil
	}
	spec := clone.Specs.Rooted(c.Spec)
	for _, g := range board.All[*board.Goal](b, board.Goals) {
		if g.Spec == spec {
			return nil
		}
	}
	title, _, _ := strings.Cut(board.Clean(c.Goal), "\n")
	return cmp.Or(b.Err(), error(&flow.Refusal{Rule: flow.RuleState, Reason: fmt.Sprintf("there is a board already, and no goal of it stands on %s", plaintext.Line(spec)),
		Hint: "git liza goal set " + shell.Quote(cmp.Or(view.Cut(title, 200), "TITLE")) + " --spec " + shell.Quote(spec)}))
}

// publish lets the remote hold the board, if one is named.
func (c *initCommand) publish(inv *invocation, clone *work.Clone) error {
	if c.Remote == "" {
		return nil
	}
	if _, err := clone.Join(inv.ctx, c.Remote, false); err != nil {
		return explainUnpublished(c.Remote, err)
	}
	return nil
}

// explainUnpublished reports that the board was made here although the remote does
// not have it.
func explainUnpublished(remote string, err error) error {
	if refusal, is := errors.AsType[*flow.Refusal](err); is {
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
	if url != "" && flow.IsRefused(err, flow.RuleNotFound) {
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
	if err := c.refuseSpec(clone, b); err != nil {
		return true, err
	}
	if err := c.installBoardHooks(inv, clone, b); err != nil {
		return true, err
	}
	return true, c.report(inv, clone, gitstore.Result{Already: true, Commit: tip, Before: b, After: b}, nil)
}

// installBoardHooks installs the hooks, whether or not a remote takes the board.
func (c *initCommand) installBoardHooks(inv *invocation, clone *work.Clone, b *board.Board) error {
	if c.NoHooks {
		return nil
	}
	if err := inv.installHooks(clone, b); err != nil {
		return fmt.Errorf("the board is made, but not its hooks: %w", err)
	}
	return nil
}

// report prints the new board, and the vision that was written with it.
func (c *initCommand) report(inv *invocation, clone *work.Clone, r gitstore.Result, vision *work.Vision) error {
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
	if title := board.Clean(c.Goal); r.Already && title != "" && title != goal.Title {
		more := "git liza goal set " + shell.Quote(view.Cut(title, 200)) + " --spec " + shell.Quote(clone.Specs.Rooted(c.Spec))
		warnings = append(warnings, fmt.Sprintf("the board was there already, with %s; one more goal: %s", settings.Goal, strings.TrimSuffix(more, " --spec ''")))
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
		held += "\nits hooks are in place: git liza doctor"
	}
	if vision != nil && vision.Commit != "" {
		data["vision"] = map[string]any{"path": vision.Path, "branch": vision.Branch, "commit": vision.Commit}
		held += fmt.Sprintf("\n%s is written, and committed on %s as %s; to say more, edit and commit it, then: git liza adopt HEAD --reason R",
			vision.Path, vision.Branch, vision.Commit.Short())
	}
	if c.Scan {
		found, err := scanRepository(inv, clone)
		if err != nil {
			return err
		}
		data["scan"] = found
		held += "\n" + strings.TrimSuffix(scanText(found), "\n") + "\n"
	}
	if !r.Already {
		held += "\nnext: git liza rush"
	}
	return inv.result(r, data, "blackboard on %s: %s (%s), integration branch %s at %s%s", layout.State,
		settings.Goal, plaintext.Line(view.Cut(goal.Title, 200)), settings.Integration.Name, settings.Integration.Tip.Short(), held)
}

// refuseSecond refuses a second board if a remote has one that this clone could
// take: two boards can never be joined.
func (c *initCommand) refuseSecond(inv *invocation, clone *gitstore.Store) error {
	remote, err := clone.Repo.Config.AnyRemote(inv.ctx)
	if err != nil || remote == "" {
		return err
	}
	ctx, stop := context.WithTimeout(inv.ctx, 10*time.Second)
	defer stop()
	tip, err := clone.Remotes.BoardOf(ctx, remote)
	if err != nil { // a board can be made without the network
		inv.progress("%s could not be asked for a board; if it has one: git liza sync --set %[1]s", remote)
	}
	if err != nil || tip == "" {
		return nil
	}
	return &flow.Refusal{Rule: flow.RuleState, Hint: "git liza sync --set " + remote,
		Reason: fmt.Sprintf("%s has a board already, at %s", remote, tip.Short())}
}
