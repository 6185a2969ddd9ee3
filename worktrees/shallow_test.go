package worktrees_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/gitstore/git"
)

// History inside ends where the clone's does by now, and where an agent cut off what it fetched.
func TestShallow(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	for _, text := range []string{"two", "three", "four"} {
		p.commitAll(p.dir, text)
	}
	server := p.dir
	p.gitIn(server, "checkout", "-q", "-b", "own")
	p.commitAll(server, "older")
	own := p.commitAll(server, "own")
	p.gitIn(server, "checkout", "-q", "main")
	p.dir = filepath.Join(t.TempDir(), "shallow")
	p.gitIn(server, "clone", "-q", "--depth=1", "--branch=main", "file://"+server, p.dir)
	p.Trees = p.open(p.dir)
	four := p.git("rev-parse", "HEAD")
	tree, err := p.Branch(ctx, "task-1", "liza/task-1", git.ID(four))
	require.NoError(t, err)
	inside := filepath.Join(tree.Path, ".git")
	require.Equal(t, four+"\n", content(t, inside, "shallow"))
	p.gitIn(tree.Path, "fetch", "-q", "--depth=1", "file://"+server, "own")
	require.Len(t, strings.Fields(content(t, inside, "shallow")), 2)

	p.git("fetch", "-q", "--deepen=1")
	require.NoError(t, p.Renew(ctx, "task-1"))
	require.Equal(t, "four\nthree", p.gitIn(tree.Path, "log", "--format=%s"))
	require.Equal(t, "own", p.gitIn(tree.Path, "log", "--format=%s", string(own)))

	p.git("fetch", "-q", "--depth=1")
	p.git("reflog", "expire", "--expire=now", "--all")
	p.git("gc", "-q", "--prune=now")
	_, err = p.tryIn(tree.Path, "log")
	require.Error(t, err)
	require.NoError(t, p.Renew(ctx, "task-1"))
	require.Equal(t, "four", p.gitIn(tree.Path, "log", "--format=%s"))

	p.git("fetch", "-q", "--unshallow")
	require.NoError(t, p.Renew(ctx, "task-1"))
	require.Equal(t, string(own)+"\n", content(t, inside, "shallow"))
	p.git("fetch", "-q", "origin", "own")
	_, err = p.Branch(ctx, "task-1", "liza/task-1", git.ID(four))
	require.NoError(t, err)
	require.NoFileExists(t, filepath.Join(inside, "shallow"))
	require.Equal(t, "own\nolder\nfour\nthree\ntwo\nbase", p.gitIn(tree.Path, "log", "--format=%s", string(own)))
}
