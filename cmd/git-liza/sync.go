package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/worktrees"
)

type syncCommand struct {
	Set     string `placeholder:"REMOTE" help:"Let the board of this remote be the authority from now on; a remote without a board gets this one."`
	Publish bool   `xor:"whose" help:"Give the remote this clone's board, which continues the remote's, as after a restored backup, or has saved files that no task owns; for an admin."`
	Theirs  bool   `xor:"whose" help:"Follow the remote's board also where it went another way or is another; the moves that it lacks are kept under refs/liza/rescue/."`
	NoHooks bool   `name:"no-hooks" help:"Install no hooks where the board is new here: git will refuse nothing."`
}

func (c *syncCommand) Run(inv *invocation, on reader) error {
	remote, err := on.clone.Store.Authority(inv.ctx)
	if err != nil {
		return err
	}
	if c.Set != "" || c.Publish || c.Theirs {
		c.Set = cmp.Or(c.Set, remote)
		if err := inv.operator(on.clone.Repo, "which remote holds the board"); err != nil {
			return err
		}
		return c.joinRemote(inv, on.clone)
	}
	if name := worktrees.NameOf(on.clone.Repo); name != "" {
		if err := cmp.Or(work.Mend(inv.ctx, on.clone.Checkouts, name), on.clone.Checkouts.Trees.Renew(inv.ctx, name)); err != nil {
			return err
		}
		if remote == "" {
			return inv.answer("changed", map[string]any{}, "this worktree knows the branches of its clone as they are\n")
		}
	}
	if remote == "" {
		return c.refuseLocal(inv, on.clone)
	}
	synced, err := on.clone.Store.Mirror.Sync(inv.ctx)
	if err != nil {
		return err
	}
	pruned, err := on.clone.Checkouts.Tidy(inv.ctx)
	if err != nil {
		inv.progress("warning: %v", err)
	}
	var text strings.Builder
	text.WriteString(syncedLine(synced) + "\n")
	for _, p := range pruned {
		fmt.Fprintf(&text, "%s: the task went on elsewhere, its worktree is removed", p.Name)
		if p.Rescued != "" {
			text.WriteString("; what only it held is kept as " + p.Rescued)
		}
		text.WriteString("\n")
	}
	if synced.Forwarded != "" {
		fmt.Fprintf(&text, "the integration branch of %s was behind the board, and is at %s now\n", synced.Remote, synced.Forwarded.Short())
	}
	if synced.Behind != nil {
		inv.progress("warning: the integration branch stays behind: %v", synced.Behind)
	}
	if err := on.clone.Store.Mirror.CheckAstray(inv.ctx); err != nil {
		inv.progress("warning: %v", err)
	}
	return inv.answer(syncOutcome(synced), viewSynced(synced, pruned), text.String())
}

// refuseLocal refuses to sync if no remote holds the board, and names a
// remote that could.
func (c *syncCommand) refuseLocal(inv *invocation, clone *work.Clone) error {
	if _, err := clone.Store.Tip(inv.ctx); err != nil {
		return err
	}
	remote, err := clone.Repo.Config.AnyRemote(inv.ctx)
	if err != nil {
		return err
	}
	return &flow.Refusal{Rule: flow.RuleRemote, Hint: "git liza sync --set " + cmp.Or(remote, "origin"),
		Reason: "this clone is its own authority: no remote holds its board"}
}

// joinRemote makes a remote the authority.
func (c *syncCommand) joinRemote(inv *invocation, clone *work.Clone) error {
	if c.Set == "" {
		return c.refuseLocal(inv, clone)
	}
	if c.Theirs {
		return c.takeTheirs(inv, clone)
	}
	synced, err := clone.Join(inv.ctx, c.Set, c.Publish)
	if err != nil {
		return err
	}
	if err := c.hookNewBoard(inv, clone, synced); err != nil {
		return err
	}
	return inv.answer(syncOutcome(synced), viewSynced(synced, nil), joinedLine(synced))
}

