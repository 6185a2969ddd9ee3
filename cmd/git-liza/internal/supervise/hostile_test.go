package supervise_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/internal/torture"
)

// An agent may be missing, broken or hostile. Whatever it does, its task ends
// in a state that is named, with a reason. Of the cases that one can think of,
// the following are shown here; elsewhere in this package are the provider that
// is missing or of the wrong version (TestUnfitProvider) or cannot be started
// (TestProviderThatCannotStartDegrades), one that hangs, ignores TERM and has
// children (TestHangingSessionIsEnded) or never ends (TestWallLimit), and a
// worktree that is deleted (TestWorktreeThatIsRemoved).

// speaks is a provider that runs a shell script and writes the records of a
// family.
func (w *world) speaks(family, script string) provider.Provider {
	w.Helper()
	return provider.Provider{Row: provider.Row{Name: "hostile", Binary: "sh", Args: []string{w.scriptOf(script)}, Output: family,
		Commit: provider.ByAgent, Login: "Please run /login", Quota: "usage limit"}}
}

// once are limits by which the first bad session blocks its task. The board says how many
// claims may fail.
func once(r *supervise.Rush) {
	r.UntilIdle = true
	r.Limits.Moves = 10
}

// Records of a session that ended well, and one of one that was denied a tool.
const (
	well   = `echo '{"type":"result","subtype":"success","is_error":false,"result":"all done","session_id":"s"}'`
	denied = `echo '{"type":"result","subtype":"success","is_error":false,"result":"I could not","session_id":"s","permission_denials":[{"tool_name":"Bash","tool_input":{"command":"git commit"}}]}'`
)

// daemon leaves the process group, its parents and all signals but KILL behind,
// and keeps writing in the worktree.
const daemon = `(setsid sh -c "trap '' TERM HUP INT; echo \$\$ > '$notes/child.new'; mv '$notes/child.new' '$notes/child'; while :; do echo late >> $LIZA_TASK.txt; sleep 0.05; done" </dev/null >/dev/null 2>&1 &)
waitfor child; `

func TestHostileCoders(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, family, script string
		reason               string // of the block
	}{
		{"does not know its arguments", "claude", `echo "error: unknown option '--output-format'" >&2; exit 1`,
			"The program failed (exit 1, without an end record).\nerror: unknown option '--output-format'"},
		{"prints garbage", "claude", `head -c 100000 /dev/urandom; echo '{"type":'; echo '[1,2'`, "exit 0, without an end record"},
		{"ends without an end record", "claude", `echo '{"type":"system","subtype":"init","session_id":"s"}'`, "exit 0, without an end record"},
		{"says that all is well and did nothing", "claude", well, "The program ended well, but without submit, block or handoff."},
		{"exits 0 after tools were denied", "claude", denied, "tools were denied: Bash: git commit"},
		{"forks and dies", "plain", `(trap '' TERM HUP; while :; do sleep 1; done) & echo $! > "$notes/child"; exit 9`, "exit 9"},
		{"forks and says that all is well", "claude", `(trap '' TERM HUP; while :; do sleep 1; done) & echo $! > "$notes/child"; ` + well, "The program ended well"},
		{"leaves a daemon and dies", "plain", daemon + `exit 9`, "exit 9"},
		{"dies of a signal", "plain", `kill -SEGV $$`, "killed by signal 11"},
		{"commits on another branch", "plain", `git checkout -q -b elsewhere; intent; work; git liza submit $LIZA_TASK`,
			"the work of task-1 is committed on liza/task-1, not on elsewhere"},
		{"commits where nobody is", "plain", `git checkout -q --detach; intent; work; git liza submit $LIZA_TASK`,
			"the work of task-1 is committed on liza/task-1, not on no branch"},
		{"moves integration", "plain", `intent; work; cd $LIZA_CLONE; git update-ref refs/heads/integration $(git commit-tree -p integration -m forged integration^{tree})`, "did not end well"},
		{"merges into integration by hand", "plain", `intent; work; git push -q "$LIZA_CLONE" HEAD:integration`, "did not end well"},
		{"deletes its branch", "plain", `intent; work; git checkout -q --detach; git branch -D liza/$LIZA_TASK; git liza submit $LIZA_TASK`, "did not end well"},
		{"floods the board with moves", "plain", `i=0; while :; do i=$((i+1)); git liza record discovery --severity low "Idea $i"; done`,
			"moves, 10 are allowed in a session"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.tasks(1)
			w.attempts(1)
			integration := w.git("rev-parse", "integration")
			r := w.begin(once, coder(w.speaks(test.family, test.script)))
			require.Error(t, r.wait())
			task := w.task("task-1")
			require.Equal(t, board.Blocked, task.Status, r.said())
			require.Equal(t, board.LimitRetries, task.Block.Limit)
			require.Contains(t, task.Retry.Error, test.reason)
			require.Equal(t, integration, w.git("rev-parse", "integration"), "it moves by merges only")
			if w.has("child") {
				require.True(t, dead(w.pid("child")), "the session has left somebody")
			}
			w.left()
		})
	}
}

