package worktrees_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// purge removes what no ref of the clone leads to, as a person may at any time.
func (p *project) purge() {
	p.t.Helper()
	p.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
	p.git("gc", "-q", "--prune=now")
}

// sound requires that nothing is missing in a checkout, and that what is committed there can
// be brought.
func (p *project) sound(name string) {
	p.t.Helper()
	require.Empty(p.t, p.gitIn(p.Path(name), "fsck", "--no-dangling", "--no-progress"))
	require.NoError(p.t, p.Take(context.Background(), name))
	require.Empty(p.t, p.git("fsck", "--no-dangling", "--no-progress"))
}

// feature makes a commit that only the clone's branch feature leads to.
func (p *project) feature(file string) {
	p.t.Helper()
	p.git("checkout", "-q", "-B", "feature", "main")
	p.write(file, file+"\n")
	p.commitAll(p.dir, file)
	p.git("checkout", "-q", "main")
}

func (p *project) pins() string {
	return p.git("for-each-ref", "--format=%(refname)", "refs/liza/pins")
}

// otherRefs are all refs but the pins.
func (p *project) otherRefs() string {
	return strings.Join(slices.DeleteFunc(strings.Split(p.git("for-each-ref"), "\n"), func(line string) bool { return strings.Contains(line, "\trefs/liza/pins/") }), "\n")
}

// What a checkout borrows from the clone stays there while the checkout does, whatever the
// person or the agent collects.
func TestCollectingLosesNoWork(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, play := range map[string]func(p *project, dir string){
		"a branch that was given goes": func(p *project, dir string) {
			p.gitIn(dir, "merge", "-q", "--no-edit", "origin/feature")
		},
		"a branch that was given later goes": func(p *project, dir string) {
			p.feature("later")
			require.NoError(p.t, p.Renew(ctx, "task-1"))
			p.gitIn(dir, "merge", "-q", "--no-edit", "origin/feature")
		},
		"a branch that was given goes after another came": func(p *project, dir string) {
			p.gitIn(dir, "merge", "-q", "--no-edit", "origin/feature")
			p.feature("later")
			require.NoError(p.t, p.Renew(ctx, "task-1"))
		},
		"a branch that was fetched goes": func(p *project, dir string) {
			p.feature("later")
			p.branch("task-2", "liza/task-2")
			p.gitIn(dir, "fetch", "-q")
			p.gitIn(dir, "merge", "-q", "--no-edit", "origin/feature")
		},
		"a tag that was given goes": func(p *project, dir string) {
			p.gitIn(dir, "merge", "-q", "--no-edit", "v1")
			p.gitIn(dir, "tag", "-d", "v1")
			p.git("tag", "-d", "v1")
		},
		"what was brought is left for another branch": func(p *project, dir string) {
			p.write(filepath.Join(dir, "work"), "work\n")
			p.commitAll(dir, "work")
			require.NoError(p.t, p.Take(ctx, "task-1"))
			p.gitIn(dir, "gc", "-q")
			p.gitIn(dir, "branch", "aside")
			p.gitIn(dir, "reset", "-q", "--hard", "HEAD~")
			require.NoError(p.t, p.Take(ctx, "task-1"))
			p.gitIn(dir, "checkout", "-q", "aside")
		},
		"a snapshot goes": func(p *project, dir string) {
			p.write(filepath.Join(dir, "work"), "work\n")
			_, err := p.Contents.Snapshot(ctx, dir, "saved", nil)
			require.NoError(p.t, err)
			p.commitAll(dir, "work")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			p.feature("tagged")
			p.git("tag", "-a", "-m", "one", "v1", "feature")
			p.feature("given")
			tree := p.branch("task-1", "liza/task-1")
			play(p, tree.Path)
			p.git("branch", "-D", "feature")
			p.purge()
			p.sound("task-1")
		})
	}
}

