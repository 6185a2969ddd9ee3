package gitstore

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
	"github.com/git-liza/git-liza/internal/torture"
)

// hook puts a script into the remote.
func (l lane) hook(t *testing.T, name, text string) {
	t.Helper()
	gittest.Script(t, filepath.Join(l.bare, "hooks", name), "#!/bin/sh\n"+text+"\n")
}

// counted lets the remote count the pushes that it takes, with the time that a
// real one would need for each.
func (l lane) counted(t *testing.T) (count func() int) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pushes")
	l.hook(t, "pre-receive", "sleep 0.05")
	l.hook(t, "post-receive", "echo push >>'"+file+"'")
	return func() int {
		data, _ := os.ReadFile(file)
		return strings.Count(string(data), "push")
	}
}

// answered holds what processes printed of their moves against the chain.
func answered(t *testing.T, d *desk, start git.ID, texts []string, moves int) {
	t.Helper()
	landed := map[string]string{}
	n := 0
	require.NoError(t, d.store.Events(d.at(layout.State), func(e Event) (bool, error) {
		if e.Commit == start {
			return false, nil
		}
		n++
		landed[string(e.Move.Request)] = string(e.Commit)
		return true, nil
	}))
	require.Equal(t, moves, n)
	for _, text := range texts {
		for line := range strings.Lines(text) {
			request, commit, _ := strings.Cut(strings.TrimSpace(line), " ")
			require.Equal(t, commit, landed[request], "each answer is true")
			delete(landed, request)
		}
	}
	require.Empty(t, landed, "every move was answered")
}

// emptyOutbox holds that nothing is left to be pushed by chance.
func emptyOutbox(t *testing.T, d *desk) {
	t.Helper()
	list, err := os.ReadDir(outboxDir(d.store.Repo))
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	require.Empty(t, list)
}

// Processes of one clone that wait for each other share a push.
func TestRemoteWritersSharePushes(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.sharesPushes(t, 8, 4)
}

func TestTortureRemoteWriters(t *testing.T) {
	torture.Only(t)
	l := newLane(t)
	l.sharesPushes(t, 8, 40)
}

func (l lane) sharesPushes(t *testing.T, processes, moves int) {
	count, start := l.counted(t), l.a.at(layout.State)
	var list []*exec.Cmd
	for i := range processes {
		list = append(list, storeChild(os.Args[0], l.a.dir, "notes", "process "+strconv.Itoa(i), strconv.Itoa(moves)))
	}
	began := time.Now()
	texts := together(t, list)
	t.Logf("%d moves in %d pushes, %s", processes*moves, count(), time.Since(began).Round(time.Millisecond))
	l.later()
	l.agree(t)
	answered(t, l.a, start, texts, processes*moves)
	require.Less(t, count(), processes*moves*2/3)
	emptyOutbox(t, l.a)
}

// later sets the desks' clocks to now, as processes have them.
func (l lane) later() { l.a.now, l.b.now = time.Now(), time.Now() }

// Two clones, two processes in each, claim from one list.
func TestRemoteClonesRace(t *testing.T) {
	t.Parallel()
	newLane(t).clonesRace(t, 4)
}

func TestTortureRemoteClones(t *testing.T) {
	torture.Only(t)
	newLane(t).clonesRace(t, 30)
}

func (l lane) clonesRace(t *testing.T, tasks int) {
	var ids []board.TaskID
	for i := range tasks {
		ids = append(ids, board.TaskID("task-"+strconv.Itoa(i+1)))
	}
	l.later()
	l.a.add(ids...)
	var list []*exec.Cmd
	for i := range 4 {
		dir := []string{l.a.dir, l.b.dir}[i%2]
		list = append(list, storeChild(os.Args[0], dir, "claims", fmt.Sprintf("coder-%d", i+1), strconv.Itoa(tasks)))
	}
	texts := together(t, list)
	t.Logf("%q", texts)
	won := strings.Fields(strings.Join(texts, " "))
	require.Len(t, won, tasks, "each task was claimed once")
	l.later()
	l.agree(t)
	require.Empty(t, gittest.Git(t, l.a.dir, "for-each-ref", "--format=%(refname)", "refs/liza/remote/origin/saved"))
	for _, id := range ids {
		require.Equal(t, board.Blocked, l.a.board().Task(id).Status)
	}
	emptyOutbox(t, l.a)
	emptyOutbox(t, l.b)
}

