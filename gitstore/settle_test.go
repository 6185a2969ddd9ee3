package gitstore

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// approved is a desk with a task that can be merged.
func approved(t *testing.T) *desk {
	t.Helper()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1", "task-2")
	d.approve("task-1", d.submit("task-1", coder, "a.md", "one\n"))
	return d
}

// halfMerged leaves what a merge leaves that died after the first ref.
func halfMerged(t *testing.T) (d *desk, onto git.ID) {
	t.Helper()
	d = approved(t)
	onto = d.at("refs/heads/integration")
	d.merge("task-1")
	gittest.Git(t, d.dir, "update-ref", "refs/heads/integration", string(onto))
	return d, onto
}

func TestSettleCompletesTheLastMove(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(*desk){
		"a reader": func(d *desk) { require.NoError(t, d.store.Settler.Settle(context.Background())) },
		"a move":   func(d *desk) { d.claim("task-2", coder) },
	} {
		d, _ := halfMerged(t)
		d.store = d.open()
		n, breach, err := d.store.Audit.Fsck(context.Background(), true)
		require.NoError(t, err)
		require.Nil(t, breach, "what is about to be completed is in order")
		require.Positive(t, n)
		act(d)
		require.Equal(t, d.board().Settings().Integration.Tip, d.at("refs/heads/integration"), name)
		d.sound()
	}
}

func TestSettleRestoresSavedRefsAndMarks(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	gittest.Git(t, d.dir, "update-ref", "-d", "refs/liza/marks/sprint-1")
	require.NoError(t, d.store.Settler.Settle(context.Background()))
	require.Equal(t, d.at(layout.State), d.at("refs/liza/marks/sprint-1"))

	d.add("task-1")
	commit := d.submit("task-1", coder, "a.md", "one\n")
	gittest.Git(t, d.dir, "update-ref", "-d", "refs/liza/saved/task-1/1")
	require.NoError(t, d.store.Settler.Settle(context.Background()))
	require.Equal(t, commit, d.at("refs/liza/saved/task-1/1"))

	// A commit that another clone saved and this one lacks stops nobody.
	gittest.Git(t, d.dir, "update-ref", "-d", "refs/liza/saved/task-1/1")
	require.NoError(t, os.Remove(loosePath(d.store.Repo.ObjectDir(), commit)))
	d.store = d.open()
	_, err := d.store.Do(context.Background(), note("on we go"))
	require.NoError(t, err)
	require.Empty(t, d.at("refs/liza/saved/task-1/1"))
}

// A saved commit that is there already, at the same place, is no obstacle.
func TestSavedAlready(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1")
	commit := d.commit(d.at("refs/heads/integration"), "a.md", "one\n")
	gittest.Git(t, d.dir, "update-ref", "refs/liza/saved/task-1/1", string(commit))
	require.Equal(t, commit, d.submit("task-1", coder, "a.md", "one\n"))
	d.sound()
}

// Later moves do not hide that integration was left behind.
func TestSettleLooksPastLaterMoves(t *testing.T) {
	t.Parallel()
	d, onto := halfMerged(t)
	tip := d.board().Settings().Integration.Tip
	gittest.Git(t, d.dir, "update-ref", "refs/heads/integration", string(tip))
	d.claim("task-2", coder)
	gittest.Git(t, d.dir, "update-ref", "refs/heads/integration", string(onto))
	d.store = d.open()
	require.NoError(t, d.store.Settler.Settle(context.Background()))
	require.Equal(t, tip, d.at("refs/heads/integration"))

	// The same after an adoption of several commits at once.
	outside := d.commit(d.commit(tip, "b", "b\n"), "c", "c\n")
	d.do(adopt(outside, tip))
	require.Equal(t, outside, d.at("refs/heads/integration"))
	_, err := d.store.Do(context.Background(), note("later"))
	require.NoError(t, err)
	gittest.Git(t, d.dir, "update-ref", "refs/heads/integration", string(tip))
	require.NoError(t, d.open().Settler.Settle(context.Background()))
	require.Equal(t, outside, d.at("refs/heads/integration"))
	d.sound()
}

func adopt(commit, onto git.ID) flow.Move {
	return flow.Move{Act: board.ActAdopt, By: ann, Detail: &flow.AdoptMove{Commit: commit, Onto: onto, Reason: "hotfix"}}
}

