package supervise_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// A shown is an agent as the command line lists it.
type shown struct {
	ID       board.AgentID
	State    string
	Presence *struct {
		PID                                int
		Began, At, Since                   time.Time
		Host, Provider, Model, Doing, Note string
		Task                               string
		Tokens                             int64
		Context                            *int
		Usage                              struct{ Cost string }
		Silent                             bool
	}
}

// agents are the registered agents as they are shown that much later than now.
func (w *world) agents(later time.Duration) map[board.AgentID]shown {
	w.Helper()
	cmd := exec.Command(self, "agents", "--json")
	cmd.Dir, cmd.Env = w.dir, append(os.Environ(), "LIZA_NOW="+time.Now().Add(later).UTC().Format(time.RFC3339))
	out, err := cmd.Output()
	require.NoError(w, err)
	var answer struct{ Data struct{ Agents []shown } }
	require.NoError(w, json.Unmarshal(out, &answer))
	list := map[board.AgentID]shown{}
	for _, a := range answer.Data.Agents {
		list[a.ID] = a
	}
	return list
}

// does waits until an agent says that it does something.
func (w *world) does(id board.AgentID, what string) shown {
	w.Helper()
	var a shown
	w.awaitEach(100*time.Millisecond, string(id)+" "+what, func() bool { // each look is a process
		a = w.agents(0)[id]
		return a.Presence != nil && a.Presence.Doing == what
	})
	return a
}

// nobody requires that nothing is left of what agents said, here and at a
// remote.
func (w *world) nobody(git ...string) {
	w.Helper()
	require.Empty(w, w.git("for-each-ref", "refs/liza/agents"))
	files, err := filepath.Glob(filepath.Join(w.dir, ".git", "liza", "presence", "*"))
	require.NoError(w, err)
	require.Empty(w, files)
}

// Presence shows what an agent does, where, and what it spends. It is gone when the
// agent has left, and none of it is on the board.
func TestPresence(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	begun := time.Now().Add(-2 * time.Second)
	r := w.begin(nil, coder(w.fake(`began s; turn 1 600; waitfor go; submit; ended done`, nil)), planner(w.fake("began p; ended nothing", nil)))
	w.await("its spending", func() bool {
		a := w.does("coder-1", "coding")
		return a.Presence.Tokens == 600
	})
	a := w.agents(0)["coder-1"]
	p := a.Presence
	require.Equal(t, "WORKING", a.State)
	host, err := os.Hostname()
	require.NoError(t, err)
	require.Equal(t, []any{host, os.Getpid(), "fake", "m-1", "task-1", "session 1", "0", false},
		[]any{p.Host, p.PID, p.Provider, p.Model, p.Task, p.Note, p.Usage.Cost, p.Silent})
	for _, at := range []time.Time{p.Began, p.Since, p.At} {
		require.WithinRange(t, at, begun, time.Now())
	}
	require.Regexp(t, `(?m)^coder-1 +WORKING +task-1 +\d+m left, coding for \d+[sm] \(session 1\), heard \d+[sm] ago, 600 tokens so far, fake:m-1 on `+host+`, process \d+$`, w.liza("agents"))
	require.Regexp(t, `600\s+tokens\s+so\s+far,\s+fake:m-1\s+on\s+`+host+`,\s+process\s+\d+\n`, w.run("env", "COLUMNS=60", self, "agents"))
	require.Regexp(t, `(?m)^  coder-1 +WORKING +task-1 +\d+m left, coding for \d+[sm] \(session 1\), heard \d+[sm] ago, .+$`, w.liza("status"))
	require.False(t, w.agents(time.Until(p.At.Add(80 * time.Second)))["coder-1"].Presence.Silent)
	require.True(t, w.agents(5 * time.Minute)["coder-1"].Presence.Silent)
	w.does("planner-1", "waiting")

	w.write(filepath.Join(w.notes, "go"), "")
	w.until("the submission", func(b *board.Board) bool { return b.Task("task-1").Status == board.ReadyForReview })
	w.await("the end of its work", func() bool {
		p := w.agents(0)["coder-1"].Presence
		return p.Doing == "waiting" && p.Tokens == 0
	})
	w.liza("pause", "--reason", "lunch")
	w.await("its pause", func() bool { return w.agents(0)["coder-1"].Presence.Note == "the board is PAUSED" })
	r.cancel()
	require.NoError(t, r.wait(), r.said())
	w.nobody()
	require.Len(t, w.moves(board.ActSession), 1)
}

