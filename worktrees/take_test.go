package worktrees_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// Work that is committed while a task's branch is not the agent's to move is brought, and
// moves the branch once it is.
func TestTakeLeavesBranches(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	free := false
	p.FreeBranches = func(_ context.Context, branch string) bool { return free || branch != "liza/task-1" }
	tree := p.branch("task-1", "liza/task-1")
	p.write(filepath.Join(tree.Path, "new"), "x\n")
	later := p.commitAll(tree.Path, "later")
	for range 2 {
		require.NoError(t, p.Take(ctx, "task-1"))
		require.Equal(t, string(p.base), p.git("rev-parse", "liza/task-1"))
		require.Equal(t, string(later), p.git("--git-dir=.git/worktrees/task-1", "rev-parse", "HEAD"))
		require.Equal(t, "liza/task-1", p.gitIn(tree.Path, "branch", "--show-current"), "the agent sees no change")
	}
	p.write(filepath.Join(tree.Path, "new"), "y\n")
	latest := p.commitAll(tree.Path, "latest")
	free = true
	p.branch("task-1", "liza/task-1")
	p.whole("task-1", "liza/task-1", latest)
}

// The branch of a task whose checkout is detached outside already is taken from it inside too.
func TestDetachTwice(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	tree := p.branch("task-1", "liza/task-1")
	p.write(filepath.Join(tree.Path, "new"), "x\n")
	later := p.commitAll(tree.Path, "later")
	p.FreeBranches = func(context.Context, string) bool { return false }
	require.NoError(t, p.Take(ctx, "task-1"))
	require.NoError(t, p.Detach(ctx, "task-1", "liza/task-1"))
	require.Empty(t, p.gitIn(tree.Path, "branch", "--show-current"))
	require.Equal(t, string(later), p.gitIn(tree.Path, "rev-parse", "HEAD"))
	p.git("branch", "-D", "liza/task-1")
	found, whole, err := p.Find(ctx, "task-1")
	require.NoError(t, err)
	require.True(t, whole)
	require.Equal(t, later, found.Head)
	require.Empty(t, p.git("branch", "--list", "liza/*"), "nothing inside brings it back")
}

// A person renames the task's branch, and git the HEAD of the entry with it. The checkout is on the
// task's, which comes back at once, and the other stays, as is said once.
func TestTakeAfterRename(t *testing.T) {
	t.Parallel()
	for name, commits := range map[string]bool{"nothing new": false, "with work": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			repo, err := git.Open(context.Background(), p.dir)
			require.NoError(t, err)
			defer repo.Close()
			var said []string
			repo.Notice = func(line string) { said = append(said, line) }
			p.Trees, err = worktrees.Open(repo)
			require.NoError(t, err)
			tree := p.branch("task-1", "liza/task-1")
			first := p.commitAll(tree.Path, "first")
			require.NoError(t, p.Take(context.Background(), "task-1"))
			require.Empty(t, said)
			p.git("branch", "-m", "liza/task-1", "other")
			latest := first
			if commits {
				latest = p.commitAll(tree.Path, "latest")
			}
			for range 2 {
				require.NoError(t, p.Take(context.Background(), "task-1"))
			}
			require.Equal(t, []string{"task-1: its branch in the clone is liza/task-1 again; what it was renamed to stays: git branch -D other"}, said)
			require.Equal(t, string(latest)+"\n"+string(first), p.git("rev-parse", "refs/heads/liza/task-1", "other"))
			p.whole("task-1", "liza/task-1", latest)
		})
	}
}

