package worktrees_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// A family is a project with a submodule deps/lib, which has one at nest. The repositories that
// they come from are below from.
type family struct {
	*project
	from string
	said []string

	taken [][2]string // commits that the clone shall have when a checkout is gone, and where
}

var byFile = []string{"-c", "protocol.file.allow=always"}

func newFamily(t *testing.T) *family {
	t.Helper()
	f := &family{project: newProject(t), from: t.TempDir()}
	for _, name := range []string{"lib", "nest"} {
		f.git("init", "-q", "-b", "main", f.upstream(name))
		f.write(filepath.Join(f.upstream(name), "file"), name+"\n")
		f.write(filepath.Join(f.upstream(name), ".gitattributes"), "* filter=x\n")
		f.commitAll(f.upstream(name), name)
	}
	f.gitIn(f.upstream("lib"), append(byFile, "submodule", "--quiet", "add", "--name", "a nest", "../nest", "nest")...)
	f.commitAll(f.upstream("lib"), "nest")
	f.git(append(byFile, "submodule", "--quiet", "add", f.upstream("lib"), "deps/lib")...)
	f.git(append(byFile, "submodule", "--quiet", "update", "--init", "--recursive")...)
	f.base = f.commitAll(f.dir, "lib")
	repo, err := git.Open(context.Background(), f.dir)
	require.NoError(t, err)
	t.Cleanup(func() { repo.Close() })
	repo.Notice = func(line string) { f.said = append(f.said, line) }
	f.Trees, err = worktrees.Open(repo)
	require.NoError(t, err)
	return f
}

func (f *family) upstream(name string) string { return filepath.Join(f.from, name) }

// retired requires that a checkout goes, or is kept aside.
func (f *family) retired(name string, keeps bool) {
	f.t.Helper()
	require.NoError(f.t, f.Take(context.Background(), name))
	kept, err := f.Retire(context.Background(), name, nil, always)
	require.NoError(f.t, err)
	require.Equal(f.t, keeps, kept != "", "kept as %q", kept)
	require.NoDirExists(f.t, f.Path(name))
	for _, one := range f.taken {
		require.Contains(f.t, f.git("--git-dir="+one[0], "for-each-ref", "--format=%(refname)"), "refs/liza/rescue/"+name+"/"+one[1])
		f.git("--git-dir="+one[0], "fsck", "--full")
		require.Contains(f.t, strings.Join(f.said, "\n")+"\n", name+": commits of a submodule that nothing else has are kept: git --git-dir='"+one[0]+"' log --glob=refs/liza/rescue/"+name+"/\n")
	}
}

// Submodules that the main work tree has are filled without their remotes, and those in them, and
// git in the checkout finds everything as it would have made it.
func TestSubmodulesAreFilled(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	require.NoError(t, os.Rename(f.from, f.from+".off"))
	tree := f.branch("task-1", "liza/task-1")
	filled := func() {
		t.Helper()
		f.whole("task-1", "liza/task-1", f.base)
		require.Equal(t, "lib\n", content(t, tree.Path, "deps/lib/file"))
		require.Equal(t, "nest\n", content(t, tree.Path, "deps/lib/nest/file"))
		require.Equal(t, f.git("submodule", "status", "--recursive"), f.gitIn(tree.Path, "submodule", "status", "--recursive"))
	}
	filled()
	f.gitIn(tree.Path, "submodule", "--quiet", "update", "--init", "--recursive")
	f.gitIn(tree.Path, "fsck", "--full")
	f.gitIn(filepath.Join(tree.Path, "deps/lib"), "fsck", "--full")
	require.Equal(t, f.upstream("lib"), f.gitIn(filepath.Join(tree.Path, "deps/lib"), "remote", "get-url", "origin"))
	require.Equal(t, f.gitIn(filepath.Join(f.dir, "deps/lib"), "for-each-ref"), f.gitIn(filepath.Join(tree.Path, "deps/lib"), "for-each-ref"))
	require.Empty(t, f.said)

	require.NoError(t, os.RemoveAll(tree.Path))
	f.branch("task-1", "liza/task-1")
	filled()
	moved := f.dir + " moved"
	require.NoError(t, os.Rename(f.dir, moved))
	f.dir = moved
	f.Trees = f.open(moved)
	require.NoError(t, f.Leftovers.Clear(context.Background()))
	tree = f.branch("task-1", "liza/task-1")
	filled()
	f.retired("task-1", false)
}

