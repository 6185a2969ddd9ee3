package worktrees_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/worktrees"
	"github.com/stretchr/testify/require"
)

// acts are what a child process is killed in the middle of.
var acts = map[string]func(ctx context.Context, t *worktrees.Trees, r *gitstore.Repo, old, new gitstore.ID) error{
	"branch": func(ctx context.Context, t *worktrees.Trees, _ *gitstore.Repo, old, _ gitstore.ID) error {
		_, err := t.Branch(ctx, "task-1", "liza/task-1", old)
		return err
	},
	"restart": func(ctx context.Context, t *worktrees.Trees, r *gitstore.Repo, _, new gitstore.ID) error {
		tip, err := r.Resolve(ctx, "refs/heads/liza/task-1")
		if err == nil {
			_, err = t.Restart(ctx, "task-1@2", "liza/task-1", tip, new)
		}
		return err
	},
	"detached": func(ctx context.Context, t *worktrees.Trees, _ *gitstore.Repo, old, _ gitstore.ID) error {
		_, err := t.Detached(ctx, "review", old)
		return err
	},
	"private": func(ctx context.Context, t *worktrees.Trees, r *gitstore.Repo, old, _ gitstore.ID) error {
		return t.Private(ctx, old, func(dir string) error {
			_, err := r.Run(ctx, gitstore.Cmd{Dir: dir, WorkTree: true, Args: []string{"status"}})
			return err
		})
	},
	"follow": func(ctx context.Context, t *worktrees.Trees, r *gitstore.Repo, old, new gitstore.ID) error {
		tip, err := r.Resolve(ctx, "refs/heads/main")
		if err == nil && tip == old {
			if err = t.CheckFollow(ctx, "main", old, new); err == nil {
				err = r.MoveRefs(ctx, []gitstore.RefUpdate{{Name: "refs/heads/main", Old: old, New: new}}, "merge")
			}
		}
		if err == nil {
			err = t.Follow(ctx, "main", old, new)
		}
		return err
	},
}

