package supervise_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/flow/board"
)

// share puts the board on a bare remote.
func (w *world) share() {
	w.Helper()
	remote := filepath.Join(filepath.Dir(w.dir), "shared.git")
	w.git("init", "-q", "--bare", remote)
	w.git("remote", "add", "origin", remote)
	w.git("push", "-q", "origin", "HEAD")
	w.liza("sync", "--set", "origin")
}

// host is another clone of the remote, as another machine has it.
func (w *world) host(name string) *world {
	w.Helper()
	other := &world{T: w.T, dir: filepath.Join(filepath.Dir(w.dir), name), notes: w.TempDir()}
	w.git("clone", "-q", "-c", "liza.confine=off", w.remote(), other.dir)
	other.liza("sync", "--set", "origin")
	other.clone = other.open()
	return other
}

func (w *world) remote() string { return filepath.Join(filepath.Dir(w.dir), "shared.git") }

// agree requires that a clone and the remote have the same board and the same
// integration branch, and that every move replays.
func (w *world) agree() {
	w.Helper()
	w.liza("sync")
	w.liza("fsck", "--full")
	refs := []string{"rev-parse", "refs/liza/state", "refs/heads/integration"}
	there, err := exec.Command("git", append([]string{"-C", w.remote()}, refs...)...).Output()
	require.NoError(w, err)
	require.Equal(w, string(there), w.git(refs...))
}

// sharply lets a rush look at its remote often.
func sharply(r *supervise.Rush) {
	r.Limits.Poll, r.Limits.MaxPoll = 20*time.Millisecond, 200*time.Millisecond
}

func TestTwoHostsShareTheWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(4)
	w.share()
	other := w.host("other")
	edit := func(r *supervise.Rush) { sharply(r); r.UntilIdle = true }
	there := other.begin(edit, reviewer(other.agent("approve")), coder(other.agent("submit")))
	other.until("the reviewer is there", func(b *board.Board) bool { return b.Agent("code-reviewer-1") != nil })
	here := w.begin(edit, coder(w.agent("submit")), coder(w.agent("submit")))
	require.NoError(t, here.wait(), here.said())
	require.NoError(t, there.wait(), there.said())
	for _, clone := range []*world{w, other} {
		clone.agree()
		clone.left()
		require.NotContains(t, clone.git("worktree", "list"), ".worktrees")
		require.Empty(t, clone.git("for-each-ref", "refs/heads/liza"), "branches of tasks that other hosts finished")
	}
	require.Len(t, w.moves(board.ActClaim), 4, "nothing is claimed twice")
	require.Len(t, w.moves(board.ActMerge), 4)
	names := map[board.Actor]bool{}
	for _, m := range w.moves(board.ActRegister) {
		require.False(t, names[m.By], "%s is registered by two hosts", m.By)
		names[m.By] = true
	}
}

// A host may do what its principal may, and hears what it may not.
func TestEachPrincipalItsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.liza("principal", "add", "ann", "--new-key")
	w.share()
	coding, judging := w.host("coding"), w.host("judging")
	w.liza("principal", "add", "coders", "--kind", "machine", "--agent", "coder-2", "--agent", "coder-7", "--key", strings.TrimSpace(coding.liza("principal", "key", "coders")))
	w.liza("principal", "add", "judges", "--kind", "machine", "--role", "code-reviewer", "--key", strings.TrimSpace(judging.liza("principal", "key", "judges")))
	coding.git("config", "liza.principal", "coders")
	judging.git("config", "liza.principal", "judges")

	refused := func(host *world, reason string, args ...string) {
		t.Helper()
		require.Contains(t, host.refused(args...), reason)
	}
	refused(judging, "judges does not act as coder-1", "claim", "task-1", "--as", "coder-1")
	refused(judging, "judges does not act as human:ann-example", "task", "add", "--title", "T", "--draft")
	refused(coding, "coders does not act as coder-1", "claim", "task-1", "--as", "coder-1")

	r := coding.begin(sharply, coder(coding.agent("submit")), coder(coding.agent("submit")), coder(coding.agent("submit")))
	coding.await("a submission", func() bool { return coding.task("task-1").Status == board.ReadyForReview })
	coding.await("the third one to be refused", func() bool {
		return strings.Contains(r.said(), "coders may act as no coder that is free")
	})
	var ids []board.Actor
	for _, m := range coding.moves(board.ActRegister) {
		ids = append(ids, m.By)
	}
	require.ElementsMatch(t, []board.Actor{"coder-2", "coder-7"}, ids, "numbers that the principal may use")
	r.cancel()
	require.NoError(t, r.wait(), r.said())

	refused(coding, "coders does not act as code-reviewer-1", "review", "task-1", "--as", "code-reviewer-1")
	judging.liza("review", "task-1", "--as", "code-reviewer-1")
	commit := string(judging.task("task-1").Submission.Commit)
	refused(coding, "coders does not act as code-reviewer-1", "approve", "task-1", "--as", "code-reviewer-1", "--commit", commit)
	refused(judging, "judges does not act as coder-2", "submit", "task-1", "--as", "coder-2")
	judging.liza("approve", "task-1", "--as", "code-reviewer-1", "--commit", commit)
	w.liza("principal", "add", "ann", "--replace", "--right", "admin,merge")
	refused(judging, "merging is for principals with the right merge", "merge", "task-1", "--as", "code-reviewer-1")
	require.Contains(t, judging.liza("status"), "ann merges")
	w.liza("merge", "task-1")
	w.agree()
}