// hookNewBoard installs the hooks where the board is new.
func (c *syncCommand) hookNewBoard(inv *invocation, clone *work.Clone, synced gitstore.Synced) error {
	if synced.Before != "" || c.NoHooks {
		return nil
	}
	b, _, err := clone.Store.Board(inv.ctx)
	if err == nil {
		err = inv.installHooks(clone, b)
	}
	if err != nil {
		return fmt.Errorf("the board is here, but not its hooks: %w", err)
	}
	return nil
}

// takeTheirs gives up the moves that the remote lacks, and prints them.
func (c *syncCommand) takeTheirs(inv *invocation, clone *work.Clone) error {
	clone.Caller.By, _, _ = inv.actor(clone.Repo) // who has no name is a person
	done, left, err := clone.Theirs(inv.ctx, c.Set)
	if err != nil {
		return err
	}
	if err := c.hookNewBoard(inv, clone, done.Synced); err != nil {
		return err
	}
	if done.Behind != nil {
		inv.progress("warning: the integration branch is not where the board has it: %v; then: git liza doctor --restore", done.Behind)
	}
	data := viewSynced(done.Synced, nil)
	data["given_up"], data["given_up_count"] = append([]gitstore.Dropped{}, done.Dropped...), done.Count
	data["kept"], data["left"] = done.Kept, append([]work.Left{}, left...)
	return inv.answer(syncOutcome(done.Synced), data, givenUpText(done, left))
}

func givenUpText(done gitstore.GivenUp, left []work.Left) string {
	var text strings.Builder
	text.WriteString(syncedLine(done.Synced) + "\n")
	if done.Kept == "" {
		return text.String()
	}
	for _, d := range done.Dropped {
		fmt.Fprintf(&text, "given up: %s\n", d.Subject)
	}
	if more := done.Count - len(done.Dropped); more > 0 {
		fmt.Fprintf(&text, "given up: %s before these\n", view.Count(more, "move"))
	}
	fmt.Fprintf(&text, "what %s lacks is kept: git log %s/state, git for-each-ref %s\n", done.Remote, done.Kept, done.Kept)
	for _, l := range left {
		status := "is not on the board"
		if l.Status != 0 {
			status = "is " + l.Status.String()
		}
		fmt.Fprintf(&text, "%s %s", l.Task, status)
		if l.Branch != "" {
			fmt.Fprintf(&text, "; the work on it stands as it was on %s, at %s", l.Branch, l.Tip.Short())
		}
		if l.Worktree != "" {
			text.WriteString(", in " + l.Worktree)
		}
		text.WriteString("\n")
	}
	return text.String()
}

// joinedLine describes which board was taken.
func joinedLine(synced gitstore.Synced) string {
	what := "has this clone's board"
	switch {
	case synced.Published:
		what = "got this clone's board"
	case synced.Before == "":
		what = "gave its board to this clone"
	case synced.Before != synced.After:
		what = "gave " + view.Count(synced.Moves, "move") + " to this clone"
	}
	return fmt.Sprintf("%s is the authority and %s, at %s", synced.Remote, what, synced.After.Short())
}

func syncedLine(synced gitstore.Synced) string {
	if synced.Before == synced.After {
		return fmt.Sprintf("%s has nothing new, at %s", synced.Remote, synced.After.Short())
	}
	return fmt.Sprintf("%s from %s, now at %s", view.Count(synced.Moves, "move"), synced.Remote, synced.After.Short())
}

func syncOutcome(synced gitstore.Synced) string {
	return madeOutcome(synced.Before == synced.After && !synced.Published && synced.Forwarded == "")
}

func viewSynced(synced gitstore.Synced, pruned []work.Pruned) map[string]any {
	behind := ""
	if synced.Behind != nil {
		behind = synced.Behind.Error()
	}
	return map[string]any{"remote": synced.Remote, "before": synced.Before, "after": synced.After, "moves": synced.Moves,
		"published": synced.Published, "forwarded": synced.Forwarded, "behind": behind, "removed": append([]work.Pruned{}, pruned...)}
}
