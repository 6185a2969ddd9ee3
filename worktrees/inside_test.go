package worktrees_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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

// A clone that borrows, from one that borrows, as far as git follows: what is inside finds all
// objects, each git there says nothing of it, and what was committed is taken over.
func TestAlternatesOverLevels(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, levels := range []int{1, 3, 6} {
		t.Run(strconv.Itoa(levels), func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			first := p.dir
			for n := range levels {
				from := p.dir
				p.write("level", strconv.Itoa(n))
				p.base = p.commitAll(from, "level")
				p.dir = filepath.Join(t.TempDir(), "clone")
				p.gitIn(from, "clone", "-q", "--shared", from, p.dir)
			}
			p.Trees = p.open(p.dir)
			tree := p.branch("task-1", "liza/task-1")
			lines := strings.Fields(strings.ReplaceAll(content(t, tree.Path, ".git/objects/info/alternates"), " ", "_"))
			require.Len(t, lines, levels+1)
			require.Equal(t, "../../../../.git/objects", lines[levels], "relative below the clone")
			require.Equal(t, strings.ReplaceAll(first, " ", "_")+"/.git/objects", lines[0], "the deepest first")
			p.write(filepath.Join(tree.Path, "new"), "x\n")
			work := p.commitAll(tree.Path, "work")
			for _, command := range []string{"log", "fsck", "fetch", "gc"} {
				out, err := p.tryIn(tree.Path, command)
				require.NoError(t, err, out)
				require.NotContains(t, out, "error")
			}
			p.write(filepath.Join(tree.Path, "more"), "x\n")
			saved, err := p.Contents.Snapshot(ctx, tree.Path, "saved", nil)
			require.NoError(t, err)
			require.Equal(t, "more", p.git("diff-tree", "-r", "--name-only", string(work), string(saved)))
			require.NoError(t, os.Remove(filepath.Join(tree.Path, "more")))
			p.whole("task-1", "liza/task-1", work)
			p.git("fsck")

			// Who makes the clone whole has others borrow less.
			p.git("repack", "-q", "-a", "-d")
			require.NoError(t, os.Remove(filepath.Join(p.dir, ".git/objects/info/alternates")))
			work = p.commitAll(tree.Path, "more work")
			p.typed(obstacle(t, p.Take(ctx, "task-1")).Hint)
			p.whole("task-1", "liza/task-1", work)
		})
	}
}

// Whoever finds a checkout standing finds the clone's branches in it as they are.
func TestStandingCheckoutKnowsBranches(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	tree, err := p.Detached(context.Background(), "review@task-1@1", p.base)
	require.NoError(t, err)
	p.git("branch", "later")
	_, err = p.Detached(context.Background(), "review@task-1@1", p.base)
	require.NoError(t, err)
	require.Equal(t, string(p.base), p.gitIn(tree.Path, "rev-parse", "origin/later"))
}

// What a person keeps as secrets in the clone's configuration, or in what that includes, is no
// agent's; other settings are.
func TestSecretsStayOutside(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct{ file, included string }{
		"own":              {file: ".git/config"},
		"included":         {".git/more", "include.path"},
		"under conditions": {".git/more", "includeIf.hasconfig:remote.*.url:https://host/**.path"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			p.git("config", "remote.upstream.url", "https://host/repository")
			if one.included != "" {
				p.git("config", one.included, filepath.Base(one.file))
			}
			for _, key := range []string{"sendemail.smtpPass", "imap.pass", "github.token", "gitlab.token", "http.extraHeader", "http.https://host/.extraHeader", "credential.helper",
				"url.https://me:secret@host/.insteadOf", "remote.upstream.pushurl", "branch.main.description", "commit.gpgSign", "hub.oauthToken"} {
				p.git("config", "--file", filepath.Join(p.dir, one.file), key, "secret")
			}
			p.git("config", "--file", filepath.Join(p.dir, one.file), "alias.up", "!git push https://me:secret@host/repository")
			p.git("config", "--file", filepath.Join(p.dir, one.file), "user.signingKey", "mine")
			p.git("config", "--file", filepath.Join(p.dir, one.file), "submodule.lib.url", "ssh://git@host/lib")
			tree := p.branch("task-1", "liza/task-1")
			require.NotContains(t, p.gitIn(tree.Path, "config", "--list", "--show-origin"), "secret")
			require.Equal(t, "mine", p.gitIn(tree.Path, "config", "user.signingKey"))
			require.Equal(t, "!git push https://host/repository", p.gitIn(tree.Path, "config", "alias.up"))
			require.Equal(t, "ssh://git@host/lib", p.gitIn(tree.Path, "config", "submodule.lib.url"))
		})
	}
}
