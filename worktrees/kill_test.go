package worktrees_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/killpoint"
	"github.com/git-liza/git-liza/internal/torture"
	"github.com/git-liza/git-liza/worktrees"
	"github.com/stretchr/testify/require"
)

// acts are what a child process is killed in the middle of.
var acts = map[string]func(ctx context.Context, t *worktrees.Trees, r *git.Repo, old, new git.ID) error{
	"branch": func(ctx context.Context, t *worktrees.Trees, _ *git.Repo, old, _ git.ID) error {
		_, err := t.Branch(ctx, "task-1", "liza/task-1", old)
		return err
	},
	"restart": func(ctx context.Context, t *worktrees.Trees, r *git.Repo, _, new git.ID) error {
		err := t.Take(ctx, "task-1")
		tip := git.ID("")
		if err == nil {
			tip, err = r.Refs.Resolve(ctx, "refs/heads/liza/task-1")
		}
		if err == nil {
			_, err = t.Restart(ctx, "task-1@2", "liza/task-1", tip, new)
		}
		return err
	},
	"take": func(ctx context.Context, t *worktrees.Trees, _ *git.Repo, _, _ git.ID) error {
		return t.Take(ctx, "task-1")
	},
	"detached": func(ctx context.Context, t *worktrees.Trees, _ *git.Repo, old, _ git.ID) error {
		_, err := t.Detached(ctx, "review", old)
		return err
	},
	"remove": func(ctx context.Context, t *worktrees.Trees, _ *git.Repo, _, _ git.ID) error {
		return t.Remove(ctx, "task-1")
	},
	"restore": func(ctx context.Context, t *worktrees.Trees, _ *git.Repo, old, _ git.ID) error {
		_, err := t.Branch(ctx, "task-1", "liza/task-1", old)
		return err
	},
	"private": func(ctx context.Context, t *worktrees.Trees, r *git.Repo, old, _ git.ID) error {
		return t.Private(ctx, old, func(dir string) error {
			_, err := r.Run(ctx, git.Cmd{Dir: dir, WorkTree: true, Args: []string{"status"}})
			return err
		})
	},
	"commit": func(ctx context.Context, t *worktrees.Trees, _ *git.Repo, _, _ git.ID) error {
		return t.Contents.Commit(ctx, t.Path("task-1"), "work", os.Environ())
	},
	"return": func(ctx context.Context, t *worktrees.Trees, _ *git.Repo, _, _ git.ID) error {
		_, err := t.Contents.Return(ctx, t.Path("task-1"), "liza/task-1")
		return err
	},
	"follow": func(ctx context.Context, t *worktrees.Trees, r *git.Repo, old, new git.ID) error {
		tip, err := r.Refs.Resolve(ctx, "refs/heads/main")
		if err == nil && tip == old {
			if err = t.Followers.Check(ctx, "main", old, new); err == nil {
				err = r.Refs.MoveRefs(ctx, []git.RefUpdate{{Name: "refs/heads/main", Old: old, New: new}}, "merge")
			}
		}
		if err == nil {
			err = t.Followers.Follow(ctx, "main", old, new)
		}
		return err
	},
}

// act is what the process that is killed does.
func act(name string, _ []string) error {
	ctx := context.Background()
	r, err := git.Open(ctx, ".")
	if err != nil {
		return err
	}
	t, err := worktrees.Open(r)
	if err != nil {
		return err
	}
	return acts[name](ctx, t, r, git.ID(os.Getenv("OLD")), git.ID(os.Getenv("NEW")))
}

// run runs an act in a process that dies at its nth file operation, with its
// children.
func (p *project) run(act string, n int, new git.ID) killpoint.Ended {
	p.t.Helper()
	return killpoint.Trace(p.t, killpoint.Run{Args: []string{os.Args[0]}, Dir: p.dir, At: n,
		Env: append(os.Environ(), "GITSTORE_TEST_CHILD="+act, "OLD="+string(p.base), "NEW="+string(new))})
}

// killed is what a test holds an act against.
type killed struct {
	before func(p *project)
	check  func(p *project, new git.ID)
}

