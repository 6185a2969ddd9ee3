package supervise_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// self is the git-liza that agents use, built once for all tests.
var self string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	if folder := os.Getenv("SUPERVISE_TEST_ASK"); folder != "" {
		return askAsClient(folder)
	}
	if files := os.Getenv("SUPERVISE_TEST_HOLD"); files != "" {
		return holdAsSession(files)
	}
	if folder := os.Getenv("SUPERVISE_TEST_LISTEN"); folder != "" {
		return listenAsSession(folder)
	}
	dir, err := os.MkdirTemp("", "supervise")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if self = os.Getenv("SUPERVISE_TEST_PROGRAM"); self == "" {
		self = filepath.Join(dir, "bin", "git-liza")
		if err := gittest.Build(self, false); err != nil {
			panic(err)
		}
	}
	pin(filepath.Join(dir, "home"))
	return gittest.Run(m, gittest.ForProcesses)
}

// pin leaves nothing in the environment of what this machine's user, a hook or
// an agent says to git and git liza. Git does not tidy up behind a test's back.
func pin(home string) {
	const config = "[user]\n\tname = Ann Example\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "LIZA_") {
			os.Unsetenv(name)
		}
	}
	for _, err := range []error{os.Mkdir(home, 0o755), os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o644),
		os.Setenv("HOME", home), os.Setenv("GIT_CONFIG_NOSYSTEM", "1"), os.Unsetenv("XDG_CONFIG_HOME")} {
		if err != nil {
			panic(err)
		}
	}
}

// patience is how long a test waits for what must happen, on the slowest machine too.
const patience = 15 * time.Minute

// A world is a repository with a blackboard, seen by its human.
type world struct {
	*testing.T
	dir   string
	notes string // a folder outside the repository for what agents leave
	clone *work.Clone
}

var worlds gittest.Template

// newWorld has a board on which agents wait a second after each failure, no longer.
func newWorld(t *testing.T) *world {
	t.Helper()
	return copyWorld(t, &worlds, func(made *world) {
		made.liza("init")
		made.liza("config", "retry.base", "1s")
		made.liza("config", "retry.max", "1s")
	})
}

func copyWorld(t *testing.T, from *gittest.Template, begin func(made *world)) *world {
	t.Helper()
	w := newEmptyWorld(t)
	require.NoError(t, from.Copy(w.dir, func(dir string) error {
		made := &world{T: t, dir: dir}
		require.NoError(t, made.mkdir("specs"))
		made.write(filepath.Join(dir, "specs", "vision.md"), "# A small product\n")
		made.git("init", "-q")
		made.git("add", "-A")
		made.git("commit", "-q", "-m", "first")
		made.git("config", "liza.confine", "off") // sessions note what they did beside the repository
		begin(made)
		return nil
	}))
	w.clone = w.open()
	return w
}

// newEmptyWorld is a folder that is to become a repository.
func newEmptyWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, dir: filepath.Join(t.TempDir(), "repo"), notes: t.TempDir()}
	require.NoError(t, os.MkdirAll(w.dir, 0o755))
	return w
}

// open is a clone of its own for the human.
func (w *world) open() *work.Clone {
	w.Helper()
	repo, err := git.Open(context.Background(), w.dir)
	require.NoError(w, err)
	clone, err := work.Open(context.Background(), repo, time.Now, os.Environ())
	require.NoError(w, err)
	require.NoError(w, clone.Identify(context.Background(), "human:ann-example", ""))
	return clone
}

func (w *world) write(path, content string) {
	w.Helper()
	syscall.ForkLock.RLock() // a process that is begun meanwhile has it open for a moment, and it cannot be run
	defer syscall.ForkLock.RUnlock()
	require.NoError(w, os.WriteFile(path, []byte(content), 0o755))
}

func (w *world) run(name string, args ...string) string {
	w.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = w.dir
	out, err := cmd.CombinedOutput()
	require.NoError(w, err, "%s %v: %s", name, args, out)
	return string(out)
}

func (w *world) git(args ...string) string { w.Helper(); return w.run("git", args...) }

func (w *world) liza(args ...string) string { w.Helper(); return w.run(self, args...) }

// try runs a command that may fail.
func (w *world) try(args ...string) {
	cmd := exec.Command(self, args...)
	cmd.Dir = w.dir
	_ = cmd.Run()
}

// refused is what a command says that the rules refuse.
func (w *world) refused(args ...string) string {
	w.Helper()
	cmd := exec.Command(self, args...)
	cmd.Dir = w.dir
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(w, err, &exit, "%v: %s", args, out)
	require.Equal(w, 3, exit.ExitCode(), "%v: %s", args, out)
	return string(out)
}

