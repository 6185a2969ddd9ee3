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
	moves  int
	tip    git.ID // its last move, and so the bytes of all
	signed bool
	pusher string // the admin who brings it to a server, by the name of its user

	// unserved says why a server does not take its moves, "" if it does.
	unserved string
}

// goldens are all golden boards. A row is never changed or removed.
var goldens = []golden{
	{name: "236f646-plain", moves: 221, tip: "1fd488ea9392c2dfd7fcdff953bc715934361080", pusher: "ann"},
	{name: "236f646-signed", moves: 223, tip: "04a0b43acb189b865e650df6fd05ac42f6816177", signed: true, pusher: "zoe"},
	{name: "236f646-founded", moves: 2, tip: "07f7c134517a4fca34d3395bdd31c753c3d7653b", signed: true, pusher: "ann"},
	{name: "236f646-rush", moves: 66, tip: "6abac87f59637066267ca1e548a70cf1507b72ab"},
	{name: "236f646-inadmissible", moves: 18, tip: "870d6492974260b9dd301baa82fb9594ac8eaac9",
		unserved: "it holds what the rules admitted then and do not admit now, see TestBoardsOfEarlierProgramsReplay"},
	{name: "f4a61dc-plain", moves: 221, tip: "b8563798fed76cb77bbaab6d153c332cf5530ef1", pusher: "ann"},
	{name: "f4a61dc-signed", moves: 223, tip: "92f5748ee9a57fc9947e13268db69bc3eeb5969b", signed: true, pusher: "zoe"},
	{name: "f4a61dc-founded", moves: 2, tip: "0bb8a745b416e7363f5ee9ead19e2e7617937c04", signed: true, pusher: "ann"},
	{name: "f4a61dc-rush", moves: 66, tip: "f1238b04f7c5d93404b2d9bdbf707fc47d4f4232"},
	{name: "9fee5a5-plain", moves: 220, tip: "96fe141bc63db779f2b311b581d023241e6d8bc8", pusher: "ann"},
	{name: "9fee5a5-signed", moves: 222, tip: "d71504bd8faa8b26055993ce6f87425f2775cbee", signed: true, pusher: "zoe"},
	{name: "9fee5a5-founded", moves: 2, tip: "d4367971603817592c88f38431de51181599ef8f", signed: true, pusher: "ann"},
	{name: "9fee5a5-rush", moves: 66, tip: "bf402afee33507bc5e19f9b5eab1046aaea2c4bb"},
	{name: "9fee5a5-version2", moves: 114, tip: "a1420f8af03779c58e6b38099727d5bab59f11d9"},
	{name: "9fee5a5-version2-signed", moves: 116, tip: "0e4ff85638e5b876d85d5680235799b3475a7bc0", signed: true, pusher: "ann"},
	{name: "9fee5a5-migrated", moves: 224, tip: "0ee0406f370a4ce15506dd7fcb74d77c7a8b1d7a", pusher: "ann"},
	{name: "9fee5a5-migrated-signed", moves: 226, tip: "3ca0693da01c6065122394a11907b62cc1054461", signed: true, pusher: "zoe"},
	{name: "7ad303a-plain", moves: 218, tip: "178a2278f40cc5746527b23821482c82e1ada7b2", pusher: "ann"},
	{name: "7ad303a-signed", moves: 220, tip: "2fd36f72daa7f040576b4c595a9642eaf7ba562b", signed: true, pusher: "zoe"},
	{name: "7ad303a-founded", moves: 2, tip: "b3bff5c31350b44a84ac07f7f10bb37572956a4f", signed: true, pusher: "ann"},
	{name: "7ad303a-rush", moves: 68, tip: "30ec73d39a1fbab4ecd06e2c9e3c8a59b143858e"},
	{name: "7ad303a-version2", moves: 113, tip: "82d94c51bb6bea4bb3ab852857dcee4516decc6e"},
	{name: "7ad303a-migrated", moves: 224, tip: "ddaad0dfec01f38486df67e78cd9111007acc451", pusher: "ann"},
	{name: "7ad303a-version3", moves: 184, tip: "101cec1a6b7d9028c17f2ece58eb0dff2d1bebab"},
	{name: "7ad303a-version3-signed", moves: 188, tip: "e86d852387ff0ec0a67cc145e77e624b5ffeb411", signed: true, pusher: "ann"},
	{name: "7ad303a-forked", moves: 13, tip: "0b608a14e6b76b210c3376a8813501268e1573e0"},
	{name: "7ad303a-forked-signed", moves: 13, tip: "034eae3051961a03cb1d86d956e390aacc88dcd0", signed: true, pusher: "ann"},
	{name: "7ad303a-migrated3", moves: 118, tip: "966ead77a141df93a86bd2542c54d5ef50facef0"},
	{name: "7ad303a-migrated3-signed", moves: 120, tip: "079396afe3628d55eb8b43908d6949470ad316c8", signed: true, pusher: "ann"},
	{name: "01558001-plain", moves: 219, tip: "f39c194eea50e04d1c42661763f3b817e11db023", pusher: "ann"},
	{name: "01558001-founded", moves: 2, tip: "b3435bfd2d2dcd252979e27a7acaa78d1a904027", signed: true, pusher: "ann"},
	{name: "01558001-rush", moves: 68, tip: "89d6e7104474112a8b15f54e5323612a08f5896e"},
	{name: "01558001-version4", moves: 154, tip: "38ad4d0dac844f4bfaddc295e97913b390ccb689"},
	{name: "01558001-version4-signed", moves: 157, tip: "4fea7d6a8e4b19b46c33077e370f8c4b286f9870", signed: true, pusher: "ann"},
	{name: "01558001-migrated4", moves: 188, tip: "0e9dfabc644625001387c04bd56a1bdbd9b4217a"},
	{name: "01558001-migrated4-signed", moves: 192, tip: "0163f89145aeacd6105bdf1a90181d3054416e6b", signed: true, pusher: "ann"},
	{name: "159cd7ba-plain", moves: 219, tip: "7b6447b0f5ecf663d107adacbb68c0a9ed699ad2", pusher: "ann"},
	{name: "159cd7ba-founded", moves: 2, tip: "6cdc05ae16d0be2cfe74fa12ed7728b616b0f349", signed: true, pusher: "ann"},
	{name: "159cd7ba-rush", moves: 68, tip: "8df6cb9793d06866a164aefea670ccf2f1f7c2c3"},
	{name: "159cd7ba-version5", moves: 86, tip: "21d67cca2e7c4b5e7a2406a58f53028e41f10942"},
	{name: "159cd7ba-version5-signed", moves: 89, tip: "aaa0b989383977367f5f6c9b6fc895ba5696a877", signed: true, pusher: "ann"},
	{name: "159cd7ba-migrated5", moves: 158, tip: "ed3bfa7c5e57c73e457cb1b70a4593b84317b76a", pusher: "ann"},
	{name: "159cd7ba-migrated5-signed", moves: 161, tip: "5f18cd82a624b74521acd9c9f0c5c4c00a3b0903", signed: true, pusher: "ann"},
	{name: "489018ce-signed", moves: 221, tip: "b2fad0eaf130dd230c01b9aa4a2258dbbbc2d4f4", signed: true, pusher: "zoe"},
	{name: "489018ce-version2", moves: 114, tip: "52a85da8783f3b5932d71398070eed040a44143f"},
	{name: "489018ce-version2-signed", moves: 116, tip: "1200c42edf4a0e62b7cedf45e3c9b3a8c4a8c450", signed: true, pusher: "ann"},
	{name: "489018ce-version3", moves: 184, tip: "d4592a93d5dfee5292cdf148ac5d063a8a17d8a9"},
	{name: "489018ce-version3-signed", moves: 188, tip: "519c690448a0b7637f77ab2067141471c29e6005", signed: true, pusher: "ann"},
	{name: "489018ce-forked", moves: 13, tip: "3177ae9cfa2442aab04d8f041c75ce86adf5b12a"},
	{name: "489018ce-forked-signed", moves: 13, tip: "12e0e8cbc63dbee1577310922ec25bfe4957aef0", signed: true, pusher: "ann"},
	{name: "489018ce-version4", moves: 154, tip: "cb5e446309c7d8cd59651221111cbe5851115d4f"},
	{name: "489018ce-version4-signed", moves: 157, tip: "4a6672a9a9d03c0416a75c4abb91c209d0d87c4b", signed: true, pusher: "ann"},
}