// Not parallel: it would keep others from what they wait for. The supervisor is
// a process of its own: the race detector would take a minute for a gigabyte.
func TestTortureCoderPrintsAGigabyte(t *testing.T) {
	torture.Only(t)
	for _, family := range []string{"claude", "plain"} {
		w := newWorld(t)
		w.tasks(1)
		w.attempts(1)
		path := w.scriptOf(`test $n != 1 || { head -c 1000000000 /dev/zero; yes "$(printf '%0100d' 0)" | head -c 50000000; }
exit 1`)
		for key, value := range map[string]string{"provider.flood.binary": "sh", "provider.flood.args": path, "provider.flood.output": family, "backoff": "1ms"} {
			w.git("config", "liza."+key, value)
		}
		cmd := w.external("agent", "coder", "--once", "--provider", "flood")
		require.Error(t, cmd.Wait())
		require.Equal(t, 1, cmd.ProcessState.ExitCode())
		task := w.task("task-1")
		require.Equal(t, board.Blocked, task.Status, family)
		require.Equal(t, board.LimitRetries, task.Block.Limit)
		require.Contains(t, task.Retry.Error, "exit 1")
		log, err := os.Stat(filepath.Join(w.dir, ".git", "liza", "log", "coder-1.log"))
		require.NoError(t, err)
		require.Less(t, log.Size(), int64(2<<20))
		w.left()
	}
}

// An agent is told what it did wrong before it tries again.
func TestHostileCoderIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	r := w.begin(untilIdle, reviewer(w.agent("approve")), coder(w.agent(`case $n in
1) git checkout -q -b elsewhere; intent; work; git liza submit $LIZA_TASK;;
*) git checkout -q liza/$LIZA_TASK; submit;;
esac`)))
	require.NoError(t, r.wait(), r.said())
	require.Contains(t, w.note("prompt-coder-1-2"), "The worktree is not on its branch liza/task-1 but on elsewhere.")
	require.Equal(t, board.Merged, w.task("task-1").Status)
}

// What a session worked on that killed its guard waits for a person, also after the next one.
func TestCoderThatKillsItsGuard(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("there are guards on Linux alone")
	}
	w := newWorld(t)
	w.tasks(1)
	w.starts(3)
	r := w.begin(untilIdle, reviewer(w.agent("approve")), coder(w.speaks("plain", `test $n != 1 || { kill -KILL $PPID; exec sleep 100; }
submit`)))
	err := r.wait()
	require.ErrorContains(t, err, "task-1 READY_FOR_REVIEW: a session on task-1 killed its guard")
	require.ErrorContains(t, err, "git liza record dismiss sprint-1/1 --reason R")
	require.Contains(t, r.said(), "coder-1: the guard of its session on task-1 was killed")
	require.Contains(t, r.said(), "its guard was killed)")
	require.Equal(t, board.RecordID("sprint-1/1"), w.task("task-1").Attempt.Doubt)
	require.Contains(t, w.liza("inbox"), "a session on task-1 killed its guard")
	w.left()
}