// tasks adds n tasks that any file fulfils.
func (w *world) tasks(n int) {
	w.Helper()
	var list strings.Builder
	for range n {
		list.WriteString("- title: A file\n  done_when: it is there\n  spec: specs/vision.md\n  scope: one file\n  kind: docs\n")
	}
	w.write(filepath.Join(w.notes, "tasks.yaml"), list.String())
	w.liza("task", "add", "--from", filepath.Join(w.notes, "tasks.yaml"))
}

// config edits the board's configuration.
func (w *world) config(edit func(*board.Config)) {
	w.Helper()
	_, err := w.clone.Move(context.Background(), board.ActConfig, "", func(b *board.Board) (flow.Detail, error) {
		config := b.Settings().Config
		edit(&config)
		return &flow.ConfigMove{Config: config}, nil
	})
	require.NoError(w, err)
}

// attempts sets how many claims of a task may fail, beside a rate of failures that bounds
// nothing.
func (w *world) attempts(n int) {
	w.Helper()
	w.config(func(c *board.Config) { c.Retry.Attempts, c.Pressure.Rate = n, 0 })
}

// starts sets how often a program may fail to start, a second apart.
func (w *world) starts(n int) {
	w.Helper()
	w.config(func(c *board.Config) {
		c.Retry = board.RetryPolicy{Attempts: n, Strategy: board.Fixed, Base: board.Duration(time.Second), Max: board.Duration(time.Second)}
	})
}

func (w *world) board() *board.Board {
	w.Helper()
	b, _, err := w.clone.Store.Board(context.Background())
	require.NoError(w, err)
	return b
}

func (w *world) task(id board.TaskID) *board.Task {
	w.Helper()
	t := w.board().Task(id)
	require.NotNil(w, t)
	return t
}

// until waits for a state of the board.
func (w *world) until(what string, holds func(*board.Board) bool) {
	w.Helper()
	w.await(what, func() bool { return holds(w.board()) })
}

func (w *world) await(what string, holds func() bool) {
	w.Helper()
	w.awaitEach(20*time.Millisecond, what, holds)
}

// awaitEach looks for another process's work after each pause.
func (w *world) awaitEach(pause time.Duration, what string, holds func() bool) {
	w.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(pause) {
		if time.Now().After(end) {
			require.FailNow(w, "waited in vain: "+what, w.liza("log"))
		}
	}
}

// has reports whether an agent has left a file in the notes.
func (w *world) has(name string) bool {
	_, err := os.Stat(filepath.Join(w.notes, name))
	return err == nil
}

func (w *world) note(name string) string {
	w.Helper()
	text, err := os.ReadFile(filepath.Join(w.notes, name))
	require.NoError(w, err)
	return string(text)
}

// moves are the moves of an act, oldest first.
func (w *world) moves(act board.Act) []flow.Move {
	w.Helper()
	return slices.DeleteFunc(w.history(), func(m flow.Move) bool { return m.Act != act })
}

// history is all moves, oldest first.
func (w *world) history() []flow.Move {
	w.Helper()
	_, tip, err := w.clone.Store.Board(context.Background())
	require.NoError(w, err)
	var list []flow.Move
	require.NoError(w, w.clone.Store.Events(tip, func(e gitstore.Event) (bool, error) {
		list = append(list, e.Move)
		return true, nil
	}))
	slices.Reverse(list)
	return list
}

// agent is a provider that runs a shell script. The script finds $notes, the
// number of the session on its task in $n, and three acts of a good agent.
func (w *world) agent(script string) provider.Provider {
	w.Helper()
	p, err := provider.Builtin().Find(shell(w.scriptOf(script)), self)
	require.NoError(w, err)
	return p
}

// shell is the provider that runs a script.
func shell(path string) string { return "exec:sh '" + path + "'" }

func (w *world) scriptOf(script string) string {
	w.Helper()
	path := filepath.Join(w.TempDir(), "agent.sh")
	w.write(path, `set -e
notes='`+w.notes+`'
n=1; while ! mkdir "$notes/$LIZA_AGENT_ID-$LIZA_TASK-$n" 2>/dev/null; do n=$((n+1)); done
cat > "$notes/prompt-$LIZA_AGENT_ID-$n"
intent() { git liza intent $LIZA_TASK --summary "write it" --validation "look at it"; }
work() { echo "$LIZA_AGENT_ID $n" > "${1:-$LIZA_TASK.txt}"; git add -A; git commit -q -m "Work on $LIZA_TASK"; }
submit() { intent; work; git liza submit $LIZA_TASK; }
approve() { git liza approve $LIZA_TASK --commit $LIZA_REVIEW_COMMIT; }
waitfor() { while ! test -e "$notes/$1"; do sleep 0.02; done; }
`+script+"\n")
	return path
}

