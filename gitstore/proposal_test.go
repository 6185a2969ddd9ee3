package gitstore

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
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

// A waiter is another process whose move waits until the refs move.
type waiter struct {
	*proposal
	awaited
}

// waits adds a move to those that wait.
func (d *desk) waits(build Build) waiter {
	d.t.Helper()
	ctx := context.Background()
	u, err := d.open().begin(build)
	require.NoError(d.t, err)
	p := &proposal{underway: u}
	release, err := d.store.Repo.Turns.Queue(ctx)
	require.NoError(d.t, err)
	defer release()
	list, tip, err := p.store.mover.readWaiting(ctx)
	require.NoError(d.t, err)
	_, _, err = p.findLanded(ctx, tip)
	require.NoError(d.t, err)
	st, err := p.joinWaiting(ctx, list, tip)
	require.NoError(d.t, err)
	require.NotNil(d.t, st.entry)
	return waiter{p, st}
}

// outcome is what the process has been told, "" if nothing yet.
func (w waiter) outcome() string {
	f, known := w.entry.readOutcome()
	if !known {
		return ""
	}
	return f.Kind
}

// dies lets go of what a waiting process has, as the kernel does.
func (w waiter) dies(t *testing.T) {
	t.Helper()
	gittest.WhileNobodyStarts(t, w.entry.file.Close)
}

// nobodyWaits holds that nothing is left to be moved by chance.
func (d *desk) nobodyWaits() {
	d.t.Helper()
	list, err := os.ReadDir(waitingDir(d.store.Repo))
	if !os.IsNotExist(err) {
		require.NoError(d.t, err)
	}
	require.Empty(d.t, list)
}

// waitingFiles are the entries that are whole.
func (d *desk) waitingFiles() []string {
	list, _ := filepath.Glob(filepath.Join(waitingDir(d.store.Repo), "*[A-Z0-9]"))
	return list
}

// moveWaiting moves the refs as the process does that gets the turn.
func (d *desk) moveWaiting() {
	d.t.Helper()
	release, err := d.store.Repo.Turns.TakeTurn(context.Background(), git.TurnToMove)
	require.NoError(d.t, err)
	defer release()
	_, err = d.store.mover.moveWaiting(context.Background(), "")
	require.NoError(d.t, err)
}

// transactions counts those that moved the state ref.
func (d *desk) transactions() int {
	d.t.Helper()
	log, err := d.store.Repo.Refs.ReadReflog(context.Background(), layout.State)
	require.NoError(d.t, err)
	return len(log)
}

// Moves that wait land together, each built on the one before, and each is one commit.
func TestWaitingMovesShareATransaction(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1", "task-2", "task-3")
	tip, before := d.at(layout.State), d.transactions()
	list := []waiter{d.waits(claim("task-1", coder)), d.waits(claim("task-2", "coder-2")), d.waits(note("three"))}
	require.Equal(t, tip, d.at(layout.State))
	d.moveWaiting()
	for i, w := range list {
		require.Equal(t, outcomeLanded, w.outcome(), i)
		require.NoError(t, w.awaitLanding(context.Background(), w.awaited))
	}
	require.Equal(t, before+1, d.transactions())
	require.Equal(t, list[2].Commit, d.at(layout.State))
	require.Equal(t, "3", gittest.Git(t, d.dir, "rev-list", "--count", string(tip)+"..refs/liza/state"))
	log, err := d.store.Repo.Refs.ReadReflog(context.Background(), layout.State)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("liza: moves %s %s %s, the last is %s", list[0].Commit, list[1].Commit, list[2].Commit, list[2].Move.Subject()), log[0].Message)
	require.Equal(t, tip, log[0].Old)
	d.nobodyWaits()
	d.sound()
}

