package worktrees_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The default branch inside is that of the clone's origin, else that of its main work tree.
func TestDefaultBranchInside(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		arrange func(p *project)
		want    string // "" if there is none
	}{
		"of the main work tree": {func(*project) {}, "main"},
		"of origin":             {func(p *project) { p.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk") }, "trunk"},
		"packed": {func(p *project) {
			p.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
			p.git("pack-refs", "--all")
		}, "trunk"},
		"of origin, which the clone lacks": {func(p *project) {
			p.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/away")
			p.SetIntegration(func(context.Context) string { return "main" })
		}, "main"},
		"none": {func(p *project) { p.git("checkout", "-q", "--detach") }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			p.git("branch", "trunk")
			one.arrange(p)
			tree := p.branch("task-1", "liza/task-1")
			head, err := p.tryIn(tree.Path, "symbolic-ref", "--short", "refs/remotes/origin/HEAD")
			if one.want == "" {
				require.Error(t, err)
				require.Equal(t, "liza/task-1", p.gitIn(tree.Path, "branch", "--format=%(refname:short)"))
				return
			}
			require.Equal(t, "origin/"+one.want, head)
			require.Equal(t, string(p.base), p.gitIn(tree.Path, "rev-parse", "origin", one.want+"^{commit}")[:40])
			require.NotContains(t, p.gitIn(tree.Path, "branch", "--all"), "broken")
			p.gitIn(tree.Path, "fetch", "-q", "--prune")
			p.gitIn(tree.Path, "fsck")
			p.git("worktree", "list")
		})
	}
}

// What the clone's configuration includes counts inside too, wherever its path begins.
func TestIncludesInside(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	outside := filepath.Join(t.TempDir(), "outside")
	p.write(outside, "[liza-test]\n\tabsolute = yes\n")
	p.write(".git/beside", "[liza-test]\n\tbeside = yes\n[core]\n\thooksPath = /nowhere\n")
	p.write("shared.o", "[liza-test]\n\tshared = yes\n")
	p.write(".git/never", "[liza-test]\n\tnever = yes\n")
	p.git("config", "--add", "include.path", outside)
	p.git("config", "--add", "include.path", "beside")
	p.git("config", "includeIf.gitdir:**/.worktrees/**.path", "../shared.o")
	p.git("config", "includeIf.gitdir:/nowhere/.path", "never")
	p.git("config", "--add", "include.path", "~/no-such-file-of-liza")
	tree := p.branch("task-1", "liza/task-1")
	require.Equal(t, "liza-test.absolute\nliza-test.beside\nliza-test.shared", p.gitIn(tree.Path, "config", "--name-only", "--get-regexp", "^liza-test"))
	require.Equal(t, ".git/hooks", p.gitIn(tree.Path, "config", "core.hooksPath"), "hooks are those inside")
	p.commitAll(tree.Path, "work")
	require.NoError(t, p.Take(context.Background(), "task-1"))
	require.NotNil(t, p.open(tree.Path), "it is still found as a checkout")
}