// Pins are made anew only where there is something to keep, and go with their checkouts.
func TestPinsGo(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	tips := func() string { return p.git("for-each-ref", "refs/liza/pins") }
	for _, name := range []string{"task-1", "task-2", "task-3"} {
		p.branch(name, "liza/"+name)
	}
	require.Equal(t, "refs/liza/pins/@given", p.pins())
	before := tips()
	for range 2 {
		require.NoError(t, p.Renew(ctx, "task-1"))
		p.branch("task-1", "liza/task-1")
		require.NoError(t, p.Take(ctx, "task-1"))
	}
	require.Equal(t, before, tips())
	p.feature("given")
	require.NoError(t, p.Renew(ctx, "task-1"))
	require.NotEqual(t, before, tips())
	for _, name := range []string{"task-1", "task-2", "task-3"} {
		p.write(filepath.Join(p.Path(name), "work"), name)
		p.commitAll(p.Path(name), "work")
		require.NoError(t, p.Take(ctx, name))
	}
	require.Equal(t, "refs/liza/pins/@given\nrefs/liza/pins/task-1\nrefs/liza/pins/task-2\nrefs/liza/pins/task-3", p.pins())
	require.NoError(t, p.Remove(ctx, "task-1"))
	kept, err := p.Retire(ctx, "task-2", nil, always)
	require.NoError(t, err)
	require.Empty(t, kept)
	require.Equal(t, "refs/liza/pins/@given\nrefs/liza/pins/task-3", p.pins())
	// A person who removes a checkout by hand.
	p.git("worktree", "unlock", p.Path("task-3"))
	require.NoError(t, os.RemoveAll(p.Path("task-3")))
	p.git("worktree", "prune")
	p.branch("task-4", "liza/task-4")
	p.git("pack-refs", "--all")
	require.NoError(t, p.Sweep(ctx))
	p.whole("task-4", "liza/task-4", p.base)
	require.Equal(t, "refs/liza/pins/@given", p.pins())
	require.NoError(t, p.Remove(ctx, "task-4"))
	p.feature("more")
	p.branch("task-5", "liza/task-5")
	require.NotContains(t, p.git("log", "--format=%s", "refs/liza/pins/@given", "--"), "given", "it begins anew with the first checkout")
	require.NoError(t, p.Remove(ctx, "task-5"))
	require.NoError(t, p.Sweep(ctx))
	require.Empty(t, p.pins())

}

// A checkout is deleted only if what is committed inside is held by more than its own pin.
func TestPinsHoldNothingForLater(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, test := range map[string]struct {
		play func(p *project, dir, work string)
		kept bool
	}{
		"a branch":        {func(p *project, dir, work string) { p.gitIn(dir, "branch", "aside", work) }, true},
		"a stash":         {func(p *project, dir, work string) { p.gitIn(dir, "update-ref", "refs/stash", work) }, true},
		"a tag":           {func(p *project, dir, work string) { p.gitIn(dir, "tag", "-a", "-m", "one", "v1", work) }, true},
		"a tag of a file": {func(p *project, dir, _ string) { p.gitIn(dir, "tag", "file", "HEAD:a") }, false},
		"HEAD":            {func(p *project, dir, work string) { p.gitIn(dir, "checkout", "-q", "--detach", work) }, true},
		"HEAD of a worktree that was added inside": {func(p *project, dir, work string) {
			p.gitIn(dir, "worktree", "add", "-q", "--detach", filepath.Join(p.t.TempDir(), "added"), work)
		}, true},
		"no more": {func(*project, string, string) {}, false},
		"what is saved": {func(p *project, dir, work string) {
			p.gitIn(dir, "branch", "aside", work)
			p.git("update-ref", "refs/liza/saved/task-1/1", work)
		}, false},
		"a branch that was given and went": {func(p *project, dir, _ string) {
			p.gitIn(dir, "branch", "feature", "origin/feature")
			p.git("branch", "-D", "feature")
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			p.feature("given")
			tree := p.branch("task-1", "liza/task-1")
			p.gitIn(tree.Path, "checkout", "-q", "--detach")
			p.write(filepath.Join(tree.Path, "work"), "work\n")
			work := p.commitAll(tree.Path, "work")
			require.NoError(t, p.Take(ctx, "task-1"))
			require.Contains(t, p.pins(), "/task-1")
			p.gitIn(tree.Path, "checkout", "-q", "liza/task-1")
			test.play(p, tree.Path, string(work))
			require.NoError(t, p.Take(ctx, "task-1"))
			p.purge()
			p.gitIn(tree.Path, "gc", "-q", "--prune=now")
			kept, err := p.Retire(ctx, "task-1", nil, always)
			require.NoError(t, err)
			require.Equal(t, test.kept, kept != "")
			p.purge()
			if test.kept {
				require.Empty(t, p.gitIn(kept, "fsck", "--no-dangling", "--no-progress"))
				require.Equal(t, "work", p.gitIn(kept, "show", string(work)+":work"))
			}
		})
	}
}
