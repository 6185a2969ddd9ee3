package boards

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
	"github.com/git-liza/git-liza/internal/torture"
)

// A golden board is one of the files in testdata/boards.
type golden struct {
	name   string // of the file, without .bundle
	story  string // in testdata/record, without .sh
	moves  int
	tip    git.ID // its last move, and so the bytes of all
	signed bool
	pusher string // the admin who brings it to a server, by the name of its user
}

// goldens are all golden boards. Until the first release they are recorded anew, afterwards
// a row is never changed or removed.
var goldens = []golden{
	{name: "plain", story: "life", moves: 219, tip: "75c6831084374a15f167fa9600215b5a36342f69", pusher: "ann"},
	{name: "founded", story: "founded", moves: 2, tip: "b716ff9fa36b194bd1fa44f0c3b2e8c2e055e296", signed: true, pusher: "ann"},
	{name: "rush", story: "rush", moves: 68, tip: "b77610a6a81126adde840589386d599883651564"},
	{name: "workflows", story: "workflows", moves: 85, tip: "2427a1d086c23c2204a206feeca9185b471ec14f"},
	{name: "workflows-signed", story: "workflows", moves: 88, tip: "4212c2347a10b1833cb0ed1d6197ab1780e65016", signed: true, pusher: "ann"},
	{name: "signed", story: "life", moves: 221, tip: "0c484b0d670d4a6c40bd509f67efddecf048a13b", signed: true, pusher: "zoe"},
	{name: "roles", story: "roles", moves: 114, tip: "fb88a606235c84cda45cb3fb9c92baa198d4f284"},
	{name: "roles-signed", story: "roles", moves: 116, tip: "ae633a643bbc482f47f8a4e214a80cac1e205f19", signed: true, pusher: "ann"},
	{name: "decisions", story: "decisions", moves: 184, tip: "d4bc6c835b08513751c4e9d00e281ae508dff890"},
	{name: "decisions-signed", story: "decisions", moves: 188, tip: "afe7a6a1e128f04c253277ed18aa2610c769e953", signed: true, pusher: "ann"},
	{name: "levels", story: "levels", moves: 154, tip: "baf4e0030b819c7e5d8c6adbe0499646fb1e7a82"},
	{name: "levels-signed", story: "levels", moves: 157, tip: "3da700eeaa2605811f894cfe53a51ce19854e5dc", signed: true, pusher: "ann"},
}

// eachGolden runs a test on a clone of every golden board.
func eachGolden(t *testing.T, test func(t *testing.T, g golden, dir string)) {
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			test(t, g, unpackBoard(t, g))
		})
	}
}

// unpackBoard returns a clone with the refs of a golden board and the keys of its
// principals.
func unpackBoard(t testing.TB, g golden) string {
	t.Helper()
	file, err := filepath.Abs(filepath.Join(folder, g.name+".bundle"))
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "repo")
	gittest.Git(t, ".", "init", "-q", "-b", "elsewhere", dir)
	gittest.Git(t, dir, "fetch", "-q", file, "refs/*:refs/*")
	gittest.Git(t, dir, "checkout", "-q", "main")
	if g.signed {
		gittest.Git(t, dir, "config", "liza.principal", "ann")
		for _, name := range []string{"ann", "coders", "reviewers"} {
			private, err := filepath.Abs(filepath.Join(keys, name))
			require.NoError(t, err)
			gittest.Git(t, dir, "config", "liza.principal."+name+".key", private)
		}
	} else if g.pusher != "" {
		gittest.Git(t, dir, "config", "liza.principal", g.pusher)
	}
	return dir
}

// openBoard opens a clone at the time of its last move.
func openBoard(t testing.TB, dir string) (*gitstore.Store, git.ID, time.Time) {
	t.Helper()
	var at time.Time
	store := openStore(t, dir, func() time.Time { return at })
	board, tip, err := store.Board(context.Background())
	require.NoError(t, err)
	at = board.At()
	return store, tip, at
}

func openStore(t testing.TB, dir string, now func() time.Time) *gitstore.Store {
	t.Helper()
	repo, err := git.Open(context.Background(), dir)
	require.NoError(t, err)
	t.Cleanup(func() { repo.Close() })
	store := gitstore.OpenStore(context.Background(), repo, now)
	return store
}

