package gitstore

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// taskHeads are the states of all tasks of a board, archived ones too.
func taskHeads(b *board.Board) map[board.TaskID]TaskStep {
	all := map[board.TaskID]TaskStep{}
	for _, t := range b.Tasks() {
		all[t.ID] = TaskStep{ID: t.ID, To: t.Status, Goal: t.Goal, Sprint: t.Sprint, Stretch: t.Stretch}
	}
	for _, id := range b.IDs(board.Archive) {
		t := b.Task(board.TaskID(id))
		all[t.ID] = TaskStep{ID: t.ID, To: t.Status, Goal: t.Goal, Sprint: t.Sprint, Stretch: t.Stretch}
	}
	return all
}

// stepsOfBoards are the steps after a state, found by reading the whole board at each.
func stepsOfBoards(t *testing.T, h *history, after, to git.ID) (list []Step) {
	t.Helper()
	for id := to; id != after; {
		e, err := h.ReadEvent(id)
		require.NoError(t, err)
		b, err := h.BoardAt(id)
		require.NoError(t, err)
		was, had := map[board.TaskID]TaskStep{}, map[string]board.Sprint{}
		if e.Parent != "" {
			before, err := h.BoardAt(e.Parent)
			require.NoError(t, err)
			was = taskHeads(before)
			for _, id := range before.IDs(board.Sprints) {
				had[id] = *before.Sprint(board.SprintID(id))
			}
			require.NoError(t, before.Err())
		}
		step := Step{Event: e}
		for id, is := range taskHeads(b) {
			is.From = was[id].To
			if old := was[id]; old.To != is.To || old.Goal != is.Goal || old.Sprint != is.Sprint || old.Stretch != is.Stretch {
				step.Tasks = append(step.Tasks, is)
			}
		}
		slices.SortFunc(step.Tasks, func(x, y TaskStep) int { return compareStrings(x.ID, y.ID) })
		for _, id := range b.IDs(board.Sprints) {
			s, old := b.Sprint(board.SprintID(id)), had[id]
			is := SprintStep{s.ID, s.Goal, s.Status, s.Started, s.Deadline, s.Ended}
			if is != (SprintStep{old.ID, old.Goal, old.Status, old.Started, old.Deadline, old.Ended}) {
				step.Sprints = append(step.Sprints, is)
			}
		}
		require.NoError(t, b.Err())
		list = append(list, step)
		id = e.Parent
	}
	slices.Reverse(list)
	return list
}

func compareStrings[T ~string](x, y T) int {
	if x < y {
		return -1
	}
	return 1
}

// collect are the steps after a state as Steps visits them.
func collect(t *testing.T, h *history, after, to git.ID) (list []Step) {
	t.Helper()
	require.NoError(t, h.Steps(context.Background(), after, to, func(s Step) error {
		list = append(list, s)
		return nil
	}))
	return list
}

// collectFar is collect by the form for many moves.
func collectFar(t *testing.T, h *history, after, to git.ID) (list []Step) {
	t.Helper()
	require.NoError(t, h.farSteps(context.Background(), after, to, func(s Step) error {
		list = append(list, s)
		return nil
	}))
	return list
}

// eventful makes a board on which moves of many acts changed tasks and sprints.
func eventful(t *testing.T) *desk {
	d := newDesk(t, gittest.Seeded(t))
	d.life("first", "a.txt")
	d.add("one", "two", "three")
	commit := d.submit("one", coder, "b.txt", "x\n")
	d.do(flow.Move{Act: board.ActReject, Task: "one", By: ann, Detail: &flow.RejectMove{Commit: commit,
		Feedback: board.Feedback{Blockers: []board.Finding{{File: "b.txt", Line: 1, Issue: "it is wrong"}}}}})
	d.do(flow.Move{Act: board.ActBlock, Task: "one", By: ann, Detail: &flow.BlockMove{Questions: []string{"Why?"}}})
	d.do(flow.Move{Act: board.ActAnswer, By: ann, Detail: &flow.AnswerMove{Question: d.board().Task("one").Block.Asked[0], Text: "So."}})
	d.do(flow.Move{Act: board.ActEdit, Task: "two", By: ann, Detail: &flow.EditMove{Input: board.TaskInput{ID: "two", Title: "done_when:\ndone_when: no", DoneWhen: "it works",
		Spec: "README", Scope: "small", Kind: board.Docs, Stretch: true}}})
	d.now = d.now.Add(time.Hour)
	d.do(flow.Move{Act: board.ActSprintClose, By: ann, Detail: &flow.SprintCloseMove{}})
	d.do(flow.Move{Act: board.ActSprintStart, By: ann, Detail: &flow.SprintStartMove{Planned: []board.TaskID{"three"}}})
	d.do(flow.Move{Act: board.ActArchive, By: ann, Detail: &flow.ArchiveMove{Tasks: []board.TaskID{"first"}}})
	d.do(flow.Move{Act: board.ActAbandon, Task: "two", By: ann, Detail: &flow.AbandonMove{Reason: "no"}})
	d.do(flow.Move{Act: board.ActSupersede, Task: "three", By: ann, Detail: &flow.SupersedeMove{Reason: "too large",
		Add: []board.TaskInput{{ID: "four", Title: "T", DoneWhen: "D", Spec: "README", Scope: "S", Kind: board.Docs}}}})
	d.claim("four", coder)
	d.do(flow.Move{Act: board.ActRelease, Task: "four", By: coder, Detail: &flow.ReleaseMove{}})
	d.do(flow.Move{Act: board.ActGoal, By: ann, Detail: &flow.GoalMove{ID: "goal-2", Title: "More", Spec: "README"}})
	d.do(flow.Move{Act: board.ActComplete, Goal: "goal-1", By: ann, Detail: &flow.CompleteMove{Reason: "enough", Open: board.TasksMoved, To: "goal-2"}})
	return d
}

func TestSteps(t *testing.T) {
	t.Parallel()
	d := eventful(t)
	h := d.open().history
	tip, err := h.Tip(context.Background())
	require.NoError(t, err)
	want := stepsOfBoards(t, h, "", tip)
	require.Len(t, want, 25)
	require.Equal(t, want, collect(t, d.open().history, "", tip))
	require.Equal(t, want, collectFar(t, d.open().history, "", tip))
	for _, at := range []int{0, 7, 12, len(want) - 2} {
		require.Equal(t, want[at+1:], collect(t, d.open().history, want[at].Commit, tip), "after move %d", at+1)
		require.Equal(t, want[at+1:], collectFar(t, d.open().history, want[at].Commit, tip), "after move %d", at+1)
	}
	require.Empty(t, collect(t, d.open().history, tip, tip))
}

func TestStepsOfAnotherChain(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("one")
	tip, err := d.store.Tip(context.Background())
	require.NoError(t, err)
	never := func(Step) error { t.Fatal("a step of another chain"); return nil }
	require.ErrorIs(t, d.store.Steps(context.Background(), d.at("refs/heads/main"), tip, never), ErrNoState)
	require.ErrorIs(t, d.store.farSteps(context.Background(), d.at("refs/heads/main"), tip, never), ErrNoState)
	require.ErrorIs(t, d.store.farSteps(context.Background(), git.ID(strings.Repeat("1", 40)), tip, never), ErrNoState)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, d.store.Steps(ctx, "", tip, never), context.Canceled)
	require.ErrorIs(t, d.store.farSteps(ctx, "", tip, never), context.Canceled)
}
