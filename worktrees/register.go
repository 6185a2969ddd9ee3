package worktrees

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/git-liza/git-liza/gitstore/git"
)

// register makes the git directory of a new, empty work tree, in the form of
// gitrepository-layout(5). The directory is complete before it appears among the
// others, with a lock of this package and a HEAD that names a commit. Git looks at all
// of them when it fetches, collects garbage or checks, and fails on one whose HEAD
// names no commit. `git worktree add` writes forty zeros first, so it is not used.
func (g *registry) register(ctx context.Context, c checkout) (record, error) {
	dir, release, err := g.scratch.makeScratch()
	if err != nil {
		return record{}, err
	}
	defer release()
	if err := os.MkdirAll(g.root, 0o777); err != nil {
		return record{}, fmt.Errorf("worktrees: %w", err)
	}
	path := filepath.Join(resolveLinks(g.root), c.name)
	admin := filepath.Join(dir, "x")
	if err := g.writeAdminFiles(ctx, admin, path, c); err != nil {
		return record{}, fmt.Errorf("worktree %s: %w", c.name, err)
	}
	r := record{name: c.name, path: path, branch: c.branch, head: c.commit, locked: making, half: true}
	if r.gitDir, err = g.addAdminFolder(admin, c.name); err != nil {
		return record{}, fmt.Errorf("worktree %s: %w", c.name, err)
	}
	if c.branch != "" {
		r.head, err = g.repo.Refs.Resolve(ctx, "refs/heads/"+c.branch)
	}
	return r, err
}

// writeAdminFiles writes the administrative files of a new work tree, see
// gitrepository-layout(5).
func (g *registry) writeAdminFiles(ctx context.Context, admin, path string, c checkout) error {
	if err := os.Mkdir(admin, 0o777); err != nil {
		return err
	}
	head := string(c.commit)
	if c.branch != "" {
		head = "ref: refs/heads/" + c.branch
	}
	reftable := fileExists(filepath.Join(g.common, "reftable"))
	if reftable {
		head = "ref: refs/heads/.invalid" // what git writes if HEAD is not a file
	}
	for name, text := range map[string]string{
		"locked": making, "gitdir": filepath.Join(path, ".git"), "commondir": "../..", "HEAD": head,
	} {
		if err := os.WriteFile(filepath.Join(admin, name), []byte(text+"\n"), 0o666); err != nil {
			return err
		}
	}
	if reftable {
		if err := g.setReftableHead(ctx, admin, c); err != nil {
			return err
		}
	}
	to := filepath.Join(admin, "info", "sparse-checkout")
	if err := os.Mkdir(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	return copyIfThere(to, filepath.Join(g.common, "info", "sparse-checkout"))
}

// setReftableHead sets HEAD in a repository that keeps its refs in reftables, where
// HEAD is no file.
func (g *registry) setReftableHead(ctx context.Context, admin string, c checkout) error {
	if err := os.Mkdir(filepath.Join(admin, "reftable"), 0o777); err != nil {
		return err
	}
	args := []string{"symbolic-ref", "HEAD", "refs/heads/" + c.branch}
	if c.branch == "" {
		args = []string{"update-ref", "--no-deref", "HEAD", string(c.commit)}
	}
	common := filepath.Join(admin, "commondir")
	if err := os.WriteFile(common, []byte(g.common+"\n"), 0o666); err != nil {
		return err
	}
	if _, err := g.repo.Run(ctx, git.Cmd{Args: args, Env: []string{"GIT_DIR=" + admin}}); err != nil {
		return err
	}
	return os.WriteFile(common, []byte("../..\n"), 0o666)
}

// addAdminFolder puts a whole git directory among those of work trees, under the first
// name that is free, as git does.
func (g *registry) addAdminFolder(admin, name string) (string, error) {
	name = worktreeID(name)
	for n := 0; ; {
		to := filepath.Join(g.common, "worktrees", name)
		if n > 0 {
			to += strconv.Itoa(n)
		}
		if fileExists(to) {
			n++
			continue
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return "", err
		}
		err := os.Rename(admin, to)
		switch {
		case err == nil:
			return to, nil
		case errors.Is(err, fs.ErrNotExist) && fileExists(admin): // git removes the folder above when it is empty
		case errors.Is(err, fs.ErrExist) || errors.Is(err, syscall.ENOTEMPTY):
			n++
		default:
			return "", err
		}
	}
}

// worktreeID returns a name as a part of a ref. The name of a git directory is part of
// the ref `worktrees/NAME/HEAD`, see git-check-ref-format(1).
func worktreeID(name string) string {
	id := strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7f || strings.ContainsRune("~^:?*[\\{", r) {
			return '-'
		}
		return r
	}, name)
	id = strings.ReplaceAll(strings.TrimLeft(id, "."), "..", "-")
	if id == "" || id == "@" || strings.HasSuffix(id, ".") || strings.HasSuffix(id, ".lock") {
		id += "-"
	}
	return id
}

// makeFolder makes the folder of a registered work tree, with the repository inside.
func (t *Trees) makeFolder(ctx context.Context, r record) error {
	if err := os.MkdirAll(r.path, 0o777); err != nil {
		return fmt.Errorf("worktree %s: %w", r.path, err)
	}
	return t.insides.make(ctx, r)
}
