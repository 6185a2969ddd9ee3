package worktrees_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/gitstore/git"
)

// loseEntry deletes the entry of a checkout as a person may.
func (p *project) loseEntry(name string) {
	p.t.Helper()
	require.NoError(p.t, os.RemoveAll(filepath.Join(p.dir, ".git/worktrees", name)))
}

// An entry that was deleted beside a whole folder is made again, and nothing of the work is lost.
func TestEntryGone(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, one := range map[string]struct {
		arrange func(p *project) // before the checkout is made
		lose    func(p *project, work git.ID)
	}{
		"alone":           {func(*project) {}, func(*project, git.ID) {}},
		"with its branch": {func(*project) {}, func(p *project, _ git.ID) { p.git("branch", "-D", "liza/task-1") }},
		"with pins": {func(*project) {}, func(p *project, _ git.ID) {
			require.NoError(p.t, p.Sweep(ctx))
			p.git("gc", "-q", "--prune=now")
		}},
		"brought before": {func(*project) {}, func(p *project, work git.ID) { p.git("fetch", "-q", p.Path("task-1"), string(work)) }},
		"sparse": {func(p *project) {
			p.write("other/x", "x\n")
			p.base = p.commitAll(p.dir, "other")
			p.git("sparse-checkout", "set", "--cone", "other")
		}, func(*project, git.ID) {}},
	} {
		for by, again := range map[string]func(p *project){
			"Branch": func(p *project) { p.branch("task-1", "liza/task-1") },
			"Find":   func(*project) {}, // by whole
		} {
			t.Run(name+", "+by, func(t *testing.T) {
				t.Parallel()
				p := newProject(t)
				one.arrange(p)
				tree := p.branch("task-1", "liza/task-1")
				p.write(filepath.Join(tree.Path, "new"), "x\n")
				work := p.commitAll(tree.Path, "work")
				p.loseEntry("task-1")
				one.lose(p, work)
				again(p)
				p.whole("task-1", "liza/task-1", work)
				p.write(filepath.Join(tree.Path, "later"), "x\n")
				require.Equal(t, []string{"later"}, p.status(tree.Path).Untracked)
				require.Empty(t, p.status(tree.Path).Changed()[1:])
				require.NoError(t, p.Take(ctx, "task-1"))
				p.git("fsck")
			})
		}
	}
}

// The branch of a task that went on meanwhile does not go back to what is inside.
func TestEntryGoneBehind(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	tree := p.branch("task-1", "liza/task-1")
	old := p.commitAll(tree.Path, "old")
	require.NoError(t, p.Take(context.Background(), "task-1"))
	p.loseEntry("task-1")
	newer := p.git("commit-tree", "-m", "newer", "-p", string(old), string(old)+"^{tree}")
	p.git("update-ref", "refs/heads/liza/task-1", newer)
	_, err := p.Branch(context.Background(), "task-1", "liza/task-1", p.base)
	require.Contains(t, obstacle(t, err).Reason, "does not have the branch liza/task-1 checked out")
	require.Equal(t, newer, p.git("rev-parse", "liza/task-1"))
	require.Equal(t, string(old), p.gitIn(tree.Path, "rev-parse", "HEAD"))
}

// So it is with the checkout of a review.
func TestEntryOfReviewGone(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	older := p.base
	p.base = p.commitAll(p.dir, "newer")
	tree, err := p.Detached(ctx, "review@task-1@1", older)
	require.NoError(t, err)
	p.loseEntry("review@task-1@1")
	_, err = p.Detached(ctx, "review@task-1@1", p.base)
	require.Contains(t, obstacle(t, err).Reason, "checked out, not")
	again, err := p.Detached(ctx, "review@task-1@1", older)
	require.NoError(t, err)
	require.Equal(t, tree, again)
	p.whole("review@task-1@1", "", older)
	p.loseEntry("review@task-1@1")
	kept, err := p.Retire(ctx, "review@task-1@1", nil, always)
	require.NoError(t, err)
	require.Empty(t, kept)
	p.swept()
}

// A folder that was not made for the task is in the way, as it was.
func TestEntryOfAnother(t *testing.T) {
	t.Parallel()
	for name, swap := range map[string]func(p *project, path string){
		"another task's": func(p *project, path string) {
			require.NoError(p.t, os.Rename(p.branch("task-2", "liza/task-2").Path, path))
			p.loseEntry("task-2")
		},
		"another repository": func(p *project, path string) { p.git("clone", "-q", ".", path) },
		"another clone's": func(p *project, path string) {
			other := newProject(p.t)
			require.NoError(p.t, os.Mkdir(filepath.Dir(path), 0o777))
			require.NoError(p.t, os.Rename(other.branch("task-1", "liza/task-1").Path, path))
			p.gitIn(path, "config", "liza.clone", filepath.Join(other.dir, ".git"))
		},
		"nobody's": func(p *project, path string) {
			require.NoError(p.t, os.Rename(p.branch("task-1", "liza/task-1").Path, path+".x"))
			p.loseEntry("task-1")
			require.NoError(p.t, os.Rename(path+".x", path))
			p.gitIn(path, "config", "--unset", "liza.clone")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			swap(p, p.Path("task-1"))
			_, err := p.Branch(context.Background(), "task-1", "liza/task-1", p.base)
			require.Contains(t, obstacle(t, err).Reason, "is in the way and not a worktree of this repository")
			require.NoDirExists(t, filepath.Join(p.dir, ".git/worktrees/task-1"))
		})
	}
}

// A checkout leads to its clone also where git has to say what form that has.
func TestCloneOfAnotherForm(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	path := p.branch("task-1", "liza/task-1").Path
	p.git("config", "extensions.ofanother", "tool") // which a repository of version 0 may hold
	repo, err := git.Open(context.Background(), path)
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(p.dir, ".git"), filepath.Join(p.dir, ".git/worktrees/task-1"), path},
		[]string{repo.CommonDir(), repo.GitDir(), repo.WorkTree()})
	require.Equal(t, string(p.base), p.gitIn(path, "rev-parse", "HEAD"))
}