// While the remote does not answer, running sessions continue, nothing new begins, and
// it is said once; afterwards everything is finished.
func TestOfflineForAWhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(2)
	w.share()
	code := w.agent(`intent; work; : > "$notes/begun"; waitfor go; git liza submit $LIZA_TASK`)
	r := w.begin(func(r *supervise.Rush) { sharply(r); r.UntilIdle = true }, coder(code), reviewer(w.agent("approve")))
	w.await("the agent", func() bool { return w.has("begun") })
	away := w.remote() + ".away"
	require.NoError(t, os.Rename(w.remote(), away))
	w.await("offline", func() bool { return strings.Contains(r.said(), "nothing new begins until ") })
	w.write(filepath.Join(w.notes, "go"), "")
	w.await("the session to end", func() bool { return w.logged("coder-1", "exit 1") })
	w.await("its record to wait", func() bool { return w.logged("coder-1", "recorded when the remote answers") })
	require.NotContains(t, r.said(), "crashed")
	require.NoError(t, os.Rename(away, w.remote()))
	require.NoError(t, r.wait(), r.said())
	require.Contains(t, r.said(), "origin answers again")
	require.Equal(t, 1, strings.Count(r.said(), "nothing new begins until "), r.said())
	require.NotContains(t, r.said(), "crashed", "what the remote is to blame for does not count")
	for _, s := range w.board().Tasks() {
		require.Equal(t, board.Merged, s.Status, s.ID)
	}
	require.Len(t, w.outcomes("coder-1"), w.sessions("coder-1", "task-1")+w.sessions("coder-1", "task-2"), "also what could not be recorded at once")
	w.agree()
}

// A lease that another host took over ends the session here.
func TestLostToAnotherHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.share()
	other := w.host("other")
	r := w.begin(sharply, coder(w.agent(`echo mine > mine.txt; echo $$ > "$notes/pid.new"; mv "$notes/pid.new" "$notes/pid"; waitfor never`)))
	w.await("the agent", func() bool { return w.has("pid") })
	w.await("another coder", func() bool {
		other.try("release", "task-1") // a human takes the work away; here its coder may be faster and claim it again
		other.try("claim", "task-1", "--as", "coder-5")
		claim := other.task("task-1").Claim
		return claim != nil && claim.By == "coder-5"
	})
	w.gone("pid")
	w.await("the end of the session", func() bool { return strings.Contains(r.said(), "task-1 is no longer its own") })
	w.await("a tidy clone", func() bool { return !strings.Contains(w.git("worktree", "list"), ".worktrees") })
	require.Equal(t, "mine\n", w.git("show", strings.Fields(w.git("for-each-ref", "--format=%(refname)", "refs/liza/rescue/task-1"))[0]+":mine.txt"))
	r.cancel()
	require.NoError(t, r.wait(), r.said())
}

