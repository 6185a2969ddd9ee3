package worktrees_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
	"github.com/git-liza/git-liza/worktrees"
)

func TestMain(m *testing.M) { gittest.Main(m, act) }

// A project is a repository with a main work tree, and its checkouts.
type project struct {
	*worktrees.Trees
	t    *testing.T
	dir  string
	base git.ID
}

// newProject has one commit on main, with the files a, b/c and .gitignore.
func newProject(t *testing.T) *project {
	t.Helper()
	p := &project{t: t, dir: filepath.Join(t.TempDir(), "mein Projekt ü")}
	require.NoError(t, os.Mkdir(p.dir, 0o777))
	p.git("init", "-q", "-b", "main")
	p.write("a", "one\n")
	p.write("b/c", "two\n")
	p.write(".gitignore", "*.o\n")
	p.base = p.commitAll(p.dir, "base")
	p.Trees = p.open(p.dir)
	return p
}

// open opens the checkouts of the repository that dir lies in.
func (p *project) open(dir string) *worktrees.Trees {
	p.t.Helper()
	repo, err := git.Open(context.Background(), dir)
	require.NoError(p.t, err)
	p.t.Cleanup(func() { repo.Close() })
	trees, err := worktrees.Open(repo)
	require.NoError(p.t, err)
	return trees
}

func (p *project) git(args ...string) string {
	p.t.Helper()
	return p.gitIn(p.dir, args...)
}

func (p *project) gitIn(dir string, args ...string) string {
	p.t.Helper()
	return gittest.Git(p.t, dir, args...)
}

// typed does what a hint says.
func (p *project) typed(hint string) {
	p.t.Helper()
	out, err := exec.Command("sh", "-c", hint).CombinedOutput()
	require.NoError(p.t, err, "%s: %s", hint, out)
}

func (p *project) tryIn(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return strings.TrimSuffix(string(out), "\n"), err
}

// write writes a file, relative to the main work tree or absolute.
func (p *project) write(path, content string) {
	p.t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.dir, path)
	}
	gittest.Write(p.t, filepath.Dir(path), filepath.Base(path), content)
}

// script writes a program that can be run at once.
func (p *project) script(path, text string) {
	p.t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.dir, path)
	}
	gittest.Script(p.t, path, text)
}

func (p *project) commitAll(dir, message string) git.ID {
	p.t.Helper()
	p.gitIn(dir, "add", "-A")
	p.gitIn(dir, "commit", "-q", "--allow-empty", "-m", message)
	return git.ID(p.gitIn(dir, "rev-parse", "HEAD"))
}

// branch makes the usual checkout.
func (p *project) branch(name, branch string) worktrees.Tree {
	p.t.Helper()
	tree, err := p.Branch(context.Background(), name, branch, p.base)
	require.NoError(p.t, err)
	return tree
}

// whole requires a checkout that git and this package find nothing wrong with.
func (p *project) whole(name, branch string, head git.ID) worktrees.Tree {
	p.t.Helper()
	tree, ok, err := p.Find(context.Background(), name)
	require.NoError(p.t, err)
	require.True(p.t, ok, "%s is missing or broken", name)
	require.Equal(p.t, worktrees.Tree{Name: name, Path: p.Path(name), Branch: branch, Head: head}, tree)
	require.Equal(p.t, string(head), p.gitIn(tree.Path, "rev-parse", "HEAD"))
	require.Empty(p.t, p.gitIn(tree.Path, "status", "--porcelain"))
	require.Contains(p.t, p.git("worktree", "list", "--porcelain"), "\nlocked git liza: "+name+"; git liza release ")
	require.Empty(p.t, p.git("status", "--porcelain"), "the main work tree")
	return tree
}

func content(t *testing.T, path ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	require.NoError(t, err)
	return string(data)
}
