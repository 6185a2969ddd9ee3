package hooks

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// Commit judges what an agent is about to commit in the work tree that the store
// was opened from. In a task's folder the agent commits on the task's branch, while
// it holds the task, after its intent for the iteration, and only paths that its role
// and the task allow. In other work trees everything is allowed. index is the index
// file that git commits from, "" for the usual one. The error is a *flow.Refusal if
// a rule forbids the commit.
func Commit(ctx context.Context, s *gitstore.Store, agent board.AgentID, index string) error {
	id, name, ok := taskOf(s.Repo)
	if !ok {
		return nil
	}
	b, _, err := s.Board(ctx)
	if err != nil {
		return err
	}
	t := b.Task(id)
	hint := "git liza show " + string(id)
	switch {
	case b.Err() != nil:
		return b.Err()
	case t == nil:
		return refusal(flow.RuleNotFound, "git liza list --all", "there is no task %s", id)
	case t.Claim == nil:
		return refusal(flow.RuleHolder, holdHint(t), "%s is %s: %s does not hold it", id, t.Status, agent)
	case t.Claim.By != board.Actor(agent):
		return refusal(flow.RuleHolder, hint, "%s is held by %s, not by %s", id, t.Claim.By, agent)
	}
	if live := id.Folder(t.Attempt.Number); name != live {
		return refusal(RuleBranch, "cd "+shell.Quote(filepath.Join(filepath.Dir(s.Repo.WorkTree()), live)),
			"the work of %s is committed in %s/%s, not in %[2]s/%[4]s", id, filepath.Base(filepath.Dir(s.Repo.WorkTree())), live, name)
	}
	inside := git.Inside(s.Repo)
	defer inside.Close()
	head, err := inside.Refs.SymbolicRef(ctx, "HEAD")
	if err != nil {
		return err
	}
	if head != branches+id.Branch() {
		return refusal(RuleBranch, "git switch "+id.Branch(), "the work of %s is committed on %s, not on %s", id, id.Branch(), cmp.Or(strings.TrimPrefix(head, branches), "no branch"))
	}
	if r := flow.CheckIntent(t); r != nil {
		return r
	}
	paths, err := stagedPaths(ctx, inside, index)
	if err != nil {
		return err
	}
	undo := func(path string) string { return "git restore --staged -- " + shell.Pathspec(path) }
	if flow.Writable(b, t, agent.Role(), paths, undo) == nil {
		return nil
	}
	if paths, err = changedFromBase(ctx, inside, index, b.Settings().Integration.Tip, paths); err != nil {
		return err
	}
	if r := flow.Writable(b, t, agent.Role(), paths, undo); r != nil {
		return r
	}
	return nil
}

// changedFromBase lists those of the paths that would differ after the commit from
// the commit that the work began at: an agent may take a forbidden change back.
func changedFromBase(ctx context.Context, r *git.Repo, index string, integration git.ID, paths []string) ([]string, error) {
	head, err := r.Refs.Resolve(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	bases, err := r.MergeBases(ctx, head, integration)
	if err != nil || len(bases) != 1 {
		return paths, err
	}
	there, err := differingPaths(ctx, r, index, string(bases[0]))
	return slices.DeleteFunc(paths, func(path string) bool { return !slices.Contains(there, path) }), err
}

// holdHint is the command by which a coder comes to hold a task that nobody holds:
// after a submission it is the wait for the verdict.
func holdHint(t *board.Task) string {
	switch {
	case flow.Allows(t.Status, board.ActClaim):
		return "git liza claim " + string(t.ID)
	case flow.Allows(t.Status, board.ActReview):
		return "git liza await " + string(t.ID)
	}
	return "git liza show " + string(t.ID)
}

// taskOf is the task whose folder a work tree is, and the folder's name.
func taskOf(r *git.Repo) (id board.TaskID, name string, ok bool) {
	name = worktrees.NameOf(r)
	if name == "" || strings.ContainsRune(name, filepath.Separator) {
		return "", "", false
	}
	if id, number, _ := board.ParseFolder(name); number > 0 {
		return id, name, true
	}
	return board.TaskID(name), name, true
}

// stagedPaths lists the paths that the commit would change. In a merge, a path that is
// as on one of the sides is not changed. In a task's folder there is always a HEAD.
func stagedPaths(ctx context.Context, r *git.Repo, index string) ([]string, error) {
	sides, err := os.ReadFile(filepath.Join(r.GitDir(), "MERGE_HEAD"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	paths, err := differingPaths(ctx, r, index, "HEAD")
	for side := range strings.FieldsSeq(string(sides)) {
		if err != nil {
			return nil, err
		}
		var there []string
		there, err = differingPaths(ctx, r, index, side)
		paths = slices.DeleteFunc(paths, func(path string) bool { return !slices.Contains(there, path) })
	}
	return paths, err
}

// differingPaths lists the paths that differ between the index and a commit.
func differingPaths(ctx context.Context, r *git.Repo, index, commit string) ([]string, error) {
	c := git.Cmd{Dir: r.WorkTree(), Args: []string{"diff-index", "--cached", "--name-only", "-z", "--no-renames", commit, "--"}}
	if index != "" {
		c.Env = []string{"GIT_INDEX_FILE=" + index}
	}
	out, err := r.Run(ctx, c)
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(string(out), func(c rune) bool { return c == 0 }), nil
}