// Refs inside are renewed as the clone's are, but for those that were moved inside.
func TestRenew(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	p.git("branch", "side")
	p.git("branch", "kept")
	p.git("branch", "other")
	p.SetIntegration(func(context.Context) string { return "kept" })
	tree := p.branch("task-1", "liza/task-1")
	require.Equal(t, "kept\nliza/task-1\nmain", p.gitIn(tree.Path, "branch", "--format=%(refname:short)"))
	p.gitIn(tree.Path, "branch", "-q", "side", "origin/side")
	own := p.gitIn(tree.Path, "commit-tree", "-m", "own", "HEAD^{tree}")
	p.gitIn(tree.Path, "update-ref", "refs/heads/kept", own)
	p.write("a", "moved\n")
	moved := p.commitAll(p.dir, "moved")
	p.git("branch", "-f", "side", string(moved))
	p.git("branch", "-f", "kept", string(moved))
	p.git("branch", "-f", "other", string(moved))
	p.git("branch", "new", string(moved))
	require.NoError(t, p.Renew(ctx, "task-1"))
	for ref, want := range map[string]git.ID{"refs/heads/side": moved, "refs/heads/main": moved, "refs/heads/kept": git.ID(own),
		"refs/remotes/origin/kept": moved, "refs/remotes/origin/new": moved, "refs/remotes/origin/other": moved, "refs/remotes/origin/HEAD": moved} {
		require.Equal(t, string(want), p.gitIn(tree.Path, "rev-parse", ref), ref)
	}
	require.Equal(t, "kept\nliza/task-1\nmain\nside", p.gitIn(tree.Path, "branch", "--format=%(refname:short)"))
	out := t.TempDir()
	require.NoError(t, os.RemoveAll(filepath.Join(tree.Path, ".git", "refs", "remotes", "origin")))
	require.NoError(t, os.Symlink(out, filepath.Join(tree.Path, ".git", "refs", "remotes", "origin")))
	require.Error(t, p.Renew(ctx, "task-1"), "nothing is written through a link that leads out")
	left, err := os.ReadDir(out)
	require.NoError(t, err)
	require.Empty(t, left)
}

// A branch that is checked out inside is not moved below its files, nor in a worktree that an
// agent has added there.
func TestRenewLeavesWhatIsCheckedOut(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	p.git("branch", "side")
	p.git("branch", "there")
	p.SetIntegration(func(context.Context) string { return "there" })
	tree := p.branch("task-1", "liza/task-1")
	p.gitIn(tree.Path, "checkout", "-q", "there")
	added := filepath.Join(t.TempDir(), "added")
	p.gitIn(tree.Path, "worktree", "add", "-q", "-b", "side", added, "origin/side")
	p.write("a", "moved\n")
	moved := p.commitAll(p.dir, "moved")
	p.git("branch", "-f", "side", string(moved))
	p.git("branch", "-f", "there", string(moved))
	require.NoError(t, p.Renew(ctx, "task-1"))
	for _, dir := range []string{tree.Path, added} {
		require.Empty(t, p.gitIn(dir, "status", "--porcelain"))
		require.Equal(t, string(p.base), p.gitIn(dir, "rev-parse", "HEAD"))
	}
	for _, ref := range []string{"main", "origin/there", "origin/side"} {
		require.Equal(t, string(moved), p.gitIn(tree.Path, "rev-parse", ref), ref)
	}
}

