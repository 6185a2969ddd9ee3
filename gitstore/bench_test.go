package gitstore

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// bigDesk is a blackboard with many tasks, packed as housekeeping leaves it.
// Nothing replays to it: its tasks appear in one commit.
func bigDesk(b *testing.B, live, archived int) *desk {
	b.Helper()
	dir := b.TempDir()
	gittest.Git(b, dir, "init", "-q", "-b", "main")
	gittest.Git(b, dir, "config", "liza.fsync", "none")
	gittest.Write(b, dir, "README", "hello\n")
	gittest.Git(b, dir, "add", ".")
	gittest.Git(b, dir, "commit", "-q", "-m", "first")
	d := newDesk(b, dir)
	var edits []board.Edit
	for i := range live {
		id := fmt.Sprintf("task-%d", i+1)
		edits = append(edits, board.Edit{Key: board.Key{Folder: board.Tasks, ID: id}, Document: benchmarkTask(d, id, board.Unclaimed)})
	}
	for i := range archived {
		id := fmt.Sprintf("old-%d", i+1)
		edits = append(edits, board.Edit{Key: board.Key{Folder: board.Archive, ID: id}, Document: benchmarkTask(d, id, board.Merged)})
	}
	tip := d.at(layout.State)
	c, err := d.store.objects.Commit(tip)
	require.NoError(b, err)
	draft := &draft{snapshot: snapshot{documentCache: d.store.documents, root: c.Tree, cache: d.store.past, format: board.NewestFormat}}
	tree, err := draft.applyEdits(edits)
	require.NoError(b, err)
	for _, o := range draft.drafted {
		_, err := d.store.objects.Write(o.Kind, o.Data)
		require.NoError(b, err)
	}
	require.NoError(b, d.store.objects.Flush())
	m := flow.Move{Act: board.ActNote, By: ann, At: d.now, Request: "7f3a9c2e11d04b58", Detail: &flow.NoteMove{For: "all", Text: "all at once"}}
	raw, err := stateCommit{tree, tip, m, m.Subject(), headerValue(c.Raw, "committer ")}.encode(board.NewestFormat)
	require.NoError(b, err)
	forged := d.forged(string(raw))
	gittest.Git(b, dir, "update-ref", layout.State, string(forged))
	d.store.Audit.rememberWritten(forged)
	gittest.Git(b, dir, "repack", "-q", "-a", "-d")
	gittest.Git(b, dir, "prune-packed")
	d.store = d.open()
	return d
}

func benchmarkTask(d *desk, id string, status board.Status) *board.Task {
	t := &board.Task{ID: board.TaskID(id), Title: "Log in with a password, part " + id, Status: status, Kind: board.Code, Goal: "goal-1", Sprint: "sprint-1",
		DoneWhen: "go test ./login passes and a wrong password is refused within a second", Spec: "README#login",
		Scope: "login and its tests, nothing of the session store", Priority: 3, Owns: []string{"login/" + id + "/**"},
		Verify: "go test ./login/" + id, Created: d.now, CreatedBy: ann, Changed: d.now}
	if status == board.Merged {
		t.Merge = &board.Merge{Commit: d.at("refs/heads/main"), Onto: d.at("refs/heads/main"), Tree: d.at("refs/heads/main"), By: ann, At: d.now}
	}
	return t
}

// BenchmarkClaim is a claim within a process, at 1,000 live tasks.
func BenchmarkClaim(b *testing.B) {
	for _, archived := range []int{100, 10000, 100000} {
		b.Run(fmt.Sprint("archived=", archived), func(b *testing.B) {
			d := bigDesk(b, 1000, archived)
			base := d.at(layout.State)
			i := 0
			for b.Loop() {
				if i++; i > 900 {
					b.StopTimer()
					gittest.Git(b, d.dir, "update-ref", layout.State, string(base))
					d.store.Audit.rememberWritten(base)
					i = 1
					b.StartTimer()
				}
				d.claim(board.TaskID(fmt.Sprint("task-", i)), board.Actor(fmt.Sprint("coder-", i)))
			}
		})
	}
}

// measured runs processes one after the other and reports what one takes.
func measured(b *testing.B, make func(i int) *exec.Cmd) {
	var cpu time.Duration
	peak := 0
	i := 0
	for b.Loop() {
		cmd := make(i)
		out, err := cmd.CombinedOutput()
		require.NoError(b, err, "%s", out)
		cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		if n, err := strconv.Atoi(strings.TrimSpace(string(out))); err == nil {
			peak = max(peak, n)
		}
		i++
	}
	b.ReportMetric(float64(cpu.Microseconds())/1000/float64(i), "cpu-ms/op")
	b.ReportMetric(float64(peak)/(1<<10), "peak-MiB")
}

