package gitstore

import (
	"context"
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
)

// became moves the state ref to the same move with another tree.
func (d *desk) became(tree git.ID) git.ID {
	d.t.Helper()
	tip := d.at(layout.State)
	c, err := d.store.objects.Commit(tip)
	require.NoError(d.t, err)
	id := d.forged(strings.Replace(string(c.Raw), string(c.Tree), string(tree), 1))
	require.NoError(d.t, d.store.Repo.Refs.MoveRefs(context.Background(), []git.RefUpdate{{Name: layout.State, Old: tip, New: id}}, "odd"))
	d.store = d.open()
	return id
}

// oddly is the tip's tree with one entry of a folder replaced.
func (d *desk) oddly(dir string, e git.Entry) git.ID {
	d.t.Helper()
	c, err := d.store.objects.Commit(d.at(layout.State))
	require.NoError(d.t, err)
	return d.odd(c.Tree, dir, e)
}

func (d *desk) odd(tree git.ID, dir string, e git.Entry) git.ID {
	d.t.Helper()
	entries, err := d.store.objects.Tree(tree)
	require.NoError(d.t, err)
	name, rest, _ := strings.Cut(dir, "/")
	var out []git.Entry
	for _, old := range entries {
		switch {
		case dir == "" && old.Name == e.Name:
			continue
		case dir != "" && old.Name == name:
			old.ID = d.odd(old.ID, rest, e)
		}
		out = append(out, old)
	}
	if dir == "" {
		out = append(out, e)
	}
	id, err := d.store.objects.WriteTree(out)
	require.NoError(d.t, err)
	require.NoError(d.t, d.store.objects.Flush())
	return id
}

func (d *desk) blob(text string) git.ID {
	d.t.Helper()
	id, err := d.store.objects.WriteBlob([]byte(text))
	require.NoError(d.t, err)
	require.NoError(d.t, d.store.objects.Flush())
	return id
}