// retold are golden boards of a story that another one tells under another version of
// the rules.
var retold = []string{
	"f4a61dc-plain", "f4a61dc-signed", "f4a61dc-founded", "f4a61dc-rush",
	"9fee5a5-plain", "9fee5a5-signed", "9fee5a5-founded", "9fee5a5-rush", "9fee5a5-migrated", "9fee5a5-migrated-signed",
	"7ad303a-plain", "7ad303a-signed", "7ad303a-founded", "7ad303a-rush", "7ad303a-version2", "7ad303a-migrated",
}

// eachGolden runs a test on a clone of every golden board; of those that are retold only
// if the torture is thorough.
func eachGolden(t *testing.T, test func(t *testing.T, g golden, dir string)) {
	for _, g := range goldens {
		if torture.Thorough() || !slices.Contains(retold, g.name) {
			g.run(t, test)
		}
	}
}

// run runs a test on a clone of the board.
func (g golden) run(t *testing.T, test func(t *testing.T, g golden, dir string)) {
	t.Run(g.name, func(t *testing.T) {
		t.Parallel()
		test(t, g, unpackBoard(t, g))
	})
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
	replay := func(t *testing.T, g golden, dir string) {
		store, tip, _ := openBoard(t, dir)
		require.Equal(t, g.tip, tip, "a golden board is never made anew")
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
	}
	for _, g := range goldens {
		g.run(t, replay)
	}
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
		for _, args := range [][]string{{"status"}, {"inbox", "--all"}, {"next"}, {"list", "--all"}, {"log"}, {"log", "--yaml"}, {"log", "--jsonl"}, {"state"}, {"validate"}, {"config"},
			{"goal"}, {"sprint"}, {"agents"}, {"usage"}, {"session"}, {"principal"}, {"diff", "sprint-1"}} {
			liza(t, present, dir, at, args...)
		}
		board, _, err := store.Board(context.Background())
		require.NoError(t, err)
		for _, in := range []flow.Folder{flow.Tasks, flow.Archive} {
			for few := range slices.Chunk(board.IDs(in), every) {
				liza(t, present, dir, at, "show", few[0])
			}
		}
		if at.Year() == 9999 { // no later move can be made
			return
		}
		at = at.Add(time.Minute)
		liza(t, present, dir, at, "note", "This board goes on")
		liza(t, present, dir, at, "task", "add", "going-on", "--title", "T", "--done-when", "D", "--spec", "specs/vision.md", "--scope", "S", "--kind", "docs")
		liza(t, present, dir, at, "abandon", "going-on", "--reason", "seen")
		liza(t, present, dir, at, "fsck", "--full")
		require.Equal(t, string(g.tip), gittest.Git(t, dir, "rev-parse", layout.State+"~3"))
	})
}

// boardsOfRules4 are golden boards that a program of rules 3 refuses.
var boardsOfRules4 = []string{"01558001-migrated4", "01558001-founded", "01558001-rush"}

// boardsOfRules5 are golden boards that a program of rules 4 refuses.
var boardsOfRules5 = []string{"159cd7ba-migrated5", "159cd7ba-founded", "159cd7ba-rush"}