// A ref inside whose object the person's gc took goes, since git there fails while it is there, and
// is named. What only the repository inside has stays.
func TestRenewDropsLostRefs(t *testing.T) {
	t.Parallel()
	for name, pack := range map[string]func(p *project, dir string){
		"loose":  func(*project, string) {},
		"packed": func(p *project, dir string) { p.gitIn(dir, "pack-refs", "--all") },
		"both": func(p *project, dir string) {
			p.gitIn(dir, "update-ref", "refs/heads/moved", "main")
			p.gitIn(dir, "pack-refs", "--all")
			p.gitIn(dir, "update-ref", "refs/heads/moved", "gone")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			repo, err := git.Open(context.Background(), p.dir)
			require.NoError(t, err)
			t.Cleanup(func() { repo.Close() })
			var said []string
			repo.Notice = func(line string) { said = append(said, line) }
			p.Trees, err = worktrees.Open(repo)
			require.NoError(t, err)
			tree := p.branch("task-1", "liza/task-1")
			gone := p.git("commit-tree", "-m", "gone", "HEAD^{tree}")
			own := p.gitIn(tree.Path, "commit-tree", "-m", "own", "HEAD^{tree}")
			for ref, id := range map[string]string{"heads/gone": gone, "heads/moved": gone, "tags/gone": gone, "remotes/origin/main": gone, "heads/own": own} {
				p.gitIn(tree.Path, "update-ref", "refs/"+ref, id)
			}
			p.gitIn(tree.Path, "tag", "-m", "annotated", "leads", gone)
			pack(p, tree.Path)
			p.git("gc", "-q", "--prune=now")
			_, err = p.tryIn(tree.Path, "log", "--all")
			require.Error(t, err)

			require.NoError(t, p.Renew(context.Background(), "task-1"))
			require.Equal(t, []string{"task-1: refs inside are dropped, since their objects are gone: refs/heads/gone, refs/heads/moved, refs/remotes/origin/main, refs/tags/gone, refs/tags/leads"}, said)
			for _, command := range []string{"log --all", "fetch", "gc", "fsck"} {
				p.gitIn(tree.Path, strings.Fields(command)...)
			}
			left := strings.Fields(p.gitIn(tree.Path, "for-each-ref", "--format=%(refname)"))
			want := []string{"refs/heads/liza/task-1", "refs/heads/main", "refs/heads/own", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"}
			if name == "both" {
				want = slices.Insert(want, 2, "refs/heads/moved") // as it was packed
			}
			require.Equal(t, want, left)
			require.NoError(t, p.Renew(context.Background(), "task-1"))
			require.Len(t, said, 1)
		})
	}
}