// A process that waits and gets the turn moves the refs for all.
func TestAWaitingProcessMovesForOthers(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	first, second, third := d.waits(note("one")), d.waits(note("two")), d.waits(note("three"))
	require.NoError(t, second.awaitLanding(context.Background(), second.awaited))
	require.Equal(t, outcomeLanded, first.outcome())
	require.Equal(t, outcomeLanded, third.outcome())
	require.Equal(t, third.Commit, d.at(layout.State))
	d.sound()
}

// A process that finds moves waiting puts its own behind them.
func TestAMoveIsBuiltOnThoseThatWait(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1")
	w := d.waits(claim("task-1", "coder-2"))
	_, err := d.store.Do(context.Background(), claim("task-1", coder))
	var refusal *flow.Refusal
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, flow.RuleLease, refusal.Rule)
	require.Contains(t, refusal.Reason, "coder-2")
	require.Equal(t, outcomeLanded, w.outcome(), "a refusal is given when that is true on which it rests")
	require.Equal(t, w.Commit, d.at(layout.State))

	w = d.waits(note("again"))
	r := d.claim("task-1", "coder-2")
	require.True(t, r.Already)
	require.Equal(t, outcomeLanded, w.outcome())
	d.nobodyWaits()
	d.sound()
}

// Nothing is moved for a process that died while it waited, and what rests on its move is
// built again.
func TestAWaitingProcessDies(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1")
	first, dead, third := d.waits(note("one")), d.waits(claim("task-1", "coder-9")), d.waits(note("three"))
	dead.dies(t)
	d.moveWaiting()
	require.Equal(t, outcomeLanded, first.outcome())
	require.Equal(t, outcomeAgain, third.outcome())
	require.Equal(t, first.Commit, d.at(layout.State))
	require.Equal(t, board.Unclaimed, d.board().Task("task-1").Status)
	d.nobodyWaits()

	// One that only waited for the moves before it is in nobody's way.
	d.claim("task-1", coder)
	on := d.waits(note("four"))
	refused := d.waits(claim("task-1", "coder-9"))
	require.Error(t, refused.answer)
	refused.dies(t)
	next := d.waits(note("five"))
	d.moveWaiting()
	require.Equal(t, outcomeLanded, on.outcome())
	require.Equal(t, outcomeLanded, next.outcome())
	d.nobodyWaits()
	d.sound()
}

// A refusal, or an `already`, that rests on a move which did not land is not given.
func TestAnAnswerFallsWithItsGround(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1")
	gone := d.waits(claim("task-1", "coder-9"))
	release, err := d.store.Repo.Turns.TakeTurn(context.Background(), git.TurnToMove)
	require.NoError(t, err)
	s := OpenStore(context.Background(), d.store.Repo, d.store.clock)
	done := make(chan error, 1)
	go func() {
		_, err := s.Do(context.Background(), claim("task-1", coder))
		done <- err
	}()
	gittest.Until(t, "it waits with its refusal", func() bool { return len(d.waitingFiles()) == 2 })
	gone.dies(t)
	release()
	require.NoError(t, <-done)
	require.Equal(t, coder, d.board().Task("task-1").Attempt.Coder)
	d.nobodyWaits()
	d.sound()
}

// A program that does not know of waiting moves moves the ref under the queue. What waited
// is built again on its move.
func TestWaitingMovesAreOvertaken(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1", "task-2")
	first, second := d.waits(claim("task-1", coder)), d.waits(claim("task-2", "coder-2"))
	rival(t, d, "task-1", "coder-9")
	d.moveWaiting()
	require.Equal(t, outcomeAgain, first.outcome())
	require.Equal(t, outcomeAgain, second.outcome())
	_, err := second.raceMoves(context.Background())
	require.NoError(t, err)
	_, err = first.raceMoves(context.Background())
	var refusal *flow.Refusal
	require.ErrorAs(t, err, &refusal)
	require.Contains(t, refusal.Reason, "coder-9")
	d.sound()
}

