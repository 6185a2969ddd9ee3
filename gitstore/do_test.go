package gitstore

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

func TestAlready(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1")
	first := d.claim("task-1", coder)
	require.False(t, first.Already)
	again := d.claim("task-1", coder)
	require.True(t, again.Already)
	require.Equal(t, first.Commit, again.Commit)
	require.Equal(t, first.Commit, d.at(layout.State))
}

func TestRefusedLeavesNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1")
	tip := d.at(layout.State)
	_, err := d.try(flow.Move{Act: board.ActApprove, Task: "task-1", By: ann, Detail: &flow.ApproveMove{}})
	var refusal *flow.Refusal
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, flow.RuleState, refusal.Rule)
	require.Equal(t, tip, d.at(layout.State))

	mistake := errors.New("no")
	_, err = d.store.Do(context.Background(), func(*board.Board, time.Time) (flow.Move, []git.RefUpdate, error) { return flow.Move{}, nil, mistake })
	require.ErrorIs(t, err, mistake)
	require.Equal(t, tip, d.at(layout.State))
}

// A loser builds its move again, for the board that beat it.
func TestALostRaceIsBuiltAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1")
	var seen []board.Status
	_, err := d.store.Do(context.Background(), func(b *board.Board, at time.Time) (flow.Move, []git.RefUpdate, error) {
		if seen = append(seen, b.Task("task-1").Status); len(seen) == 1 {
			rival(t, d, "task-1", "coder-2")
		}
		return claim("task-1", coder)(b, at)
	})
	var refusal *flow.Refusal
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, flow.RuleLease, refusal.Rule)
	require.Contains(t, refusal.Reason, "coder-2")
	require.Equal(t, []board.Status{board.Unclaimed, board.Claimed}, seen)
	require.Equal(t, "3", gittest.Git(t, d.dir, "rev-list", "--count", layout.State))
	d.sound()
}

// rival claims a task without waiting for the queue, which is only speed.
func rival(t *testing.T, d *desk, id board.TaskID, by board.Actor) {
	t.Helper()
	s := d.open()
	tip := d.at(layout.State)
	request, err := RandomID()
	require.NoError(t, err)
	_, err = s.tryMove(context.Background(), tip, board.Request(request), claim(id, by))
	require.NoError(t, err)
}

func TestConflictAfterABound(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	built, s := 0, d.open()
	_, err := d.store.Do(context.Background(), func(b *board.Board, at time.Time) (flow.Move, []git.RefUpdate, error) {
		built++
		request, err := RandomID()
		require.NoError(t, err)
		_, err = s.tryMove(context.Background(), d.at(layout.State), board.Request(request), note("rival"))
		require.NoError(t, err)
		return note("loser")(b, at)
	})
	require.ErrorIs(t, err, ErrConflict)
	require.Equal(t, maxTries, built)
	require.NotContains(t, gittest.Git(t, d.dir, "log", "--format=%B", layout.State), "loser")
	d.sound()
}

func note(text string) Build {
	return constant(flow.Move{Act: board.ActNote, By: ann, Detail: &flow.NoteMove{For: "all", Text: text}})
}

func TestClock(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1")
	d.now = d.now.Add(-time.Minute)
	r := d.add("task-2")
	require.Equal(t, d.now.Add(time.Minute), r.Move.At, "a little behind: the last move's time")
	d.now = d.now.Add(-time.Second)
	_, err := d.store.Do(context.Background(), note("late"))
	require.ErrorIs(t, err, ErrClock)
	d.now = d.now.Add(time.Hour)
	require.Equal(t, d.now, d.add("task-3").Move.At)
	d.sound()
}

// Another ref of the transaction that stands elsewhere is no lost race.
func TestForeignRef(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1")
	tip, main := d.at(layout.State), d.at("refs/heads/main")
	gittest.Git(t, d.dir, "update-ref", "refs/heads/extra", string(main))
	built := 0
	_, err := d.store.Do(context.Background(), func(b *board.Board, at time.Time) (flow.Move, []git.RefUpdate, error) {
		built++
		m, _, err := claim("task-1", coder)(b, at)
		return m, []git.RefUpdate{{Name: "refs/heads/extra", New: main}}, err
	})
	require.ErrorIs(t, err, ErrForeignRef)
	require.ErrorContains(t, err, "refs/heads/extra")
	require.Equal(t, maxStrays, built)
	require.Equal(t, tip, d.at(layout.State))
}

func TestReadOnlyRepository(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1")
	common := d.store.Repo.CommonDir()
	require.NoError(t, os.RemoveAll(filepath.Join(common, "liza")))
	exe, as := gittest.Unprivileged(t)
	each := func(dir, file fs.FileMode) {
		require.NoError(t, filepath.WalkDir(d.dir, func(path string, e fs.DirEntry, err error) error {
			mode := file
			if e.IsDir() {
				mode = dir
			}
			if as.Credential != nil {
				require.NoError(t, os.Lchown(path, 65534, 65534))
			}
			return errors.Join(err, os.Chmod(path, mode))
		}))
	}
	require.NoError(t, os.Chmod(filepath.Dir(d.dir), 0o755))
	each(0o555, 0o444)
	defer each(0o755, 0o644)

	cmd := storeChild(exe, d.dir, "read-only")
	cmd.SysProcAttr = as
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, "1 tasks\nsettled: <nil>\nbreach: <nil>\ndenied: true\n", string(out))
}

func TestIdentityWithOddCharacters(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	for _, name := range []string{"Zoë <Ö> > x", "日本 a\"b\\c'd", "tab\there", "bad \xff utf-8", "a> <b"} {
		cmd := storeChild(os.Args[0], d.dir, "note", name)
		cmd.Env = append(cmd.Env, "GIT_COMMITTER_NAME="+name, "GIT_COMMITTER_EMAIL=a b@<c> ")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%q: %s", name, out)
	}
	d.sound()
	require.Contains(t, gittest.Git(t, d.dir, "log", "--format=%cn <%ce>", layout.State), "Zoë Ö  x <a b@c>")
	gittest.Git(t, d.dir, "fsck", "--strict", "--no-dangling")
}

// A swap whose report was lost is found on the chain.
func TestAMoveThatLandedAllTheSame(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1")
	hook := filepath.Join(d.dir, ".git", "hooks", "reference-transaction")
	gittest.Script(t, hook, "#!/bin/sh\ntest \"$1\" != committed || kill -9 $PPID\n")
	r, err := d.store.Do(context.Background(), claim("task-1", coder))
	require.NoError(t, os.Remove(hook))
	require.NoError(t, err)
	require.False(t, r.Already, "it was this very move")
	require.Equal(t, r.Commit, d.at(layout.State))
	require.Equal(t, "3", gittest.Git(t, d.dir, "rev-list", "--count", layout.State))
	d.sound()
}

// One move may write more objects than a process may have files open.
func TestALargeMove(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	few := storeChild(os.Args[0], d.dir, "add", "600")
	cmd := exec.Command("sh", append([]string{"-c", `ulimit -n 256 && exec "$0" "$@"`}, few.Args...)...)
	cmd.Env = few.Env
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Len(t, d.board().Tasks(), 600)
	gittest.Git(t, d.dir, "fsck", "--strict", "--no-dangling")
}