// A commit that the clone's own submodule lacks is in nobody's way.
func TestSubmodulesThatLackACommit(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	lib := filepath.Join(f.dir, "deps/lib")
	was := f.gitIn(lib, "rev-parse", "HEAD")
	f.write(filepath.Join(f.upstream("lib"), "file"), "newer\n")
	newer := f.commitAll(f.upstream("lib"), "newer")
	f.git("update-index", "--cacheinfo", "160000,"+string(newer)+",deps/lib")
	f.git("commit", "-q", "-m", "newer")
	f.base = git.ID(f.git("rev-parse", "HEAD"))
	tree := f.branch("task-1", "liza/task-1")
	require.Len(t, f.said, 1)
	require.Contains(t, f.said[0], "task-1: the submodule deps/lib stays empty at "+newer.Short())
	left, err := os.ReadDir(filepath.Join(tree.Path, "deps/lib"))
	require.NoError(t, err)
	require.Empty(t, left)
	require.NoDirExists(t, filepath.Join(tree.Path, ".git/modules/deps/lib"))
	require.Empty(t, f.gitIn(tree.Path, "status", "--porcelain"))
	f.gitIn(tree.Path, append(byFile, "submodule", "--quiet", "update", "--init")...)
	require.Equal(t, "newer\n", content(t, tree.Path, "deps/lib/file"))
	f.retired("task-1", false)

	f.git("-c", "advice.detachedHead=false", "reset", "-q", "--hard", "HEAD~1")
	require.Equal(t, was, f.gitIn(lib, "rev-parse", "HEAD"))
	f.git("submodule", "--quiet", "deinit", "--all", "--force")
	f.base = git.ID(f.git("rev-parse", "HEAD"))
	tree = f.branch("task-2", "liza/task-2")
	require.NoFileExists(t, filepath.Join(tree.Path, "deps/lib/file"), "the main work tree has none either")
	require.Len(t, f.said, 1)
}

// Nothing that the configuration of a submodule names is run, neither the clone's nor the
// checkout's.
func TestSubmodulesRunNothing(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	x := f.trap()
	spring := func(gitDir string) {
		for key, value := range map[string]string{"filter.x.smudge": x.program, "filter.x.clean": x.program, "filter.x.process": x.program,
			"core.fsmonitor": x.program, "core.hooksPath": filepath.Join(gitDir, "hooks"), "core.sshCommand": x.program, "core.gitProxy": x.program,
			"remote.origin.uploadpack": x.program, "remote.origin.promisor": "true", "extensions.partialClone": "origin", "core.alternateRefsCommand": x.program} {
			f.git("config", "--file", filepath.Join(gitDir, "config"), key, value)
		}
		for _, hook := range []string{"post-checkout", "post-index-change", "reference-transaction"} {
			f.script(filepath.Join(gitDir, "hooks", hook), "#!/bin/sh\nexec "+x.program+"\n")
		}
	}
	modules := filepath.Join(f.dir, ".git/modules/deps/lib")
	spring(modules)
	spring(filepath.Join(modules, "modules/a nest"))
	tree := f.branch("task-1", "liza/task-1")
	require.FileExists(t, filepath.Join(tree.Path, "deps/lib/nest/file"))
	spring(filepath.Join(tree.Path, ".git/modules/deps/lib"))
	spring(filepath.Join(tree.Path, ".git/modules/deps/lib/modules/a nest"))
	require.True(t, f.status(tree.Path).Clean())
	lib := filepath.Join(tree.Path, "deps/lib")
	forged := f.gitIn(lib, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "commit-tree", "-m", "own", "-p", "HEAD", "HEAD^{tree}")
	f.write(filepath.Join(tree.Path, ".git/modules/deps/lib/HEAD"), forged+"\n")
	require.NoFileExists(t, x.ran)
	f.retired("task-1", false)
	require.NoFileExists(t, x.ran)
	require.FileExists(t, filepath.Join(modules, "refs/liza/rescue/task-1", forged))
}