// killTests are the acts that processes are killed in.
var killTests = map[string]killed{
	"branch": {
		func(*project) {},
		func(p *project, _ git.ID) { p.whole("task-1", "liza/task-1", p.base) }},
	"restart": {
		func(p *project) { p.commitAll(p.branch("task-1", "liza/task-1").Path, "old work") },
		func(p *project, new git.ID) { p.whole("task-1@2", "liza/task-1", new) }},
	"take": {
		func(p *project) { p.commitAll(p.branch("task-1", "liza/task-1").Path, "work") },
		func(p *project, _ git.ID) {
			p.whole("task-1", "liza/task-1", git.ID(p.gitIn(p.Path("task-1"), "rev-parse", "HEAD")))
			require.Equal(p.t, "work", p.git("log", "-1", "--format=%s", "liza/task-1"))
		}},
	"detached": {
		func(*project) {},
		func(p *project, _ git.ID) { p.whole("review", "", p.base) }},
	"restore": {
		func(p *project) {
			p.commitAll(p.branch("task-1", "liza/task-1").Path, "work")
			require.NoError(p.t, p.Take(context.Background(), "task-1"))
			require.NoError(p.t, os.RemoveAll(filepath.Join(p.Path("task-1"), ".git")))
		},
		func(p *project, _ git.ID) {
			p.whole("task-1", "liza/task-1", git.ID(p.git("rev-parse", "liza/task-1")))
			require.Equal(p.t, "work", p.git("log", "-1", "--format=%s", "liza/task-1"))
		}},
	"remove": {
		func(p *project) { p.branch("task-1", "liza/task-1") },
		func(p *project, _ git.ID) { p.swept() }},
	"commit": {
		func(p *project) {
			p.write(filepath.Join(p.branch("task-1", "liza/task-1").Path, "new"), "new\n")
			require.NoError(p.t, os.Remove(filepath.Join(p.Path("task-1"), "a")))
		},
		func(p *project, _ git.ID) {
			require.Empty(p.t, p.status(p.Path("task-1")).Changed())
			require.Equal(p.t, "new", p.gitIn(p.Path("task-1"), "show", "liza/task-1:new"))
		}},
	"return": {
		func(p *project) {
			path := p.branch("task-1", "liza/task-1").Path
			p.commitAll(path, "old work")
			p.gitIn(path, "switch", "-q", "-c", "aside", string(p.base))
		},
		// Once files are switched, other files are not searched.
		func(p *project, _ git.ID) { p.gitIn(p.Path("task-1"), "add", "-A") }},
	"private": {func(*project) {}, func(p *project, _ git.ID) { p.swept() }},
	"follow":  {func(*project) {}, func(p *project, _ git.ID) { p.arrived(p.dir) }},
}

// afterKill lets an act die at its nth operation: a user's git then works, the
// next command clears what is left, and the same call again completes.
func afterKill(t *testing.T, act string, n int) (operations int) {
	t.Helper()
	ctx := context.Background()
	p := newProject(t)
	new := p.base
	if act == "restart" || act == "follow" {
		new = p.next()
	}
	killTests[act].before(p)
	ended := p.run(act, n, new)
	if n == 0 {
		require.Zero(t, ended.Code, ended.Output)
		return len(ended.Operations)
	}
	at := "after the end"
	if ended.Killed {
		at = ended.Operations[len(ended.Operations)-1]
	}
	p.usable(at)
	require.NoError(t, p.Leftovers.Clear(ctx), at)
	later := []string{"HEAD.lock", "liza-follow"} // the next to move these clears them
	p.noLitter(at, append(later, "index.lock")...)
	repo, err := git.Open(ctx, p.dir)
	require.NoError(t, err)
	defer repo.Close()
	require.NoError(t, acts[act](ctx, p.Trees, repo, p.base, new), at)
	for p.journaled() { // a lock that nothing else tells of is left over once it is a second old
		require.NoError(t, p.Leftovers.Clear(ctx), at)
	}
	killTests[act].check(p, new)
	p.noLitter(at, later...)
	require.Empty(t, p.git("for-each-ref", "refs/heads/liza/task-1@2"), at)
	return 0
}

// journaled reports whether something is still to be cleared.
func (p *project) journaled() bool {
	p.t.Helper()
	entries, err := filepath.Glob(filepath.Join(p.dir, ".git/liza/journal/*[A-Z0-9]"))
	require.NoError(p.t, err)
	return len(entries) > 0
}

// usable requires that a user's git does not fail on what is left.
func (p *project) usable(at string) {
	p.t.Helper()
	for _, args := range [][]string{{"fetch", "-q", ".", "main"}, {"fsck", "--no-dangling"}, {"repack", "-adq"}} {
		out, err := p.tryIn(p.dir, args...)
		require.NoError(p.t, err, "%s: git %s: %s", at, args[0], out)
	}
}