// Whatever stands in the tree that no move would put there is refused by name,
// by readers and before a move builds on it.
func TestOddTrees(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1")
	d.claim("task-1", coder)
	files, err := d.store.Files(d.at(layout.State))
	require.NoError(t, err)
	task, settings := files["tasks/01/task-1.yaml"], files["liza.yaml"]
	tip, main := d.at(layout.State), d.at("refs/heads/main")
	empty := d.store.Repo.Hash("tree", nil)
	for name, c := range map[string]struct {
		dir  string
		e    git.Entry
		want string
	}{
		"a file at the top":      {"", git.Entry{Mode: git.ModeBlob, Name: "README", ID: d.blob("hello\n")}, "README:1: "},
		"a folder at the top":    {"", git.Entry{Mode: git.ModeTree, Name: "x", ID: empty}, "x:1: "},
		"another case":           {"", git.Entry{Mode: git.ModeTree, Name: "Tasks", ID: empty}, "Tasks:1: "},
		"settings as a link":     {"", git.Entry{Mode: git.ModeSymlink, Name: "liza.yaml", ID: d.blob(settings)}, "liza.yaml:1: it has mode 120000"},
		"settings as a program":  {"", git.Entry{Mode: git.ModeExecutable, Name: "liza.yaml", ID: d.blob(settings)}, "liza.yaml:1: it has mode 100755"},
		"settings as a folder":   {"", git.Entry{Mode: git.ModeTree, Name: "liza.yaml", ID: empty}, "liza.yaml:1: it has mode 040000"},
		"settings as submodule":  {"", git.Entry{Mode: git.ModeSubmodule, Name: "liza.yaml", ID: main}, "liza.yaml:1: it has mode 160000"},
		"tasks as a file":        {"", git.Entry{Mode: git.ModeBlob, Name: "tasks", ID: d.blob(task)}, "tasks:1: "},
		"a shard as a file":      {"tasks", git.Entry{Mode: git.ModeBlob, Name: "01", ID: d.blob(task)}, "tasks/01:1: "},
		"a shard that is none":   {"tasks", git.Entry{Mode: git.ModeTree, Name: "1", ID: empty}, "tasks/1:1: "},
		"a task as a link":       {"tasks/01", git.Entry{Mode: git.ModeSymlink, Name: "task-1.yaml", ID: d.blob(task)}, "tasks/01/task-1.yaml:1: it has mode 120000"},
		"a task as a submodule":  {"tasks/01", git.Entry{Mode: git.ModeSubmodule, Name: "task-1.yaml", ID: main}, "tasks/01/task-1.yaml:1: it has mode 160000"},
		"a task as a folder":     {"tasks/01", git.Entry{Mode: git.ModeTree, Name: "task-1.yaml", ID: empty}, "tasks/01/task-1.yaml:1: it has mode 040000"},
		"a task in two places":   {"tasks/01", git.Entry{Mode: git.ModeBlob, Name: "x01.yaml", ID: d.blob(task)}, "tasks/01/x01.yaml:1: it holds the id \"task-1\""},
		"a task of another name": {"tasks/01", git.Entry{Mode: git.ModeBlob, Name: "task-2.yaml", ID: d.blob(task)}, "tasks/01/task-2.yaml:1: "},
		"a goal among tasks":     {"tasks/01", git.Entry{Mode: git.ModeBlob, Name: "task-1.yaml", ID: d.blob(files["goals/goal-1.yaml"])}, "tasks/01/task-1.yaml:4: "},
		"a file beside tasks":    {"tasks/01", git.Entry{Mode: git.ModeBlob, Name: "notes.txt", ID: d.blob("x")}, "tasks/01/notes.txt:1: "},
		"no yaml":                {"tasks/01", git.Entry{Mode: git.ModeBlob, Name: "task-1.yaml", ID: d.blob("id: task-1\n\ttitle: x\n")}, "tasks/01/task-1.yaml:2: "},
		"an unknown key":         {"tasks/01", git.Entry{Mode: git.ModeBlob, Name: "task-1.yaml", ID: d.blob(task + "colour: red\n")}, "tasks/01/task-1.yaml:"},
		"a huge document":        {"tasks/01", git.Entry{Mode: git.ModeBlob, Name: "task-1.yaml", ID: d.blob(task + "#" + strings.Repeat("x", document.MaxSize))}, "a document has at most"},
		"an empty document":      {"tasks/01", git.Entry{Mode: git.ModeBlob, Name: "task-1.yaml", ID: d.blob("")}, "tasks/01/task-1.yaml:1: "},
		"an agent as a link":     {"agents/01", git.Entry{Mode: git.ModeSymlink, Name: "coder-1.yaml", ID: d.blob(files["agents/01/coder-1.yaml"])}, "agents/01/coder-1.yaml:1: it has mode 120000"},
	} {
		gittest.Git(t, d.dir, "update-ref", layout.State, string(tip))
		odd := d.became(d.oddly(c.dir, c.e))
		b, _, err := d.store.Board(context.Background())
		if err == nil {
			b.Tasks()
			b.Task("task-1")
			b.Agent("coder-1")
			err = b.Err()
		}
		var malformed *document.Error
		require.ErrorAs(t, err, &malformed, name)
		require.Contains(t, err.Error(), c.want, name)

		_, breach, err := d.store.Audit.Fsck(context.Background(), true)
		require.NoError(t, err, name)
		require.Equal(t, odd, breach.Commit, name)
		_, err = d.open().Do(context.Background(), func(b *board.Board, _ time.Time) (flow.Move, []git.RefUpdate, error) {
			return flow.Move{Act: board.ActRelease, Task: "task-1", By: ann, Detail: &flow.ReleaseMove{}}, nil, nil
		})
		if err == nil {
			// Only what the move did not touch may go unnoticed.
			require.Contains(t, []string{"a shard that is none", "a task in two places", "a task of another name", "a file beside tasks"}, name)
		}
	}
}

