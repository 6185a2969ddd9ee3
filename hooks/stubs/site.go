package stubs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A site is a folder that git takes hooks from.
type site struct {
	dir  string // where our stubs go
	old  string // the folder that dir stands in for; "" if dir is that folder itself
	file string // the configuration that must name dir, relative to the shared git directory; "" if none
}

// ownFolder is the folder of the stubs that stand in for another folder.
const ownFolder = layout.Private + "/hooks"

// findSites returns the folders to install into: the one that all work trees use, and those
// of single work trees with a config.worktree of their own.
func (r *record) findSites(ctx context.Context, repo *git.Repo) ([]site, error) {
	configured, err := sharedHooksPath(ctx, repo)
	if err != nil {
		return nil, err
	}
	list := []site{r.siteOf(repo, configured, "config", filepath.Join(r.common, ownFolder))}
	files, err := worktreeConfigs(ctx, repo)
	if err != nil {
		return nil, err
	}
	for _, path := range files {
		own, err := configValues(ctx, repo, path, hooksPath)
		if err != nil {
			return nil, err
		}
		if len(own) == 0 || r.isOwn(lastValue(own)) && r.settingAt(path) == nil {
			continue // none, or a copy that `git worktree add` made
		}
		rel, err := r.relPath(path)
		if err != nil {
			return nil, err
		}
		list = append(list, r.siteOf(repo, lastValue(own), rel, filepath.Join(filepath.Dir(path), layout.Private, "worktree-hooks")))
	}
	return list, nil
}

// siteOf returns the site for one value of core.hooksPath.
func (r *record) siteOf(repo *git.Repo, value, file, own string) site {
	if s := r.findSetting(file, hooksPath); s != nil && s.Value == value {
		value = s.Had
	}
	folder := value
	switch {
	case folder == "":
		folder = filepath.Join(r.common, "hooks")
	case !filepath.IsAbs(folder) && repo.MainWorkTree() != "":
		folder = filepath.Join(repo.MainWorkTree(), folder)
	case !filepath.IsAbs(folder):
		folder = filepath.Join(r.common, folder)
	}
	folder = filepath.Clean(folder)
	// A relative path names another folder in each work tree.
	if (value == "" || filepath.IsAbs(value)) && isInside(r.common, folder) {
		return site{dir: folder}
	}
	return site{dir: own, old: folder, file: file}
}

// isInside reports whether a folder lies in the git directory, with symbolic links
// resolved too.
func isInside(common, folder string) bool {
	root, err := filepath.EvalSymlinks(common)
	if err != nil {
		return false
	}
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		real = folder // not there yet
		if parent, err := filepath.EvalSymlinks(filepath.Dir(folder)); err == nil {
			real = filepath.Join(parent, filepath.Base(folder))
		}
	}
	return strings.HasPrefix(real, root+string(filepath.Separator)) && isUnder(common, folder)
}

func isUnder(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != "." && rel != ".." && !strings.HasPrefix(rel, "../")
}

// isOwn reports whether a path is a folder of stubs of this package.
func (r *record) isOwn(path string) bool {
	return slices.ContainsFunc(r.Settings, func(s setting) bool { return s.Key == hooksPath && s.Value == path })
}

func (r *record) settingAt(path string) *setting {
	rel, err := r.relPath(path)
	if err != nil {
		return nil
	}
	return r.findSetting(rel, hooksPath)
}

// sharedHooksPath returns core.hooksPath as all work trees see it, "" if it is not set. Values
// of a single work tree and of the command line do not count.
func sharedHooksPath(ctx context.Context, repo *git.Repo) (string, error) {
	out, err := repo.Git(ctx, "config", "--show-scope", "--null", "--type=path", "--get-all", hooksPath)
	if isUnset(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	value := ""
	words := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	for i := 0; i+1 < len(words); i += 2 {
		if words[i] != "worktree" && words[i] != "command" {
			value = words[i+1]
		}
	}
	return value, nil
}

// worktreeConfigs returns the configuration files of single work trees.
func worktreeConfigs(ctx context.Context, repo *git.Repo) ([]string, error) {
	enabled, err := configValues(ctx, repo, filepath.Join(repo.CommonDir(), "config"), "extensions.worktreeConfig")
	if err != nil || !git.IsTrue(lastValue(enabled)) {
		return nil, err
	}
	folders := []string{repo.CommonDir()}
	linked, err := os.ReadDir(filepath.Join(repo.CommonDir(), "worktrees"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	folders = append(folders, lists.Of(linked, func(e fs.DirEntry) string { return filepath.Join(repo.CommonDir(), "worktrees", e.Name()) })...)
	return lists.Where(lists.Of(folders, func(folder string) string { return filepath.Join(folder, "config.worktree") }), exists), nil
}

// checkEffective checks that git looks for hooks where they were installed. An included
// file, for example, can override the repository's own configuration.
func (r *record) checkEffective(ctx context.Context, repo *git.Repo, sites []site) error {
	now, err := sharedHooksPath(ctx, repo)
	if err != nil {
		return err
	}
	want := sites[0]
	if want.file == "" || filepath.Clean(now) == want.dir {
		return nil
	}
	return &Refusal{Rule: RulePath, Hint: "git config --show-origin --get-all core.hooksPath",
		Reason: "core.hooksPath is set to " + now + " by a file that wins over the repository's configuration"}
}
