package git

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/gittest"
)

// openAs opens a repository in a process with its own environment and returns
// what went wrong.
func openAs(t *testing.T, dir string, env ...string) string {
	t.Helper()
	return runChild(t, "open", env, dir)
}

func runChild(t *testing.T, task string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(append(os.Environ(), "GITSTORE_TEST_CHILD="+task), env...)
	out, err := cmd.CombinedOutput()
	require.Equal(t, err != nil, len(out) > 0 && task == "open", "%v: %s", err, out)
	return string(out)
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	_, err := Open(ctx, t.TempDir())
	require.ErrorIs(t, err, ErrNoRepository)
	_, err = Open(ctx, filepath.Join(t.TempDir(), "none"))
	require.Error(t, err)

	empty := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(empty, ".git"), 0o777))
	_, err = Open(ctx, empty)
	require.ErrorIs(t, err, ErrNoRepository, "an empty .git, as sandboxes leave behind, is none")

	damaged := gittest.Seeded(t)
	require.NoError(t, os.WriteFile(filepath.Join(damaged, ".git", "config"), []byte("[core\n"), 0o666))
	_, err = Open(ctx, damaged)
	require.ErrorContains(t, err, "bad config", "git's own words")
	require.NotErrorIs(t, err, ErrNoRepository)

	dir := gittest.Seeded(t)
	require.Contains(t, openAs(t, dir, "PATH=/nowhere"), ErrMissing.Error())
	old := t.TempDir()
	gittest.Script(t, filepath.Join(old, "git"), "#!/bin/sh\necho git version 2.38.9\n")
	require.Contains(t, openAs(t, dir, "PATH="+old), "2.39 or newer is needed: this is 2.38.9")
	require.Contains(t, openAs(t, dir, "GIT_DIR="+t.TempDir()+"/none"), ErrNoRepository.Error())
	require.Contains(t, openAs(t, dir, "GIT_TEST_ASSUME_DIFFERENT_OWNER=1"), "dubious ownership")
}

func TestOpenHonoursTheEnvironment(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	require.Empty(t, openAs(t, t.TempDir(), "GIT_DIR="+filepath.Join(dir, ".git")))
	require.Contains(t, openAs(t, filepath.Join(dir, "src"), "GIT_CEILING_DIRECTORIES="+dir), ErrNoRepository.Error())
}

// Cost: discovery and version are one process, and after the first move one more asks git
// about itself; from then on a transaction is the only one.
func TestProcesses(t *testing.T) {
	t.Parallel()
	dir, traces := gittest.Seeded(t), t.TempDir()
	head := gittest.Git(t, dir, "rev-parse", "HEAD")
	processes := func(ref string) (commands []string) {
		out := runChild(t, "move", []string{"LIZA_TRACE=1"}, dir, ref+"=="+head)
		for line := range strings.Lines(strings.ReplaceAll(out, dir, "")) {
			commands = append(commands, subcommand(strings.Fields(line)[1:]))
		}
		return commands
	}
	require.Equal(t, []string{"rev-parse", "update-ref", "config"}, processes("refs/liza/a"))
	require.Equal(t, []string{"update-ref"}, processes("refs/liza/b"))
	runChild(t, "move", []string{"GIT_TRACE2_EVENT=" + traces}, dir, "refs/liza/x=="+head)
	files, err := os.ReadDir(traces)
	require.NoError(t, err)
	require.Len(t, files, 1, "the user's own trace is left alone")

	gittest.Git(t, dir, "config", "include.path", "more")
	gittest.Write(t, dir, ".git/more", "[a]\nb = c\td\n")
	require.Equal(t, []string{"config", "update-ref"}, processes("refs/liza/c"), "only git knows what that means")
	require.NoError(t, os.Remove(filepath.Join(dir, ".git", "liza", programsFile)))
	require.Equal(t, []string{"rev-parse", "config", "update-ref", "config"}, processes("refs/liza/d"), "nobody remembers")
}

// Configuration that nobody has changed is read once, and again after a change.
func TestRenewedConfiguration(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	r, ctx := open(t, dir), context.Background()
	reads, list := 0, r.Config.list
	r.Config.list = func(ctx context.Context) ([]byte, error) {
		reads++
		return list(ctx)
	}
	_, err := r.Config.Config(ctx, "core.hooksPath")
	require.NoError(t, err)
	for _, want := range []struct {
		write string
		reads int
	}{{"", 1}, {"one", 2}, {"", 2}, {"two", 3}, {"", 3}} {
		if want.write != "" {
			gittest.Git(t, dir, "config", "core.hooksPath", want.write)
		}
		r.Config.Renew()
		_, err := r.Config.Config(ctx, "core.hooksPath")
		require.NoError(t, err)
		require.Equal(t, want.reads, reads)
	}
	got, err := r.Config.Config(ctx, "core.hooksPath")
	require.NoError(t, err)
	require.Equal(t, "two", got)
}

func TestReplaceRefsAndGraftsAreNotBelieved(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	r, ctx := open(t, dir), context.Background()
	first, err := r.ParseCommit(ctx, "HEAD")
	require.NoError(t, err)
	gittest.Git(t, dir, "commit", "-q", "--allow-empty", "-m", "second")
	second, err := r.ParseCommit(ctx, "HEAD")
	require.NoError(t, err)
	o := objectsOf(t, r)
	orphan := commitOn(t, o, "", "src", "main.sh", "evil")
	require.NoError(t, o.Flush())
	gittest.Git(t, dir, "replace", string(second), string(orphan))
	gittest.Write(t, dir, ".git/info/grafts", string(second)+"\n")

	require.Equal(t, "evil", gittest.Git(t, dir, "log", "-1", "--format=%s", string(second)))
	out, err := r.Git(ctx, "log", "-1", "--format=%s", string(second))
	require.NoError(t, err)
	require.Equal(t, "second\n", string(out))
	yes, err := r.IsAncestor(ctx, first, second)
	require.NoError(t, err)
	require.True(t, yes)
}

