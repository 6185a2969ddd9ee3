package work

import (
	"context"
	"slices"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/git"
)

// MaxPaths bounds the paths on a command line of git.
const MaxPaths = 1000

// PathsOf returns the paths, in the form that git takes, in which two submissions can
// differ: those that either of them, base and commit, changed. Changes that integration
// brought meanwhile stay out. It is empty where nothing has to stay out, or where the paths
// are too many.
func PathsOf(ctx context.Context, repo *git.Repo, submissions ...[2]flow.ObjectID) ([]string, error) {
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