// A request that landed without an answer is found, and not made twice.
func TestALandedRequestIsFound(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1", "task-2")
	first, second := d.waits(claim("task-1", coder)), d.waits(note("two"))
	// The process that moved the refs was killed before it answered.
	require.NoError(t, d.store.mover.moveRefs(context.Background(), []*outboxEntry{first.entry, second.entry}))
	third := d.waits(note("three"))
	require.Equal(t, second.Commit, third.on)
	d.moveWaiting()
	require.Equal(t, outcomeLanded, third.outcome())
	for _, w := range []waiter{first, second} {
		require.Equal(t, outcomeAgain, w.outcome(), "it looks for its move itself")
		r, err := w.raceMoves(context.Background())
		require.NoError(t, err)
		require.Equal(t, w.Commit, r.Commit)
	}
	d.nobodyWaits()

	// Nobody can tell them: others have moved the ref since. They look themselves.
	fourth := d.waits(claim("task-2", "coder-2"))
	require.NoError(t, d.store.mover.moveRefs(context.Background(), []*outboxEntry{fourth.entry}))
	request, err := RandomID()
	require.NoError(t, err)
	_, err = d.open().tryMove(context.Background(), d.at(layout.State), board.Request(request), note("rival"))
	require.NoError(t, err)
	d.moveWaiting()
	require.Equal(t, outcomeAgain, fourth.outcome())
	r, err := fourth.raceMoves(context.Background())
	require.NoError(t, err)
	require.False(t, r.Already)
	require.Equal(t, fourth.Commit, r.Commit)
	d.sound()
}

// A move whose own ref is elsewhere has its error; the others land.
func TestAMoveWithAForeignRefIsAlone(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	d := newDesk(t, gittest.Seeded(t))
	main := d.at("refs/heads/main")
	with := func(ref string) Build {
		return func(b *board.Board, at time.Time) (flow.Move, []git.RefUpdate, error) {
			m, _, err := note("with "+ref)(b, at)
			return m, []git.RefUpdate{{Name: ref, New: main}}, err
		}
	}
	first, second := d.waits(note("one")), d.waits(with("refs/heads/task"))
	third := d.waits(note("three"))
	require.True(t, third.closed, "its refs move before anybody builds on it")
	gittest.Git(t, d.dir, "update-ref", "refs/heads/task", "main")
	d.moveWaiting()
	require.Equal(t, outcomeLanded, first.outcome())
	require.Equal(t, outcomeAgain, second.outcome())
	require.Equal(t, outcomeAgain, third.outcome())
	require.Equal(t, first.Commit, d.at(layout.State))
	_, err := second.raceMoves(ctx)
	require.ErrorIs(t, err, ErrForeignRef)
	require.ErrorContains(t, err, "refs/heads/task")
	_, err = third.raceMoves(ctx)
	require.NoError(t, err)

	// One that nothing hinders lands with those before it.
	first, second = d.waits(note("four")), d.waits(with("refs/heads/task-2"))
	before := d.transactions()
	_, err = d.store.Do(ctx, note("five"))
	require.NoError(t, err)
	require.Equal(t, outcomeLanded, first.outcome())
	require.Equal(t, outcomeLanded, second.outcome())
	require.Equal(t, main, d.at("refs/heads/task-2"))
	require.Equal(t, before+2, d.transactions())
	d.nobodyWaits()
	d.sound()
}

// A lock of a stranger on the state ref is told to all who wait for it.
func TestWaitingMovesMeetALock(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	first, second := d.waits(note("one")), d.waits(note("two"))
	lock := d.store.Repo.CommonDir() + "/" + layout.State + ".lock"
	require.NoError(t, os.WriteFile(lock, nil, 0o666))
	d.moveWaiting()
	for _, w := range []waiter{first, second} {
		err := w.awaitLanding(context.Background(), w.awaited)
		require.ErrorIs(t, err, git.ErrRefLocked)
		require.ErrorContains(t, err, lock)
	}
	require.NoError(t, os.Remove(lock))
	d.nobodyWaits()
	d.sound()
}