func TestHostileCoderLeavesItsPaths(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.liza("task", "add", "--title", "One", "--done-when", "D", "--spec", "specs/vision.md", "--scope", "S", "--kind", "docs", "--owns", "docs/**")
	w.attempts(1)
	r := w.begin(once, coder(w.agent("submit")))
	require.Error(t, r.wait())
	task := w.task("task-1")
	require.Equal(t, board.Blocked, task.Status, r.said())
	require.Contains(t, task.Retry.Error, "task-1.txt")
	require.Contains(t, task.Retry.Error, "rule: scope")
}

// Nobody is logged in: the task is not to blame, the provider pauses.
func TestHostileNotLoggedIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	r := w.begin(untilIdle, coder(w.speaks("claude",
		`echo '{"type":"result","subtype":"success","is_error":true,"result":"Invalid API key · Please run /login","session_id":"s"}'; exit 1`)))
	require.ErrorContains(t, r.wait(), "hostile is paused")
	require.Contains(t, r.said(), "Please run /login")
	require.Equal(t, board.Unclaimed, w.task("task-1").Status, "the task is as it was")
	require.Equal(t, 1, w.sessions("coder-1", "task-1"))
	w.left()
}

// A reviewer that changed anything gave no verdict: the task waits for one of
// another, and is never merged on it.
func TestHostileReviewers(t *testing.T) {
	t.Parallel()
	for _, test := range hostileReviewers[:4] {
		t.Run(test.name, test.run)
	}
}

func TestTortureHostileReviewers(t *testing.T) {
	torture.Only(t)
	t.Parallel()
	for _, test := range hostileReviewers[4:] {
		t.Run(test.name, test.run)
	}
}

// A hostileReviewer changes what it is to judge, and then approves it.
type hostileReviewer struct{ name, script, reason string }

var hostileReviewers = []hostileReviewer{
	{"edits", `echo better >> task-1.txt`, "files in the worktree of the review were changed: task-1.txt"},
	{"changes a file and adds it", `echo note >> task-1.txt; git add -A`, "files in the worktree of the review were changed: task-1.txt"},
	{"commits", `echo better >> task-1.txt; git commit -q --no-verify -am better`, "the worktree of the review is at"},
	{"checks out another commit", `git checkout -q --detach HEAD~1`, "the worktree of the review is at"},
	{"makes a branch", `git checkout -q -b mine`, "the worktree of the review is on the branch mine"},
	{"moves the task's branch", `cd $LIZA_CLONE; git -c core.hooksPath=/dev/null update-ref refs/heads/liza/task-1 $(git commit-tree -p integration -m "More $n" integration^{tree}); cd $LIZA_WORKTREE`, "the branch liza/task-1 was moved"},
	{"deletes its worktree", `cd ..; rm -rf "$LIZA_WORKTREE"; export GIT_DIR="$(cd ../.git && pwd)"`, "the worktree of the review was removed"},
	{"hides its change from git", `git update-index --assume-unchanged task-1.txt; echo better >> task-1.txt`, "files in the worktree of the review were changed"},
	{"removes what its worktree was like", `echo better >> task-1.txt; rm -r ../../.git/liza/seals`, "what its worktree was like when the review began is not known any more"},
	{"removes that and asks again", `echo better >> task-1.txt; rm -r ../../.git/liza/seals; git liza review $LIZA_TASK || true`, "what its worktree was like when the review began is not known any more"},
	{"writes it anew", `echo better >> task-1.txt; echo '{' > ../../.git/liza/seals/review@task-1@1`, "what its worktree was like when the review began is not known any more"},
	{"makes it a fifo", `cd ../../.git/liza/seals; rm *; mkfifo review@task-1@1; cd -`, "what its worktree was like when the review began is not known any more"},
	{"hides its worktree from git", `rm -r .git; export GIT_DIR="$(cd ../../.git && pwd)"`, "the worktree of the review was removed"},
}