// liza runs a program in a folder at a time and returns its output. It must succeed.
func liza(t testing.TB, program, dir string, at time.Time, args ...string) string {
	t.Helper()
	out, err := command(t, program, dir, at, args...).CombinedOutput()
	require.NoError(t, err, "git liza %s: %s", strings.Join(args, " "), out)
	return string(out)
}

func command(t testing.TB, program, dir string, at time.Time, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(filepath.Join(program, "git-liza"), args...)
	cmd.Dir, cmd.Env = dir, environment(t, program, "LIZA_NOW="+at.Format(time.RFC3339))
	return cmd
}

// The table has every file, and every row its file.
func TestGoldenBoardsAreListed(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(folder, "*.bundle"))
	require.NoError(t, err)
	var listed, found []string
	for _, g := range goldens {
		listed = append(listed, g.name)
	}
	for _, file := range files {
		found = append(found, strings.TrimSuffix(filepath.Base(file), ".bundle"))
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.Less(t, info.Size(), int64(512<<10), "%s", file)
	}
	require.ElementsMatch(t, listed, found)
}

// Every move of every golden board replays: applied to its parent's board it gives the
// tree of its commit, and it renders to the bytes of its commit. Signatures still
// prove who made it.
func TestGoldenBoardsReplay(t *testing.T) {
	t.Parallel()
	eachGolden(t, func(t *testing.T, g golden, dir string) {
		store, tip, _ := openBoard(t, dir)
		require.Equal(t, g.tip, tip, "the file is not that of its row")
		moves, signed := 0, 0
		require.NoError(t, store.Events(tip, func(e gitstore.Event) (bool, error) {
			r, err := store.Audit.ReplayMove(context.Background(), e.Commit, true)
			require.NoError(t, err, "%s %s", e.Commit, e.Move.Subject())
			moves++
			if r.Signature == "" {
				return true, nil
			}
			signed++
			known := r.Before.Principals()
			if len(known.List) == 0 {
				known = r.After.Principals()
			}
			require.NoError(t, store.Audit.CheckSignature(r, known.Find(r.Move.Principal)), "%s %s", e.Commit, e.Move.Subject())
			return true, nil
		}))
		require.Equal(t, g.moves, moves)
		if g.signed {
			require.Equal(t, moves, signed)
		}
	})
}

// The program finds every golden board sound, shows all of it but most of its tasks, and
// makes more moves on it.
func TestGoldenBoardsGoOn(t *testing.T) { goOn(t, 6) }

// So it does with every task, each of which takes a process.
func TestTortureGoldenBoardsGoOn(t *testing.T) {
	torture.Only(t)
	goOn(t, 1)
}

// goOn shows one of so many tasks.
func goOn(t *testing.T, every int) {
	t.Parallel()
	eachGolden(t, func(t *testing.T, g golden, dir string) {
		store, _, at := openBoard(t, dir)
		liza(t, present, dir, at, "fsck", "--full")
		for _, args := range [][]string{{"status"}, {"inbox", "--all"}, {"next"}, {"list", "--all"}, {"log"}, {"log", "--yaml"}, {"log", "--jsonl"}, {"board", "show"}, {"fsck", "--board"}, {"config"},
			{"goal"}, {"sprint"}, {"agents"}, {"metrics"}, {"session"}, {"principal"}, {"board", "diff", "sprint-1"}} {
			liza(t, present, dir, at, args...)
		}
		b, _, err := store.Board(context.Background())
		require.NoError(t, err)
		for _, in := range []board.Folder{board.Tasks, board.Archive} {
			for few := range slices.Chunk(b.IDs(in), every) {
				liza(t, present, dir, at, "show", few[0])
			}
		}
		at = at.Add(time.Minute)
		liza(t, present, dir, at, "note", "This board goes on")
		liza(t, present, dir, at, "task", "add", "going-on", "--title", "T", "--done-when", "D", "--spec", "specs/vision.md", "--scope", "S", "--kind", "docs")
		liza(t, present, dir, at, "task", "abandon", "going-on", "--reason", "seen")
		liza(t, present, dir, at, "fsck", "--full")
		require.Equal(t, string(g.tip), gittest.Git(t, dir, "rev-parse", layout.State+"~3"))
	})
}