// Files that are no moves, or half of one, stop nobody.
func TestStrangeWaitingMoves(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	require.NoError(t, os.MkdirAll(waitingDir(d.store.Repo), 0o777))
	for name, text := range map[string]string{"000000000001-A": "", "000000000002-B": "{", "x": "{}\n", "000000000009-C.new": "half", "y": `{"commit":"../x","parent":"../x"}` + "\n"} {
		require.NoError(t, os.WriteFile(waitingDir(d.store.Repo)+"/"+name, []byte(text), 0o666))
	}
	_, err := d.store.Do(context.Background(), note("on we go"))
	require.NoError(t, err)
	d.nobodyWaits()
	d.sound()
}

// Several processes that make moves at once share transactions.
func TestProcessesShareTransactions(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	start, before := d.at(layout.State), d.transactions()
	release, err := d.store.Repo.Turns.TakeTurn(context.Background(), git.TurnToMove)
	require.NoError(t, err)
	queue, err := d.store.Repo.Turns.Queue(context.Background())
	require.NoError(t, err)
	var list []*exec.Cmd
	for i := range 6 {
		list = append(list, storeChild(os.Args[0], d.dir, "notes", "process "+strconv.Itoa(i), "1"))
	}
	go func() { // when all wait for the queue, and then for the turn
		gittest.Until(t, "they wait for the queue", func() bool { return waitFor(t, d, "queue.lock") == len(list) })
		queue()
		gittest.Until(t, "their moves wait", func() bool { return len(d.waitingFiles()) == len(list) })
		release()
	}()
	texts := together(t, list)
	answered(t, d, start, texts, len(list))
	require.Equal(t, before+1, d.transactions())
	d.nobodyWaits()
	d.now = time.Now()
	d.store = d.open()
	d.sound()
}

// waitFor counts the processes that wait for a lock of the clone.
func waitFor(t *testing.T, d *desk, lock string) (n int) {
	t.Helper()
	info, err := os.Stat(d.store.Repo.CommonDir() + "/" + layout.Private + "/" + lock)
	require.NoError(t, err)
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		t.Skip("the kernel does not say who waits")
	}
	inode := ":" + strconv.FormatUint(info.Sys().(*syscall.Stat_t).Ino, 10) + " "
	for line := range strings.Lines(string(locks)) {
		if strings.Contains(line, "-> FLOCK") && strings.Contains(line, inode) {
			n++
		}
	}
	return n
}

// A process that is interrupted while it waits knows whether its move was made.
func TestAWaitingProcessIsInterrupted(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1")
	ctx, cancel := context.WithCancel(context.Background())
	first := d.waits(note("one"))
	release, err := d.store.Repo.Turns.TakeTurn(context.Background(), git.TurnToMove)
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() {
		_, err := d.store.Do(ctx, claim("task-1", coder))
		done <- err
	}()
	gittest.Until(t, "it waits", func() bool { return len(d.waitingFiles()) == 2 })
	cancel()
	gittest.Until(t, "it waits no more", func() bool { return len(d.waitingFiles()) == 1 })
	release()
	require.Equal(t, context.Canceled, <-done)
	require.NoError(t, first.goOn())
	require.Equal(t, board.Unclaimed, d.board().Task("task-1").Status)

	// One whose move was under way by then has made it.
	second := d.waits(claim("task-1", coder))
	require.NoError(t, second.store.mover.moveRefs(context.Background(), []*outboxEntry{second.entry}))
	second.entry.withdraw()
	r, err := second.giveUp(ctx)
	require.NoError(t, err)
	require.Equal(t, second.Commit, r.Commit)

	// Who cannot know says so.
	third := d.waits(note("three"))
	third.entry.withdraw()
	release, err = d.store.Repo.Turns.TakeTurn(context.Background(), git.TurnToMove)
	require.NoError(t, err)
	defer release()
	_, err = third.giveUp(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, ErrMayBeMade)
	d.sound()
}