func (test hostileReviewer) run(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	// Files that the project's own command leaves behind do not count as the
	// reviewer's.
	const command = "echo made > made.txt"
	w.config(func(c *board.Config) { c.PostWorktree = command })
	require.NoError(t, w.clone.Trust.Allow(t.Context(), command))
	w.tasks(1)
	r := w.begin(untilIdle, coder(w.agent("rm made.txt; submit")), reviewer(w.agent(test.script+`; approve || true`)))
	require.ErrorContains(t, r.wait(), "review_exhaustion")
	task := w.task("task-1")
	require.Equal(t, board.Blocked, task.Status, r.said())
	require.Empty(t, w.moves(board.ActApprove))
	require.Empty(t, w.moves(board.ActMerge))
	require.Contains(t, r.said(), "ended without a verdict (a reviewer changes nothing, and "+test.reason)
	require.NotContains(t, w.git("worktree", "list"), "review@")
	require.Contains(t, w.note("prompt-code-reviewer-1-2"), "The review counts for nothing: ")
}

// Background processes of a session end with it, so that nobody writes after a
// submission, a verdict or a merge.
func TestHostileDaemons(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, coder, reviewer string }{
		{"of a coder after its submission", `submit; ` + daemon, `approve`},
		{"of a reviewer after its verdict", `submit`, `approve; ` + daemon},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.tasks(1)
			r, err := w.rush(coder(w.agent(test.coder)), reviewer(w.agent(test.reviewer)))
			require.NoError(t, err, r.said())
			require.True(t, dead(w.pid("child")), "the session has left somebody")
			task := w.task("task-1")
			require.Equal(t, board.Merged, task.Status, r.said())
			require.Equal(t, "coder-1 1\n", w.git("show", "integration:task-1.txt"))
			require.Len(t, w.moves(board.ActApprove), 1)
		})
	}
}

// A process that a gate leaves running in the background ends with the gate.
func TestGateLeavesADaemon(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	command := `(setsid sh -c "trap '' TERM HUP; echo \$\$ > '` + w.notes + `/child'; while :; do sleep 0.05; done" </dev/null >/dev/null 2>&1 &)
until test -s '` + w.notes + `/child'; do sleep 0.02; done`
	w.config(func(c *board.Config) {
		c.Gates = []board.Gate{{Name: "test", Command: command, Required: true, Timeout: board.Duration(minute)}}
	})
	require.NoError(t, w.clone.Trust.Allow(t.Context(), command))
	w.tasks(1)
	r, err := w.rush(coder(w.agent("submit")), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.Equal(t, board.Merged, w.task("task-1").Status)
	require.True(t, dead(w.pid("child")), "the gate has left somebody")
}

// One that only looks, runs and writes beside the submission is heard.
func TestReviewerMayRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	r, err := w.rush(coder(w.agent("echo '*.o' > .gitignore; submit")), reviewer(w.agent("echo built > task.o; echo note > note.txt; touch task-1.txt; git status; approve")))
	require.NoError(t, err, r.said())
	require.Equal(t, board.Merged, w.task("task-1").Status)
}

// An agent acts as itself: no coder approves its own work as an agent that only
// happens not to be registered, or as the human.
func TestHostileCoderIsNobodyElse(t *testing.T) {
	t.Parallel()
	for name, as := range map[string]string{
		"another agent": `as="--as code-reviewer-9"`,
		"the human":     `as=; unset LIZA_AGENT_ID; cd ../..`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.tasks(1)
			r, err := w.rush(coder(w.agent(`submit; c=$(git rev-parse HEAD); ` + as + `
git liza review $LIZA_TASK $as 2>"$notes/review" || true; git liza approve $LIZA_TASK --commit $c $as 2>"$notes/approve" || true`)))
			require.Error(t, err)
			require.Equal(t, board.ReadyForReview, w.task("task-1").Status, r.said())
			require.Contains(t, w.note("review"), "acts as that agent")
			require.Contains(t, w.note("approve"), "rule: identity")
		})
	}
}

