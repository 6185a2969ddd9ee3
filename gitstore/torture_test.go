package gitstore

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
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

func TestProcessesLoseNoMove(t *testing.T) {
	t.Parallel()
	race(t, 4, 8, "notes")
}

func TestTortureProcessesLoseNoMove(t *testing.T) {
	torture.Only(t)
	race(t, 8, 50, "notes")
}

// Processes of an earlier program work on the same clone.
func TestEarlierProgramsBeside(t *testing.T) {
	t.Parallel()
	race(t, 4, 8, "notes", "earlier-notes")
}

func TestTortureEarlierProgramsBeside(t *testing.T) {
	torture.Only(t)
	race(t, 8, 50, "notes", "earlier-notes")
}

func TestProcessesClaimOnce(t *testing.T) {
	t.Parallel()
	contest(t, 5, 4)
}

func TestTortureProcessesClaimOnce(t *testing.T) {
	torture.Only(t)
	contest(t, 16, 25)
}

// together runs processes at once and returns what each printed.
func together(t *testing.T, list []*exec.Cmd) []string {
	t.Helper()
	outs := make([]bytes.Buffer, len(list))
	errs := make([]bytes.Buffer, len(list))
	for i, cmd := range list {
		cmd.Stdout, cmd.Stderr = &outs[i], &errs[i]
		require.NoError(t, cmd.Start())
	}
	var texts []string
	for i, cmd := range list {
		err := cmd.Wait()
		require.NoError(t, err, "process %d: %s", i, &errs[i])
		texts = append(texts, outs[i].String())
	}
	return texts
}

// race lets processes make moves at once, while others read the board and
// keep house: each move stands on the chain exactly once, in order, and no
// reader ever sees anything but a whole board.
func race(t *testing.T, processes, moves int, kinds ...string) {
	d := newDesk(t, gittest.Seeded(t))
	start := d.at(layout.State)
	var list []*exec.Cmd
	for i := range processes {
		list = append(list, storeChild(os.Args[0], d.dir, kinds[i%len(kinds)], "process "+strconv.Itoa(i), strconv.Itoa(moves)))
	}
	stop := make(chan struct{})
	var beside sync.WaitGroup
	reads, kept := 0, 0
	var broken error
	beside.Add(2)
	go func() {
		defer beside.Done()
		reads, broken = readAlways(d.dir, stop)
	}()
	go func() {
		defer beside.Done()
		kept = keepHouse(d.dir, stop)
	}()
	texts := together(t, list)
	close(stop)
	beside.Wait()
	require.NoError(t, broken, "after %d reads", reads)
	require.Positive(t, reads)
	require.Positive(t, kept)

	d.now = time.Now()
	d.store = d.open()
	landed := map[string]string{}
	last := map[string]int{}
	n := 0
	var notes []string
	require.NoError(t, d.store.Events(d.at(layout.State), func(e Event) (bool, error) {
		if e.Commit == start {
			return false, nil
		}
		n++
		landed[string(e.Move.Request)] = string(e.Commit)
		notes = append(notes, e.Move.Detail.(*flow.NoteMove).Text)
		return true, nil
	}))
	require.Equal(t, processes*moves, n)
	for _, text := range texts {
		for line := range strings.Lines(text) {
			request, commit, _ := strings.Cut(strings.TrimSpace(line), " ")
			require.Equal(t, commit, landed[request], "each answer is true")
			delete(landed, request)
		}
	}
	require.Empty(t, landed, "every move was answered")
	for i := len(notes) - 1; i >= 0; i-- {
		at := strings.LastIndexByte(notes[i], ' ')
		number, err := strconv.Atoi(notes[i][at+1:])
		require.NoError(t, err)
		require.Equal(t, last[notes[i][:at]], number, "one process's moves keep their order")
		last[notes[i][:at]]++
	}
	d.sound()
	gittest.Git(t, d.dir, "fsck", "--no-dangling")
}

// readAlways reads ref and board, as git and as we do, until it is stopped.
func readAlways(dir string, stop <-chan struct{}) (n int, err error) {
	ctx := context.Background()
	for ; ; n++ {
		select {
		case <-stop:
			return n, nil
		default:
		}
		cmd := exec.Command("git", "rev-parse", "--verify", layout.State)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return n, fmt.Errorf("git rev-parse: %w: %s", err, out)
		}
		if err := readOnce(ctx, dir); err != nil {
			return n, err
		}
	}
}

func readOnce(ctx context.Context, dir string) error {
	r, err := git.Open(ctx, dir)
	if err != nil {
		return err
	}
	defer r.Close()
	s := OpenStore(ctx, r, time.Now)
	b, tip, err := s.Board(ctx)
	if err != nil {
		return err
	}
	notes := len(b.IDs(board.Notes))
	if next := b.Settings().Next.Record; next != notes+1 {
		return fmt.Errorf("%s holds %d notes, and the next one is %d", tip, notes, next)
	}
	return flow.Check(b)
}

// keepHouse does what git does to a repository, until it is stopped. It may
// fail where others hold a lock, but not always.
func keepHouse(dir string, stop <-chan struct{}) (done int) {
	for i := 0; ; i++ {
		select {
		case <-stop:
			return done
		default:
		}
		args := []string{"pack-refs", "--all"}
		if i%4 == 3 {
			args = []string{"gc", "-q"}
		}
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if cmd.Run() == nil {
			done++
		}
	}
}

// contest lets processes claim the same tasks: each is won once, and its
// winner knows.
func contest(t *testing.T, processes, rounds int) {
	d := newDesk(t, gittest.Seeded(t))
	d.now = time.Now().UTC().Truncate(time.Second).Add(-time.Minute)
	var ids []board.TaskID
	for i := range rounds {
		ids = append(ids, board.TaskID("task-"+strconv.Itoa(i+1)))
	}
	d.add(ids...)
	var list []*exec.Cmd
	for i := range processes {
		list = append(list, storeChild(os.Args[0], d.dir, "claims", "coder-"+strconv.Itoa(i+1), strconv.Itoa(rounds)))
	}
	winners := map[string]board.Actor{}
	for i, text := range together(t, list) {
		for line := range strings.Lines(text) {
			id := strings.TrimSpace(line)
			require.Empty(t, winners[id], "%s was won twice", id)
			winners[id] = board.Actor("coder-" + strconv.Itoa(i+1))
		}
	}
	require.Len(t, winners, rounds)
	d.now = time.Now()
	d.store = d.open()
	require.NoError(t, d.store.Events(d.at(layout.State), func(e Event) (bool, error) {
		if e.Move.Act == board.ActClaim {
			require.Equal(t, winners[string(e.Move.Task)], e.Move.By)
			delete(winners, string(e.Move.Task))
		}
		return true, nil
	}))
	require.Empty(t, winners)
	d.sound()
}
