package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Bounds on the memory of the server's largest process and on the time until a
// refusal. Both are generous: they tell an exhausted server from a busy one.
const (
	mostMemory = 1 << 20 // KiB
	longest    = 3 * time.Minute
)

// A bomb is something that costs little to send and much to look at.
var bombs = []struct {
	name   string
	person string
	make   func(*client) // leaves the board's commit on refs/liza/state
	push   string
}{
	{"10,000 moves", "merger", (*client).manyMoves, "refs/liza/state"},
	{"a document of 1 GB", "merger", func(c *client) { c.document(c.zeros(1 << 30)) }, "refs/liza/state"},
	{"a move of 256 MB", "merger", func(c *client) { c.longMove(256 << 20) }, "refs/liza/state"},
	{"a folder of a million documents", "merger", func(c *client) { c.folder(c.wideTree(1_000_000)) }, "refs/liza/state"},
	{"folders in folders without end", "merger", func(c *client) { c.folder(c.nestedTree()) }, "refs/liza/state"},
	{"a submission of 1 GB", "coder", func(c *client) { c.submission(fmt.Sprintf("100644 blob %s\tfive.txt", c.zeros(1<<30))) }, submitted},
	{"a submission of a million files", "coder", func(c *client) { c.submission("040000 tree " + c.wideTree(1_000_000) + "\tfive.txt") }, submitted},
	{"a submission of folders without end", "coder", func(c *client) { c.submission("040000 tree " + c.nestedTree() + "\tfive.txt") }, submitted},
}

const submitted = "refs/liza/state instead:refs/liza/saved/task-5/1 instead:refs/heads/liza/task-5"

// Each bomb ends in a refusal, within the memory and the time of a server that
// has other things to do, and leaves nothing behind.
func TestBounds(t *testing.T) {
	for _, bomb := range bombs {
		t.Run(bomb.name, func(t *testing.T) {
			repo := shared.copyStage(t)
			c := shared.raw(t, bomb.person, repo)
			bomb.make(c)
			before := shared.holds(t, repo)
			o := c.within(longest, nil, append([]string{"git", "push", "-q", "--atomic", "origin"}, strings.Fields(bomb.push)...)...)
			require.Positive(t, o.code, "exit %d after %.0f s: %s", o.code, o.seconds, o.stderr)
			require.Regexp(t, `(?m)^remote: liza-refused: \S+ [a-z_]+: .+; type: \S`, o.stderr)
			require.Equal(t, before, shared.holds(t, repo), "it left something")
			cost := shared.served(t, repo)
			t.Logf("figures: %s: refused after %.1f s, largest process %d MB: %s", bomb.name, o.seconds, cost.MaxKB/1024, firstLine(o.stderr))
			require.Less(t, cost.MaxKB, int64(mostMemory))
			note := shared.raw(t, "merger", repo)
			note.must("git-liza", "note", "still here", "--as", "planner-1")
			note.must("git", "push", "-q", "origin", "refs/liza/state")
		})
	}
}

