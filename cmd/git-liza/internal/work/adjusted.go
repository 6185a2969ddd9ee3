package work

import (
	"context"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
)

// contractFolders are the folders that a decision to adjust contracts is about.
var contractFolders = []string{"contracts", ".liza"}

// ContractsChanged reports whether contracts/ or .liza/ are otherwise on integration than
// they were when a mark was made. What the clone cannot compare counts as changed.
func (c *Clone) ContractsChanged(ctx context.Context, b *flow.Board, mark string) (bool, error) {
	at, err := c.Repo.Refs.Resolve(ctx, flow.MarkRef(mark))
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
func folderAt(ctx context.Context, repo *git.Repo, commit flow.ObjectID, folder string) (string, error) {
	out, err := repo.Git(ctx, "rev-parse", "--verify", "--quiet", string(commit)+":"+folder)
	if git.ExitCode(err) == 1 {
		err = nil
	}
	return strings.TrimSpace(string(out)), err
}