// What is inside may be anything: what cannot be trusted is refused with what helps, and the
// clone stays as it was.
func TestTakeRefuses(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, one := range map[string]struct {
		spoil  func(p *project, dotGit string)
		reason string
	}{
		"objects elsewhere": {func(p *project, dotGit string) {
			p.write(filepath.Join(dotGit, "objects/info/alternates"), content(p.t, dotGit, "objects/info/alternates")+p.t.TempDir()+"\n")
		}, "does not name the objects of the clone alone"},
		"objects behind a link": {func(p *project, dotGit string) {
			away := filepath.Join(p.t.TempDir(), "objects")
			require.NoError(p.t, os.Rename(filepath.Join(dotGit, "objects"), away))
			require.NoError(p.t, os.Symlink(away, filepath.Join(dotGit, "objects")))
		}, "is no folder of git's"},
		"refs as `git refs migrate --ref-format=reftable` leaves them": {func(p *project, dotGit string) {
			p.write(filepath.Join(dotGit, "reftable/tables.list"), "0x000000000001-0x000000000002-12345678.ref\n")
			p.write(filepath.Join(dotGit, "HEAD"), "ref: refs/heads/.invalid\n")
		}, "keeps its refs in reftables"},
		"an object that is a pipe": {func(p *project, dotGit string) {
			blob := p.gitIn(filepath.Dir(dotGit), "rev-parse", "HEAD:new")
			path := filepath.Join(dotGit, "objects", blob[:2], blob[2:])
			require.NoError(p.t, os.Remove(path))
			require.NoError(p.t, syscall.Mkfifo(path, 0o666))
		}, "git may wait for it"},
		"an object that is not what it is called": {func(p *project, dotGit string) {
			blob := p.gitIn(filepath.Dir(dotGit), "rev-parse", "HEAD:new")
			path := filepath.Join(dotGit, "objects", blob[:2], blob[2:])
			require.NoError(p.t, os.Remove(path))
			other := p.gitIn(filepath.Dir(dotGit), "hash-object", "-w", "other")
			require.NoError(p.t, os.Rename(filepath.Join(dotGit, "objects", other[:2], other[2:]), path))
		}, "has commits that cannot be read"},
		"a tree that leads into a git directory": {func(p *project, dotGit string) {
			dir := filepath.Dir(dotGit)
			blob := p.gitIn(dir, "rev-parse", "HEAD:new")
			cmd := exec.Command("git", "mktree")
			cmd.Dir, cmd.Stdin = dir, strings.NewReader("100644 blob "+blob+"\t.git\n")
			tree, err := cmd.Output()
			require.NoError(p.t, err)
			p.gitIn(dir, "update-ref", "HEAD", p.gitIn(dir, "commit-tree", "-m", "bad", "-p", "HEAD", strings.TrimSpace(string(tree))))
		}, "has commits that cannot be read"},
		"a file that nobody has": {func(p *project, dotGit string) {
			p.commitMissing(filepath.Dir(dotGit), "100644 blob", "lost")
		}, "has commits that cannot be read"},
		"a folder that nobody has": {func(p *project, dotGit string) {
			p.commitMissing(filepath.Dir(dotGit), "040000 tree", "lost")
		}, "has commits that cannot be read"},
		"a file that nobody has, in the commit before": {func(p *project, dotGit string) {
			p.commitMissing(filepath.Dir(dotGit), "100644 blob", "lost")
			p.gitIn(filepath.Dir(dotGit), "update-ref", "HEAD", p.gitIn(filepath.Dir(dotGit), "commit-tree", "-m", "fine", "-p", "HEAD", string(p.base)+"^{tree}"))
		}, "has commits that cannot be read"},
		"a commit that nobody has": {func(p *project, dotGit string) {
			p.forge(dotGit, "tree "+p.git("rev-parse", "main^{tree}")+"\nparent "+strings.Repeat("1", len(p.base))+"\n")
		}, "has commits that cannot be read"},
		"a commit that is not what it is called": {func(p *project, dotGit string) { p.misnamed(dotGit) }, "has commits that cannot be read"},
		"one that is on no branch": {func(p *project, dotGit string) {
			p.gitIn(filepath.Dir(dotGit), "checkout", "-q", "--detach")
			p.gitIn(filepath.Dir(dotGit), "branch", "-q", "-f", "liza/task-1", string(p.base))
			p.misnamed(dotGit)
		}, "has commits that cannot be read"},
		"a tree for a commit": {func(p *project, dotGit string) {
			p.write(filepath.Join(dotGit, "HEAD"), p.gitIn(filepath.Dir(dotGit), "rev-parse", "HEAD^{tree}")+"\n")
		}, "has commits that cannot be read"},
		"an object that is gone": {func(p *project, dotGit string) {
			blob := p.gitIn(filepath.Dir(dotGit), "rev-parse", "HEAD:new")
			require.NoError(p.t, os.Remove(filepath.Join(dotGit, "objects", blob[:2], blob[2:])))
		}, "has commits that cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			tree := p.branch("task-1", "liza/task-1")
			p.write(filepath.Join(tree.Path, "new"), "x\n")
			work := p.commitAll(tree.Path, "work")
			p.write(filepath.Join(tree.Path, "other"), "other\n")
			one.spoil(p, filepath.Join(tree.Path, ".git"))
			before := p.git("for-each-ref") + p.git("count-objects")
			err := p.Take(ctx, "task-1")
			var obstacle *worktrees.Obstacle
			require.ErrorAs(t, err, &obstacle)
			require.ErrorContains(t, err, one.reason)
			require.Equal(t, before, p.git("for-each-ref")+p.git("count-objects"))
			_, err = p.tryIn(p.dir, "cat-file", "-e", string(work))
			require.Error(t, err)
		})
	}
}

// commitMissing commits a tree with an entry that names an object which is nowhere.
func (p *project) commitMissing(dir, kind, name string) {
	p.t.Helper()
	cmd := exec.Command("git", "mktree", "--missing")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(kind+" "+strings.Repeat("1", len(p.base))+"\t"+name+"\n")
	tree, err := cmd.Output()
	require.NoError(p.t, err)
	p.gitIn(dir, "update-ref", "HEAD", p.gitIn(dir, "commit-tree", "-m", name, "-p", "HEAD", strings.TrimSpace(string(tree))))
}

