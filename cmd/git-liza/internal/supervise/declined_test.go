package supervise_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/flow/board"
)

// decline has the remote say no to moves of an act, and note each in a file.
func (w *world) decline(act board.Act) {
	w.Helper()
	hook := filepath.Join(w.remote(), "hooks", "pre-receive")
	w.write(hook, "#!/bin/sh\nwhile read old new ref; do\n\tcase $(git log --format=%s $new --not --all) in\n\t*'"+act.String()+" '*) echo x >>'"+w.notes+"/asked'; echo none of these here; exit 1 ;;\n\tesac\ndone\n")
	require.NoError(w, os.Chmod(hook, 0o755))
}

func (w *world) asked() int { return strings.Count(w.note("asked"), "x") }

// A remote that takes no merge is asked once, and once without the deletion of the task's
// branch. The rest of the work goes on.
func TestDeclinedMerge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(2)
	w.share()
	w.decline(board.ActMerge)
	r := w.begin(func(r *supervise.Rush) {
		r.UntilIdle, r.Limits.MaxPause, r.Limits.Declined = true, time.Hour, time.Hour
	},
		coder(w.agent("submit")), coder(w.agent("submit")), reviewer(w.agent("approve")))
	require.ErrorContains(t, r.wait(), "none of these here; git liza merge task-1", r.said())
	for _, task := range w.board().Tasks() {
		require.Equal(t, board.Approved, task.Status)
	}
	require.Contains(t, []int{4, 6}, w.asked(), "two tasks, one after the other, or together at first")
	require.Contains(t, r.said(), "task-1 cannot be merged here: remote origin: the remote refuses the push")
	w.left()
	require.NoError(t, os.Remove(filepath.Join(w.remote(), "hooks", "pre-receive")))
	_, err := w.rush(coder(w.agent("submit")))
	require.NoError(t, err)
	w.agree()
}

// A no to what every agent does is no endless loop either: the supervisor gives up.
func TestDeclinedClaims(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.share()
	w.decline(board.ActClaim)
	r, err := w.rush(coder(w.agent("submit")))
	require.ErrorContains(t, err, "none of these here", r.said())
	require.Equal(t, 9, w.asked(), "%v\n%s", err, r.said())
	require.Equal(t, board.Unclaimed, w.task("task-1").Status)
}

// A session whose commands the remote declines is charged to no task.
func TestDeclinedSubmission(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.attempts(1)
	w.share()
	w.decline(board.ActSubmit)
	hook := filepath.Join(w.remote(), "hooks", "pre-receive")
	r, err := w.rush(coder(w.agent("if [ $n = 1 ]; then submit; fi; rm -f '"+hook+"'; git liza submit $LIZA_TASK")), reviewer(w.agent("approve")))
	require.NoError(t, err, r.said())
	require.Equal(t, 1, w.asked())
	require.Len(t, w.moves(board.ActClaim), 1)
	require.Contains(t, r.said(), "coder-1: the commands of its session did not reach origin: remote origin: the remote refuses the push")
}

// The first pause after a no is a quarter of a minute, and none is longer than a minute.
func TestPausesAfterANo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.share()
	w.decline(board.ActClaim)
	r := w.begin(func(r *supervise.Rush) { r.Limits = supervise.DefaultLimits() }, coder(w.agent("submit")))
	w.await("the no", func() bool { return strings.Contains(r.said(), "none of these here") })
	w.liza("note", "something happens on the board")
	w.liza("note", "and again")
	r.cancel()
	require.NoError(t, r.wait())
	require.Equal(t, 1, w.asked())
}

// The lease of a running session is renewed again at once only if it was renewed: a remote that
// says no, or lets nobody in, is asked for it as seldom as for anything else.
func TestRenewalsAfterANo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	w.share()
	w.liza("claim", "task-1", "--as", "coder-1")
	limits := supervise.DefaultLimits()
	limits.Pause, limits.Declined, limits.MaxPause = time.Minute, 7*time.Minute, time.Hour
	own, err := w.open().As(context.Background(), "coder-1", "")
	require.NoError(t, err)
	next := func() time.Duration {
		return supervise.RenewLease(context.Background(), own, "origin", limits, w.task("task-1"))
	}
	require.Zero(t, next())
	require.Len(t, w.moves(board.ActRenew), 1)

	w.decline(board.ActRenew)
	require.Equal(t, limits.Declined, next())
	require.Equal(t, 1, w.asked())

	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	defer host.Close()
	w.git("remote", "set-url", "origin", host.URL+"/shut")
	require.Equal(t, limits.Declined, next(), "its login is refused")
	w.git("remote", "set-url", "origin", w.remote()+".away")
	require.Equal(t, limits.Pause, next(), "it is not there")
}
