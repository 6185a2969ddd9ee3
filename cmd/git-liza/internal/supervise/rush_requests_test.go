package supervise_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/flow/board"
)

// askAsClient is a client without any check of its own, as an agent could write it.
func askAsClient(commonDir string) int {
	r, listening, err := supervise.Ask(context.Background(), commonDir, supervise.Request{Act: supervise.StopAgent, Agent: "coder-1"})
	fmt.Println(listening, r.Taken, err)
	if r.Refused != nil {
		fmt.Println(r.Refused.Rule, r.Refused.Reason)
	}
	return 0
}

// ask asks from this process, which is no agent's.
func (w *world) ask(q supervise.Request) (supervise.Reply, int, error) {
	return supervise.Ask(context.Background(), filepath.Join(w.dir, ".git"), q)
}

// sockets are the names under which supervisors listen.
func (w *world) sockets() (names []string) {
	w.Helper()
	entries, err := os.ReadDir(filepath.Join(w.dir, ".git", "liza", "rushes"))
	require.NoError(w, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// The supervisors look at the process that asks: one of a session is refused, also one
// that left its session's process group and environment.
func TestAgentsSteerNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	program, err := os.Executable()
	require.NoError(t, err)
	code := w.agent(`common=$LIZA_CLONE/.git
env -u LIZA_AGENT_ID -u LIZA_GENERATION SUPERVISE_TEST_ASK="$common" '` + program + `' > "$notes/one" 2>&1
SUPERVISE_TEST_ASK="$common" setsid sh -c "'` + program + `' > '$notes/two.new' 2>&1; mv '$notes/two.new' '$notes/two'" &
waitfor two; waitfor go; submit`)
	r := w.begin(nil, coder(code))
	w.await("both, or what they asked for", func() bool { return w.has("two") || strings.Contains(r.said(), "asked to") })
	require.NotContains(t, r.said(), "asked to")
	const refused = "1 true <nil>\nidentity agents are steered by a human on this machine, not by a process of an agent's session: ask\n"
	require.Equal(t, refused, w.note("one"))
	require.Equal(t, refused, w.note("two"))
	require.NotNil(t, w.board().Agent("coder-1"))

	reply, _, err := w.ask(supervise.Request{Act: supervise.StopAgent, Agent: "coder-1"})
	require.NoError(t, err)
	require.Nil(t, reply.Refused)
	require.Equal(t, []board.TaskID{"task-1"}, reply.Held)
	require.Equal(t, os.Getpid(), reply.PID)
	require.NoError(t, r.wait())
	w.left()
	require.Empty(t, w.sockets())
}

// A stopped agent's work is not counted against its task, and the others finish it.
func TestStoppedAgentLeavesItsTask(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	code := w.agent(`if test $LIZA_AGENT_ID = coder-1; then : > "$notes/begun"; waitfor never; fi; submit`)
	r := w.begin(nil, coder(code), reviewer(w.agent("approve")))
	w.await("coder-1", func() bool { return w.has("begun") })
	_, listening, err := w.ask(supervise.Request{Act: supervise.AddAgents, Role: board.Coder, Count: 1})
	require.NoError(t, err)
	require.Equal(t, 1, listening, "this rush adds nobody: nobody told it how")
	reply, _, err := w.ask(supervise.Request{Act: supervise.RestartAgent, Agent: "coder-7", Ended: true})
	require.NoError(t, err)
	require.False(t, reply.Taken)
	reply, _, err = w.ask(supervise.Request{Act: supervise.StopAgent, Agent: "coder-1"})
	require.NoError(t, err)
	require.True(t, reply.Taken)
	require.Equal(t, board.Unclaimed, w.task("task-1").Status)
	other := w.begin(nil, supervise.Slot{Role: board.Coder, ID: "coder-2", Provider: code})
	w.until("the merge", func(b *board.Board) bool { return b.Task("task-1").Status == board.Merged })
	r.cancel()
	other.cancel()
	require.NoError(t, r.wait())
	require.NoError(t, other.wait())
}

// Whatever becomes of the supervisors, who asks gets an answer: that they are stopped,
// that they ended meanwhile, or that nobody listens any more.
func TestRequestsOfSupervisorsThatDie(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	path := w.scriptOf(`trap ': > "$notes/asked"' TERM; echo $$ > "$notes/pid.new"; mv "$notes/pid.new" "$notes/pid"
while :; do sleep 0.02 || :; done`)
	cmd := exec.Command(self, "rush", "--planners", "0", "--coders", "1", "--reviewers", "0", "--provider", shell(path))
	cmd.Dir = w.dir
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	w.await("the agent", func() bool { return w.has("pid") })
	w.await("the socket", func() bool { return len(w.sockets()) == 1 })
	stop := supervise.Request{Act: supervise.StopAgent, Agent: "coder-1"}

	require.NoError(t, cmd.Process.Signal(syscall.SIGSTOP))
	_, _, err := w.ask(stop)
	require.ErrorContains(t, err, fmt.Sprintf("the supervisors of process %d do not answer; if it is stopped, type fg in its terminal, or: kill -CONT %[1]d", cmd.Process.Pid))
	require.NoError(t, cmd.Process.Signal(syscall.SIGCONT))

	// The request that was given up is not granted later: this one, which comes after
	// it, still finds the agent.
	answer := make(chan error, 1)
	go func() {
		_, _, err := w.ask(stop)
		answer <- err
	}()
	w.await("the end of the session", func() bool { return w.has("asked") })
	require.NoError(t, cmd.Process.Kill())
	require.ErrorContains(t, <-answer, fmt.Sprintf("the supervisors of process %d ended before they had answered", cmd.Process.Pid))
	_ = cmd.Wait()

	require.Len(t, w.sockets(), 1, "what a killed process leaves")
	reply, listening, err := w.ask(stop)
	require.NoError(t, err)
	require.False(t, reply.Taken)
	require.Zero(t, listening)
	require.Empty(t, w.sockets())
	w.gone("pid")
}

// Supervisors in a folder whose path is too long for the address of a socket listen too,
// and who connects and says nothing does not keep a rush from its end.
func TestSocketBelowALongPath(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.dir = w.moveBelow(strings.Repeat("a-long-name/", 12))
	w.clone = w.open()
	r := w.begin(nil, coder(w.agent("submit")))
	w.until("coder-1", func(b *board.Board) bool { return b.Agent("coder-1") != nil })
	w.await("the socket", func() bool {
		entries, err := os.ReadDir(filepath.Join(w.dir, ".git", "liza", "rushes"))
		return err == nil && len(entries) == 1 && entries[0].Name()[0] != '.'
	})
	folder, err := os.Open(filepath.Join(w.dir, ".git", "liza", "rushes"))
	require.NoError(t, err)
	defer folder.Close()
	silent, err := net.Dial("unix", fmt.Sprintf("/proc/self/fd/%d/%s", folder.Fd(), w.sockets()[0]))
	require.NoError(t, err)
	defer silent.Close()
	w.await("the presence of coder-1", func() bool {
		reply, _, err := w.ask(supervise.Request{Act: supervise.StopAgent, Agent: "coder-1"})
		return err == nil && reply.Taken
	})
	require.NoError(t, r.wait())
	w.left()
}

// moveBelow moves the repository below a new folder of its parent.
func (w *world) moveBelow(path string) string {
	w.Helper()
	to := filepath.Join(filepath.Dir(w.dir), path, "repo")
	require.NoError(w, os.MkdirAll(filepath.Dir(to), 0o755))
	require.NoError(w, os.Rename(w.dir, to))
	return to
}
