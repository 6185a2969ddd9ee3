package work

import (
	"context"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A Drift says how far integration went on since approved work began.
type Drift struct {
	Commits int      // that a merge would count now
	Both    []string // the paths that integration and the work changed, sorted
}

// DriftOf is the drift of approved work. It is nil of other work, and where a commit of it
// cannot be read here.
func (i *Integration) DriftOf(ctx context.Context, b *board.Board, t *board.Task) *Drift {
	if !flow.Allows(t.Status, board.ActMerge) || t.Attempt == nil || t.Submission == nil {
		return nil
	}
	base, tip := t.Attempt.Base, b.Settings().Integration.Tip
	commits, err := i.store.Commits.Drift(ctx, base, tip)
	if err != nil || i.store.Mirror.BringCommits(ctx, t.ID, t.Submission.Commit, t.Submission.Base) != nil {
		return nil
	}
	d := &Drift{commits, []string{}}
	theirs, err := i.repo.Changes(ctx, base, tip)
	if err != nil {
		return nil
	}
	own, err := i.repo.Changes(ctx, t.Submission.Base, t.Submission.Commit)
	if err != nil {
		return nil
	}
	changed := lists.Set(theirs, func(c git.Change) string { return c.Path })
	both := lists.Where(own, func(c git.Change) bool { return changed[c.Path] })
	d.Both = append(d.Both, lists.Of(both, func(c git.Change) string { return c.Path })...)
	slices.Sort(d.Both)
	return d
}

// MaxPaths bounds the paths on a command line of git.
const MaxPaths = 1000

// PathsOf returns the paths, in the form that git takes, in which two submissions can
// differ: those that either of them, base and commit, changed. Changes that integration
// brought meanwhile stay out. It is empty where nothing has to stay out, or where the paths
// are too many.
func PathsOf(ctx context.Context, repo *git.Repo, submissions ...[2]board.ObjectID) ([]string, error) {
	var paths []string
	if len(submissions) < 2 || submissions[0][0] == submissions[1][0] {
		return nil, nil
	}
	for _, one := range submissions {
		changes, err := repo.Changes(ctx, one[0], one[1])
		if err != nil {
			return nil, err
		}
		paths = append(paths, lists.Of(changes, func(change git.Change) string { return ":(top,literal)" + change.Path })...)
	}
	slices.Sort(paths)
	if paths = slices.Compact(paths); len(paths) > MaxPaths {
		return nil, nil
	}
	return paths, nil
}

// contractFolders are the folders that a decision to adjust contracts is about.
var contractFolders = []string{"contracts", ".liza"}

// ContractsChanged reports whether contracts/ or .liza/ are otherwise on integration than
// they were when a mark was made. What the clone cannot compare counts as changed.
func (c *Clone) ContractsChanged(ctx context.Context, b *board.Board, mark string) (bool, error) {
	at, err := c.Repo.Refs.Resolve(ctx, board.MarkRef(mark))
	if err != nil || at == "" {
		return true, err
	}
	was, err := c.Store.BoardAt(at)
	if err != nil {
		return true, err
	}
	for _, folder := range contractFolders {
		before, err := folderAt(ctx, c.Repo, was.Settings().Integration.Tip, folder)
		if err != nil {
			return true, err
		}
		now, err := folderAt(ctx, c.Repo, b.Settings().Integration.Tip, folder)
		if err != nil || now != before {
			return true, err
		}
	}
	return false, nil
}

// folderAt returns the tree of a folder in a commit, "" if the commit has none.
func folderAt(ctx context.Context, repo *git.Repo, commit board.ObjectID, folder string) (string, error) {
	out, err := repo.Git(ctx, "rev-parse", "--verify", "--quiet", string(commit)+":"+folder)
	if git.ExitCode(err) == 1 {
		err = nil
	}
	return strings.TrimSpace(string(out)), err
}
