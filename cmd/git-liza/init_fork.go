package main

import (
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/view"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/gitstore"
)

// beginFromMark begins a board from a mark of another one.
func (c *initCommand) beginFromMark(inv *invocation, clone *work.Clone) error {
	const hint = "git liza help init"
	switch {
	case c.FromMark == "":
		return &usageError{"--of and --reason go with --from-mark", hint}
	case c.Goal != "" || c.Admin != "" || c.Scan:
		return &usageError{"a board that begins from a mark has the goals and principals of the mark: name neither a goal, --admin nor --scan", hint}
	}
	reason, err := inv.text(c.Reason)
	if err != nil {
		return err
	}
	of, err := c.originRemote(inv, clone)
	if err != nil {
		return err
	}
	if err := c.refuseTaken(inv, clone); err != nil {
		return err
	}
	r, from, err := clone.Fork(inv.ctx, work.Origin{Mark: c.FromMark, Remote: of, Branch: c.Integration, Reason: reason})
	if err != nil {
		return err
	}
	if err := c.installBoardHooks(inv, clone, r.After); err != nil {
		return err
	}
	if err := c.publish(inv, clone); err != nil {
		return err
	}
	return c.reportFork(inv, r, from, of)
}

// originRemote is the remote that has the mark: the one that is named, or the only
// one of this repository, or this repository itself.
func (c *initCommand) originRemote(inv *invocation, clone *work.Clone) (string, error) {
	if c.Of != "" {
		return c.Of, nil
	}
	out, err := clone.Repo.Git(inv.ctx, "remote")
	if err != nil {
		return "", err
	}
	switch names := strings.Fields(string(out)); len(names) {
	case 0:
		return ".", nil
	case 1:
		return names[0], nil
	default:
		return "", &usageError{fmt.Sprintf("%d remotes could have the mark: name one", len(names)), "git liza init --from-mark " + c.FromMark + " --of " + names[0]}
	}
}

// refuseTaken refuses a remote that has a board already where the new one would go.
func (c *initCommand) refuseTaken(inv *invocation, clone *work.Clone) error {
	if c.Remote == "" {
		return nil
	}
	here, err := clone.Repo.Refs.Resolve(inv.ctx, layout.State)
	if err != nil || here != "" {
		return err
	}
	tip, err := clone.Store.Remotes.BoardOf(inv.ctx, c.Remote)
	if err != nil || tip == "" {
		return err
	}
	return &flow.Refusal{Rule: flow.RuleExists, Hint: "git liza sync --set " + c.Remote,
		Reason: fmt.Sprintf("%s has a board already, at %s; a board that begins from a mark needs a remote without one", c.Remote, tip.Short())}
}

// reportFork prints the board that began from a mark.
func (c *initCommand) reportFork(inv *invocation, r gitstore.Result, from gitstore.MarkedState, of string) error {
	settings := r.After.Settings()
	goal := r.After.Goal(settings.Goal)
	data := map[string]any{"goal": settings.Goal, "title": goal.Title, "spec": goal.Spec, "sprint": r.After.OpenSprint(settings.Goal),
		"integration": settings.Integration.Name, "tip": settings.Integration.Tip, "board": settings.Board, "remote": c.Remote,
		"from": map[string]any{"mark": from.Mark, "board": from.Board.Settings().Board, "commit": from.Commit, "of": of}}
	more := ""
	if c.Remote != "" {
		more = "; " + c.Remote + " holds it"
	}
	if !c.NoHooks {
		more += "\nits hooks are in place: git liza hooks"
	}
	return inv.result(r, data, "board %s begins from %s of %s, board %s: %s (%s), integration branch %s at %s%s\nnext: git liza status",
		settings.Board, from.Mark, of, from.Board.Settings().Board, settings.Goal, plaintext.Line(view.Cut(goal.Title, 200)),
		settings.Integration.Name, settings.Integration.Tip.Short(), more)
}