// quick are limits with which nothing takes long. An agent that ends by itself
// has as much time for it as it needs.
func quick() supervise.Limits {
	l := supervise.DefaultLimits()
	l.Pause, l.MaxPause, l.Declined = time.Millisecond, 4*time.Millisecond, time.Millisecond
	l.Grace, l.Finish = 300*time.Millisecond, time.Minute
	return l
}

// hasty ends a session almost at once after its move.
func hasty(r *supervise.Rush) { r.UntilIdle, r.Limits.Finish = true, 300*time.Millisecond }

var took = regexp.MustCompile(`after \d+s`)

// timeless is a text in which all that took whole seconds took none.
func timeless(text string) string { return took.ReplaceAllString(text, "after 0s") }

func coder(p provider.Provider) supervise.Slot {
	return supervise.Slot{Role: board.Coder, Provider: p}
}

func reviewer(p provider.Provider) supervise.Slot {
	return supervise.Slot{Role: board.CodeReviewer, Provider: p}
}

func planner(p provider.Provider) supervise.Slot {
	return supervise.Slot{Role: board.Planner, Provider: p}
}

// A rushing is a rush that runs in the background.
type rushing struct {
	w      *world
	cancel context.CancelFunc
	ended  chan error

	mu       sync.Mutex
	lines    []string
	messages []supervise.Message
}

func (w *world) begin(edit func(*supervise.Rush), slots ...supervise.Slot) *rushing {
	w.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r := &rushing{w: w, cancel: cancel, ended: make(chan error, 1)}
	rush := &supervise.Rush{Clone: w.open(), Self: self, Environ: os.Environ(), Limits: quick(), Tell: func(m supervise.Message) {
		r.mu.Lock()
		defer r.mu.Unlock()
		line := m.Text
		if m.Task != "" {
			line = string(m.Task) + " " + line
		}
		if m.Agent != "" {
			line = string(m.Agent) + " | " + line
		}
		r.lines = append(r.lines, line)
		r.messages = append(r.messages, m)
	}}
	if edit != nil {
		edit(rush)
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		r.ended <- rush.Run(ctx, slots)
	}()
	w.Cleanup(func() { // before its repository goes
		cancel()
		select {
		case <-gone:
		case <-time.After(patience):
		}
	})
	return r
}

// wait is the end of the rush.
func (r *rushing) wait() error {
	r.w.Helper()
	select {
	case err := <-r.ended:
		return err
	case <-time.After(patience):
		require.FailNow(r.w, "the rush does not end", "%s", r.said())
		return nil
	}
}

func (r *rushing) said() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.lines, "\n") + "\n"
}

func untilIdle(r *supervise.Rush) { r.UntilIdle = true }

// rush runs slots until idle.
func (w *world) rush(slots ...supervise.Slot) (*rushing, error) {
	w.Helper()
	r := w.begin(untilIdle, slots...)
	return r, r.wait()
}

// gone requires that a process whose id an agent left is no more.
func (w *world) gone(name string) {
	w.Helper()
	pid := w.pid(name)
	w.await("the end of process "+name, func() bool { return dead(pid) })
}

// dead reports whether no such process runs; one that is only not reaped by
// its parent counts as dead.
func dead(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(stat), ") Z ")
}

// left requires that nobody is registered and nothing is held.
func (w *world) left() {
	w.Helper()
	b := w.board()
	require.Empty(w, b.IDs(board.Agents))
	for _, t := range b.Tasks() {
		full := b.Task(t.ID)
		require.Nil(w, full.Claim, t.ID)
		require.Nil(w, full.Review(), t.ID)
	}
	require.NoError(w, flow.Check(b))
}

func (w *world) pid(name string) int {
	w.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(w.note(name)))
	require.NoError(w, err)
	return pid
}

// logged reports whether an agent's log has a text.
func (w *world) logged(id board.AgentID, text string) bool {
	log, err := os.ReadFile(filepath.Join(w.dir, ".git", "liza", "log", string(id)+".log"))
	return err == nil && strings.Contains(string(log), "--- "+text)
}

func (w *world) mkdir(name string) error { return os.MkdirAll(filepath.Join(w.dir, name), 0o755) }