// BenchmarkClaimProcess is a claim as a process of its own, beside the same
// change of state by the plainest script of git commands.
func BenchmarkClaimProcess(b *testing.B) {
	for _, archived := range []int{100, 100000} {
		b.Run(fmt.Sprint("archived=", archived), func(b *testing.B) {
			d := bigDesk(b, 1000, archived)
			measured(b, func(i int) *exec.Cmd {
				return storeChild(os.Args[0], d.dir, "claim", fmt.Sprint("task-", i%1000+1), fmt.Sprint("coder-", i%1000+1))
			})
		})
	}
	b.Run("floor", func(b *testing.B) {
		d := bigDesk(b, 1000, 100)
		script := filepath.Join(d.dir, "floor.sh")
		require.NoError(b, os.WriteFile(script, []byte(floor), 0o755))
		measured(b, func(i int) *exec.Cmd {
			cmd := exec.Command("sh", script, fmt.Sprint("task-", i%1000+1))
			cmd.Dir = d.dir
			return cmd
		})
	})
}

// floor claims a task with git alone and without any rule.
const floor = `set -e
id=$1
old=$(git rev-parse refs/liza/state)
nn=$(printf %s "$id" | tail -c 2 | tr - 0)
blob=$(git cat-file blob "$old:tasks/$nn/$id.yaml" | sed "s/^status: .*/status: CLAIMED/" | git hash-object -w --stdin)
shard=$(git ls-tree "$old:tasks/$nn" | sed "s/blob [0-9a-f]*	$id.yaml/blob $blob	$id.yaml/" | git mktree)
tasks=$(git ls-tree "$old:tasks" | sed "s/tree [0-9a-f]*	$nn\$/tree $shard	$nn/" | git mktree)
root=$(git ls-tree "$old" | sed "s/tree [0-9a-f]*	tasks\$/tree $tasks	tasks/" | git mktree)
new=$(echo "claim $id" | git commit-tree "$root" -p "$old")
git update-ref -m "claim $id" refs/liza/state "$new" "$old"
`

// BenchmarkList reads the summaries of 10,000 live tasks, as a process.
func BenchmarkList(b *testing.B) {
	d := bigDesk(b, 10000, 1000)
	cache := filepath.Join(d.store.Repo.CommonDir(), "liza", "cache")
	b.Run("cold", func(b *testing.B) {
		measured(b, func(int) *exec.Cmd {
			require.NoError(b, os.RemoveAll(cache))
			return storeChild(os.Args[0], d.dir, "list")
		})
	})
	b.Run("warm", func(b *testing.B) {
		measured(b, func(int) *exec.Cmd { return storeChild(os.Args[0], d.dir, "list") })
	})
	b.Run("after a move", func(b *testing.B) {
		measured(b, func(i int) *exec.Cmd {
			d.claim(board.TaskID(fmt.Sprint("task-", i+1)), board.Actor(fmt.Sprint("coder-", i+1)))
			return storeChild(os.Args[0], d.dir, "list")
		})
	})
	b.Run("nothing", func(b *testing.B) {
		measured(b, func(int) *exec.Cmd { return storeChild(os.Args[0], d.dir, "open") })
	})
}

// BenchmarkListInProcess is what a list costs beside the start of a process.
func BenchmarkListInProcess(b *testing.B) {
	d := bigDesk(b, 10000, 0)
	require.Len(b, d.board().Tasks(), 10000)
	b.ReportAllocs()
	for b.Loop() {
		s := OpenStore(context.Background(), d.store.Repo, func() time.Time { return d.now })
		board, _, err := s.Board(context.Background())
		require.NoError(b, err)
		require.Len(b, board.Tasks(), 10000)
	}
}

// BenchmarkVerify judges one pushed commit.
func BenchmarkVerify(b *testing.B) {
	d := bigDesk(b, 1000, 10000)
	var chain []git.ID
	for i := range 200 {
		chain = append(chain, d.claim(board.TaskID(fmt.Sprint("task-", i+1)), board.Actor(fmt.Sprint("coder-", i+1))).Commit)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if i%len(chain) == 0 {
			b.StopTimer()
			d.store = d.open()
			b.StartTimer()
		}
		require.NoError(b, d.store.Audit.Verify(chain[i%len(chain)]))
		i++
	}
}
