// Package worktrees makes, looks at and removes the checkouts below
// .worktrees/ of a repository's main work tree, and brings along a work tree
// whose branch was moved by somebody else.
//
// It knows git and paths, not tasks. Every call can be repeated: what a killed
// process left half-made is finished or made anew, and what somebody else put
// in the way is reported as an *Obstacle and never touched. Branches move
// through gitstore alone.
package worktrees

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-liza/git-liza/gitstore/git"
)

// An ID is the full hexadecimal id of a git object; "" means none.
type ID = git.ID

// Folder is where the checkouts lie, relative to the main work tree.
const Folder = ".worktrees"

// slow is how long git may take for what goes through all files, and a hook
// for what it does after a checkout.
const slow = 30 * time.Minute

// ErrNoWorkTree is returned by Open for a bare repository. The command line
// tests it to say which commands need a work tree.
var ErrNoWorkTree = errors.New("the repository is bare, it has no work tree to put .worktrees/ into")

// Trees are the checkouts below .worktrees/ of one repository's main work
// tree, wherever the repository was opened from. It is safe for use from
// several goroutines and processes.
type Trees struct {
	repo   *git.Repo
	main   string // the main work tree
	common string // the shared git directory
	root   string // .worktrees in the main work tree

	// HookEnv is what the hook after a checkout sees, which may read the tree
	// that is checked out; nil is all that this process sees.
	HookEnv []string
}

// Open returns the checkouts of repo. It touches nothing; the error is
// ErrNoWorkTree.
func Open(repo *git.Repo) (*Trees, error) {
	main := repo.MainWorkTree()
	if main == "" {
		return nil, ErrNoWorkTree
	}
	return &Trees{repo: repo, main: main, common: repo.CommonDir(), root: filepath.Join(main, Folder)}, nil
}

// Path is the absolute path of the checkout called name, such as "task-1",
// "task-1@2" or "review@task-1@1", whether or not it exists.
func (t *Trees) Path(name string) string { return filepath.Join(t.root, name) }

// A Tree is one checkout. Branch is its branch's short name, "" if HEAD is
// detached. Head is "" if the branch has no commit.
type Tree struct {
	Name   string // "" for one that is not below .worktrees/
	Path   string
	Branch string
	Head   ID

	// Broken says that its folder is missing or that it was never finished;
	// the call that made it, repeated, mends it.
	Broken bool
}

// Find returns the checkout called name; false if there is none or it is
// broken.
func (t *Trees) Find(ctx context.Context, name string) (Tree, bool, error) {
	trees, err := t.List(ctx)
	if err != nil {
		return Tree{}, false, err
	}
	for _, tree := range trees {
		if tree.Name == name {
			return tree, !tree.Broken, nil
		}
	}
	return Tree{}, false, nil
}

// List returns the checkouts below .worktrees/, broken ones too, by name. It
// writes nothing.
func (t *Trees) List(ctx context.Context) ([]Tree, error) {
	records, err := t.records(ctx)
	if err != nil {
		return nil, err
	}
	var trees []Tree
	for _, r := range records {
		if r.name != "" && r.name[0] != '.' {
			trees = append(trees, t.tree(r))
		}
	}
	return trees, nil
}

func (t *Trees) tree(r record) Tree {
	return Tree{Name: r.name, Path: r.place(t), Branch: r.branch, Head: r.head, Broken: r.half || r.gone || r.alien}
}

// at returns the checkout that lies at path, which may be any work tree of
// the repository.
func (t *Trees) at(ctx context.Context, path string) (record, error) {
	records, err := t.records(ctx)
	if err != nil {
		return record{}, err
	}
	real := resolved(path)
	for _, r := range records {
		if r.path == real && !r.gone && !r.alien {
			return r, nil
		}
	}
	return record{}, &Obstacle{Path: path, Reason: "is not a work tree of this repository"}
}

// checkName refuses names that are not one plain component of a path. Names
// with a dot in front are this package's own.
func checkName(name string) error {
	if name == "" || strings.ContainsAny(name, "/\\\x00\n") || name[0] == '.' || name[0] == '-' {
		return fmt.Errorf("%q cannot be the name of a worktree", name)
	}
	return nil
}
