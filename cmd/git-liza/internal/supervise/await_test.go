package supervise_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/git"
)

// lingering is how long a session may go on here after its move: long beside
// the time in which a busy machine looks at the board again.
const lingering = 3 * time.Second

// An agent that waits inside its session for the verdict keeps it, claims again
// what comes back, and its supervisor takes over that claim.
func TestAgentThatWaitsKeepsItsSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.config(func(c *board.Config) { c.Lease = board.Duration(8 * time.Second) })
	w.tasks(1)
	lingers := w.waits("coder-1") // until its agent does: how soon it comes to that is the machine's affair
	r := w.begin(func(r *supervise.Rush) { hasty(r); r.Limits.Finish, r.Limits.Await = lingering, time.Hour }, coder(w.agent(`submit
git liza await $LIZA_TASK --timeout 1h > "$notes/first" 2> "$notes/waits-1"
git liza claim $LIZA_TASK
waitfor renewed
intent; work again.txt; git liza submit $LIZA_TASK
git liza await $LIZA_TASK --timeout 1h > "$notes/second" 2> "$notes/waits-2"
echo $? > "$notes/end"`)),
		reviewer(w.agent(`waitfor judge-$n
if test $n = 1; then git liza reject $LIZA_TASK --commit $LIZA_REVIEW_COMMIT --reason '- [blocker] a:1 — no'; else approve; fi`)))
	w.await("the agent to wait", func() bool { return w.has("waits-1") && strings.Contains(w.note("waits-1"), "waiting for verdict") })
	lingers()
	alone := time.Now()
	w.await("more than a session may linger", func() bool { return time.Since(alone) > lingering })
	w.write(w.notes+"/judge-1", "")
	// The lease of the second claim is the supervisor's to renew.
	w.until("a renewal of the second claim", func(*board.Board) bool {
		claims := w.moves(board.ActClaim)
		renewals := w.moves(board.ActRenew)
		return len(claims) == 2 && len(renewals) > 0 && renewals[len(renewals)-1].At.After(claims[1].At) && w.moves(board.ActReject) != nil
	})
	lingers = w.waits("coder-1")
	w.write(w.notes+"/renewed", "")
	w.write(w.notes+"/judge-2", "")
	w.await("the end of the session", func() bool { return w.has("end") })
	lingers()
	require.NoError(t, r.wait(), r.said())
	require.Equal(t, 1, w.sessions("coder-1", "task-1"), "one session: %s", r.said())
	require.Equal(t, []string{"submitted"}, w.outcomes("coder-1"))
	require.Equal(t, "0\n", w.note("end"))
	require.Contains(t, w.note("first"), "REJECTED")
	require.Equal(t, board.Merged, w.task("task-1").Status)
	require.Equal(t, 2, w.task("task-1").Attempt.Iteration)
}

// waits says that an agent waits, as a process of its own does, until release.
func (w *world) waits(agent board.AgentID) (release func()) {
	w.Helper()
	path := filepath.Join(w.dir, ".git", "liza", "await", string(agent))
	require.NoError(w, os.MkdirAll(filepath.Dir(path), 0o755))
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	require.NoError(w, err)
	require.NoError(w, git.ShareLock(f))
	return func() { f.Close() }
}

// Most programs show nothing of a command that runs. So an agent that waits may be
// silent for longer than others.
func TestWhoWaitsMayBeSilent(t *testing.T) {
	t.Parallel()
	const idle = 5 * time.Second
	w := newWorld(t)
	w.tasks(1)
	r := w.begin(func(r *supervise.Rush) { r.UntilIdle, r.Limits.Await, r.Limits.Idle = true, time.Hour, idle },
		coder(w.agent(`(until test -e "$notes/quiet"; do echo; sleep 0.1; done) &
submit
git liza await $LIZA_TASK --timeout 1h > "$notes/verdict" 2>&1
echo $? > "$notes/end"`)))
	w.await("that it waits", func() bool { return work.Awaiting(w.clone.Repo.CommonDir(), "coder-1") })
	w.write(w.notes+"/quiet", "")
	quiet := time.Now()
	w.await("more silence than is allowed", func() bool {
		return time.Since(quiet) > idle+time.Second || !work.Awaiting(w.clone.Repo.CommonDir(), "coder-1")
	})
	w.liza("review", "task-1", "--as", "code-reviewer-9")
	w.liza("approve", "task-1", "--as", "code-reviewer-9", "--commit", string(w.task("task-1").Submission.Commit))
	require.NoError(t, r.wait(), r.said())
	require.Equal(t, "0\n", w.note("end"))
	require.Contains(t, w.note("verdict"), "APPROVED")
}

// Where waiting is not allowed, and after the time for it, the session ends.
func TestWaitingIsBounded(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]time.Duration{"not allowed": 0, "too long": time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.tasks(1)
			r := w.begin(func(r *supervise.Rush) { hasty(r); r.Limits.Await = limit },
				coder(w.agent(`echo $$ > "$notes/pid"; submit; git liza await $LIZA_TASK --timeout 20s || true; echo over > "$notes/over"`)))
			require.ErrorContains(t, r.wait(), "task-1 READY_FOR_REVIEW")
			w.gone("pid")
			require.False(t, w.has("over"))
			require.Equal(t, []string{"submitted"}, w.outcomes("coder-1"))
		})
	}
}
