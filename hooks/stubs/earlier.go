package stubs

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/git-liza/git-liza/gitstore/git"
)

// Earlier is how the hooks of a clone were at some moment.
type Earlier struct {
	whole bool
	paths []string // core.hooksPath in the repository's own configuration
}

// Remember notes how the hooks of a clone are now. The repository must have been
// opened just now, since it remembers its configuration.
func Remember(ctx context.Context, repo *git.Repo) (Earlier, error) {
	now, err := Examine(ctx, repo)
	if err != nil {
		return Earlier{}, err
	}
	paths, err := values(ctx, repo, filepath.Join(repo.CommonDir(), "config"), hooksPath)
	return Earlier{now.Whole() && !now.Server, paths}, err
}

// Restore brings hooks that were whole back to what they were, if they are not
// whole any more, and reports whether it did. Hooks that were uninstalled as
// they should be stay away. The repository is as for [Remember]. Errors are those
// of [Install].
func (e Earlier) Restore(ctx context.Context, repo *git.Repo) (bool, error) {
	r, err := readRecord(repo)
	if err != nil || r == nil || !e.whole {
		return false, err
	}
	now, err := Remember(ctx, repo)
	if err != nil || now.whole && slices.Equal(now.paths, e.paths) {
		return false, err
	}
	if !slices.Equal(now.paths, e.paths) {
		if len(now.paths) > 0 {
			if err := repo.WriteConfig(ctx, "--unset-all", hooksPath); err != nil {
				return false, err
			}
		}
		for _, path := range e.paths {
			if err := repo.WriteConfig(ctx, "--add", hooksPath, path); err != nil {
				return false, err
			}
		}
	}
	return true, Install(ctx, repo, r.Options)
}