// Whatever agents put in the place of files that are read for them: reading ends,
// does not fill the memory, and disturbs no other agent.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"its link to the repository is a fifo":  `rm .git; mkfifo .git`,
		"its link to the repository is endless": `rm .git; ln -s /dev/zero .git`,
		"its index is endless":                  `i=$(git rev-parse --absolute-git-dir)/index; rm -f $i; ln -s /dev/zero $i`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.tasks(1)
			r := w.begin(once, coder(w.agent("test $n = 1 || exit 9; "+script)))
			require.Error(t, r.wait(), r.said())
			require.Equal(t, board.Blocked, w.task("task-1").Status, r.said())
			w.tasks(1)
			o := w.begin(once, coder(w.agent("submit")))
			require.Error(t, o.wait())
			require.Equal(t, board.ReadyForReview, w.task("task-2").Status, o.said())
		})
	}
}

// An agent does not decide where git finds its configuration: its commands
// would run with what the supervisor sees.
func TestHostileConfiguration(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	r := w.begin(once, coder(w.agent(`g=$(git rev-parse --absolute-git-dir); c=$LIZA_CLONE/.git
cp -r $c "$notes/evil"; git config -f "$notes/evil/config" core.fsmonitor "touch '$notes/pwned'; false"; for at in $g $c/worktrees/*; do echo "$notes/evil" > $at/commondir; done; echo x > y`)))
	require.Error(t, r.wait())
	require.False(t, w.has("pwned"), r.said())
	require.Equal(t, board.Blocked, w.task("task-1").Status, r.said())
}

// A tree may bring its own hooks, as a relative core.hooksPath lets it. They run in
// the agent's session. A supervisor that checks the tree out runs none of them.
func TestHostileHooks(t *testing.T) {
	t.Setenv("OTHER_API_KEY", "none-of-their-business-1")
	w := newWorld(t)
	w.git("config", "core.hooksPath", ".husky")
	w.tasks(1)
	r, err := w.rush(reviewer(w.agent("approve")), coder(w.agent(`mkdir .husky
for h in post-checkout pre-commit post-commit; do printf '#!/bin/sh\n(echo '$h'; env) >> "'"$notes"'/hooks"\n' > .husky/$h; done
chmod +x .husky/*; submit`)))
	require.NoError(t, err, r.said())
	require.Contains(t, w.note("hooks"), "post-commit\n")
	require.NotContains(t, w.note("hooks"), "post-checkout\n")
	require.NotContains(t, w.note("hooks"), "none-of-their-business")
}

// A secret that a hook of the user's prints gets neither on the board nor into a
// record.
func TestHostileHookOfACommit(t *testing.T) {
	t.Setenv("OTHER_API_KEY", "none-of-their-business-2")
	w := newWorld(t)
	w.tasks(1)
	w.attempts(1)
	w.write(filepath.Join(w.dir, ".git", "hooks", "pre-commit"), "#!/bin/sh\nenv | grep OTHER_ >&2\nprintf '\\033[2Jnone-of-their-business-2' >&2\nexit 1\n")
	p := w.speaks("plain", `echo x > task-1.txt; printf 'summary: did\nvalidation: looked\n'`)
	p.Commit = provider.BySupervisor
	r := w.begin(once, coder(p))
	require.Error(t, r.wait())
	require.Equal(t, board.Blocked, w.task("task-1").Status, r.said())
	require.Contains(t, w.task("task-1").Retry.Error, "the worktree could not be committed")
	require.NotContains(t, w.task("task-1").Retry.Error+r.said(), "none-of-their-business")
	require.NotContains(t, r.said(), "\x1b", "nor does it steer a terminal")
	log, err := os.ReadFile(filepath.Join(w.dir, ".git", "liza", "log", "coder-1.log"))
	require.NoError(t, err)
	require.NotContains(t, string(log), "none-of-their-business")
	require.NotContains(t, w.liza("session", "list", "--json"), "none-of-their-business")
}

