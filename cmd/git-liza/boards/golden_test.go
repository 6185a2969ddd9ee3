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
	{name: "plain", story: "life", moves: 219, tip: "b3c2115dace1e909d83f0459506d76aa031fda60", pusher: "ann"},
	{name: "founded", story: "founded", moves: 2, tip: "3013f83f499660cf8d31b2287453f6d424b634e8", signed: true, pusher: "ann"},
	{name: "rush", story: "rush", moves: 68, tip: "9b2684ca2c05e58f73e6c62889e45e4ee93b2bea"},
	{name: "workflows", story: "workflows", moves: 85, tip: "64123c9e7c90a347a384f2f88942cb93ba72dfef"},
	{name: "workflows-signed", story: "workflows", moves: 88, tip: "57b24f7497e3432d077cee4b74dca65c0ad8be2e", signed: true, pusher: "ann"},
	{name: "signed", story: "life", moves: 221, tip: "bc6fe2cf22d488aa28779765e04ca97cda56470e", signed: true, pusher: "zoe"},
	{name: "roles", story: "roles", moves: 114, tip: "1793be04a7da91056dfe2c5ded56bb6e26ba6284"},
	{name: "roles-signed", story: "roles", moves: 116, tip: "9a516aa464cb83348e8aeb7753c054fcdeaecb6b", signed: true, pusher: "ann"},
	{name: "decisions", story: "decisions", moves: 184, tip: "f119fa25a70021d7729270b3a7fea2411f642f23"},
	{name: "decisions-signed", story: "decisions", moves: 188, tip: "587f2875aca0dcfdc7271a3b6579ffe9eeaa92ce", signed: true, pusher: "ann"},
	{name: "levels", story: "levels", moves: 154, tip: "35d239af3be2a2f51085b8ff355926083850b51c"},
	{name: "levels-signed", story: "levels", moves: 157, tip: "5fd202a03a26beff7d05267d945761da76b141cd", signed: true, pusher: "ann"},
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