// A registration or a claim that was interrupted after it had reached the remote ends
// with the rush, although the clone has not heard of it.
func TestLeavesAfterAnInterruptedMove(t *testing.T) {
	t.Parallel()
	for _, act := range []board.Act{board.ActRegister, board.ActClaim} {
		t.Run(act.String(), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.tasks(1)
			w.share()
			w.write(filepath.Join(w.remote(), "hooks", "post-receive"), `#!/bin/sh
git log -1 --format=%B refs/liza/state | grep -q "^act: `+act.String()+`$" || exit 0
: > '`+w.notes+`/landed'; while ! test -e '`+w.notes+`/go'; do sleep 0.02; done
`)
			r := w.begin(nil, coder(w.agent("submit")))
			w.await("the move at the remote", func() bool { return w.has("landed") })
			r.cancel()
			require.NoError(t, r.wait(), r.said())
			w.write(filepath.Join(w.notes, "go"), "")
			require.NotContains(t, r.said(), "could not")
			w.agree()
			require.Len(t, w.moves(act), 1)
			w.left()
		})
	}
}

// What a rush could not give back, because the remote did not answer when it ended, the next one
// here gives back at once.
func TestLeavesForTheNextRush(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.share()
	first := w.begin(sharply, coder(w.agent(`: >"$notes/begun"; waitfor never`)))
	w.await("the session", func() bool { return w.has("begun") })
	away := w.remote() + ".away"
	require.NoError(t, os.Rename(w.remote(), away))
	first.cancel()
	require.NoError(t, first.wait(), first.said())
	require.Contains(t, first.said(), "coder-1 could not leave: ")
	require.NoError(t, os.Rename(away, w.remote()))
	r := w.begin(func(r *supervise.Rush) { sharply(r); r.UntilIdle = true }, coder(w.agent("submit")), reviewer(w.agent("approve")))
	require.NoError(t, r.wait(), r.said())
	require.Contains(t, r.said(), "is dead; it gave task-1 back")
	require.Equal(t, board.Merged, w.task("task-1").Status)
	w.left()
	w.agree()
}

// A supervisor that begins while the remote does not answer waits for it.
func TestBeginsOffline(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.share()
	away := w.remote() + ".away"
	require.NoError(t, os.Rename(w.remote(), away))
	r := w.begin(func(r *supervise.Rush) { sharply(r); r.UntilIdle = true }, coder(w.agent("submit")), reviewer(w.agent("approve")))
	w.await("offline", func() bool { return strings.Contains(r.said(), "nothing new begins until ") })
	require.NoError(t, os.Rename(away, w.remote()))
	require.NoError(t, r.wait(), r.said())
	require.Equal(t, board.Merged, w.task("task-1").Status)
	require.Len(t, w.moves(board.ActRegister), 2)
	w.agree()
}

// A remote that answers the supervisor and not its sessions costs no task: the
// session that could not report counts for nothing, and after some in a row the
// agent is taken out of work.
func TestSessionsThatDoNotReachTheRemote(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		cut  string // the sessions that are
		want func(w *world, r *rushing, err error)
	}{
		"once": {"test $n = 1", func(w *world, r *rushing, err error) {
			require.NoError(w, err, r.said())
			require.Equal(w, board.Merged, w.task("task-1").Status)
			require.Equal(w, 2, w.sessions("coder-1", "task-1"))
			require.Contains(w, w.note("prompt-coder-1-2"), "the remote that holds the board could not be reached")
		}},
		"always": {"true", func(w *world, r *rushing, err error) {
			require.ErrorContains(w, err, "coder-1 rests: origin answers here, but not in 3 sessions in a row of provider exec: ", r.said())
			require.Equal(w, board.Unclaimed, w.task("task-1").Status)
			require.Equal(w, 3, w.sessions("coder-1", "task-1"))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.tasks(1)
			w.share()
			home := filepath.Join(w.notes, "home")
			require.NoError(t, os.Mkdir(home, 0o755))
			w.write(filepath.Join(home, ".gitconfig"), "[user]\n\tname = x\n\temail = x@example.org\n[url \"/nowhere\"]\n\tinsteadOf = "+w.remote()+"\n")
			r := w.begin(func(r *supervise.Rush) { sharply(r); r.UntilIdle = true }, reviewer(w.agent("approve")),
				coder(w.agent(`test $n != 1 || { intent; work; }
! `+test.cut+` || export HOME="$notes/home"
git liza submit $LIZA_TASK`)))
			err := r.wait()
			require.NotContains(t, r.said(), "crashed")
			require.Contains(t, r.said(), "coder-1: the commands of its session did not reach origin: ")
			test.want(w, r, err)
			w.agree()
		})
	}
}