// No clone starves: the winner gives way for a moment. A slow machine plays on until
// there are enough moves to judge by.
func TestTortureRemoteFairness(t *testing.T) {
	torture.Only(t)
	for _, clones := range []int{2, 8} {
		l := newLane(t)
		l.hook(t, "pre-receive", "sleep 0.03")
		var dirs []string
		for range clones {
			d := &desk{t: t, dir: l.clone(t), now: l.a.now}
			_, err := d.open().Mirror.Join(context.Background(), "origin", false)
			require.NoError(t, err)
			dirs = append(dirs, d.dir)
		}
		counts, all := make([]int, clones), 0
		for round := 0; all < 15*clones; round++ {
			require.Less(t, round, 15, "%d moves in %d rounds of 20 s", all, round)
			var list []*exec.Cmd
			for i, dir := range dirs {
				list = append(list, storeChild(os.Args[0], dir, "notes-for", fmt.Sprintf("clone %d in round %d", i, round), "20s"))
			}
			for i, text := range together(t, list) {
				n, err := strconv.Atoi(strings.TrimSpace(text))
				require.NoError(t, err)
				counts[i], all = counts[i]+n, all+n
			}
		}
		t.Logf("%d clones: %d", clones, counts)
		require.LessOrEqual(t, slices.Max(counts), 3*slices.Min(counts))
	}
}

// An entry whose process died is not pushed, and does not stop the others.
func TestRemoteDeadOwner(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.a.add("task-1", "task-2")
	entry := l.posted(t, claim("task-1", "coder-9"))
	gittest.WhileNobodyStarts(t, entry.file.Close) // as the kernel does
	l.a.claim("task-2", coder)
	require.Equal(t, board.Unclaimed, l.a.board().Task("task-1").Status)
	require.Equal(t, l.a.at(layout.State), l.at(t, layout.State))
	emptyOutbox(t, l.a)
	l.agree(t)
}

// posted leaves an entry in a's outbox, as a process does that waits for its
// push.
func (l lane) posted(t *testing.T, build Build) *outboxEntry {
	t.Helper()
	u, err := l.a.open().begin(build)
	require.NoError(t, err)
	o := &offer{underway: u, remote: "origin"}
	_, entry, err := o.addToOutbox(context.Background())
	require.NoError(t, err)
	return entry
}

// Entries that were built on a state which the mirror has left are built again, not pushed.
func TestOutboxOfAnEarlierMirror(t *testing.T) {
	t.Parallel()
	ctx, l := context.Background(), newLane(t)
	l.a.add("task-1", "task-2", "task-3")
	_, _, err := l.b.store.Mirror.refresh(ctx, "origin")
	require.NoError(t, err)
	entry := l.posted(t, claim("task-1", "coder-9"))
	defer entry.withdraw()
	l.b.claim("task-2", coder)
	_, _, err = l.a.store.Mirror.refresh(ctx, "origin")
	require.NoError(t, err)

	later := l.posted(t, claim("task-3", "coder-8"))
	defer later.withdraw()
	require.Equal(t, l.a.at(layout.State), later.Parent, "not built on what will not land")
	chain, err := l.a.store.pusher.collectChain(ctx)
	require.NoError(t, err)
	require.Empty(t, chain)
	f, known := entry.readOutcome()
	require.True(t, known)
	require.Equal(t, outcome{Kind: outcomeAgain}, f)
}

