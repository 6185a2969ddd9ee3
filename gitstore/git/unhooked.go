package git

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
)

// transactionHook is the only hook that `git update-ref` runs.
const transactionHook = "reference-transaction"

// passesUnasked reports whether the hook of a transaction would do nothing but find that
// its updates were judged: then git need not start its shell, twice. It is false wherever
// that is not certain: where the hook that git would run is not ours alone, where
// the configuration is one that only git knows, and where the judgement is too long to be
// handed on.
func (s *RefStore) passesUnasked(ctx context.Context, updates []RefUpdate, judged string) bool {
	if s.repo.IsOwnHook == nil || judged == judgedVar+"=" || s.repo.reftable {
		return false
	}
	folder, known := s.repo.Config.hooksFolder(ctx)
	return known && s.repo.IsOwnHook(filepath.Join(folder, transactionHook)) && !slices.ContainsFunc(updates, func(u RefUpdate) bool {
		return !strings.HasPrefix(u.Name, layout.Refs) && !strings.HasPrefix(u.Name, "refs/heads/")
	})
}

// hooksFolder is the folder that git takes the hooks of the repository from, as the
// configuration is now. It is known only where all files of the configuration are, and
// where all worktrees have the same.
func (c *RepoConfiguration) hooksFolder(ctx context.Context) (folder string, known bool) {
	c.Renew()
	folder, err := c.Config(ctx, "core.hooksPath")
	if err != nil {
		return "", false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	has := func(key string) bool {
		return slices.ContainsFunc(c.lines, func(l Setting) bool { return l.Key == key })
	}
	switch {
	case !c.whole, c.repo.gitDir != c.repo.commonDir && has("extensions.worktreeconfig"):
		return "", false
	case folder == "" && has("core.hookspath"):
		return "", false // an empty path is another folder than the usual one
	case folder == "":
		return filepath.Join(c.repo.commonDir, "hooks"), true
	}
	return filepath.Clean(folder), filepath.IsAbs(folder)
}

// HooksOfUser is the folder of the user's hooks. A relative one is that of the main work tree, as
// `git liza hooks install` has it: in any other it holds what an agent wrote.
func (c *RepoConfiguration) HooksOfUser(ctx context.Context) (string, error) {
	c.Renew()
	folder, err := c.Config(ctx, "core.hooksPath")
	switch {
	case err != nil || folder == "":
		return filepath.Join(c.repo.commonDir, "hooks"), err
	case folder[0] == '~' && !strings.HasPrefix(folder, "~/"):
		return folder, nil
	}
	return AbsoluteIn(cmp.Or(c.repo.MainWorkTree(), c.repo.commonDir), ExpandHome(folder)), nil
}

// AbsoluteIn returns path as an absolute one, relative to dir.
func AbsoluteIn(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// LacksHook reports whether git certainly has no hook of a name, where it takes hooks
// from a folder: there is no such file, and no setting is about a hook.
func (c *RepoConfiguration) LacksHook(ctx context.Context, folder, name string) bool {
	c.Renew()
	if _, err := c.Config(ctx, "core.hooksPath"); err != nil || !filepath.IsAbs(folder) {
		return false
	}
	_, err := os.Lstat(filepath.Join(folder, name))
	c.mu.Lock()
	defer c.mu.Unlock()
	return isAbsent(err) && c.whole && !slices.ContainsFunc(c.lines, func(l Setting) bool {
		return strings.HasPrefix(l.Key, "hook.") || l.Key == "extensions.worktreeconfig"
	})
}