// child is the process that is killed: WORKTREES_CHILD names its act.
func child() int {
	ctx := context.Background()
	r, err := gitstore.Open(ctx, ".")
	if err == nil {
		var t *worktrees.Trees
		if t, err = worktrees.Open(r); err == nil {
			err = acts[os.Getenv("WORKTREES_CHILD")](ctx, t, r, gitstore.ID(os.Getenv("OLD")), gitstore.ID(os.Getenv("NEW")))
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// deadlyGit is a git that kills its parent before or after its Nth run, those
// that find the repository not counted because they run side by side.
const deadlyGit = `#!/bin/sh
case $1 in
version|rev-parse) exec "$REAL_GIT" "$@" ;;
esac
n=$(($(cat "$COUNT") + 1))
echo $n >"$COUNT"
[ "$n" != "$KILL_BEFORE" ] || { kill -9 $PPID; exit 1; }
"$REAL_GIT" "$@"
code=$?
[ "$n" != "$KILL_AFTER" ] || kill -9 $PPID
exit $code
`

// killed runs an act in a process that dies at its nth git; false if it ended
// before.
func (p *project) killed(act, when string, n int, new gitstore.ID) bool {
	p.t.Helper()
	real, err := exec.LookPath("git")
	require.NoError(p.t, err)
	bin := p.t.TempDir()
	p.script(filepath.Join(bin, "git"), deadlyGit)
	p.write(filepath.Join(bin, "count"), "0")
	cmd := exec.Command(os.Args[0])
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "WORKTREES_CHILD="+act, "OLD="+string(p.base), "NEW="+string(new),
		"REAL_GIT="+real, "COUNT="+filepath.Join(bin, "count"), when+"="+strconv.Itoa(n),
		"PATH="+bin+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err == nil {
		return false
	}
	require.ErrorContains(p.t, err, "killed", "%s", out)
	return true
}

// Killed at every git process, the same call again completes.
func TestKilled(t *testing.T) {
	t.Parallel()
	for act, after := range map[string]struct {
		before func(p *project)
		check  func(p *project, new gitstore.ID)
		least  int // gits that the act runs
	}{
		"branch": {
			func(*project) {},
			func(p *project, _ gitstore.ID) { p.whole("task-1", "liza/task-1", p.base) }, 4},
		"restart": {
			func(p *project) { p.commitAll(p.branch("task-1", "liza/task-1").Path, "old work") },
			func(p *project, new gitstore.ID) { p.whole("task-1@2", "liza/task-1", new) }, 5},
		"detached": {
			func(*project) {},
			func(p *project, _ gitstore.ID) { p.whole("review", "", p.base) }, 3},
		"private": {func(*project) {}, func(p *project, _ gitstore.ID) { p.swept() }, 3},
		"follow":  {func(*project) {}, func(p *project, _ gitstore.ID) { p.arrived(p.dir) }, 8},
	} {
		for _, when := range []string{"KILL_BEFORE", "KILL_AFTER"} {
			t.Run(act+" "+when, func(t *testing.T) {
				t.Parallel()
				n := 1
				for ; ; n++ {
					p := newProject(t)
					new := p.base
					if act == "restart" || act == "follow" {
						new = p.next()
					}
					after.before(p)
					if !p.killed(act, when, n, new) {
						break
					}
					repo, err := gitstore.Open(context.Background(), p.dir)
					require.NoError(t, err)
					require.NoError(t, acts[act](context.Background(), p.Trees, repo, p.base, new), "after kill %d", n)
					require.NoError(t, repo.Close())
					after.check(p, new)
					require.Empty(t, p.git("for-each-ref", "refs/heads/liza/task-1@2"))
				}
				require.Greater(t, n, after.least, "it was killed too rarely")
			})
		}
	}
}

// States between two steps that no git process separates.
func TestHalfMade(t *testing.T) {
	t.Parallel()
	const marker = "git liza: being made"
	for name, leave := range map[string]func(p *project, admin string){
		"branch only": func(p *project, _ string) { p.git("branch", "liza/task-1") },
		"lock only":   func(p *project, admin string) { p.write(admin+"/locked", marker) },
		"no HEAD": func(p *project, admin string) {
			p.write(admin+"/locked", marker)
			p.write(admin+"/gitdir", filepath.Join(p.Path("task-1"), ".git")+"\n")
			require.NoError(p.t, os.MkdirAll(p.Path("task-1"), 0o777))
		},
		"an empty link": func(p *project, admin string) {
			p.write(admin+"/locked", marker)
			p.write(admin+"/gitdir", filepath.Join(p.Path("task-1"), ".git")+"\n")
			p.write(p.Path("task-1")+"/.git", "")
		},
		"some files, a lock on the index": func(p *project, admin string) {
			p.git("worktree", "add", "-q", "--no-checkout", "--lock", "--reason", marker, "-b", "liza/task-1", p.Path("task-1"))
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
			if name == "lock only" { // git never says so again; it stays, and harms nobody
				require.NoError(t, os.RemoveAll(filepath.Join(p.dir, ".git/worktrees/task-1")))
			}
			require.Equal(t, p.whole("task-1", "liza/task-1", p.base), tree)
			require.NoError(t, p.Remove(context.Background(), "task-1"))
			_, err = p.Prune(context.Background(), func(string) bool { return true })
			require.NoError(t, err)
			p.swept()
		})
	}
}

func TestRestoreKeepsWhatWasStaged(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	tree := p.branch("task-1", "liza/task-1")
	p.write(filepath.Join(tree.Path, "staged"), "staged\n")
	p.gitIn(tree.Path, "add", "staged")
	require.NoError(t, os.RemoveAll(tree.Path))
	require.Equal(t, tree, p.branch("task-1", "liza/task-1"))
	require.Equal(t, "staged\n", content(t, tree.Path, "staged"))
	require.Equal(t, []string{"staged"}, p.status(tree.Path).Changed())

	require.NoError(t, os.Remove(filepath.Join(tree.Path, ".git")))
	p.write(filepath.Join(tree.Path, "mine"), "mine\n")
	require.Equal(t, tree, p.branch("task-1", "liza/task-1"), "only the link was lost")
	require.Equal(t, []string{"mine", "staged"}, p.status(tree.Path).Changed())
}
