package boards

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
	"github.com/git-liza/git-liza/internal/torture"
)

// A golden board is migrated to the newest version of the rules, which is what people
// do, and goes on under it: what was there keeps its bytes and its judgement. Nothing
// leads to other versions.
func TestGoldenBoardsMigrate(t *testing.T) {
	migrateGolden(t, func(int) int { return flow.RulesVersion })
}

// So it is with every later version.
func TestTortureGoldenBoardsMigrate(t *testing.T) {
	torture.Only(t)
	migrateGolden(t, func(rules int) int { return rules + 1 })
}

// migrateGolden migrates golden boards to the version that first gives for that of a
// board, and to all after it.
func migrateGolden(t *testing.T, first func(rules int) int) {
	t.Parallel()
	eachGolden(t, func(t *testing.T, g golden, dir string) {
		store, tip, at := openBoard(t, dir)
		if at.Year() == 9999 { // no later move can be made
			return
		}
		board, _, err := store.Board(context.Background())
		require.NoError(t, err)
		for _, to := range []int{0, board.Settings().Rules - 1, flow.RulesVersion + 1} {
			var refusal *flow.Refusal
			require.ErrorAs(t, migrate(t, dir, at, to), &refusal)
			require.Equal(t, flow.RuleVersion, refusal.Rule)
		}
		require.Equal(t, string(tip), gittest.Git(t, dir, "rev-parse", layout.State))
		for to := max(first(board.Settings().Rules), board.Settings().Rules+1); to <= flow.RulesVersion; to++ {
			dir := unpackBoard(t, g)
			require.NoError(t, migrate(t, dir, at.Add(time.Minute), to))
			liza(t, present, dir, at.Add(2*time.Minute), "note", "Under later rules")
			liza(t, present, dir, at.Add(2*time.Minute), "fsck", "--full")
			require.Equal(t, string(tip), gittest.Git(t, dir, "rev-parse", layout.State+"~2"))
			if g.unserved == "" {
				server := newServer(t, present)
				out, err := pushBoard(t, present, g, dir, server)
				require.NoError(t, err, "%s", out)
			}
		}
	})
}

// A person sees what a migration changes before it is made, and it waits for agents
// whose program does not say that it knows the new rules.
func TestMigrateCommand(t *testing.T) {
	t.Parallel()
	dir := unpackBoard(t, goldens[0])
	_, tip, at := openBoard(t, dir)
	liza(t, present, dir, at, "task", "add", "waiting", "--title", "T", "--done-when", "D", "--spec", "specs/vision.md#none", "--scope", "S", "--kind", "docs")
	liza(t, present, dir, at, "register", "coder-9")
	liza(t, present, dir, at, "claim", "waiting", "--as", "coder-9")
	before := gittest.Git(t, dir, "for-each-ref")
	out, err := command(t, present, dir, at, "plan", "import", "-").CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "hint: git liza migrate\n")
	shown := liza(t, present, dir, at, "migrate")
	require.Contains(t, shown, fmt.Sprintf("the board has rules version 1; version %d changes:\n", flow.RulesVersion))
	for _, line := range flow.RulesChanges(1, flow.RulesVersion) {
		require.Contains(t, shown, "  "+line+"\n")
	}
	require.Contains(t, shown, "  Agents take no tasks of goals that have ended; git liza goal reopen GOAL opens one again.\n")
	require.Contains(t, shown, "specs that integration does not have, or not with that heading: specs/vision.md#none\n")
	require.Regexp(t, `(?m)^approved or under review: .+; these reviews and verdicts name no texts, and hold whatever becomes of the specs$`, shown)
	require.Contains(t, shown, ", coder-9, code-reviewer-1\nto migrate: git liza migrate --yes\n")
	out, err = command(t, present, dir, at, "migrate", "--yes").CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), ", coder-9, code-reviewer-1 may run a program that does not know rules version")
	require.Contains(t, string(out), "rule: rules_version")
	require.Contains(t, string(out), "hint: git liza stop\n")
	require.Equal(t, before, gittest.Git(t, dir, "for-each-ref"))
	liza(t, present, dir, at, "stop")
	out, err = command(t, present, dir, at, "migrate", "--yes").CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "if no such program runs any more\n")
	require.Contains(t, string(out), "hint: git liza migrate --yes --anyway\n")

	require.Contains(t, liza(t, present, dir, at, "migrate", "--json"), `"lost":["specs/vision.md#none"]`)
	require.Contains(t, liza(t, present, dir, at, "migrate", "--yes", "--anyway"), fmt.Sprintf("the board has rules version %d\n", flow.RulesVersion))
	require.Contains(t, liza(t, present, dir, at, "migrate"), "the newest that this program knows")
	require.Contains(t, liza(t, present, dir, at, "migrate", "--yes", "--json"), `"outcome":"already"`)
	liza(t, present, dir, at, "fsck", "--full")
	require.Equal(t, string(tip), gittest.Git(t, dir, "rev-parse", layout.State+"~5"))
	liza(t, present, dir, at, "release", "waiting", "--as", "coder-9")
	liza(t, present, dir, at, "unregister", "coder-9")
	liza(t, present, dir, at, "register", "coder-9")
	require.Contains(t, gittest.Git(t, dir, "show", layout.State+":agents/09/coder-9.yaml"), fmt.Sprintf("rules: %d", flow.RulesVersion))
}

