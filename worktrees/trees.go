// Package worktrees makes, examines and removes the checkouts of a repository, below
// .worktrees/ of its main work tree or where git's configuration says, and updates work trees
// whose branch another process has moved. Its texts call that folder .worktrees/.
//
// It knows git and paths, not tasks. Every call can be repeated: what a killed process
// left half-made is finished or made anew. What this package did not make is reported
// as an *Obstacle and never touched. Branches are moved by gitstore/git alone.
package worktrees

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// An ID is the full hexadecimal id of a git object; "" means none.
type ID = git.ID

// slow is how long git may take for a command that goes through all files, and a hook
// for its work after a checkout.
const slow = 30 * time.Minute

// ErrNoWorkTree is returned by Open for a bare repository that says no place for checkouts. The
// command line tests it to say which commands need a work tree.
var ErrNoWorkTree = errors.New("the repository is bare: it has no work tree, and " + layout.WorktreesKey + " names no folder for worktrees")

// Trees makes and removes the checkouts below .worktrees/ of one repository, whatever work
// tree the repository was opened from. Several goroutines and
// processes may use it at once. Its parts are in the order of their layers: each uses
// only parts above it.
type Trees struct {
	*registry            // what git knows of work trees, and where they are
	branches  *branches  // the branches that checkouts are on
	isolation *isolation // git in a checkout, without the checkout's own hooks and filters
	insides   *insides   // the repositories inside checkouts
	Contents  *Contents  // the content of checkouts
	Followers *Followers // work trees whose branch another process moved
	Leftovers *Leftovers // what dead processes left

	// FreeBranches reports whether what is committed inside a checkout moves a task's
	// branch, while that is what the task's agent works on; nil is always. Elsewhere the
	// entry's detached HEAD keeps it.
	FreeBranches func(ctx context.Context, branch string) bool

	// HookEnv is the environment of the post-checkout hook, which may read the tree
	// that is checked out; nil is the environment of this process.
	HookEnv []string
}

// Open returns the checkouts of repo. It changes nothing; the error is ErrNoWorkTree, or of git's
// configuration.
func Open(repo *git.Repo) (*Trees, error) {
	main, common := repo.MainWorkTree(), repo.CommonDir()
	at, err := findPlace(repo)
	if err == nil && at.root == "" {
		err = ErrNoWorkTree
	}
	if err != nil {
		return nil, err
	}
	s := &scratch{common}
	g := &registry{repo: repo, main: main, common: common, place: at, scratch: s, locks: &nameLocks{common}}
	t := &Trees{registry: g, branches: &branches{repo: repo, registry: g, scratch: s}, isolation: &isolation{repo: repo, main: main, common: common}}
	t.insides = &insides{repo: repo, registry: g, isolation: t.isolation, scratch: s, integration: func(context.Context) string { return "" }}
	t.insides.isFree = func(ctx context.Context, branch string) bool {
		return t.FreeBranches == nil || t.FreeBranches(ctx, branch)
	}
	t.branches.insides = t.insides
	t.Contents = &Contents{repo: repo, registry: g, scratch: s, isolation: t.isolation, insides: t.insides}
	t.Followers = &Followers{repo: repo, registry: g, scratch: s, isolation: t.isolation, contents: t.Contents}
	t.Leftovers = &Leftovers{registry: g, followers: t.Followers}
	return t, nil
}

// GuardPrograms has a function run each git that may start hooks or filters of the user's:
// those often run files of the checkout.
func (t *Trees) GuardPrograms(guard func(context.Context, *git.Process) error) {
	t.isolation.guard = guard
}

// SetIntegration has new checkouts have a branch of the clone beside the default one. They ask
// for its name, which is "" if there is none.
func (t *Trees) SetIntegration(name func(context.Context) string) { t.insides.integration = name }

// NameOf returns the name of the checkout below .worktrees/ that a repository was
// opened from, "" if it was opened from elsewhere. A checkout that a user made in a
// folder further below has a name of several parts.
func NameOf(repo *git.Repo) string {
	at, err := findPlace(repo)
	root := resolveLinks(at.root)
	if err != nil || repo.GitDir() == repo.CommonDir() || !isBelow(root, repo.WorkTree()) {
		return ""
	}
	return repo.WorkTree()[len(root)+1:]
}

// A Tree is one checkout. Branch is its branch's short name, "" if HEAD is
// detached. Head is "" if the branch has no commit.
type Tree struct {
	Name   string // "" for one that is not below .worktrees/
	Path   string
	Branch string
	Head   ID

	// Broken says that its folder or its HEAD is lost; the call that made it,
	// repeated, mends it.
	Broken bool
}

// checkName refuses names that are not one plain component of a path. Names that begin
// with a dot belong to this package.
func checkName(name string) error {
	if name == "" || strings.ContainsAny(name, "/\\\x00\n") || name[0] == '.' || name[0] == '-' {
		return fmt.Errorf("%q cannot be the name of a worktree", name)
	}
	return nil
}