// misnamed has the file of the commit that is checked out at a git directory be one of another.
func (p *project) misnamed(gitDir string) {
	p.t.Helper()
	one := p.git("--git-dir="+gitDir, "commit-tree", "-m", "one", "-p", "HEAD", "HEAD^{tree}")
	other := p.git("--git-dir="+gitDir, "commit-tree", "-m", "other", "-p", "HEAD", "HEAD^{tree}")
	p.git("--git-dir="+gitDir, "update-ref", "HEAD", one)
	path := func(id string) string { return filepath.Join(gitDir, "objects", id[:2], id[2:]) }
	require.NoError(p.t, os.Rename(path(other), path(one)))
}

// forge has HEAD inside be a commit that git would not make.
func (p *project) forge(dotGit, begin string) {
	p.t.Helper()
	cmd := exec.Command("git", "hash-object", "-t", "commit", "-w", "--stdin")
	cmd.Dir, cmd.Stdin = filepath.Dir(dotGit), strings.NewReader(begin+"author a <a@a> 0 +0000\ncommitter a <a@a> 0 +0000\n\nforged\n")
	id, err := cmd.Output()
	require.NoError(p.t, err)
	p.write(filepath.Join(dotGit, "refs/heads/liza/task-1"), string(id))
}

// The hint for alternates that are a link leaves alone where the link leads.
func TestAlternatesBehindALink(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	tree := p.branch("task-1", "liza/task-1")
	p.write(filepath.Join(tree.Path, "new"), "x\n")
	work := p.commitAll(tree.Path, "work")
	path, dear := filepath.Join(tree.Path, ".git/objects/info/alternates"), filepath.Join(t.TempDir(), "dear")
	ours := content(t, filepath.Dir(path), "alternates")
	p.write(dear, "dear\n")
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Symlink(dear, path))
	p.typed(obstacle(t, p.Take(context.Background(), "task-1")).Hint)
	require.Equal(t, "dear\n", content(t, filepath.Dir(dear), "dear"))
	require.Equal(t, ours, content(t, filepath.Dir(path), "alternates"))
	require.NoError(t, p.Take(context.Background(), "task-1"))
	require.Equal(t, string(work), p.git("rev-parse", "liza/task-1"))
}

// A session that edits the main work tree has none of its files run as a filter when the
// changes are counted.
func TestChangedRunsNoFilter(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	trap := p.trap()
	p.script("filter.sh", "#!/bin/sh\nexec "+trap.program+"\n")
	p.write(".gitattributes", "a filter=mine\n")
	p.base = p.commitAll(p.dir, "filter")
	p.git("config", "filter.mine.clean", "./filter.sh")
	p.write("a", "two\n") // as long as before, so git looks into it
	_, _ = p.Contents.Changed(context.Background(), p.dir)
	require.NoFileExists(t, trap.ran)
	p.git("config", "--unset", "filter.mine.clean")
	changed, err := p.Contents.Changed(context.Background(), p.dir)
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, changed)
}

// A commit inside runs the hooks that the clone has, wherever they are, and no shell for others.
func TestHooksInside(t *testing.T) {
	ctx := context.Background()
	home := t.TempDir()
	t.Setenv("HOME", home)
	for name, one := range map[string]struct{ folder, set string }{
		"of the clone": {".git/hooks", ""}, "relative": {".husky", ".husky"}, "of the home": {filepath.Join(home, "hooks"), "~/hooks"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t)
			if one.set != "" {
				p.git("config", "core.hooksPath", one.set)
			}
			ran := filepath.Join(t.TempDir(), "ran")
			p.hook(filepath.Join(one.folder, "pre-commit"), "echo pre-commit >>"+ran+"\n")
			p.base = p.commitAll(p.dir, "hooks")
			require.NoError(t, os.RemoveAll(ran))
			tree := p.branch("task-1", "liza/task-1")
			p.commitAll(tree.Path, "work")
			require.Equal(t, "pre-commit\n", content(t, ran))
			p.hook(filepath.Join(one.folder, "post-commit"), "echo post-commit >>"+ran+"\n")
			if one.set == ".husky" {
				p.gitIn(tree.Path, "checkout", "-q", "-B", "liza/task-1", string(p.commitAll(p.dir, "more")))
			}
			require.NoError(t, os.RemoveAll(ran))
			require.NoError(t, p.Renew(ctx, "task-1"))
			p.commitAll(tree.Path, "more work")
			require.Equal(t, "pre-commit\npost-commit\n", content(t, ran))
			require.NoFileExists(t, filepath.Join(tree.Path, ".git/hooks/commit-msg"))
		})
	}
}