// The presence of a killed supervisor stays and is shown as old. A takeover or
// removal of its agent clears it away.
func TestPresenceOfAKilledSupervisor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	killed := func() {
		cmd := exec.Command(self, "agent", "coder", "--id", "coder-1", "--provider", "exec:true")
		cmd.Dir = w.dir
		require.NoError(t, cmd.Start())
		defer cmd.Wait()
		defer cmd.Process.Kill()
		w.await("its presence", func() bool {
			a, ok := w.agents(0)["coder-1"]
			return ok && a.Presence != nil && a.Presence.PID == cmd.Process.Pid
		})
	}
	killed()
	last := w.agents(0)["coder-1"].Presence.At
	require.False(t, w.agents(time.Until(last.Add(80 * time.Second)))["coder-1"].Presence.Silent)
	require.True(t, w.agents(2 * time.Minute)["coder-1"].Presence.Silent)
	cmd := exec.Command(self, "agents")
	cmd.Dir, cmd.Env = w.dir, append(os.Environ(), "LIZA_NOW="+time.Now().Add(5*time.Minute).UTC().Format(time.RFC3339))
	out, err := cmd.Output()
	require.NoError(t, err)
	require.Regexp(t, `^coder-1 +IDLE +process \d+ of its supervisor is dead, silent for \d+m, was waiting, exec on `, string(out))

	killed() // which has taken it over
	w.liza("agents", "remove", "coder-1")
	w.nobody()
}

// Where presence cannot be written agents work too, and that is noted
// once.
func TestPresenceThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.write(filepath.Join(w.dir, ".git", "liza", "presence"), "in the way")
	r := w.begin(func(r *supervise.Rush) { r.UntilIdle, r.Limits.Beat = true, 10*time.Millisecond }, coder(w.agent("submit")), reviewer(w.agent("approve")))
	require.NoError(t, r.wait(), r.said())
	require.Equal(t, board.Merged, w.task("task-1").Status)
	log, err := os.ReadFile(filepath.Join(w.dir, ".git", "liza", "log", "coder-1.log"))
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(log), "others will not see what coder-1 does"), "%s", log)
}

// Two agents that run at once see what the other spends: together they use what
// is left, and not each of them all of it.
func TestBudgetOfSessionsThatRunAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(2)
	w.config(func(c *board.Config) { c.Budgets.Sprint.Tokens = 1000 })
	spends := w.fake(`began s; turn 1 600; sleep 1000`, nil)
	r, err := w.rush(coder(spends), coder(spends))
	require.ErrorContains(t, err, "budget: the budget of sprint-1 is spent", r.said())
	for _, id := range []board.AgentID{"coder-1", "coder-2"} {
		require.Equal(t, []string{"budget"}, w.outcomes(id))
	}
	require.Equal(t, int64(1200), w.board().Sprint("sprint-1").Usage.Tokens())
	w.nobody()
}

// A budget counts an agent in another process too. What it has recorded counts once.
func TestBudgetBesideAnotherProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(2)
	w.config(func(c *board.Config) { c.Budgets.Sprint.Tokens = 1000 })
	other := w.begin(nil, coder(w.fake(`began s; turn 1 400; waitfor go; used='"input_tokens":400,"output_tokens":0'; submit; ended done`, nil)))
	w.await("what it spends", func() bool { return w.does("coder-1", "coding").Presence.Tokens == 400 })
	r := w.begin(nil, coder(w.fake(`began s; turn 1 500; waitfor on; turn 2 200; sleep 1000`, nil)))
	w.await("what both spend", func() bool { return w.does("coder-2", "coding").Presence.Tokens == 500 })
	w.write(filepath.Join(w.notes, "go"), "")
	w.until("its record", func(b *board.Board) bool { return b.Sprint("sprint-1").Usage.Tokens() == 400 })
	require.Empty(t, w.outcomes("coder-2"), "900 are less than 1000")
	other.cancel()
	require.NoError(t, other.wait(), other.said())
	w.write(filepath.Join(w.notes, "on"), "")
	w.await("its end", func() bool { return len(w.outcomes("coder-2")) == 1 })
	require.Equal(t, []string{"budget"}, w.outcomes("coder-2"))
	require.Equal(t, int64(1100), w.board().Sprint("sprint-1").Usage.Tokens())
	r.cancel()
	require.NoError(t, r.wait(), r.said())
}

// serve makes the remote a server that judges, and that knows the user who pushes
// from each clone.
func (w *world) serve(users map[string]*world) {
	w.Helper()
	w.git("-C", w.remote(), "config", "liza.server.userEnv", "LIZA_USER")
	install := exec.Command(self, "hooks", "install", "--server")
	install.Dir = w.remote()
	out, err := install.CombinedOutput()
	require.NoError(w, err, "%s", out)
	for name, clone := range users {
		clone.git("config", "liza.principal", name)
		clone.git("config", "remote.origin.receivepack", "env LIZA_USER="+name+" git-receive-pack")
	}
}

