package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// snapshot is [worktrees.Contents.Snapshot] without what is foreign to a task, see
// [board.Board.Foreign]. It says once what is left out: that stays in its folder, see
// [worktrees.Trees.Retire].
func (c *Checkouts) snapshot(ctx context.Context, t *board.Task, path, message string) (board.ObjectID, error) {
	never, err := c.never(ctx, t)
	if err != nil {
		return "", err
	}
	commit, err := c.Trees.Contents.Snapshot(ctx, path, message, never)
	if errors.Is(err, worktrees.ErrIncomplete) {
		c.say(err.Error())
		return commit, nil
	}
	return commit, err
}

// holdBack reports whether a commit that is about to be saved would bring a remote what no person
// has seen: files that never names or that no task owns. The clone keeps such a commit below
// refs/liza/rescue/ instead. Where no remote has the board, what no task owns is only told.
func (c *Checkouts) holdBack(ctx context.Context, t *board.Task, commit board.ObjectID) (bool, error) {
	b, _, err := c.store.Board(ctx)
	remote, authorityErr := c.store.Authority(ctx)
	if err = cmp.Or(err, authorityErr); err != nil {
		return false, err
	}
	foreign, err := listForeign(ctx, c.repo, b, t, commit, "--glob="+layout.SavedRefs+string(t.ID), "--remotes="+remote)
	if err != nil || len(foreign) == 0 {
		return false, err
	}
	what := fmt.Sprintf("what is saved of %s has files that no task owns or `never` names: %s", t.ID, git.VisibleList(foreign, 20))
	if remote == "" && !slices.ContainsFunc(foreign, b.Foreign(nil)) {
		c.say(what)
		return false, nil
	}
	if _, err := c.keepCommit(ctx, b, t.ID, commit, "branch "+t.ID.Branch()); err != nil {
		return false, err
	}
	what += "; it stays in this clone"
	if remote != "" {
		what += fmt.Sprintf(" until you push it: git -C %s push %s %s:refs/heads/%s-%s", shell.Quote(cmp.Or(c.repo.MainWorkTree(), c.repo.CommonDir())), shell.Quote(remote), commit.Short(), t.ID, commit.Short())
	}
	c.say(what)
	return true, nil
}

// listForeign lists the files, foreign to a task, that a commit has or had, and neither integration
// nor what else git is given.
func listForeign(ctx context.Context, repo *git.Repo, b *board.Board, t *board.Task, commit board.ObjectID, known ...string) ([]string, error) {
	out, err := repo.Git(ctx, append([]string{"rev-list", "--objects", "--filter=object:type=blob", "--filter-provided-objects", string(commit),
		"--not", string(b.Settings().Integration.Tip)}, known...)...)
	if git.ExitCode(err) > 0 {
		return nil, nil // what git cannot list it does not push
	}
	var paths []string
	for line := range strings.Lines(string(out)) {
		_, path, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		paths = append(paths, path)
	}
	return lists.Where(paths, b.Foreign(t)), errors.Join(err, b.Err())
}

// checkSaves refuses to give a remote the saves of a board that only this clone had, or says only
// what is in them where the person has asked for that: nobody may have seen what no task owns, see
// [Checkouts.holdBack]. A board goes with all its saves or not at all.
func checkSaves(ctx context.Context, c *Checkouts, remote string, asked bool) error {
	b, _, err := c.store.Board(ctx)
	saved, listErr := c.repo.Refs.List(ctx, layout.SavedRefs)
	if err = cmp.Or(err, listErr); err != nil {
		return err
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(saved)) {
		id, _, _ := strings.Cut(strings.TrimPrefix(name, layout.SavedRefs), "/")
		paths, err := listForeign(ctx, c.repo, b, b.Task(board.TaskID(id)), saved[name], "--remotes="+remote)
		if err != nil {
			return err
		}
		all = append(all, lists.Of(paths, func(path string) string { return name + ":" + path })...)
	}
	if len(all) == 0 {
		return nil
	}
	what := "with the board " + remote + " gets saved work, which has files that no task owns or `never` names: " + git.VisibleList(slices.Compact(all), 20)
	if asked {
		c.say(what)
		return nil
	}
	return &flow.Refusal{Rule: flow.RuleScope, Hint: "git liza sync --set " + shell.Quote(remote) + " --publish", Reason: what}
}

// never are the paths that stay on this machine: those that are foreign to a task, or to any for
// nil.
func (c *Checkouts) never(ctx context.Context, t *board.Task) (worktrees.Never, error) {
	b, _, err := c.store.Board(ctx)
	if err != nil {
		return nil, err
	}
	return b.Foreign(t), b.Err()
}

// say tells people something that they have not been told yet: a move that is built anew
// saves again.
func (c *Checkouts) say(line string) {
	if _, told := c.told.LoadOrStore(line, true); !told && c.repo.Notice != nil {
		c.repo.Notice(line)
	}
}