func TestABoardOfNewerRules(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	files, err := d.store.Files(d.at(layout.State))
	require.NoError(t, err)
	tip, settings := d.at(layout.State), files["liza.yaml"]
	for name, text := range map[string]string{
		"the same form":  strings.Replace(settings, "format: 1\n", "format: 2\n", 1),
		"unknown keys":   strings.Replace(settings, "format: 1\n", "format: 3\nweather: fine\n", 1),
		"another kind":   "format: 2\nboard:\n  - 1\n",
		"other contents": "format: 2\n",
	} {
		gittest.Git(t, d.dir, "update-ref", layout.State, string(tip))
		d.became(d.oddly("", git.Entry{Mode: git.ModeBlob, Name: "liza.yaml", ID: d.blob(text)}))
		_, _, err := d.store.Board(context.Background())
		var refusal *flow.Refusal
		require.ErrorAs(t, err, &refusal, name)
		require.Equal(t, flow.RuleFormat, refusal.Rule)
		_, err = d.store.Do(context.Background(), note("x"))
		require.ErrorAs(t, err, &refusal, name)
	}
	// Newer folders are no reason to call a newer board broken.
	d.became(d.oddly("", git.Entry{Mode: git.ModeTree, Name: "weather", ID: d.store.Repo.Hash("tree", nil)}))
	_, _, err = d.store.Board(context.Background())
	require.ErrorContains(t, err, "install a newer git-liza")

	for _, text := range []string{"", "format: none\n", "format: -1\n", "x: y\n", "format: 0\n"} {
		gittest.Git(t, d.dir, "update-ref", layout.State, string(tip))
		d.became(d.oddly("", git.Entry{Mode: git.ModeBlob, Name: "liza.yaml", ID: d.blob(text)}))
		_, _, err := d.store.Board(context.Background())
		var malformed *document.Error
		require.ErrorAs(t, err, &malformed, "%q", text)
		require.Equal(t, "liza.yaml", malformed.Name)
		_, err = d.try(d.initial(d.at("refs/heads/main")))
		require.ErrorAs(t, err, &malformed, "no second board is made upon a broken one")
	}
}

func TestRecordsIgnoreCase(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	_, err := d.store.Do(context.Background(), note("x"))
	require.NoError(t, err)
	b := d.board()
	require.Equal(t, []string{"sprint-1/1"}, b.IDs(board.Notes))
	for _, id := range []string{"sprint-1/1", "SPRINT-1/1"} {
		require.NotNil(t, b.Load(board.Key{Folder: board.Notes, ID: id}), id)
	}
	for _, id := range []string{"", "/", "sprint-1", "sprint-1/2", "sprint-2/1", "../liza", "sprint-1/1/1"} {
		require.Nil(t, b.Load(board.Key{Folder: board.Notes, ID: id}), id)
		require.Nil(t, b.Load(board.Key{Folder: board.Tasks, ID: id}), id)
	}
	require.NoError(t, b.Err())
}

// The cache stays within its bound, whatever is read.
func TestLibraryIsBounded(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1")
	l := d.store.documents
	before := d.board().Task("task-1")
	require.Same(t, before, d.board().Task("task-1"), "read once")
	for range 2 * keepBytes / document.MaxSize {
		l.makeRoom(document.MaxSize)
		require.Same(t, before, d.board().Task("task-1"), "what is asked for stays")
	}
	for range keepBytes / document.MaxSize {
		l.makeRoom(document.MaxSize)
		require.LessOrEqual(t, l.held, keepBytes)
	}
	require.NotSame(t, before, d.board().Task("task-1"))
	require.Equal(t, before, d.board().Task("task-1"))
}

// The same bytes are another document in another folder.
func TestSameBytesInTwoFolders(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	text := "id: twin\nstatus: IN_PROGRESS\n"
	d.became(d.edited(d.at(layout.State), map[string]string{"goals/twin.yaml": text, "sprints/twin.yaml": text}))
	b := d.board()
	require.NotNil(t, b.Goal("twin"))
	require.NotNil(t, b.Sprint("twin"))
	require.NoError(t, b.Err())
}