// Other hosts see it too, through a server that judges what it takes, a while
// later, and no more when the agent has left.
func TestPresenceOnAnotherHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.liza("principal", "add", "ann", "--user", "ann", "--new-key")
	w.share()
	other, eve := w.host("other"), w.host("eve")
	w.serve(map[string]*world{"ann": w, "coders": other, "eve": eve})
	for _, name := range []string{"coders", "eve"} {
		w.liza("principal", "add", name, "--kind", "machine", "--role", "coder", "--user", name)
	}
	there := other.begin(func(r *supervise.Rush) { sharply(r); r.Limits.Beat = 100 * time.Millisecond },
		coder(other.fake(`began s; turn 1 600; waitfor go; ended done`, nil)))
	w.await("word of it", func() bool {
		w.liza("sync")
		return w.agents(0)["coder-1"].Presence != nil
	})
	p := w.agents(0)["coder-1"].Presence
	require.Equal(t, os.Getpid(), p.PID)
	require.False(t, w.agents(40 * time.Minute)["coder-1"].Presence.Silent, "it says something again within half a lease")
	require.True(t, w.agents(46 * time.Minute)["coder-1"].Presence.Silent)
	eve.git("fetch", "-q", "origin", "refs/liza/agents/coder-1")
	push := exec.Command("git", "push", "--force", "origin", "HEAD:refs/liza/agents/coder-1")
	push.Dir = eve.dir
	refused, err := push.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(refused), "liza-refused: refs/liza/agents/coder-1 principal: refs/liza/agents/coder-1 is for the principal of coder-1")
	there.cancel()
	require.NoError(t, there.wait(), there.said())
	require.NotContains(t, there.said(), "other hosts do not see")
	require.Empty(t, w.run("git", "-C", w.remote(), "for-each-ref", "refs/liza/agents"))
	other.nobody()
	w.liza("sync")
	require.Empty(t, w.agents(0), there.said())
	w.liza("board", "archive")
	require.Empty(t, w.git("for-each-ref", "refs/liza/remote/origin/agents"))
}

// The presence of another host's agent counts until its session is on the board, and
// then no more, however long it is before it says something else; and so does
// nothing of an agent that is silent or registered anew.
func TestBudgetCountsARecordedSessionOnce(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newWorld(t)
	w.tasks(1)
	w.config(func(c *board.Config) { c.Budgets.Sprint.Tokens = 1000 })
	const elsewhere = board.Generation("5c1e0a44d2b97f31")
	there, err := w.clone.As(ctx, "planner-9", elsewhere)
	require.NoError(t, err)
	_, err = there.Make(ctx, board.ActRegister, "", &flow.RegisterMove{Agent: "planner-9", Generation: elsewhere})
	require.NoError(t, err)
	says := func(g board.Generation, at time.Time, every time.Duration, tokens int64) {
		require.NoError(t, gitstore.SavePresence(ctx, w.clone.Repo, gitstore.Presence{Agent: "planner-9", Generation: g, At: at, Every: board.Duration(every),
			Doing: "planning", Usage: board.Usage{Output: tokens}}))
	}
	r := w.begin(nil, coder(w.fake(`began s; i=0; while i=$((i+1)); do turn $i 10; waitfor on-$i; done`, nil)))
	turn := int64(1)
	next := func() { // its supervisor looks at the budget when it hears of a turn
		t.Helper()
		w.write(filepath.Join(w.notes, fmt.Sprintf("on-%d", turn)), "")
		turn++
		w.await("its next turn", func() bool {
			require.Empty(t, w.outcomes("coder-1"), r.said())
			return w.does("coder-1", "coding").Presence.Tokens == 10*turn
		})
	}
	next()
	says("1111111111111111", time.Now(), time.Hour, 990)
	next()
	next()
	says(elsewhere, time.Now().Add(-5*time.Second), time.Second, 990)
	next()
	next()
	says(elsewhere, time.Now(), time.Hour, 600)
	_, err = there.Make(ctx, board.ActSession, "task-1", &flow.SessionMove{Provider: "fake", Role: board.Planner, Outcome: "nothing", Usage: board.Usage{Sessions: 1, Output: 600}})
	require.NoError(t, err)
	next()
	next()
	says(elsewhere, time.Now().Add(time.Minute), time.Hour, 400-10*turn)
	w.await("its end", func() bool { return w.task("task-1").Status == board.Blocked })
	require.Equal(t, []string{"budget"}, w.outcomes("coder-1"))
	require.Equal(t, "budget: the budget of sprint-1 is spent with running sessions, most by planner-9: 1000 of 1000 tokens", w.task("task-1").Block.Reason)
	r.cancel()
	require.NoError(t, r.wait(), r.said())
}

// What a coder commits is in the clone before its session ends, since its checkout may go.
func TestWorkIsTakenOverAtABeat(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	r := w.begin(func(r *supervise.Rush) { r.UntilIdle, r.Limits.Beat = true, 10*time.Millisecond },
		coder(w.agent(`intent; work; until git -C $LIZA_CLONE log --format=%s liza/$LIZA_TASK | grep "Work on"; do sleep 0.02; done; git liza submit $LIZA_TASK`)),
		reviewer(w.agent("approve")))
	require.NoError(t, r.wait(), r.said())
	require.Equal(t, board.Merged, w.task("task-1").Status)
}
