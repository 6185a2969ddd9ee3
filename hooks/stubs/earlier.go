package stubs

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"

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
	paths, err := configValues(ctx, repo, filepath.Join(repo.CommonDir(), "config"), hooksPath)
	return Earlier{now.Whole() && !now.Server, paths}, err
}

// Restore restores hooks that were whole and are not whole any more, and reports
// whether it did. What a process wrote in place of a stub since gets another name
// beside it, which is returned. It does not restore hooks that were uninstalled by the
// command. The repository is as for [Remember]. Errors are those of [Install].
func (e Earlier) Restore(ctx context.Context, repo *git.Repo) (back bool, aside []string, err error) {
	r, err := readRecord(repo)
	if err != nil || r == nil || !e.whole {
		return false, nil, err
	}
	now, err := Remember(ctx, repo)
	if err != nil || now.whole && slices.Equal(now.paths, e.paths) {
		return false, nil, err
	}
	if !slices.Equal(now.paths, e.paths) {
		if len(now.paths) > 0 {
			if err := repo.Config.WriteConfig(ctx, "--unset-all", hooksPath); err != nil {
				return false, nil, err
			}
		}
		for _, path := range e.paths {
			if err := repo.Config.WriteConfig(ctx, "--add", hooksPath, path); err != nil {
				return false, nil, err
			}
		}
	}
	if aside, err = r.setAsideChanged(); err != nil {
		return false, aside, err
	}
	return true, aside, Install(ctx, repo, r.Options)
}

// setAsideChanged renames what is at the path of a stub and is another program's.
func (r *record) setAsideChanged() (list []string, err error) {
	for _, f := range r.Files {
		path := r.absPath(f.Path)
		if !r.isChanged(f) {
			continue
		}
		name := path + ".changed"
		for n := 2; exists(name); n++ {
			name = path + ".changed." + strconv.Itoa(n)
		}
		if err := os.Rename(path, name); err != nil {
			return list, err
		}
		list = append(list, name)
	}
	return list, nil
}