// A branch that something else has moved is neither settled nor overwritten.
func TestForeignIntegration(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, c := range map[string]struct {
		moved func(*desk, git.ID) git.ID
		hint  string
	}{
		"ahead": {func(d *desk, tip git.ID) git.ID { return d.commit(tip, "hotfix", "x\n") }, "git liza adopt integration --reason R"},
		"aside": {func(d *desk, tip git.ID) git.ID {
			return d.commit(d.commit(d.at("refs/heads/main"), "x", "x\n"), "y", "y\n")
		}, "git liza doctor --restore"},
		"far back": {func(d *desk, tip git.ID) git.ID { return d.at("refs/heads/main") }, "git liza doctor --restore"},
		"gone":     {func(d *desk, tip git.ID) git.ID { return "" }, "git liza doctor --restore"},
	} {
		d := approved(t)
		d.life("task-3", "c.md")
		d.life("task-4", "d.md")
		state, tip := d.at(layout.State), d.at("refs/heads/integration")
		foreign := c.moved(d, tip)
		if foreign == "" {
			gittest.Git(t, d.dir, "update-ref", "-d", "refs/heads/integration")
		} else {
			gittest.Git(t, d.dir, "update-ref", "refs/heads/integration", string(foreign))
		}
		d.store = d.open()
		_, err := d.store.Do(ctx, merging(d.store, "task-1"))
		require.ErrorIs(t, err, ErrForeignRef, name)
		var refusal *flow.Refusal
		require.ErrorAs(t, err, &refusal, name)
		require.Contains(t, refusal.Hint, c.hint, name)
		require.Equal(t, state, d.at(layout.State), name)
		require.NoError(t, d.store.Settler.Settle(ctx), name)
		d.claim("task-2", "coder-2")
		require.Equal(t, foreign, d.at("refs/heads/integration"), "%s: other moves leave it alone", name)
	}
}

func TestAdoptTakesWhatTheBranchContains(t *testing.T) {
	t.Parallel()
	d := approved(t)
	tip := d.at("refs/heads/integration")
	first := d.commit(tip, "hotfix", "x\n")
	second := d.commit(first, "hotfix", "y\n")
	third := d.commit(second, "hotfix", "z\n")
	at := func(id git.ID) { gittest.Git(t, d.dir, "update-ref", "refs/heads/integration", string(id)) }

	at(second)
	_, err := d.try(adopt(first, tip))
	require.ErrorIs(t, err, ErrForeignRef, "the second commit would be lost")
	require.Equal(t, second, d.at("refs/heads/integration"))
	d.do(adopt(second, tip))
	require.Equal(t, second, d.at("refs/heads/integration"), "it is there already")
	at(first)
	d.do(adopt(third, second))
	require.Equal(t, third, d.at("refs/heads/integration"))
	d.merge("task-1")
	d.sound()
}

// Two processes may find the same unfinished move.
func TestSettleInARace(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	d, _ := halfMerged(t)
	stores := []*Store{d.open(), d.open(), d.open(), d.open()}
	done := make(chan error, len(stores))
	for _, s := range stores {
		go func() { done <- s.Settler.Settle(ctx) }()
	}
	for range stores {
		require.NoError(t, <-done)
	}
	require.Equal(t, d.board().Settings().Integration.Tip, d.at("refs/heads/integration"))
}

// A merge is a transaction of two refs. Whichever step it is killed at, the
// board is the old or the new one, and the next command brings the refs to
// what the board says.
func TestAKilledMergeIsCompletedOrUndone(t *testing.T) {
	t.Parallel()
	for name, step := range killSteps {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := approved(t)
			old := d.at(layout.State)
			undo, reached := step(t, d)
			cmd := storeChild(os.Args[0], d.dir, "merge-task", "task-1")
			cmd.Stderr = os.Stderr
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			gone := gittest.Family(t, cmd)
			require.NoError(t, cmd.Start())
			gittest.Until(t, "the merge comes so far", reached)
			gittest.KillGroup(cmd)
			gone()
			undo()

			// The state that anybody sees at once, before any repair.
			d.now = time.Now()
			d.store = d.open()
			b, tip, err := d.store.Board(context.Background())
			require.NoError(t, err)
			require.Contains(t, []board.Status{board.Approved, board.Merged}, b.Task("task-1").Status)
			require.Equal(t, b.Task("task-1").Status == board.Merged, tip != old)

			// A lock that is too young to be judged goes away soon.
			for end := time.Now().Add(2 * time.Minute); ; {
				if _, err = d.store.Do(context.Background(), merging(d.store, "task-1")); err == nil {
					break
				}
				require.False(t, time.Now().After(end), "%v", err)
			}
			b = d.board()
			require.Equal(t, board.Merged, b.Task("task-1").Status)
			require.Equal(t, b.Settings().Integration.Tip, d.at("refs/heads/integration"))
			require.Equal(t, "1", gittest.Git(t, d.dir, "rev-list", "--count", string(old)+".."+layout.State))
			d.sound()
		})
	}
}