// A filter of the user's that finds a file of the checkout by itself makes no move, whoever
// runs git there.
func TestHostileFilter(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.git("config", "filter.own.clean", "sh rules")
	w.write(filepath.Join(w.dir, ".git", "info", "attributes"), "*.txt filter=own\n")
	p := w.speaks("plain", `echo x > task-1.txt; echo "unset LIZA_AGENT_ID; cd \"$LIZA_CLONE\" && '`+self+`' note lie </dev/null >/dev/null 2>>'$notes/said'; echo >>'$notes/ran'; exec cat" >rules
printf 'summary: did\nvalidation: looked\n'`)
	p.Commit = provider.BySupervisor
	r, err := w.rush(reviewer(w.agent("approve")), coder(p))
	require.NoError(t, err, r.said())
	require.Equal(t, board.Merged, w.task("task-1").Status, r.said())
	require.True(t, w.has("ran"), r.said())
	require.Empty(t, w.moves(board.ActNote), w.note("said"))
	require.Contains(t, w.note("said"), "rule: ")
}

// A planner that makes its own triggers does not go on forever.
func TestTortureHostilePlanner(t *testing.T) {
	torture.Only(t)
	t.Parallel()
	w := newWorld(t)
	script := planner(w.agent(`git liza record discovery --severity high --urgency immediate "Idea $n"; git liza task add --title T --done-when D --spec specs/vision.md --scope S --kind docs; git liza task abandon task-$n --reason no`))
	r, err := w.rush(script)
	require.NoError(t, err, r.said())
	require.Equal(t, 12, len(w.moves(board.ActSession)), r.said())
	require.Contains(t, r.said(), "planners have had 12 sessions in a row while nobody else made a move")
	w.liza("note", "Go on")
	r, err = w.rush(script)
	require.NoError(t, err, r.said())
	require.Equal(t, 24, len(w.moves(board.ActSession)), r.said())
}

// The log of an agent is written where it belongs, whatever an agent put there.
func TestHostileLog(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{"a link": `ln -s "$notes/elsewhere" $l`, "a fifo": `mkfifo $l`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.tasks(1)
			w.attempts(1)
			r := w.begin(once, coder(w.agent(`l=$LIZA_CLONE/.git/liza/log/coder-1.log; rm $l; `+script+`; exit 1`)))
			require.Error(t, r.wait())
			w.tasks(1)
			r = w.begin(once, coder(w.agent("echo words; submit")))
			require.Error(t, r.wait())
			require.Equal(t, board.ReadyForReview, w.task("task-2").Status, r.said())
			require.False(t, w.has("elsewhere"))
			log, err := os.ReadFile(filepath.Join(w.dir, ".git", "liza", "log", "coder-1.log"))
			require.NoError(t, err)
			require.Contains(t, string(log), "\nwords\n")
		})
	}
}

// A secret of its environment that an agent prints is hidden.
func TestHostileWords(t *testing.T) {
	t.Setenv("FAMILY_API_KEY", "none-of-their-business-3")
	w := newWorld(t)
	w.tasks(1)
	p := w.agent(`test $n != 1 || { echo "I know $FAMILY_API_KEY"; exit 1; }
git liza handoff $LIZA_TASK --summary "it is $FAMILY_API_KEY" --next-action "go on" 2>"$notes/refused" || true; submit`)
	p.Env = []string{"FAMILY_*"}
	r := w.begin(once, coder(p))
	require.Error(t, r.wait())
	require.Equal(t, board.ReadyForReview, w.task("task-1").Status, r.said())
	require.Contains(t, w.note("refused"), "rule: secret")
	require.NotContains(t, w.git("log", "-p", "refs/liza/state"), "none-of-their-business")
}