// A file that no process of ours wrote moves nothing, although somebody holds it: neither a
// commit that is no move, nor a ref that does not follow from one, nor others' answers.
func TestEntriesThatNobodyWrote(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	tip := d.at(layout.State)
	main := d.at("refs/heads/integration")
	state := func(id git.ID) git.RefUpdate { return git.RefUpdate{Name: layout.State, Old: tip, New: id} }
	noMove := git.ID(gittest.Git(t, d.dir, "commit-tree", "-p", string(tip), "-m", "no move", string(tip)+"^{tree}"))
	hold := func(m outboxMove) *outboxEntry {
		e, err := addEntry(waitingDir(d.store.Repo), m, nil, "-FORGED")
		require.NoError(t, err)
		return e
	}
	for name, forge := range map[string]func(move git.ID) outboxMove{
		"no move": func(git.ID) outboxMove {
			return outboxMove{Commit: noMove, Parent: tip, Refs: []git.RefUpdate{state(noMove)}}
		},
		"no state ref": func(id git.ID) outboxMove { return outboxMove{Commit: id, Parent: tip} },
		"another commit": func(id git.ID) outboxMove {
			return outboxMove{Commit: id, Parent: tip, Refs: []git.RefUpdate{state(noMove)}}
		},
		"another ref": func(id git.ID) outboxMove {
			return outboxMove{Commit: id, Parent: tip, Refs: []git.RefUpdate{state(id), {Name: "refs/heads/integration", Old: main, New: noMove}}}
		},
	} {
		honest := d.waits(note("honest"))
		require.NoError(t, os.Rename(honest.entry.path, filepath.Join(waitingDir(d.store.Repo), "999999999999-LATER")))
		forged := hold(forge(honest.Commit))
		d.moveWaiting()
		f, known := forged.readOutcome()
		require.True(t, known, name)
		require.Equal(t, outcomeAgain, f.Kind, name)
		require.Equal(t, outcomeAgain, honest.outcome(), name)
		require.Equal(t, tip, d.at(layout.State), name)
		require.Equal(t, main, d.at("refs/heads/integration"), name)
		forged.withdraw()
		honest.entry.withdraw()
	}
	d.sound()
}

// One file with the tip as its commit says nothing of the moves before it.
func TestAnswersRestOnTheBoard(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	tip := d.at(layout.State)
	first, second := d.waits(note("one")), d.waits(note("two"))
	require.NoError(t, os.WriteFile(filepath.Join(waitingDir(d.store.Repo), "999999999999-STRAY"), fmt.Appendf(nil, "{\"commit\":%q}\n", tip), 0o644))
	d.moveWaiting()
	for _, w := range []waiter{first, second} {
		require.Equal(t, outcomeAgain, w.outcome())
	}
	require.Equal(t, tip, d.at(layout.State))
	d.sound()
}

// A process whose move landed without an answer is interrupted while it waits for the queue:
// it says that the move is made, and who repeats the command makes it no second time.
func TestInterruptedAfterItLanded(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	w := d.waits(note("once"))
	w.joined = true
	require.NoError(t, d.store.mover.moveRefs(context.Background(), []*outboxEntry{w.entry}))
	w.entry.withdraw()
	release, err := d.store.Repo.Turns.Queue(context.Background())
	require.NoError(t, err)
	defer release()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := w.makeMove(ctx)
	require.NoError(t, err)
	require.Equal(t, w.Commit, r.Commit)
}

// What moves refs for others outlasts an interrupt, but not for ever.
func TestOutlast(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	lasting, end := outlast(ctx, time.Hour)
	defer end()
	cancel()
	require.NoError(t, lasting.Err())
	short, stop := outlast(ctx, 0)
	defer stop()
	<-short.Done()
}