// killSteps stop a merge between every two of its steps: each lets it run up
// to there, tells when it has come there, and clears the way again.
var killSteps = map[string]func(*testing.T, *desk) (undo func(), reached func() bool){
	"before the queue": func(t *testing.T, d *desk) (func(), func() bool) {
		release, err := d.store.Repo.Turns.Queue(context.Background())
		require.NoError(t, err)
		// It computes nothing before its turn; killing it is killing a waiter.
		return release, func() bool { return true }
	},
	"before the journal": func(t *testing.T, d *desk) (func(), func() bool) {
		journal := filepath.Join(d.store.Repo.CommonDir(), "liza", "journal")
		require.NoError(t, os.RemoveAll(journal))
		before := len(objectFiles(d))
		require.NoError(t, syscall.Mkfifo(journal, 0o666)) // no folder can be made there
		return func() { require.NoError(t, os.Remove(journal)) }, func() bool { return len(objectFiles(d)) > before }
	},
	"before the refs are locked": func(t *testing.T, d *desk) (func(), func() bool) {
		lock := filepath.Join(d.store.Repo.CommonDir(), layout.State+".lock")
		require.NoError(t, os.WriteFile(lock, nil, 0o666))
		return func() { require.NoError(t, os.Remove(lock)) }, func() bool { return len(journals(d)) > 0 }
	},
	"with the refs locked": func(t *testing.T, d *desk) (func(), func() bool) { return hookStops(t, d, "prepared") },
	"before the state ref": func(t *testing.T, d *desk) (func(), func() bool) {
		return reflogStops(t, d, layout.State, layout.State+".lock")
	},
	"between the two refs": func(t *testing.T, d *desk) (func(), func() bool) {
		old := d.at(layout.State)
		undo, _ := reflogStops(t, d, "refs/heads/integration", "")
		return undo, func() bool { return d.at(layout.State) != old }
	},
	"after the refs": func(t *testing.T, d *desk) (func(), func() bool) { return hookStops(t, d, "committed") },
}

func objectFiles(d *desk) []string {
	files, _ := filepath.Glob(filepath.Join(d.store.Repo.ObjectDir(), "??", "*"))
	return files
}

func journals(d *desk) []string {
	files, _ := filepath.Glob(filepath.Join(d.store.Repo.CommonDir(), "liza", "journal", "*"))
	return files
}

// hookStops holds git in a hook, until it is killed.
func hookStops(t *testing.T, d *desk, state string) (undo func(), reached func() bool) {
	t.Helper()
	common := d.store.Repo.CommonDir()
	hook, mark, fifo := filepath.Join(common, "hooks", "reference-transaction"), filepath.Join(common, "in-hook"), filepath.Join(common, "go")
	require.NoError(t, syscall.Mkfifo(fifo, 0o666))
	gittest.Script(t, hook, "#!/bin/sh\nif test \"$1\" = "+state+"; then : >'"+mark+"'; read wait <'"+fifo+"'; fi\n")
	return func() { require.NoError(t, os.Remove(hook)) }, func() bool { return exists(mark) }
}

// reflogStops holds git where it writes a ref's reflog, just before the ref.
func reflogStops(t *testing.T, d *desk, ref, lock string) (undo func(), reached func() bool) {
	t.Helper()
	common := d.store.Repo.CommonDir()
	path := filepath.Join(common, "logs", ref)
	kept, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.Remove(path))
	require.NoError(t, syscall.Mkfifo(path, 0o666))
	return func() {
		require.NoError(t, os.Remove(path))
		require.NoError(t, os.WriteFile(path, kept, 0o666))
	}, func() bool { return exists(filepath.Join(common, lock)) }
}