// The preview names what supervisors do on the migrated board at once, also where it is
// stopped meanwhile.
func TestMigrateTellsWhatIsDue(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"236f646-rush", "9fee5a5-rush"} {
		dir := unpackBoard(t, goldens[slices.IndexFunc(goldens, func(g golden) bool { return g.name == name })])
		_, _, at := openBoard(t, dir)
		const closes = "supervisors will close: sprint-1 (4 of 4 planned final)\n"
		require.Contains(t, liza(t, present, dir, at, "migrate"), closes)
		require.Contains(t, liza(t, present, dir, at, "migrate", "--json"), `"closes":["sprint-1"]`)
		liza(t, present, dir, at, "stop")
		require.Contains(t, liza(t, present, dir, at, "migrate"), closes)
		liza(t, present, dir, at, "resume")
		liza(t, present, dir, at, "sprint", "close")
		require.NotContains(t, liza(t, present, dir, at, "migrate"), "supervisors will")
		liza(t, present, dir, at, "task", "add", "more", "--title", "T", "--done-when", "D", "--spec", "specs/vision.md", "--scope", "S", "--kind", "docs")
		require.Contains(t, liza(t, present, dir, at, "migrate"), "supervisors will open: sprint-2 of goal-1\n")
		liza(t, present, dir, at, "migrate", "--yes")
	}
}

// migrate makes the move that takes a board to a version of the rules.
func migrate(t *testing.T, dir string, at time.Time, to int) error {
	t.Helper()
	store := openStore(t, dir, func() time.Time { return at })
	principal, err := store.Repo.Config.Config(context.Background(), "liza.principal")
	require.NoError(t, err)
	_, err = store.Do(context.Background(), func(*flow.Board, time.Time) (flow.Move, []git.RefUpdate, error) {
		return flow.Move{Act: flow.ActMigrate, By: "human:ann-example", Principal: principal, Detail: &flow.MigrateMove{To: to}}, nil, nil
	})
	return err
}

// A program of earlier rules says of a board of later rules which version it has, and
// changes nothing: in a clone, as the hooks of a server, and where another clone has
// migrated the board that they share.
func TestTortureOldProgramOnLaterRules(t *testing.T) {
	torture.Only(t)
	t.Parallel()
	for _, e := range wanted() {
		old := oldProgram(t, e.revision)
		for _, test := range []struct {
			name  string
			rules int
			raise func(t *testing.T, dir string, at time.Time)
		}{
			{"unknown", 99, func(t *testing.T, dir string, _ time.Time) { putLaterRules(t, dir, 99) }},
			{"migrated", flow.RulesVersion, func(t *testing.T, dir string, at time.Time) {
				liza(t, present, dir, at.Add(time.Minute), "migrate", "--yes", "--anyway")
			}},
		} {
			t.Run(fmt.Sprintf("rules %d, %s", e.rules, test.name), func(t *testing.T) {
				t.Parallel()
				dir := unpackBoard(t, goldens[0])
				_, _, at := openBoard(t, dir)
				if e.rules > 1 {
					at = at.Add(time.Minute)
					liza(t, old, dir, at, "migrate", "--yes", "--anyway")
				}
				server := newServer(t, old)
				out, err := pushBoard(t, old, goldens[0], dir, server)
				require.NoError(t, err, "%s", out)
				test.raise(t, dir, at)
				changesNothing(t, old, dir, at.Add(time.Hour), test.rules)
				there := gittest.Git(t, server, "for-each-ref")
				said, err := push(t, old, "ann", dir, server, layout.State)
				require.Error(t, err)
				require.Contains(t, said, "liza-refused")
				require.Equal(t, there, gittest.Git(t, server, "for-each-ref"))
			})
		}
		boardsOfRules3 := []string{"7ad303a-migrated3", "7ad303a-forked", "7ad303a-rush"}
		for _, name := range map[int][]string{1: boardsOfRules3, 2: boardsOfRules3, 3: boardsOfRules4, 4: boardsOfRules5}[e.rules] {
			t.Run(fmt.Sprintf("rules %d on %s", e.rules, name), func(t *testing.T) {
				t.Parallel()
				dir := unpackBoard(t, goldenNamed(t, name))
				_, _, at := openBoard(t, dir)
				changesNothing(t, old, dir, at.Add(time.Minute), max(3, e.rules+1))
			})
		}
		t.Run(fmt.Sprintf("rules %d, shared", e.rules), func(t *testing.T) {
			t.Parallel()
			sharesLaterRules(t, old)
		})
	}
}

