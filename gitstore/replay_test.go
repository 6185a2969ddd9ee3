package gitstore

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// A counter is a bare repository with a pre-receive hook that replays what is
// pushed, and refuses it too while its file refuse exists.
type counter struct {
	t        testing.TB
	dir, tmp string
}

func newCounter(t testing.TB, args ...string) *counter {
	t.Helper()
	c := &counter{t, filepath.Join(t.TempDir(), "with:colon", "server.git"), t.TempDir()}
	require.NoError(t, os.MkdirAll(c.dir, 0o777))
	gittest.Git(t, c.dir, append([]string{"init", "-q", "--bare"}, args...)...)
	binary, err := filepath.Abs(os.Args[0])
	require.NoError(t, err)
	hook := "#!/bin/sh\nTMPDIR='" + c.tmp + "' GITSTORE_TEST_CHILD=replay '" + binary + "' . || exit 1\ntest ! -e refuse\n"
	gittest.Script(t, filepath.Join(c.dir, "hooks", "pre-receive"), hook)
	return c
}

// push brings everything of a desk, and returns what the hook said.
func (c *counter) push(d *desk, specs ...string) (string, error) {
	c.t.Helper()
	cmd := exec.Command("git", append([]string{"push", "-q", "--atomic", c.dir}, specs...)...)
	cmd.Dir = d.dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

var everything = []string{"refs/liza/*:refs/liza/*", "refs/heads/*:refs/heads/*"}

// files are the files of the counter's repository but for those of git's own.
func (c *counter) files() (list []string) {
	for _, dir := range []string{"objects", "liza", "refs"} {
		filepath.WalkDir(filepath.Join(c.dir, dir), func(path string, e os.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				list = append(list, path)
			}
			return nil
		})
	}
	return list
}

// A push is judged while its objects are in the quarantine, together with those that
// were there before, merges included, and the judgement leaves nothing behind.
func TestReplayInAQuarantine(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{"sha1": nil, "sha256": {"--object-format=sha256"}} {
		for _, unpack := range []string{"1", "100000"} { // as a pack, as loose objects
			t.Run(name+" "+unpack, func(t *testing.T) {
				t.Parallel()
				d := newDesk(t, gittest.Seeded(t, args...))
				c := newCounter(t, args...)
				gittest.Git(t, c.dir, "config", "receive.unpackLimit", unpack)
				d.life("task-1", "a.md")
				gittest.Write(t, c.dir, "refuse", "")
				out, err := c.push(d, everything...)
				require.Error(t, err)
				require.Contains(t, out, "replayed 8 moves, 0 signed", out)
				require.Empty(t, c.files(), "%s", out)
				require.Empty(t, folder(t, c.tmp))
				require.NoError(t, os.Remove(filepath.Join(c.dir, "refuse")))
				out, err = c.push(d, everything...)
				require.NoError(t, err, out)

				gittest.Git(t, c.dir, "gc", "-q")
				d.life("task-2", "b.md")
				merged := gittest.Git(t, d.dir, "rev-parse", "integration^{tree}")
				out, err = c.push(d, everything...)
				require.NoError(t, err, out)
				require.Contains(t, out, "replayed 7 moves")
				require.Equal(t, merged, gittest.Git(t, c.dir, "rev-parse", "integration^{tree}"))
				require.NoDirExists(t, filepath.Join(c.dir, "liza"))

				out, err = c.push(d, string(d.evil())+":"+layout.State, "refs/liza/saved/*:refs/liza/saved/*", "refs/heads/*:refs/heads/*")
				require.Error(t, err)
				require.Contains(t, out, "merging its parents gives", out)
			})
		}
	}
}

func folder(t testing.TB, dir string) []os.DirEntry {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	return entries
}

// evil is a state whose last move is a merge with something slipped in.
func (d *desk) evil() git.ID {
	d.t.Helper()
	d.add("task-3")
	d.approve("task-3", d.submit("task-3", coder, "c.md", "c\n"))
	m, _, err := merging(d.store, "task-3")(d.board(), d.now)
	require.NoError(d.t, err)
	detail := m.Detail.(*flow.MergeMove)
	c, err := d.store.objects.Commit(d.commit(detail.Commit, "slipped-in.md", "evil\n"))
	require.NoError(d.t, err)
	detail.Tree = c.Tree
	detail.Commit, err = d.store.Commits.MergeCommit(context.Background(), c.Tree, detail.Onto, detail.Submission, "Merge task-3")
	require.NoError(d.t, err)
	id := d.unasked(m)
	gittest.Git(d.t, d.dir, "update-ref", "refs/heads/evil", string(detail.Commit))
	_, err = d.store.Audit.ReplayMove(context.Background(), id, false)
	require.NoError(d.t, err, "history is not judged by facts")
	_, err = d.store.Audit.ReplayMove(context.Background(), id, true)
	requireRule(d.t, err, flow.RuleMerge, "merging its parents gives")
	return id
}

// A fresh replay outside a hook leaves no trace either.
func TestAFreshReplayWritesNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	merge := d.life("task-1", "a.md").Commit
	id := d.evil()
	d.store = d.open()
	before := gittest.Git(t, d.dir, "count-objects", "-v")
	_, err := d.store.Audit.ReplayMove(context.Background(), merge, true)
	require.NoError(t, err)
	_, err = d.store.Audit.ReplayMove(context.Background(), id, true)
	require.Error(t, err)
	require.Equal(t, before, gittest.Git(t, d.dir, "count-objects", "-v"))
}

// BenchmarkReplayPush judges a thousand moves in one push, as a server does;
// the whole push is measured and the judgement is reported beside it.
func BenchmarkReplayPush(b *testing.B) {
	for _, signed := range []bool{false, true} {
		b.Run(fmt.Sprint("signed=", signed), func(b *testing.B) {
			d := bigDesk(b, 1000, 0)
			c := newCounter(b)
			hook := filepath.Join(c.dir, "hooks", "pre-receive")
			require.NoError(b, os.Rename(hook, hook+".off"))
			out, err := c.push(d, everything...)
			require.NoError(b, err, out)
			require.NoError(b, os.Rename(hook+".off", hook))
			gittest.Write(b, c.dir, "refuse", "")
			principal := ""
			if signed {
				principal = "host"
				b.Setenv("HOST_KEY", d.keep("host", testKey(1)).Keys[0])
			}
			for i := range 1000 {
				id, by := board.TaskID(fmt.Sprint("task-", i+1)), board.Actor(fmt.Sprint("coder-", i+1))
				d.do(flow.Move{Act: board.ActClaim, Task: id, By: by, Principal: principal, Detail: &flow.ClaimMove{Lease: half}})
			}
			total, cpu, ms, used := 0, 0, 0, 0
			for b.Loop() {
				out, err := c.push(d, layout.State+":"+layout.State)
				require.Error(b, err)
				_, rest, found := strings.Cut(out, "in ")
				require.True(b, found && strings.Contains(out, "replayed 1000 moves"), out)
				_, err = fmt.Sscanf(rest, "%d ms, %d of", &ms, &used)
				require.NoError(b, err)
				total, cpu = total+ms, cpu+used
			}
			b.ReportMetric(float64(total)/float64(b.N), "judge-ms/op")
			b.ReportMetric(float64(cpu)/float64(b.N), "processor-ms/op")
		})
	}
}