func TestGitError(t *testing.T) {
	t.Parallel()
	r, ctx := open(t, gittest.Seeded(t)), context.Background()
	_, err := r.Git(ctx, "-c", "x.y=z", "cat-file", "-p", "none")
	var gitErr *Error
	require.ErrorAs(t, err, &gitErr)
	require.Equal(t, 128, gitErr.Code)
	require.Equal(t, "git cat-file: fatal: Not a valid object name none", err.Error())

	// Git itself waits, so that it leaves no child behind.
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	_, err = r.Run(ctx, Cmd{Args: []string{"config", "--file", pipe, "--list"}, Limit: 50 * time.Millisecond})
	require.ErrorAs(t, err, &gitErr)
	require.Equal(t, -1, gitErr.Code)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestWorkTreeCommand(t *testing.T) {
	t.Parallel()
	dir, other := gittest.Seeded(t), gittest.Seeded(t)
	r := open(t, dir)
	out, err := r.Run(context.Background(), Cmd{Dir: other, WorkTree: true, Args: []string{"rev-parse", "--show-toplevel"}})
	require.NoError(t, err)
	require.Equal(t, other+"\n", string(out))
	out, err = r.Run(context.Background(), Cmd{Dir: other, Args: []string{"rev-parse", "--absolute-git-dir"}})
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, ".git")+"\n", string(out))
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	r := open(t, gittest.Seeded(t))
	name, email, err := r.Config.Identity(context.Background())
	require.NoError(t, err)
	require.Equal(t, "Grace <grace@example.org>", name+" <"+email+">")

	dir := gittest.Seeded(t)
	gittest.Git(t, dir, "config", "user.useConfigOnly", "true")
	unset := []string{"GIT_COMMITTER_NAME=", "GIT_COMMITTER_EMAIL=", "GIT_AUTHOR_NAME=", "GIT_AUTHOR_EMAIL=", "EMAIL="}
	require.Contains(t, runChild(t, "identity", unset, dir), ErrNoIdentity.Error())
	gittest.Git(t, dir, "config", "user.name", " Lin,")
	gittest.Git(t, dir, "config", "user.email", "<lin@example.org>")
	require.Equal(t, "Lin <lin@example.org>\n", runChild(t, "identity", unset, dir))
	gittest.Git(t, dir, "config", "Committer.Name", "Lin the committer")
	require.Equal(t, "Lin the committer <lin@example.org>\n", runChild(t, "identity", unset, dir))
}

func TestParseCommitTakesNamesForNames(t *testing.T) {
	t.Parallel()
	dir := gittest.Seeded(t)
	r, ctx := open(t, dir), context.Background()
	head, err := r.ParseCommit(ctx, "main")
	require.NoError(t, err)
	tree := gittest.Git(t, dir, "rev-parse", "HEAD^{tree}")
	for _, rev := range []string{"--all", "-x", "--help", "none", "", "HEAD:src", "HEAD~9", "main..main", tree, strings.Repeat("1", 40), string(head[:39]) + "\n"} {
		_, err := r.ParseCommit(ctx, rev)
		require.ErrorIs(t, err, ErrNoCommit, "%q", rev)
	}
	gittest.Git(t, dir, "tag", "-a", "-m", "x", "v1")
	id, err := r.ParseCommit(ctx, gittest.Git(t, dir, "rev-parse", "v1"))
	require.NoError(t, err)
	require.Equal(t, head, id)
}

func TestRefNamesStayInside(t *testing.T) {
	t.Parallel()
	r, ctx := open(t, gittest.Seeded(t)), context.Background()
	head, err := r.Refs.Resolve(ctx, "HEAD")
	require.NoError(t, err)
	for _, name := range []string{"../x", "refs/../../x", "refs/x.lock", "refs/heads/", "refs//x", "main", "config", "refs/a\nb", "refs/a..b"} {
		_, err := r.Refs.Resolve(ctx, name)
		require.Error(t, err, name)
		require.Error(t, r.Refs.MoveRefs(ctx, []RefUpdate{{Name: name, New: head}}, "x"), name)
	}
	gittest.Write(t, r.CommonDir(), "refs/heads/damaged", "")
	_, err = r.Refs.Resolve(ctx, "refs/heads/damaged")
	require.ErrorContains(t, err, "damaged")
	gittest.Git(t, r.WorkTree(), "symbolic-ref", "refs/heads/alias", "refs/heads/main")
	id, err := r.Refs.Resolve(ctx, "refs/heads/alias")
	require.NoError(t, err)
	require.Equal(t, head, id)
}

func TestQueue(t *testing.T) {
	t.Parallel()
	r := open(t, gittest.Seeded(t))
	release, err := r.Turns.Queue(context.Background())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = r.Turns.Queue(ctx)
	require.ErrorIs(t, err, context.Canceled)

	got := make(chan func())
	go func() {
		next, err := r.Turns.Queue(context.Background())
		if err != nil {
			next = nil
		}
		got <- next
	}()
	select {
	case <-got:
		t.Fatal("two holders")
	case <-time.After(20 * time.Millisecond):
	}
	release()
	next := <-got
	require.NotNil(t, next)
	next()
}
