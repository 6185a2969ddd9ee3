package worktrees

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A checkout has two faces. Outside it is an entry among the clone's worktrees, with
// which this program's git works. Inside, its .git is a repository of its own that borrows
// the clone's objects: whatever an agent types there changes nothing else. What is written
// inside may be anything: it is read by this package alone, and decides nothing.

// insides makes and renews the repositories inside checkouts.
type insides struct {
	repo      *git.Repo
	registry  *registry
	isolation *isolation
	scratch   *scratch
}

// inside is the git directory inside a checkout.
func (r record) inside() string { return filepath.Join(r.path, ".git") }

// stateDir is where git keeps what a rebase or a bisection has begun there.
func (r record) stateDir() string {
	if r.own {
		return r.inside()
	}
	return r.gitDir
}

// isInside reports whether a folder has a repository inside that this package made for the
// clone with a git directory.
func isInside(dir, common string) bool {
	return git.CloneOf(filepath.Join(dir, ".git")) == common
}

// make makes the repository inside the checkout. Its folder is there, and its entry.
func (i *insides) make(ctx context.Context, r record) error {
	inside := r.inside()
	for _, name := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags", "info", "hooks"} {
		if err := os.MkdirAll(filepath.Join(inside, filepath.FromSlash(name)), 0o777); err != nil {
			return fmt.Errorf("worktree %s: %w", r.path, err)
		}
	}
	config, err := i.config(ctx, r)
	if err != nil {
		return err
	}
	refs, err := i.packedRefs(ctx)
	if err != nil {
		return err
	}
	files := map[string]string{"config": config, "packed-refs": refs, "HEAD": "ref: refs/heads/.invalid\n",
		"objects/info/alternates": i.alternates(r)}
	for _, name := range hookNames {
		files["hooks/"+name] = ""
	}
	folder, err := i.isolation.hooksFolder(ctx)
	if err != nil {
		return err
	}
	for name, text := range files {
		mode := fs.FileMode(0o666)
		if hook, is := strings.CutPrefix(name, "hooks/"); is {
			text, mode = passOnTo(filepath.Join(folder, hook)), 0o777
		}
		if err := os.WriteFile(filepath.Join(inside, filepath.FromSlash(name)), []byte(text), mode); err != nil {
			return fmt.Errorf("worktree %s: %w", r.path, err)
		}
	}
	for _, name := range []string{"shallow", "info/exclude", "info/attributes", "info/sparse-checkout"} {
		if err := copyIfThere(filepath.Join(inside, filepath.FromSlash(name)), filepath.Join(i.registry.common, filepath.FromSlash(name))); err != nil {
			return fmt.Errorf("worktree %s: %w", r.path, err)
		}
	}
	return nil
}