// An agent that only writes files in its worktree makes a repository there,
// which would have git start a program. The supervisor, which commits for it,
// starts none, takes no link to it, and tells the agent.
func TestHostileNestedRepository(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.write(filepath.Join(w.notes, "payload.sh"), "#!/bin/sh\ntouch '"+filepath.Join(w.notes, "ran")+"'\n")
	p := w.speaks("plain", `test $n != 1 || { mkdir sub; cd sub; git init -q .; echo s >s; git add s; git commit -q -m s
git config core.fsmonitor "$notes/payload.sh"; cd ..; }
test $n != 2 || mv sub/.git "$notes/taken-out"
printf 'summary: did\nvalidation: looked\nextend: ["**"]\n'`)
	p.Commit = provider.BySupervisor
	r := w.begin(untilIdle, coder(p))
	require.Error(t, r.wait(), "nobody reviews")
	require.Equal(t, board.ReadyForReview, w.task("task-1").Status, r.said())
	require.False(t, w.has("ran"), r.said())
	require.Contains(t, w.note("prompt-coder-1-2"), "sub is a git repository of its own")
	require.Contains(t, w.note("prompt-coder-1-2"), `/sub/.git "$(mktemp -d)"`)
	require.Equal(t, "100644 blob", w.git("ls-tree", "liza/task-1", "sub/s")[:11])
}

// A submission that cannot be checked out costs itself, not the reviewers: the
// rush continues with others. The poison is a filter that runs a file of the
// submission, which also must not run.
func TestHostileSubmission(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ script, why string }{
		"no checkout": {`printf '#!/bin/sh\ntouch "%s/ran"; cat' "$notes" >tool.sh; chmod +x tool.sh
echo '*.bin filter=x' >.gitattributes; echo b >x.bin; submit; rm -f "$notes/ran"`, "cannot be checked out: git read-tree"},
		"no packages": {`echo broken >package.txt; submit`, "post_worktree exited, exit 7"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const install = "test ! -e package.txt || exit 7"
			w := newWorld(t)
			w.git("config", "filter.x.smudge", "./tool.sh")
			w.git("config", "filter.x.clean", "cat")
			w.config(func(c *board.Config) { c.PostWorktree = install })
			require.NoError(t, w.clone.Trust.Allow(t.Context(), install))
			w.tasks(2)
			r, err := w.rush(reviewer(w.agent("approve")), reviewer(w.agent("approve")),
				coder(w.agent(`test $LIZA_TASK = task-1 || { submit; exit; }; `+test.script)))
			require.ErrorContains(t, err, "task-1 BLOCKED: review_exhaustion", r.said())
			require.Equal(t, board.Merged, w.task("task-2").Status, r.said())
			require.NotContains(t, r.said(), " rests: ")
			require.Contains(t, r.said(), "the review of task-1 ended without a verdict (")
			require.False(t, w.has("ran"))
			anomalies := w.moves(board.ActAnomaly)
			require.Len(t, anomalies, 2)
			a := anomalies[0].Detail.(*flow.AnomalyMove)
			require.Equal(t, board.TaskID("task-1"), a.About)
			require.Contains(t, a.Details["reason"], test.why)
			w.left()
		})
	}
}

// A base that cannot be checked out degrades nobody: the task waits, and why it
// does is said.
func TestBaseThatCannotBeCheckedOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.git("config", "filter.x.smudge", "./tool.sh")
	w.git("config", "filter.x.clean", "cat")
	w.write(filepath.Join(w.dir, "tool.sh"), "#!/bin/sh\ncat\n")
	w.write(filepath.Join(w.dir, ".gitattributes"), "*.bin filter=x\n")
	w.write(filepath.Join(w.dir, "x.bin"), "b\n")
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "poison")
	w.liza("adopt", "main", "--reason", "poison")
	w.tasks(1)
	r, err := w.rush(coder(w.agent("submit")), coder(w.agent("submit")))
	require.ErrorContains(t, err, "cannot be checked out: git read-tree", r.said())
	require.NotContains(t, r.said(), " rests: ")
	require.Equal(t, board.Unclaimed, w.task("task-1").Status)
	w.left()
}
