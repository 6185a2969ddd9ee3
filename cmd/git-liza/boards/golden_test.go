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

	"github.com/git-liza/git-liza/flow"
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
	{name: "plain", story: "life", moves: 219, tip: "466fde4c55c1e7ffc09582eaa1e21de3bb6e6337", pusher: "ann"},
	{name: "founded", story: "founded", moves: 2, tip: "a3c84ee16e9690ceb5b92392a81006ce4b4c4f3b", signed: true, pusher: "ann"},
	{name: "rush", story: "rush", moves: 68, tip: "734ee113267b6bb3cf8034634436ab3bd5b766d6"},
	{name: "workflows", story: "workflows", moves: 85, tip: "6e95fd35cc5a28bcbffa3466ec241d1cbce605ff"},
	{name: "workflows-signed", story: "workflows", moves: 88, tip: "82e1f442ffb5f4e71e5199d30a7135f3fad259c7", signed: true, pusher: "ann"},
	{name: "signed", story: "life", moves: 221, tip: "7efd4978c99734a252ab1e2c0c09f313d9258a4f", signed: true, pusher: "zoe"},
	{name: "roles", story: "roles", moves: 114, tip: "a41f305149533ed7c05806f042ad0273561f5d3a"},
	{name: "roles-signed", story: "roles", moves: 116, tip: "e2e2a54a30703ee0ad5857cdd49bb43db94bb6c9", signed: true, pusher: "ann"},
	{name: "decisions", story: "decisions", moves: 184, tip: "f05a2144ec95641b0be17278684e45459c13adbd"},
	{name: "decisions-signed", story: "decisions", moves: 188, tip: "6677b34fce933a80928a0b1fa07a0bd68e408224", signed: true, pusher: "ann"},
	{name: "levels", story: "levels", moves: 154, tip: "cda0ad93d661b784cfccee8e5ad2e71e472cd344"},
	{name: "levels-signed", story: "levels", moves: 157, tip: "d641ae83b37c52ff2bc53d2e16dafd86f97f3dfc", signed: true, pusher: "ann"},
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
	store, err := gitstore.OpenStore(context.Background(), repo, now)
	require.NoError(t, err)
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
		board, _, err := store.Board(context.Background())
		require.NoError(t, err)
		for _, in := range []flow.Folder{flow.Tasks, flow.Archive} {
			for few := range slices.Chunk(board.IDs(in), every) {
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