func copyIfThere(to, from string) error {
	f, err := git.OpenRegular(from)
	if isAbsent(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return copyTo(to, f)
}

// hookNames are the hooks of work in a checkout. Those that judge refs are the clone's.
var hookNames = []string{"applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg",
	"commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "post-rewrite", "pre-auto-gc"}

// passOnTo is a hook that runs another one, if it is there by then.
func passOnTo(hook string) string {
	return "#!/bin/sh\n[ ! -x " + shell.Quote(hook) + " ] || exec " + shell.Quote(hook) + " \"$@\"\n"
}

// fromInside is a path as the repository inside names it: relative where the checkout lies
// below the main work tree, so that a clone can be moved with all that is below it.
func (i *insides) fromInside(r record, path string) string {
	main := resolveLinks(i.registry.main)
	if i.registry.main == "" || !isBelow(main, r.path) || !isBelow(main, path) {
		return path
	}
	rel, err := filepath.Rel(r.inside(), path)
	if err != nil {
		return path
	}
	return rel
}

func isBelow(dir, path string) bool { return strings.HasPrefix(path, dir+string(filepath.Separator)) }

// alternates names the clone's folders of objects, one in a line.
func (i *insides) alternates(r record) string {
	path := i.fromInside(r, filepath.Join(i.registry.common, "objects"))
	if !filepath.IsAbs(path) {
		path = filepath.Join("..", path) // git reads it from the folder of objects
	}
	return path + "\n"
}

// leftOut are the keys, or what they begin with, of the clone's configuration that are
// about places, pushing, secrets or this program.
var leftOut = []string{"core.worktree", "core.bare", "core.fsmonitor", "core.splitindex", "core.repositoryformatversion", "remote.", "branch.", "http.",
	"credential.", "lfs.storage", "liza.", "extensions.", "include.", "includeif.", "gc."}

// config is the configuration inside: the clone's own without what is left out.
func (i *insides) config(ctx context.Context, r record) (string, error) {
	own, err := i.repo.Config.OwnFile(ctx)
	if err != nil {
		return "", err
	}
	version := "0"
	settings := slices.DeleteFunc(own, func(s git.Setting) bool {
		if s.Key == "extensions.objectformat" {
			version = "1"
			return false
		}
		if s.Key == "core.hookspath" {
			return true // the hooks inside run those of that folder
		}
		return slices.ContainsFunc(leftOut, func(begin string) bool {
			return s.Key == begin || strings.HasSuffix(begin, ".") && strings.HasPrefix(s.Key, begin)
		})
	})
	settings = append(settings, git.Setting{Key: "core.repositoryformatversion", Value: version}, git.Setting{Key: "core.bare", Value: "false"},
		git.Setting{Key: "gc.auto", Value: "0"}, git.Setting{Key: "gc.writeCommitGraph", Value: "false"}, git.Setting{Key: "fetch.writeCommitGraph", Value: "false"},
		git.Setting{Key: "core.hooksPath", Value: ".git/hooks"}, git.Setting{Key: git.CloneKey, Value: i.fromInside(r, i.registry.common)})
	return git.RenderConfig(settings), nil
}

// packedRefs are the clone's branches and tags as they are inside: what a person has there
// is what a remote has. Integration is a branch too, for commands such as git diff.
func (i *insides) packedRefs(ctx context.Context) (string, error) {
	refs, err := i.repo.Refs.List(ctx, "refs/heads/", "refs/tags/")
	if err != nil {
		return "", err
	}
	list := map[string]ID{}
	for name, id := range refs {
		branch, is := strings.CutPrefix(name, "refs/heads/")
		switch {
		case strings.HasPrefix(name, layout.TaskRefs):
		case is:
			list["refs/remotes/origin/"+branch], list[name] = id, id
		default:
			list[name] = id
		}
	}
	var text strings.Builder
	text.WriteString("# pack-refs with: sorted \n")
	for _, name := range sortedKeys(list) {
		fmt.Fprintf(&text, "%s %s\n", list[name], name)
	}
	return text.String(), nil
}

func sortedKeys(m map[string]ID) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// handDown makes HEAD, its branch and the index inside those of the entry, where this
// program has changed them.
func (i *insides) handDown(r record) error {
	if err := i.handDownHead(r); err != nil {
		return err
	}
	index, err := i.scratch.privateIndex(r)
	if err != nil {
		return err
	}
	defer index.remove()
	if err := os.Rename(index.path, filepath.Join(r.inside(), "index")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("worktree %s: %w", r.path, err)
	}
	return i.noteTaken(r)
}

// handDownHead is handDown without the index.
func (i *insides) handDownHead(r record) error {
	head := string(r.head)
	if r.branch != "" {
		head = "ref: refs/heads/" + r.branch
		if r.head != "" {
			ref := filepath.Join(r.inside(), "refs", "heads", filepath.FromSlash(r.branch))
			if err := os.MkdirAll(filepath.Dir(ref), 0o777); err != nil {
				return fmt.Errorf("worktree %s: %w", r.path, err)
			}
			if err := i.scratch.replaceFile(ref, string(r.head)+"\n"); err != nil {
				return err
			}
		}
	}
	return i.scratch.replaceFile(filepath.Join(r.inside(), "HEAD"), head+"\n")
}

// takenName is the file of the entry that has the commit which its index is for.
const takenName = "liza-taken"

func (i *insides) noteTaken(r record) error {
	return i.scratch.replaceFile(filepath.Join(r.gitDir, takenName), string(r.head)+"\n")
}