// An agent pushes nothing, wherever it means to; a person who works in a checkout does.
func TestAgentsPushNothing(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	tree := p.branch("task-1", "liza/task-1")
	fork := filepath.Join(t.TempDir(), "fork.git")
	p.git("init", "-q", "--bare", fork)
	push := exec.Command("git", "push", "-q", fork, "HEAD:refs/heads/leak")
	push.Dir, push.Env = tree.Path, append(os.Environ(), "LIZA_AGENT_ID=coder-1", "LIZA_TASK=task-1")
	said, err := push.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(said), "nothing is pushed from a worktree: git liza submit task-1\n")
	require.Empty(t, p.gitIn(fork, "for-each-ref"))
	p.gitIn(tree.Path, "push", "-q", fork, "HEAD:refs/heads/mine")
	require.NotEmpty(t, p.gitIn(fork, "for-each-ref"))
}

// A folder that a session has moved away, and a link in its place, is not taken for it.
func TestLinkInPlaceOfACheckout(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	tree := p.branch("task-1", "liza/task-1")
	p.commitAll(tree.Path, "work")
	moved := filepath.Join(t.TempDir(), "moved")
	require.NoError(t, os.Rename(tree.Path, moved))
	require.NoError(t, os.Symlink(moved, tree.Path))
	var o *worktrees.Obstacle
	require.ErrorAs(t, p.Take(context.Background(), "task-1"), &o)
	require.Contains(t, o.Error(), "is a link")
	require.Equal(t, "rm '"+tree.Path+"'", o.Hint)
	require.Equal(t, string(p.base), p.git("rev-parse", "liza/task-1"))
}

// Ten nested folders are ten objects, and ten billion files for whoever reads them all.
func TestTakeRefusesATower(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	tree := p.branch("task-1", "liza/task-1")
	id, kind := p.gitIn(tree.Path, "rev-parse", "HEAD:a"), "100644 blob"
	for range 10 {
		var lines strings.Builder
		for n := range 10 {
			fmt.Fprintf(&lines, "%s %s\t%d\n", kind, id, n)
		}
		cmd := exec.Command("git", "mktree")
		cmd.Dir, cmd.Stdin = tree.Path, strings.NewReader(lines.String())
		text, err := cmd.Output()
		require.NoError(t, err)
		id, kind = strings.TrimSpace(string(text)), "040000 tree"
	}
	p.gitIn(tree.Path, "update-ref", "HEAD", p.gitIn(tree.Path, "commit-tree", "-m", "tower", "-p", "HEAD", id))
	before := p.git("for-each-ref")
	require.ErrorContains(t, p.Take(context.Background(), "task-1"), "has a commit that is not read: ")
	require.Equal(t, before, p.git("for-each-ref"))
	again := p.Take(context.Background(), "task-1") // the clone has the objects then
	require.ErrorContains(t, again, "has a commit that is not read: ")
	require.Equal(t, before, p.git("for-each-ref"))
	p.typed(obstacle(t, again).Hint)
	require.NoError(t, p.Take(context.Background(), "task-1"))
	require.Equal(t, string(p.base), p.git("rev-parse", "liza/task-1"))
}