// noLitter requires that nothing is left but whole checkouts.
func (p *project) noLitter(at string, but ...string) {
	p.t.Helper()
	for _, pattern := range []string{".worktrees/.*", ".git/worktrees/*/*.lock", ".git/worktrees/*/*liza*",
		".git/*.lock", ".git/index.*", ".git/liza-*", ".git/liza/undone-*", ".git/liza/new-*", ".git/liza/scratch-*"} {
		left, err := filepath.Glob(filepath.Join(p.dir, pattern))
		require.NoError(p.t, err)
		left = slices.DeleteFunc(left, func(path string) bool { return slices.Contains(but, filepath.Base(path)) })
		require.Empty(p.t, left, at)
	}
}

// Killed anywhere, the next command clears what is left, and the same call again
// completes.
func TestKilled(t *testing.T) {
	t.Parallel()
	everyKill(t, 2)
}

// TestTortureKilled dies at each point.
func TestTortureKilled(t *testing.T) {
	t.Parallel()
	torture.Only(t)
	everyKill(t, 1000)
}

func everyKill(t *testing.T, few int) {
	for act := range killTests {
		t.Run(act, func(t *testing.T) {
			t.Parallel()
			all := afterKill(t, act, 0)
			for _, n := range torture.Points(all, few) {
				afterKill(t, act, n)
			}
		})
	}
}

// undone leaves what a dead process held while it made or removed a checkout.
func (p *project) undone(name string) {
	p.t.Helper()
	p.write(".git/liza/undone-"+name+".lock", "")
}

// States between two steps that no git process separates.
func TestHalfMade(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(p *project, admin string){
		"branch only": func(p *project, _ string) { p.git("branch", "liza/task-1") },
		"lock only":   func(p *project, _ string) { p.undone("task-1") },
		"entry only": func(p *project, _ string) {
			p.branch("task-1", "liza/task-1")
			p.undone("task-1")
			require.NoError(p.t, os.RemoveAll(p.Path("task-1")))
		},
		"no HEAD": func(p *project, admin string) {
			p.branch("task-1", "liza/task-1")
			p.undone("task-1")
			require.NoError(p.t, os.Remove(admin+"/HEAD"))
		},
		"an empty link": func(p *project, _ string) {
			p.branch("task-1", "liza/task-1")
			p.undone("task-1")
			require.NoError(p.t, os.RemoveAll(p.Path("task-1")+"/.git"))
			p.write(p.Path("task-1")+"/.git", "")
		},
		"some files, a lock on the index": func(p *project, admin string) {
			p.branch("task-1", "liza/task-1")
			p.undone("task-1")
			p.write(p.Path("task-1")+"/a", "hal")
			p.write(admin+"/index.lock", "")
		},
		"a folder set aside": func(p *project, _ string) {
			p.branch("task-1", "liza/task-1")
			require.NoError(p.t, os.Mkdir(filepath.Join(p.dir, ".worktrees/.gone-1"), 0o777))
			require.NoError(p.t, os.Rename(p.Path("task-1"), filepath.Join(p.dir, ".worktrees/.gone-1/x")))
		},
		"half restored": func(p *project, _ string) {
			p.branch("task-1", "liza/task-1")
			require.NoError(p.t, os.RemoveAll(p.Path("task-1")))
			p.write(".worktrees/.new-task-1/b/c", "tw")
			p.write(".git/liza/new-task-1.lock", "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			leave(p, filepath.Join(p.dir, ".git/worktrees/task-1"))
			_, ok, err := p.Find(context.Background(), "task-1")
			require.NoError(t, err)
			require.False(t, ok)
			tree := p.branch("task-1", "liza/task-1")
			require.Equal(t, p.whole("task-1", "liza/task-1", p.base), tree)
			require.NoError(t, p.Remove(context.Background(), "task-1"))
			require.NoError(t, p.Sweep(context.Background()))
			p.swept()
		})
	}
}

func TestRestoreKeepsWhatWasCommitted(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	tree := p.branch("task-1", "liza/task-1")
	p.write(filepath.Join(tree.Path, "staged"), "staged\n")
	work := p.commitAll(tree.Path, "work")
	require.NoError(t, p.Take(context.Background(), "task-1"))
	require.NoError(t, os.RemoveAll(tree.Path))
	p.branch("task-1", "liza/task-1")
	p.whole("task-1", "liza/task-1", work)

	require.NoError(t, os.RemoveAll(filepath.Join(tree.Path, ".git")))
	p.write(filepath.Join(tree.Path, "mine"), "mine\n")
	p.branch("task-1", "liza/task-1") // only the repository inside was lost
	require.Equal(t, []string{"mine"}, p.status(tree.Path).Changed())
	require.Equal(t, string(work), p.gitIn(tree.Path, "rev-parse", "HEAD"))
}
