package hooks

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/git-liza/git-liza/gitstore/git"
)

// Standing is how the hooks of a clone stood at some moment.
type Standing struct {
	whole bool
	paths []string // core.hooksPath in the repository's own configuration
}

// Stand notes how the hooks stand. The repository must have been opened just
// now, since it remembers its configuration.
func Stand(ctx context.Context, repo *git.Repo) (Standing, error) {
	now, err := Examine(ctx, repo)
	if err != nil {
		return Standing{}, err
	}
	paths, err := values(ctx, repo, filepath.Join(repo.CommonDir(), "config"), hooksPath)
	return Standing{now.Whole() && !now.Server, paths}, err
}

// Return brings hooks that were whole back to where they stood, if they are not
// whole any more, and reports whether it did. Hooks that were uninstalled as
// they should be stay away. The repository is as for [Stand].
func (s Standing) Return(ctx context.Context, repo *git.Repo) (bool, error) {
	r, err := readRecord(repo)
	if err != nil || r == nil || !s.whole {
		return false, err
	}
	now, err := Stand(ctx, repo)
	if err != nil || now.whole && slices.Equal(now.paths, s.paths) {
		return false, err
	}
	if !slices.Equal(now.paths, s.paths) {
		if len(now.paths) > 0 {
			if err := repo.WriteConfig(ctx, "--unset-all", hooksPath); err != nil {
				return false, err
			}
		}
		for _, path := range s.paths {
			if err := repo.WriteConfig(ctx, "--add", hooksPath, path); err != nil {
				return false, err
			}
		}
	}
	return true, Install(ctx, repo, r.Options)
}