// Whatever somebody changes in a submodule of a checkout, and whatever its configuration names, none
// of the program's git commands on the checkout starts another one there.
func TestSubmodulesAreNotOpened(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, change := range map[string]func(f *family, sub string){
		"touched":   func(f *family, sub string) { f.write(filepath.Join(sub, "file"), "lib\n") },
		"changed":   func(f *family, sub string) { f.write(filepath.Join(sub, "file"), "changed\n") },
		"untracked": func(f *family, sub string) { f.write(filepath.Join(sub, "new"), "x\n") },
		"moved":     func(f *family, sub string) { f.gitIn(sub, "commit", "-q", "--allow-empty", "-m", "moved") },
		"sparse":    func(f *family, sub string) { f.write(filepath.Join(sub, "file"), "changed\n") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFamily(t)
			x := f.trap()
			f.git("config", "--file", ".gitmodules", "submodule.deps/lib.ignore", "none")
			f.base = f.commitAll(f.dir, "asks git to look inside")
			path := f.branch("task-1", "liza/task-1").Path
			f.write("a", "later\n")
			later := f.commitAll(f.dir, "later")
			sub := filepath.Join(path, "deps", "lib")
			change(f, sub)
			for _, key := range []string{"filter.x.clean", "filter.x.smudge", "filter.x.process", "diff.external", "diff.x.textconv", "core.sshCommand", "core.fsmonitor"} {
				f.gitIn(sub, "config", key, x.program)
			}
			if name == "sparse" {
				f.git("sparse-checkout", "set", "--no-cone", "/*")
			}
			isMoved := name == "moved" // and so in the way
			for _, step := range []struct {
				name string
				do   func() error
			}{
				{"Changed", func() error { _, err := f.Contents.Changed(ctx, path); return err }},
				{"Fingerprint", func() error { _, err := f.Contents.Fingerprint(ctx, path); return err }},
				{"SetUp", func() error { return f.Contents.SetUp(ctx, path, func() error { return nil }) }},
				{"Check", func() error { return f.Followers.Check(ctx, "liza/task-1", f.base, later) }},
				{"Follow", func() error {
					f.git("update-ref", "refs/heads/liza/task-1", string(later))
					return f.Followers.Follow(ctx, "liza/task-1", f.base, later)
				}},
				{"Snapshot", func() error {
					f.write(filepath.Join(path, "b", "c"), "work\n")
					_, err := f.Contents.Snapshot(ctx, path, "saved", nil)
					return err
				}},
				{"Commit", func() error { return f.Contents.Commit(ctx, path, "work", os.Environ()) }},
				{"RewriteObjects", func() error { return f.Contents.RewriteObjects(ctx) }},
				{"MendIndexes", func() error { return f.Contents.MendIndexes(ctx) }},
				{"Return", func() error {
					f.gitIn(path, "update-ref", "--no-deref", "HEAD", "HEAD")
					returned, err := f.Contents.Return(ctx, path, "liza/task-1")
					require.Equal(t, !isMoved, returned)
					return err
				}},
				{"Branch", func() error { _, err := f.Branch(ctx, "task-1", "liza/task-1", f.base); return err }},
				{"Retire", func() error { _, err := f.Retire(ctx, "task-1", nil, always); return err }},
			} {
				err := step.do()
				if !isMoved {
					require.NoError(t, err, step.name)
				}
				require.NoFileExists(t, x.ran, step.name)
			}
		})
	}
}

// commits makes a commit in a submodule of task-1, which the clone has once the checkout is gone.
func (f *family) commits(dir string, more ...string) bool {
	f.t.Helper()
	f.gitIn(dir, append([]string{"commit", "-q", "--allow-empty", "-m", "own"}, more...)...)
	f.takes(dir, "HEAD")
	return false
}

// takes has retired require that the clone's submodule has got a commit by a ref of its own.
func (f *family) takes(dir, rev string) {
	f.t.Helper()
	f.taken = append(f.taken, [2]string{strings.Replace(f.gitIn(dir, "rev-parse", "--absolute-git-dir"), f.Path("task-1")+"/", f.dir+"/", 1), f.gitIn(dir, "rev-parse", rev)})
}

