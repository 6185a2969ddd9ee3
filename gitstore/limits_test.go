package gitstore

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
	"github.com/git-liza/git-liza/internal/torture"
)

// stored writes an object through git, which takes also what is absurd.
func (d *desk) stored(kind string, data []byte) git.ID {
	d.t.Helper()
	cmd := exec.Command("git", "hash-object", "--literally", "-t", kind, "-w", "--stdin")
	cmd.Dir, cmd.Stdin = d.dir, bytes.NewReader(data)
	out, err := cmd.Output()
	require.NoError(d.t, err)
	return git.ID(strings.TrimSpace(string(out)))
}

// treeOf is a folder with so many entries of a kind.
func (d *desk) treeOf(n int, mode, name string, id git.ID) git.ID {
	d.t.Helper()
	var raw bytes.Buffer
	hash := unhex(d.t, id)
	for i := range n {
		fmt.Fprintf(&raw, "%s "+name+"\x00", mode, i)
		raw.Write(hash)
	}
	return d.stored("tree", raw.Bytes())
}

func unhex(t testing.TB, id git.ID) []byte {
	t.Helper()
	var raw []byte
	_, err := fmt.Sscanf(string(id), "%x", &raw)
	require.NoError(t, err)
	return raw
}

// built is a commit of a tree.
func (d *desk) built(tree, parent git.ID) git.ID {
	d.t.Helper()
	who := "Ada <ada@example.org> 1768658760 +0000"
	return d.forged("tree " + string(tree) + "\nparent " + string(parent) + "\nauthor " + who + "\ncommitter " + who + "\n\nwork\n")
}

// A submission of a million files, whether they stand in one folder or in
// folders within folders, is refused in bounded memory, and at about the cost of
// the largest that is taken, however fast the machine is.
func TestTortureSubmissionsAreBounded(t *testing.T) {
	torture.Only(t)
	d := newDesk(t, gittest.Seeded(t))
	base := d.at("refs/heads/integration")
	file := d.blob("x\n")
	link := d.stored("blob", bytes.Repeat([]byte("x"), git.MaxLink+1))
	bomb, hollow := d.treeOf(10, "100644", "f%d", file), d.treeOf(1, "40000", "e%d", d.store.Repo.Hash("tree", nil))
	for range 9 {
		bomb, hollow = d.treeOf(10, "40000", "d%d", bomb), d.treeOf(10, "40000", "d%d", hollow)
	}
	deep := bomb
	for range 100 {
		deep = d.treeOf(1, "40000", strings.Repeat("n", 200)+"%d", deep)
	}
	who := "Ada <ada@example.org> 1768658760 +0000"
	huge := d.stored("commit", []byte("tree "+string(d.store.Repo.Hash("tree", nil))+"\nauthor "+who+"\ncommitter "+who+"\n\n"+strings.Repeat("x", git.MaxCommit)))
	facts := func(commit git.ID) (peak uint64, took time.Duration, err error) {
		peak, took = measure(func() {
			_, err = d.store.Commits.Facts(context.Background(), flow.Query{Submission: commit, Tip: base})
		})
		return peak, took, err
	}
	_, largest, err := facts(d.built(d.treeOf(git.MaxChanges-10, "100644", "f%07d", file), base))
	require.NoError(t, err)
	for name, tt := range map[string]struct {
		commit git.ID
		words  string
	}{
		"a million entries":   {d.built(d.treeOf(1_000_000, "100644", "f%07d", file), base), "folder of 36000000 bytes"},
		"half of them":        {d.built(d.treeOf(400_000, "100644", "f%07d", file), base), "more than 100000 files"},
		"folders within":      {d.built(bomb, base), "more than 100000 "},
		"long names":          {d.built(d.treeOf(100, "100644", "f%02d"+strings.Repeat("n", 1<<20), file), base), "holds a folder of 10"},
		"folders of nothing":  {d.built(hollow, base), "more than 100000 folders"},
		"long ways":           {d.built(deep, base), "more than 16384 bytes"},
		"a name with a slash": {d.built(d.treeOf(1, "100644", "../x%d", file), base), "holds the name"},
		"a long link":         {d.built(d.treeOf(1, "120000", "l%d", link), base), "at most 4096 are read"},
		"a huge commit":       {huge, "at most 4259840 are read"},
	} {
		peak, took, err := facts(tt.commit)
		t.Logf("%-20s %5.1f MiB %s", name, float64(peak)/(1<<20), took.Round(time.Millisecond))
		require.ErrorContains(t, err, tt.words, name)
		require.Less(t, peak, uint64(200<<20), name)
		require.Less(t, took, 6*largest, name)
	}
}

