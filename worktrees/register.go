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

	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// register makes the git directory of a new, empty work tree, in the form of
// gitrepository-layout(5). The directory is complete before it appears among the
// others, with a lock that stays and a HEAD that names a commit. Git looks at all of them when it fetches, collects garbage or checks, and fails on one whose HEAD
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
	r := record{name: c.name, path: path, branch: c.branch, head: c.commit, locked: lockReason(c.name), gone: true}
	if r.gitDir, err = g.addAdminFolder(admin, c.name); err != nil {
		return record{}, fmt.Errorf("worktree %s: %w", c.name, err)
	}
	if c.branch != "" {
		r.head, err = g.repo.Refs.Resolve(ctx, "refs/heads/"+c.branch)
	}
	return r, err
}

// lacksEntry reports whether a folder has a repository inside that is of the clone, and the
// entry is gone: somebody deleted it, or an old git did. Whoever removes a checkout renames the
// folder first, so the entry is looked for first.
func (g *registry) lacksEntry(path string) bool {
	_, err := git.EntryOf(g.common, filepath.Join(path, ".git"))
	return err != nil && isInside(path, g.common) && g.hasMade()
}

// remakeEntry makes the entry of a checkout again if it alone is gone, and takes what is inside.
// A folder that was not made for the name is left alone: it is in the way. The name is locked.
func (t *Trees) remakeEntry(ctx context.Context, name string) error {
	path, mine := resolveLinks(t.Path(name)), taskBranch(name)
	if !t.lacksEntry(path) {
		return nil
	}
	f, err := t.insides.readFace(record{path: path}, mine)
	if err != nil || f.head == "" || mine != "" && f.tip == "" || mine == "" && f.branch != "" {
		return nil
	}
	// The entry begins at any commit that the clone has, and on no branch: so the task's branch,
	// which may have moved since, only moves forward.
	at, err := t.repo.Refs.Resolve(ctx, "HEAD")
	if err != nil || at == "" {
		return err
	}
	r, err := t.register(ctx, checkout{name: name, commit: at})
	if err != nil {
		return err
	}
	r.gone, r.own = false, true
	_ = t.insides.take(ctx, &r) // what cannot be taken is Take's to say
	return t.insides.renew(ctx, &r)
}

// writeAdminFiles writes the administrative files of a new work tree, see
// gitrepository-layout(5).
func (g *registry) writeAdminFiles(ctx context.Context, admin, path string, c checkout) error {
	if err := os.Mkdir(admin, 0o777); err != nil {
		return err
	}
	for name, text := range map[string]string{
		"locked": lockReason(c.name), "gitdir": filepath.Join(path, ".git"), "commondir": "../..", "HEAD": g.headText(c),
	} {
		if err := os.WriteFile(filepath.Join(admin, name), []byte(text+"\n"), 0o666); err != nil {
			return err
		}
	}
	if g.hasReftable() {
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

// headText is the content of the file HEAD of a checkout.
func (g *registry) headText(c checkout) string {
	switch {
	case g.hasReftable():
		return "ref: refs/heads/.invalid" // what git writes if HEAD is not a file
	case c.branch != "":
		return "ref: refs/heads/" + c.branch
	}
	return string(c.commit)
}

func (g *registry) hasReftable() bool { return fileExists(filepath.Join(g.common, "reftable")) }

// lockPrefix is the beginning of the reasons for which checkouts are locked.
const lockPrefix = "git liza: "

// lockReason is the reason for which the checkout called name is locked while it is there:
// no `git worktree` command of a person then removes it, or forgets it while its folder is
// gone, and each says what does.
func lockReason(name string) string {
	parts := strings.Split(name, "@")
	switch {
	case name[0] == '.':
		return lockPrefix + name[1:] + ", while it is used"
	case len(parts) > 2: // review@TASK@NUMBER
		parts = parts[1:]
	}
	return lockPrefix + name + "; git liza release " + shell.Quote(parts[0])
}

func isOurReason(locked string) bool { return strings.HasPrefix(locked, lockPrefix) }

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
