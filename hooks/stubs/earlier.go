package stubs

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/git-liza/git-liza/gitstore/git"
)

// Earlier is the state of a clone's hooks at an earlier time.
type Earlier struct {
	whole bool
	paths []string // core.hooksPath in the repository's own configuration
}

// Remember notes the state of a clone's hooks. The repository must have been opened
// just now, since it caches its configuration.
func Remember(ctx context.Context, repo *git.Repo) (Earlier, error) {
	now, err := Examine(ctx, repo)
	if err != nil {
		return Earlier{}, err
	}
	paths, err := values(ctx, repo, filepath.Join(repo.CommonDir(), "config"), hooksPath)
	return Earlier{now.Whole() && !now.Server, paths}, err
}

// Restore restores hooks that were whole and are not whole any more, and reports
// whether it did. It does not restore hooks that were uninstalled by the command. The
// repository is as for [Remember]. Errors are those of [Install].
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
			if err := repo.Config.WriteConfig(ctx, "--unset-all", hooksPath); err != nil {
				return false, err
			}
		}
		for _, path := range e.paths {
			if err := repo.Config.WriteConfig(ctx, "--add", hooksPath, path); err != nil {
				return false, err
			}
		}
	}
	return true, Install(ctx, repo, r.Options)
}
