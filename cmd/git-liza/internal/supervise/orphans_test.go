package supervise_test

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// apart is a rush in another process, whose agents run a script.
func (w *world) apart(script string, args ...string) *exec.Cmd {
	w.Helper()
	return w.start(w.command(script, args...))
}

// command is such a rush, before it begins.
func (w *world) command(script string, args ...string) *exec.Cmd {
	w.Helper()
	cmd := exec.Command(self, append([]string{"rush", "--planners", "0", "--provider", shell(w.scriptOf(script))}, args...)...)
	cmd.Dir = w.dir
	return cmd
}

func (w *world) start(cmd *exec.Cmd) *exec.Cmd {
	w.Helper()
	require.NoError(w, cmd.Start())
	w.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

// The claims of a stopped rush are left to it, and that is said. Once it is killed
// the next rush gives them back at once, and the work in progress continues.
func TestKilledRushIsSucceeded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	first := w.apart(`echo begun >task-1.txt; : >"$notes/begun"; while :; do sleep 0.05; done`, "--coders", "1", "--reviewers", "0")
	w.await("the first session", func() bool { return w.has("begun") })
	before := w.board().Agent("coder-1").Generation
	require.NoError(t, first.Process.Signal(syscall.SIGSTOP))
	engine := filepath.Join(w.notes, "engine") // as if the session ran in a container
	w.write(engine, "#!/bin/sh\necho \"$*\" >> '"+w.notes+"/asked'\n")
	container := "liza-b0-coder-1-" + string(before)
	record := filepath.Join(w.dir, ".git/liza/containers", container)
	require.NoError(t, w.mkdir(".git/liza/containers"))
	w.write(record, `{"engine":"`+engine+`","generation":"`+string(before)+`"}`)

	r := w.begin(func(r *supervise.Rush) { r.UntilIdle, r.Engine = true, engine }, coder(w.agent("submit")), reviewer(w.agent("approve")))
	w.await("word of what it waits for", func() bool {
		return regexp.MustCompile(`task-1 is held by coder-1 until \d\d:\d\d:\d\dZ, whose supervisor is process \d+ here, heard of \d+s ago\n`).MatchString(r.said())
	})
	require.Equal(t, before, w.board().Agent("coder-1").Generation)
	require.Equal(t, board.Claimed, w.task("task-1").Status)
	require.Zero(t, work.DeadSupervisor(w.clone.Repo, before))
	require.FileExists(t, record)

	require.NoError(t, first.Process.Kill())
	_ = first.Wait()
	require.NoError(t, r.wait(), r.said())
	require.NoFileExists(t, record)
	require.Equal(t, "rm --force --volumes "+container+"\n", w.note("asked"))
	require.Regexp(t, `the container `+container+` of a supervisor that is dead is removed\n(.*\n)*?coder-1: its supervisor, process \d+, is dead; it gave task-1 back; what its session used is recorded: git liza session show coder-1\n`, r.said())
	require.Equal(t, board.Merged, w.task("task-1").Status)
	require.Len(t, w.moves(board.ActClaim), 2)
	require.Equal(t, "begun\n", w.git("show", "refs/liza/saved/task-1/1:task-1.txt"))
	w.left()
	left, err := filepath.Glob(filepath.Join(w.dir, ".git/liza/supervisors/*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// The next rush continues where the killed one was.
func TestKilledCoderGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	first := w.apart(`echo begun >task-1.txt; : >"$notes/begun"; while :; do sleep 0.05; done`, "--coders", "1", "--reviewers", "0")
	w.await("the first session", func() bool { return w.has("begun") })
	require.NoError(t, first.Process.Kill())
	_ = first.Wait()
	w.await("the end of what its session started", func() bool {
		marks, err := proc.Living(work.Records(w.clone.Repo))
		return err == nil && len(marks) == 0
	})
	r, err := w.rush(coder(w.agent(`cp task-1.txt "$notes/found"; submit`)), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.Equal(t, "begun\n", w.note("found"))
	w.left()
}

// A review whose supervisor was killed is given back, and does not count as one
// without a verdict.
func TestKilledReviewerIsSucceeded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	script := `case $LIZA_ROLE in coder) submit ;; *) : >"$notes/reviewing"; while :; do sleep 0.05; done ;; esac`
	first := w.apart(script, "--coders", "1", "--reviewers", "1")
	w.await("the review", func() bool { return w.has("reviewing") })
	require.NoError(t, first.Process.Kill())
	_ = first.Wait()
	r, err := w.rush(coder(w.agent("submit")), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.Equal(t, board.Merged, w.task("task-1").Status)
	for _, m := range w.moves(board.ActRelease) {
		require.False(t, m.Detail.(*flow.ReleaseMove).NoVerdict)
	}
	require.Empty(t, w.moves(board.ActAnomaly))
	w.left()
}

// An agent of another machine is left alone, and so is one whose supervisor is
// not known.
func TestOthersAreNotSucceeded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.liza("agents", "add", "coder-1")
	const theirs = board.Generation("0123456789abcdef")
	other, err := w.clone.As(context.Background(), "coder-2", theirs)
	require.NoError(t, err)
	_, err = other.Make(context.Background(), board.ActRegister, "", &flow.RegisterMove{Agent: "coder-2", Generation: theirs})
	require.NoError(t, err)
	host, err := os.Hostname()
	require.NoError(t, err)
	require.NoError(t, w.mkdir(".git/liza/supervisors"))
	w.write(filepath.Join(w.dir, ".git/liza/supervisors", string(theirs)), `{"pid":1,"host":"another","boot":"another"}`)
	done, err := w.clone.ReleaseOrphans(context.Background(), func(*work.Clone, board.AgentID) error { return nil })
	require.NoError(t, err)
	require.Empty(t, done)
	require.Len(t, w.board().IDs(board.Agents), 2)

	w.write(filepath.Join(w.dir, ".git/liza/supervisors", string(theirs)), `{"pid":1,"host":"`+host+`","boot":"before the restart"}`)
	done, err = w.clone.ReleaseOrphans(context.Background(), func(*work.Clone, board.AgentID) error { return nil })
	require.NoError(t, err)
	require.Equal(t, []work.Orphan{{Agent: "coder-2", PID: 1}}, done)
	require.Nil(t, w.board().Agent("coder-2"))
	require.NotNil(t, w.board().Agent("coder-1"))
}

// A session that ended, or was cut off with its supervisor, while the remote did not answer is
// recorded by the next rush, once it does.
func TestKilledOffline(t *testing.T) {
	t.Parallel()
	for _, outcome := range []string{"failed", "killed"} {
		t.Run(outcome, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.tasks(1)
			w.share()
			first := w.apart(`: >"$notes/begun"; while ! test -e "$notes/go"; do sleep 0.05; done; exit 1`, "--coders", "1", "--reviewers", "0")
			w.await("the first session", func() bool { return w.has("begun") })
			away := w.remote() + ".away"
			require.NoError(t, os.Rename(w.remote(), away))
			if outcome == "failed" {
				w.write(filepath.Join(w.notes, "go"), "")
				w.await("its record to wait", func() bool { return w.logged("coder-1", "recorded when the remote answers") })
			}
			require.NoError(t, first.Process.Kill())
			_ = first.Wait()
			w.write(filepath.Join(w.notes, "go"), "")
			r := w.begin(func(r *supervise.Rush) { sharply(r); r.UntilIdle = true }, coder(w.agent("submit")), reviewer(w.agent("approve")))
			w.await("offline", func() bool { return strings.Contains(r.said(), "nothing new begins until ") })
			require.NoError(t, os.Rename(away, w.remote()))
			require.NoError(t, r.wait(), r.said())
			require.Equal(t, board.Merged, w.task("task-1").Status)
			require.Contains(t, w.outcomes("coder-1"), outcome, r.said())
			w.agree()
		})
	}
}

// One session that the board refuses hides no other: each that it takes is recorded once, and what
// it says to the others is told.
func TestSavedSessionsThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	const theirs = board.Generation("0123456789abcdef")
	other, err := w.clone.As(context.Background(), "coder-2", theirs)
	require.NoError(t, err)
	_, err = other.Make(context.Background(), board.ActRegister, "", &flow.RegisterMove{Agent: "coder-2", Generation: theirs})
	require.NoError(t, err)
	w.run("env", "LIZA_AGENT_ID=coder-2", "LIZA_GENERATION="+string(theirs), self, "claim", "task-1")
	kept := map[string]git.ID{}
	began := time.Now().Add(-time.Hour)
	for i, s := range []gitstore.SessionRecord{{Task: "task-1", Model: "first"}, {Task: "gone"}, {Task: "task-1", Model: "second"}, {Task: "task-1", Outcome: "unheard-of"}, {Task: "task-1", Model: "third"}} {
		s.Agent, s.Generation, s.Role, s.Provider, s.Outcome = "coder-2", theirs, board.Coder, "mine", cmp.Or(s.Outcome, "nothing")
		s.Began = began.Add(time.Duration(i) * time.Minute)
		s.Ended = s.Began.Add(time.Second)
		kept[s.Model], err = gitstore.SaveSession(context.Background(), w.clone.Repo, s, nil, nil)
		require.NoError(t, err)
	}
	_, err = other.Make(context.Background(), board.ActSession, "task-1", &flow.SessionMove{Provider: "mine", Model: "first", Role: board.Coder, Outcome: "nothing", Record: kept["first"]})
	require.NoError(t, err)
	host, err := os.Hostname()
	require.NoError(t, err)
	require.NoError(t, w.mkdir(".git/liza/supervisors"))
	w.write(filepath.Join(w.dir, ".git/liza/supervisors", string(theirs)), `{"pid":1,"host":"`+host+`","boot":"before the restart"}`)

	r, err := w.rush(coder(w.agent("submit")), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	var recorded []string
	for _, m := range w.moves(board.ActSession) {
		if d := m.Detail.(*flow.SessionMove); m.By == "coder-2" {
			require.Equal(t, kept[d.Model], d.Record)
			recorded = append(recorded, d.Model)
		}
	}
	require.Equal(t, []string{"first", "third", "second"}, recorded)
	require.Regexp(t, `coder-2: its session that was cut off is not recorded: .*unheard-of.*\bgone\b.*\n`, r.said())
	require.Contains(t, r.said(), "coder-2: its supervisor, process 1, is dead; it gave task-1 back; what its session used is recorded: git liza session show coder-2\n")
	w.left()
}