// A checkout goes with its submodules, unless one of them has what no commit has. What only it has
// committed is taken over.
func TestSubmodulesAreKept(t *testing.T) {
	t.Parallel()
	for name, work := range map[string]func(f *family, lib string) (keeps bool){
		"nothing": func(*family, string) bool { return false },
		"moved to a branch": func(f *family, lib string) bool {
			f.gitIn(lib, "checkout", "-q", "-B", "mine", "origin/main")
			return false
		},
		"ignored files": func(f *family, lib string) bool {
			f.write(filepath.Join(f.dir, ".git/info/exclude"), "*.o\n")
			f.write(filepath.Join(lib, "x.o"), "x")
			return false
		},
		"two stashes": func(f *family, lib string) bool {
			for _, text := range []string{"one\n", "two\n"} {
				f.write(filepath.Join(lib, "file"), text)
				f.gitIn(lib, "stash")
			}
			return true
		},
		"a tag of its own": func(f *family, lib string) bool {
			f.gitIn(lib, "commit", "-q", "--allow-empty", "-m", "own")
			f.gitIn(lib, "tag", "mine")
			f.gitIn(lib, "reset", "-q", "--hard", "HEAD^")
			return true
		},
		"a tag of what the remote has": func(f *family, lib string) bool {
			f.gitIn(lib, "tag", "-m", "theirs", "theirs")
			return false
		},
		"a commit of its own": func(f *family, lib string) bool { return f.commits(lib) },
		"a commit that the checkout has committed": func(f *family, lib string) bool {
			f.write(filepath.Join(lib, "file"), "own\n")
			f.commits(lib, "-a")
			f.commitAll(f.Path("task-1"), "moved")
			return false
		},
		"a commit on a branch": func(f *family, lib string) bool {
			f.gitIn(lib, "checkout", "-q", "-b", "mine")
			return f.commits(lib)
		},
		"a commit beyond one that was pushed": func(f *family, lib string) bool {
			f.gitIn(lib, "commit", "-q", "--allow-empty", "-m", "own")
			f.gitIn(lib, "push", "-q", "origin", "HEAD:refs/heads/new")
			return f.commits(lib)
		},
		"a commit that was pushed": func(f *family, lib string) bool {
			f.gitIn(lib, "commit", "-q", "--allow-empty", "-m", "own")
			f.gitIn(lib, "push", "-q", "origin", "HEAD:refs/heads/new")
			f.commitAll(f.Path("task-1"), "moved")
			return false
		},
		"a commit that the clone has": func(f *family, lib string) bool {
			f.gitIn(lib, "commit", "-q", "--allow-empty", "-m", "own")
			f.gitIn(filepath.Join(f.dir, "deps/lib"), "fetch", "-q", lib, "HEAD:mine")
			f.commitAll(f.Path("task-1"), "moved")
			return false
		},
		"a branch": func(f *family, lib string) bool {
			f.commits(lib)
			f.gitIn(lib, "branch", "own")
			f.gitIn(lib, "checkout", "-q", "HEAD~1")
			return false
		},
		"a stash": func(f *family, lib string) bool {
			f.write(filepath.Join(lib, "file"), "own\n")
			f.gitIn(lib, "stash", "-q")
			f.takes(lib, "stash")
			return false
		},
		"a change": func(f *family, lib string) bool {
			f.write(filepath.Join(lib, "file"), "own\n")
			return true
		},
		"a new file": func(f *family, lib string) bool {
			f.write(filepath.Join(lib, "new"), "own\n")
			return true
		},
		"a file that is gone": func(f *family, lib string) bool {
			require.NoError(f.t, os.Remove(filepath.Join(lib, "file")))
			return true
		},
		"a change further inside": func(f *family, lib string) bool {
			f.write(filepath.Join(lib, "nest/file"), "own\n")
			return true
		},
		"a commit further inside": func(f *family, lib string) bool {
			return f.commits(filepath.Join(lib, "nest"))
		},
		"a work tree elsewhere": func(f *family, lib string) bool {
			f.gitIn(lib, "config", "core.worktree", f.from)
			return true
		},
		"a commit and a change": func(f *family, lib string) bool {
			f.gitIn(lib, "commit", "-q", "--allow-empty", "-m", "own")
			f.write(filepath.Join(lib, "file"), "own\n")
			return true
		},
		"a commit that cannot be read": func(f *family, lib string) bool {
			f.commitMissing(lib, "100644 blob", "lost")
			return true
		},
		"a commit that is not what it is called": func(f *family, lib string) bool {
			f.misnamed(f.gitIn(lib, "rev-parse", "--absolute-git-dir"))
			return true
		},
		"objects that are borrowed elsewhere": func(f *family, lib string) bool {
			f.gitIn(lib, "commit", "-q", "--allow-empty", "-m", "own")
			path := filepath.Join(f.gitIn(lib, "rev-parse", "--absolute-git-dir"), "objects/info/alternates")
			f.write(path, content(f.t, path)+f.t.TempDir()+"\n")
			return true
		},
		"emptied": func(f *family, lib string) bool {
			f.gitIn(f.Path("task-1"), "submodule", "--quiet", "deinit", "deps/lib")
			return true
		},
		"a commit of one that was emptied": func(f *family, lib string) bool {
			f.gitIn(lib, "commit", "-q", "--allow-empty", "-m", "own")
			f.gitIn(f.Path("task-1"), "submodule", "--quiet", "deinit", "--force", "deps/lib")
			return true
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFamily(t)
			tree := f.branch("task-1", "liza/task-1")
			keeps := work(f, filepath.Join(tree.Path, "deps/lib"))
			f.retired("task-1", keeps)
		})
	}
}