// A path that no file system holds is refused before the work is judged further.
func TestPathsOfASubmissionAreBounded(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	base := d.at("refs/heads/integration")
	deep := d.treeOf(1, "100644", "f%d", d.blob("x\n"))
	for range 100 {
		deep = d.treeOf(1, "40000", strings.Repeat("n", 200)+"%d", deep)
	}
	_, err := d.store.Commits.Facts(context.Background(), flow.Query{Submission: d.built(deep, base), Tip: base})
	requireRule(t, err, flow.RuleLimit, "has a path of more than 16384 bytes")
}

// A spec or script is looked for in folders of some size only.
func TestTortureFoldersThatAreReadAreBounded(t *testing.T) {
	torture.Only(t)
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	base := d.at("refs/heads/integration")
	many := d.built(d.treeOf(500_000, "100644", "f%07d", d.blob("x\n")), base)
	_, err := d.store.Commits.Facts(context.Background(), flow.Query{Texts: asked("README"), Tip: many})
	require.ErrorContains(t, err, "at most 16777216 are read")
	some := d.built(d.treeOf(300_000, "100644", "f%07d", d.blob("x\n")), base)
	f, err := d.store.Commits.Facts(context.Background(), flow.Query{Texts: asked("README", "f0299999", "f0299999/x"), Tip: some})
	require.NoError(t, err)
	require.Empty(t, f.Texts["README"].Blob)
	require.Equal(t, d.blob("x\n"), f.Texts["f0299999"].Blob)
	require.Empty(t, f.Texts["f0299999/x"].Blob)
}

// A board with a folder, a document or a move that is too large is not read.
func TestBoardsAreBounded(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1")
	tip := d.at(layout.State)
	c, err := d.store.objects.Commit(tip)
	require.NoError(t, err)
	shard := d.treeOf(40_000, "100644", "x%05d.yaml", d.blob("id: x\n"))
	state := func(tree git.ID) git.ID {
		return d.forged(strings.Replace(string(c.Raw), "tree "+string(c.Tree), "tree "+string(tree), 1))
	}
	b, err := d.store.BoardAt(state(d.odd(c.Tree, "goals", git.Entry{Mode: git.ModeTree, Name: "goals", ID: shard})))
	if err == nil {
		_ = b.IDs(board.Goals)
		err = b.Err()
	}
	require.ErrorContains(t, err, "at most 1048576 are read")

	large := d.stored("blob", bytes.Repeat([]byte("x"), document.MaxSize+1))
	b, err = d.store.BoardAt(state(d.odd(c.Tree, "tasks/01", git.Entry{Mode: git.ModeBlob, Name: "task-1.yaml", ID: large})))
	require.NoError(t, err)
	require.Nil(t, b.Task("task-1"))
	require.ErrorContains(t, b.Err(), "a document has at most 262144")

	raw := append(c.Raw, bytes.Repeat([]byte("x"), git.MaxCommit)...)
	_, err = d.store.Audit.ReplayMove(context.Background(), d.stored("commit", raw), true)
	require.ErrorContains(t, err, "at most 4259840 are allowed")
}