// sharesLaterRules requires that the clone of a program goes on where another clone has
// migrated the board that they share only with the present program.
func sharesLaterRules(t *testing.T, old string) {
	t.Helper()
	server := newServer(t, present)
	planner, coder := shareBoard(t, old, present, old, server)
	coder("task", "add", "one", "--title", "One", "--done-when", "D", "--spec", "specs/vision.md", "--scope", "S", "--kind", "docs")
	planner("sync")
	planner("migrate", "--yes", "--anyway")
	planner("sync")
	there, here := gittest.Git(t, server, "for-each-ref"), gittest.Git(t, coder(), "for-each-ref", layout.State, "refs/heads")
	out, err := command(t, old, coder(), time.Now(), "sync").CombinedOutput()
	require.Error(t, err, "%s", out) // the program of rules 1 said: not moves alone
	out, err = command(t, old, coder(), time.Now(), "claim", "one", "--as", "coder-1").CombinedOutput()
	require.Error(t, err, "%s", out)
	require.Equal(t, there, gittest.Git(t, server, "for-each-ref"))
	require.Equal(t, here, gittest.Git(t, coder(), "for-each-ref", layout.State, "refs/heads"))
	// With the newer program the same clone goes on.
	liza(t, present, coder(), time.Now(), "claim", "one", "--as", "coder-1")
	liza(t, present, coder(), time.Now(), "fsck", "--full")

	// The present one says which version it would need.
	putLaterRules(t, server, 99)
	before := gittest.Git(t, coder(), "for-each-ref", "refs/liza/state", "refs/heads")
	for _, args := range [][]string{{"sync"}, {"note", "hello"}} {
		out, err := command(t, present, coder(), time.Now(), args...).CombinedOutput()
		require.Error(t, err, "%s", out)
		require.Contains(t, string(out), "rules version 99")
		require.Equal(t, before, gittest.Git(t, coder(), "for-each-ref", "refs/liza/state", "refs/heads"))
	}
}

// changesNothing requires that commands of a program are refused with the version of the
// board, and that no ref moves.
func changesNothing(t *testing.T, program, dir string, at time.Time, rules int) {
	t.Helper()
	before := gittest.Git(t, dir, "for-each-ref")
	for _, args := range [][]string{{"status"}, {"list"}, {"show", "parser"}, {"state"}, {"fsck", "--full"}, {"fsck", "--repair"}, {"validate"}, {"doctor"},
		{"note", "hello"}, {"claim", "loops", "--as", "coder-2"}, {"config", "drift_alarm", "3"}, {"release", "narrow"}, {"archive"}, {"unblock", "loops"}} {
		out, err := command(t, program, dir, at, args...).CombinedOutput()
		require.Error(t, err, "git liza %s: %s", strings.Join(args, " "), out)
		require.Contains(t, string(out), fmt.Sprintf("rules version %d", rules), "git liza %s", strings.Join(args, " "))
		require.Equal(t, before, gittest.Git(t, dir, "for-each-ref"), "git liza %s", strings.Join(args, " "))
	}
}

// putLaterRules puts a move on a board that only a program of later rules makes.
func putLaterRules(t *testing.T, dir string, rules int) {
	t.Helper()
	cmd := exec.Command("sh", "-euc", `
blob=$(git show "$STATE:liza.yaml" | sed "s/^rules: [0-9]*$/rules: $RULES/" | git hash-object -w --stdin)
tree=$(git ls-tree "$STATE" | sed "s/[0-9a-f]*	liza.yaml$/$blob	liza.yaml/" | git mktree)
commit=$(printf 'migrate rules by human:ann-example\n\nact: migrate\nby: "human:ann-example"\nat: 2026-01-18T09:30:00Z\nrequest: 0123456789abcdef\nto: %s\n' "$RULES" |
	git commit-tree "$tree" -p "$STATE")
git update-ref "$STATE" "$commit"`)
	cmd.Dir, cmd.Env = dir, environment(t, present, "STATE="+layout.State, fmt.Sprintf("RULES=%d", rules))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, gittest.Git(t, dir, "show", layout.State+":liza.yaml"), fmt.Sprintf("rules: %d\n", rules))
}