// The name of an entry that has its outcome is given to a later one. The process of the
// earlier one then leaves that alone, and waits no longer than there is its own file.
func TestOutboxNamesAreUsedAgain(t *testing.T) {
	t.Parallel()
	ctx, l := context.Background(), newLane(t)
	l.a.add("task-1", "task-2")
	first := l.posted(t, claim("task-1", "coder-9"))
	first.writeOutcome(outcome{Kind: outcomeAgain})
	second := l.posted(t, claim("task-2", "coder-8"))
	require.Equal(t, first.path, second.path)
	first.withdraw()
	require.FileExists(t, second.path)

	require.NoError(t, os.Remove(second.path))
	third := l.posted(t, claim("task-1", "coder-9"))
	defer third.withdraw()
	require.Equal(t, second.path, third.path)
	got := make(chan outcome, 1)
	go func() {
		f, _ := (&offer{underway: underway{store: l.a.store}, remote: "origin"}).awaitOutcome(ctx, second)
		got <- f
	}()
	select {
	case f := <-got:
		require.Equal(t, outcome{Kind: outcomeAgain}, f)
	case <-time.After(time.Minute):
		t.Fatal("it waits for an entry that is gone")
	}
	_, known := third.readOutcome()
	require.False(t, known, "nothing was pushed for it")
}

// The process that has the turn pushes the moves of all waiting ones.
func TestRemotePushesForOthers(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.a.add("task-1", "task-2")
	entry := l.posted(t, claim("task-1", "coder-9"))
	defer entry.withdraw()
	count := l.counted(t)
	l.a.claim("task-2", coder)
	f, known := entry.readOutcome()
	require.True(t, known)
	require.Equal(t, outcome{Kind: outcomeLanded}, f)
	require.NoFileExists(t, entry.path)
	require.Equal(t, 1, count())
	require.Equal(t, board.Claimed, l.a.board().Task("task-1").Status)
	l.agree(t)
}

// The judge of the remote refuses one of several: it alone is answered so.
func TestRemoteRefusesOneOfSeveral(t *testing.T) {
	t.Parallel()
	for name, what := range map[string]string{"by commit": "commit", "by nothing that we know": "refs/strange"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLane(t)
			l.a.add("task-1", "task-2", "task-3")
			first := l.posted(t, claim("task-1", "coder-7"))
			second := l.posted(t, claim("task-2", "coder-8"))
			third := l.posted(t, claim("task-3", "coder-9"))
			for _, e := range []*outboxEntry{first, second, third} {
				defer e.withdraw()
			}
			say := what
			if what == "commit" {
				say = string(second.Commit)
			}
			l.hook(t, "pre-receive", `while read old new ref; do if test $ref = refs/liza/state && git log --format=%s $old..$new | grep -q "claim task-2"; then
				echo "liza-refused: `+say+` control: not this one; type: git liza status" >&2; exit 1; fi; done`)
			release, err := l.a.store.Repo.Turns.PushTurn(context.Background())
			require.NoError(t, err)
			_, err = l.a.store.pusher.pushOutbox(context.Background(), "origin")
			require.NoError(t, err)
			_, err = l.a.store.pusher.pushOutbox(context.Background(), "origin")
			require.NoError(t, err)
			release()
			f, _ := first.readOutcome()
			require.Equal(t, outcomeLanded, f.Kind)
			f, _ = second.readOutcome()
			require.Equal(t, outcome{Kind: outcomeRefused, Rule: "control", Reason: "not this one", Hint: "git liza status"}, f)
			f, _ = third.readOutcome()
			require.Equal(t, outcomeAgain, f.Kind)

			_, err = l.a.store.Do(context.Background(), claim("task-2", "coder-8"))
			var refusal *flow.Refusal
			require.ErrorAs(t, err, &refusal)
			require.Equal(t, flow.Refusal{Rule: "control", Reason: "not this one", Hint: "git liza status"}, *refusal)
			l.a.claim("task-3", "coder-9")
			emptyOutbox(t, l.a)
			l.agree(t)
		})
	}
}