// A submodule that the clone has not, and the set-up fills, is in nobody's way either.
func TestSubmodulesOfTheCheckoutAlone(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	f.gitIn(f.upstream("lib"), "checkout", "-q", "-b", "released")
	f.gitIn(f.upstream("lib"), "commit", "-q", "--allow-empty", "-m", "released")
	f.gitIn(f.upstream("lib"), "tag", "-a", "-m", "x", "v1")
	f.gitIn(f.upstream("lib"), "checkout", "-q", "main")
	f.gitIn(f.upstream("lib"), "branch", "-q", "-D", "released")
	f.git("config", "submodule.alternateLocation", "superproject")
	f.git("submodule", "--quiet", "deinit", "--all", "--force")
	require.NoError(t, os.RemoveAll(filepath.Join(f.dir, ".git/modules")))
	for name, keeps := range map[string]bool{"task-1": false, "task-2": true} {
		tree := f.branch(name, "liza/"+name)
		f.gitIn(tree.Path, append(byFile, "submodule", "--quiet", "update", "--init", "--recursive")...)
		if keeps {
			f.gitIn(filepath.Join(tree.Path, "deps/lib"), "commit", "-q", "--allow-empty", "-m", "own")
			f.commitAll(tree.Path, "moved")
		}
		f.retired(name, keeps)
	}
}

// Others can get what a remote has, and what the base has.
func TestCheckLinks(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	tree := f.branch("task-1", "liza/task-1")
	lib := filepath.Join(tree.Path, "deps/lib")
	check := func() *worktrees.Obstacle {
		t.Helper()
		f.commitAll(tree.Path, "moved")
		require.NoError(t, f.Take(context.Background(), "task-1"))
		o, err := f.CheckLinks(context.Background(), f.base, git.ID(f.git("rev-parse", "liza/task-1")), "task-1", "liza/task-1")
		require.NoError(t, err)
		return o
	}
	require.Nil(t, check())
	f.gitIn(lib, "checkout", "-q", "HEAD~1")
	require.Nil(t, check())
	f.gitIn(lib, "commit", "-q", "--allow-empty", "-m", "own")
	o := check()
	require.Contains(t, o.Reason, "no remote of it has")
	f.gitIn(filepath.Join(f.dir, "deps/lib"), "fetch", "-q", lib, "HEAD:mine")
	require.Equal(t, o, check(), "the clone alone is not enough")
	f.typed(o.Hint)
	require.Nil(t, check())
	f.git("submodule", "--quiet", "deinit", "--all", "--force")
	o = check()
	require.Contains(t, o.Reason, "is not here")
	f.typed(o.Hint)
	require.Nil(t, check())

	own := filepath.Join(f.dir, "deps/lib")
	f.gitIn(own, "commit", "-q", "--allow-empty", "-m", "first of a person")
	f.gitIn(own, "commit", "-q", "--allow-empty", "-m", "second of a person")
	known := f.commitAll(f.dir, "known")
	f.gitIn(own, "checkout", "-q", "HEAD~1")
	back := f.commitAll(f.dir, "back")
	for base, has := range map[git.ID]bool{known: true, f.base: false} {
		o, err := f.CheckLinks(context.Background(), base, back, "task-1", "liza/task-1")
		require.NoError(t, err)
		require.Equal(t, has, o == nil)
	}
}

// Whoever returns a checkout to its branch leaves submodules alone, whatever the person's git does.
func TestReturnLeavesSubmodules(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	f.git("config", "submodule.recurse", "true")
	tree := f.branch("task-1", "liza/task-1")
	lib := filepath.Join(tree.Path, "deps/lib")
	f.gitIn(tree.Path, "config", "submodule.recurse", "false")
	f.gitIn(tree.Path, "checkout", "-q", "-b", "other")
	f.gitIn(lib, "checkout", "-q", "HEAD~1")
	f.commitAll(tree.Path, "moved")
	back, err := f.Contents.Return(context.Background(), tree.Path, "liza/task-1")
	require.NoError(t, err)
	require.True(t, back)
	f.gitIn(lib, "rev-parse", "HEAD")
	f.gitIn(tree.Path, "status")
}

// Of a submodule with a cut history there is as much as the clone has.
func TestShallowSubmodules(t *testing.T) {
	t.Parallel()
	f := newFamily(t)
	f.gitIn(filepath.Join(f.dir, "deps/lib"), "fetch", "-q", "--depth=1", "file://"+f.upstream("lib"), "main")
	tree := f.branch("task-1", "liza/task-1")
	f.whole("task-1", "liza/task-1", f.base)
	lib := filepath.Join(tree.Path, "deps/lib")
	require.Equal(t, "1", f.gitIn(lib, "rev-list", "--count", "HEAD"))
	f.gitIn(lib, "checkout", "-q", "-b", "mine")
	f.retired("task-1", false)
}
