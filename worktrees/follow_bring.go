package worktrees

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// bringCheckout updates files and then the index, under git's own lock on the index.
func (f *Followers) bringCheckout(ctx context.Context, r record, old, new ID) error {
	unlock, err := f.scratch.lockIndex(ctx, r)
	if err != nil {
		return err
	}
	defer unlock()
	index, err := f.scratch.privateIndex(r)
	if err != nil {
		return err
	}
	defer index.remove()
	if err := f.mergeTrees(ctx, index, old, new); err != nil {
		if err := f.addArrived(ctx, index, old, new); err != nil {
			return err
		}
		if err := f.mergeTrees(ctx, index, old, new); err != nil {
			return fmt.Errorf("%s could not follow its branch: %w", r.path, err)
		}
	}
	return index.install()
}

// mergeTrees runs git's two-tree merge. It refuses to change a file that is not as in
// old, and keeps one that is as in new.
func (f *Followers) mergeTrees(ctx context.Context, x index, old, new ID, options ...string) error {
	// The refresh keeps files that were only touched from being refused. Its exit code
	// says that others differ, which the merge will find.
	_, _ = f.isolation.run(ctx, x.record, git.Cmd{Env: x.env(), Limit: slow, Args: []string{"update-index", "-q", "--refresh"}})
	args := append([]string{"read-tree", "-m", "-u", "--no-recurse-submodules"}, options...)
	_, err := f.isolation.run(ctx, x.record, git.Cmd{Env: x.env(), Limit: slow, Args: append(args, string(old), string(new))})
	return err
}

// addArrived adds to the index the files that a killed process has already updated to
// new. If a file is as in neither commit, a user has changed it, and nothing is
// touched.
func (f *Followers) addArrived(ctx context.Context, x index, old, new ID) error {
	r := x.record
	changes, err := f.repo.Changes(ctx, old, new)
	notOld, oldErr := f.listDiffering(ctx, r, old)
	notNew, newErr := f.listDiffering(ctx, r, new)
	if err := cmp.Or(err, oldErr, newErr); err != nil {
		return err
	}
	var arrived []git.Change
	var changed []string
	for _, c := range changes {
		switch {
		case !notNew[c.Path]:
			arrived = append(arrived, c)
		case notOld[c.Path]:
			torn, err := f.dropTorn(ctx, r, c)
			if err != nil {
				return err
			}
			if !torn {
				changed = append(changed, c.Path)
			}
		}
	}
	if len(changed) > 0 {
		return &Dirty{Path: r.path, Paths: changed, Hint: fmt.Sprintf(
			"mv the files named away, then: git -C %s read-tree -m -u %s %s", shell.Quote(r.path), old.Short(), new.Short())}
	}
	return f.restage(ctx, x, arrived)
}

// dropTorn removes a file that a killed git had begun to write: it holds the beginning
// of its new content, and nothing else. Git writes a missing file anew.
func (f *Followers) dropTorn(ctx context.Context, r record, c git.Change) (bool, error) {
	path := filepath.Join(r.path, filepath.FromSlash(c.Path))
	info, err := os.Lstat(path)
	if err != nil || c.Mode == 0 || !info.Mode().IsRegular() || info.Size() >= large {
		return false, nil
	}
	begun, err := os.ReadFile(path)
	if err != nil {
		return false, nil
	}
	whole, err := f.isolation.run(ctx, r, git.Cmd{Args: []string{"cat-file", "blob", string(c.New)}})
	if err != nil || !bytes.HasPrefix(whole, begun) {
		return false, err
	}
	if err := os.Remove(path); err != nil {
		return false, r.fault(err)
	}
	return true, nil
}

// restage records changes in the index.
func (f *Followers) restage(ctx context.Context, x index, changes []git.Change) error {
	var list []byte
	for _, c := range changes {
		id := c.New
		if c.Mode == 0 {
			id = ID(strings.Repeat("0", f.repo.HashLen()))
		}
		list = fmt.Appendf(list, "%o %s\t%s\x00", c.Mode, id, c.Path)
	}
	_, err := f.isolation.run(ctx, x.record, git.Cmd{Env: x.env(), Stdin: list,
		Args: []string{"update-index", "-z", "--index-info"}})
	return err
}

// listDiffering lists the paths whose files are not as in commit, and those of
// commit's that are missing, as well as untracked ones.
func (f *Followers) listDiffering(ctx context.Context, r record, commit ID) (map[string]bool, error) {
	x, err := f.scratch.privateIndex(r)
	if err != nil {
		return nil, err
	}
	defer x.remove()
	run := func(args ...string) (string, error) {
		out, err := f.isolation.run(ctx, r, git.Cmd{Env: x.env(), Args: args, Limit: slow})
		return string(out), err
	}
	if _, err := run("read-tree", "--reset", "--no-recurse-submodules", string(commit)); err != nil {
		return nil, err
	}
	_, _ = run("update-index", "-q", "--refresh") // diff-files reports what its exit code says
	out, err := run("diff-files", "--ignore-submodules=dirty", "--name-only", "-z", "--no-renames")
	others, othersErr := run("ls-files", "--others", "-z")
	return pathSet(out + others), cmp.Or(err, othersErr)
}