func firstLine(s string) string {
	for line := range strings.Lines(s) {
		if strings.Contains(line, "liza-refused") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// copyStage is a server of its own with the board of the attack stories.
func (s *site) copyStage(t *testing.T) string {
	t.Helper()
	from, err := staged()
	require.NoError(t, err)
	dir, err := os.MkdirTemp(s.path("repos"), "copy-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, exec.Command("cp", "-r", from, filepath.Join(dir, "product.git")).Run())
	return filepath.Base(dir) + "/product"
}

// raw is a clone without hooks that holds a board of its own, a copy.
func (s *site) raw(t *testing.T, person, repo string) *client {
	t.Helper()
	c := s.hire(t, person, repo)
	c.must("git", "fetch", "-q", "origin", "+refs/liza/*:refs/liza/*", "+refs/heads/liza/*:refs/heads/liza/*", "+refs/heads/integration:refs/heads/integration")
	return c
}

// holds is what a repository holds: refs, and the names of its files.
func (s *site) holds(t *testing.T, repo string) string {
	t.Helper()
	text := s.onServer(t, repo, "for-each-ref")
	files, err := exec.Command("find", s.path("repos", repo+".git", "objects")).Output()
	require.NoError(t, err)
	return text + "\n" + string(files)
}

// served is what the last push to the repository cost.
func (s *site) served(t *testing.T, repo string) (last service) {
	t.Helper()
	file, err := os.Open(s.path("served.jsonl"))
	require.NoError(t, err)
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var one service
		if json.Unmarshal(lines.Bytes(), &one) == nil && strings.Contains(one.Command, "receive-pack") && strings.Contains(one.Command, repo) {
			last = one
		}
	}
	require.NotEmpty(t, last.Command)
	return last
}

// git runs git with standard input and returns what it says.
func (c *client) git(in io.Reader, args ...string) string {
	c.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env, cmd.Stdin = c.dir, c.env, in
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(c.t, err, "git %v: %s", args, stderr.String())
	return strings.TrimSpace(string(out))
}

// zeros is a blob of so many zero bytes; it costs a thousandth to send.
func (c *client) zeros(n int64) string {
	return c.git(io.LimitReader(zero{}, n), "hash-object", "-w", "--stdin")
}

type zero struct{}

func (zero) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// onBoard makes a commit with that tree the next one of the board, with the
// message of an honest note.
func (c *client) onBoard(tree string) {
	c.t.Helper()
	c.must("git-liza", "note", "an honest word", "--as", "planner-1")
	c.must("git", "update-ref", "refs/liza/state", c.remade("refs/liza/state", tree))
}

// remade is a commit with another tree, otherwise the same.
func (c *client) remade(commit, tree string) string {
	text := c.git(nil, "cat-file", "commit", commit)
	_, rest, _ := strings.Cut(text, "\n")
	return c.git(strings.NewReader("tree "+tree+"\n"+rest+"\n"), "hash-object", "-t", "commit", "-w", "--stdin")
}

// document puts a blob in place of a document of the board.
func (c *client) document(blob string) {
	c.folderEntry("100644 blob " + blob + "\tbreaker.yaml")
}

// folder puts a tree in place of the board's notes.
func (c *client) folder(tree string) { c.folderEntry("040000 tree " + tree + "\tnotes") }

func (c *client) folderEntry(entry string) {
	_, name, _ := strings.Cut(entry, "\t")
	var kept []string
	for line := range strings.Lines(c.git(nil, "ls-tree", "refs/liza/state")) {
		if !strings.HasSuffix(strings.TrimSpace(line), "\t"+name) {
			kept = append(kept, strings.TrimSpace(line))
		}
	}
	c.onBoard(c.git(strings.NewReader(strings.Join(append(kept, entry), "\n")+"\n"), "mktree"))
}

// wideTree is a tree of n files.
func (c *client) wideTree(n int) string {
	blob := c.git(strings.NewReader("x\n"), "hash-object", "-w", "--stdin")
	var list bytes.Buffer
	for i := range n {
		fmt.Fprintf(&list, "100644 blob %s\tfile-%07d\n", blob, i)
	}
	return c.git(&list, "mktree")
}

// nestedTree is a tree of twelve levels with ten entries each, all alike: a
// dozen objects, and a million million paths.
func (c *client) nestedTree() string {
	tree := c.wideTree(10)
	for range 11 {
		var list bytes.Buffer
		for i := range 10 {
			fmt.Fprintf(&list, "040000 tree %s\td%d\n", tree, i)
		}
		tree = c.git(&list, "mktree")
	}
	return tree
}

// longMove is a note with n more bytes in its commit message.
func (c *client) longMove(n int64) {
	c.must("git-liza", "note", "an honest word", "--as", "planner-1")
	text := c.git(nil, "cat-file", "commit", "refs/liza/state")
	long := io.MultiReader(strings.NewReader(text+"\n\n"), io.LimitReader(spaces{}, n))
	c.must("git", "update-ref", "refs/liza/state", c.git(long, "hash-object", "-t", "commit", "-w", "--stdin", "--literally"))
}

type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '#'
	}
	return len(p), nil
}

// manyMoves puts ten thousand commits on the board, each with a legal message.
func (c *client) manyMoves() {
	c.must("git-liza", "note", "an honest word", "--as", "planner-1")
	tree := c.must("git", "rev-parse", "refs/liza/state^{tree}")
	_, message, _ := strings.Cut(c.git(nil, "cat-file", "commit", "refs/liza/state"), "\n\n")
	blob := c.git(nil, "rev-parse", "refs/liza/state:liza.yaml")
	require.NotEmpty(c.t, blob)
	var stream bytes.Buffer
	for i := range 10_000 {
		fmt.Fprintf(&stream, "commit refs/liza/state\nauthor planner-1 <planner-1@liza.invalid> 1768658760 +0000\ncommitter c <c@example.org> %d +0000\ndata %d\n%s\n",
			1768658760+i, len(message), message)
		if i == 0 {
			stream.WriteString("from refs/liza/state^0\n")
		}
		fmt.Fprintf(&stream, "M 040000 %s \n\n", tree)
	}
	c.git(&stream, "fast-import", "--quiet", "--force")
}

// submission makes a coder submit, for task-5, a commit whose tree has one
// more entry, and lets the board say that it was what it was about.
func (c *client) submission(entry string) {
	c.t.Helper()
	c.must("git-liza", "intent", "task-5", "--as", "coder-1", "--summary", "S", "--validation", "V")
	base := c.must("git", "rev-parse", "integration")
	list := c.git(nil, "ls-tree", base)
	honest := c.commit(base, c.git(strings.NewReader(list+"\n100644 blob "+c.zeros(1)+"\tfive.txt\n"), "mktree"))
	c.must("git", "branch", "liza/task-5", honest)
	c.must("git", "worktree", "add", "-q", ".worktrees/task-5", "liza/task-5")
	c.must("git-liza", "submit", "task-5", "--as", "coder-1")
	evil := c.commit(base, c.git(strings.NewReader(list+"\n"+entry+"\n"), "mktree"))
	c.must("git", "tag", "instead", evil)
	forge, err := filepath.Abs(filepath.Join("testdata", "bin", "forge"))
	require.NoError(c.t, err)
	c.must(forge, "-e", fmt.Sprintf("s/%s/%s/g;s/%s/%s/g", honest, evil, c.must("git", "rev-parse", honest+"^{tree}"), c.must("git", "rev-parse", evil+"^{tree}")))
}

func (c *client) commit(parent, tree string) string {
	return c.must("git", "commit-tree", "-m", "five", "-p", parent, tree)
}
