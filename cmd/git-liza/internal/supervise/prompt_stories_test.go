package supervise

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/templates"
)

// A prompt repeats of a story what was done and found, and by what it failed, each once and
// none of it at length.
func TestStoryOf(t *testing.T) {
	t.Parallel()
	task := &board.Task{Title: "US-1: Say hello", Status: board.Blocked,
		Intent:      &board.Intent{Summary: "wrote hello", Validation: "looked at it", Assumptions: []string{"nobody shouts", " "}},
		Handoff:     &board.Handoff{Summary: "wrote hello", Approach: "by hand", DeadEnds: []string{"a loop"}},
		Failures:    []board.Failure{{Reason: "make failed"}, {Reason: "make failed"}},
		Retry:       &board.Retry{Error: strings.Repeat("long ", maxStoryBytes)},
		Judgements:  []board.Judgement{{}, {Rejection: &board.Rejection{Blockers: []board.Finding{{Issue: "no greeting", Why: "it is asked for"}}}}},
		Block:       &board.Block{Reason: "tried too often"},
		Integration: &board.Integration{Paths: []string{"src/hello"}, Gate: "test", Output: "exit 1"},
	}
	got := storyOf(task)
	require.Equal(t, []string{"US-1: Say hello", "BLOCKED"}, []string{got.Title, got.Status})
	require.Equal(t, []string{"wrote hello", "looked at it", "nobody shouts", "by hand"}, got.Patterns)
	require.Len(t, got.Failures, 6)
	require.Less(t, len(got.Failures[2]), maxStoryBytes+10)
	got.Failures[2] = "long"
	require.Equal(t, []string{"a loop", "make failed", "long", "no greeting it is asked for", "tried too often", "the merge failed: src/hello test exit 1"}, got.Failures)
	require.Equal(t, templates.Story{Title: "T", Status: "MERGED"}, storyOf(&board.Task{Title: "T", Status: board.Merged}))
	require.Len(t, task.Integration.Paths, 1, "the task stays as it is")
}

// The stories in a prompt are those of its loop that somebody has worked on, in the order
// of the last change, and the latest of too many.
func TestStoriesForAPrompt(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 17, 14, 0, 0, 0, time.UTC)
	on := func(tasks ...*board.Task) *board.Board {
		edits := []board.Edit{
			{Key: board.Key{Folder: board.SettingsDoc}, Document: &board.Settings{Format: board.NewestFormat, Goal: "loop"}},
			{Key: board.Key{Folder: board.Goals, ID: "loop"}, Document: &board.Goal{ID: "loop", Status: board.InProgress, Loop: &board.Loop{Iterations: 9}}},
			{Key: board.Key{Folder: board.Goals, ID: "plain"}, Document: &board.Goal{ID: "plain", Status: board.InProgress}},
		}
		for _, one := range tasks {
			edits = append(edits, board.Edit{Key: board.Key{Folder: board.Tasks, ID: string(one.ID)}, Document: one})
		}
		return board.Open(board.Documents{}.With(edits), at)
	}
	story := func(n int, goal board.GoalID, attempts int) *board.Task {
		return &board.Task{ID: board.TaskID(fmt.Sprintf("%s-%d", goal, n)), Title: fmt.Sprint(n), Goal: goal, Status: board.Merged, Attempts: attempts, Changed: at.Add(-time.Duration(n) * time.Minute)}
	}
	titles := func(b *board.Board, of *board.Task) (list []string) {
		for _, s := range storiesFor(b, of) {
			list = append(list, s.Title)
		}
		require.NoError(t, b.Err())
		return list
	}
	own := story(1, "loop", 1)
	b := on(own, story(2, "loop", 1), story(3, "loop", 0), story(4, "loop", 2), story(5, "plain", 1), story(6, "plain", 1))
	require.Equal(t, []string{"4", "2"}, titles(b, own), "the last that changed stands last")
	require.Empty(t, titles(b, story(5, "plain", 1)))
	require.Empty(t, titles(b, nil))

	many := []*board.Task{own}
	for n := range maxStories + 5 {
		many = append(many, story(n+2, "loop", 1))
	}
	got := titles(on(many...), own)
	require.Len(t, got, maxStories)
	require.Equal(t, []string{fmt.Sprint(maxStories + 1), "2"}, []string{got[0], got[maxStories-1]})
}

// What needed tasks came to stands in a prompt, and never at length.
func TestNeededIsBounded(t *testing.T) {
	t.Parallel()
	task := &board.Task{ID: "own"}
	var edits []board.Edit
	for n := range 40 {
		id := board.TaskID(fmt.Sprintf("needed-%d", n))
		task.DependsOn = append(task.DependsOn, id)
		edits = append(edits, board.Edit{Key: board.Key{Folder: board.Tasks, ID: string(id)}, Document: &board.Task{ID: id, Title: fmt.Sprintf("Title %d", n), Status: board.Merged,
			Merge: &board.Merge{Commit: board.ObjectID(strings.Repeat("a", 40))}, Submission: &board.Submission{Paths: []string{"src/a.go"}}}})
	}
	edits = append(edits, board.Edit{Key: board.Key{Folder: board.SettingsDoc}, Document: &board.Settings{Format: board.NewestFormat}})
	got := neededFor(board.Open(board.Documents{}.With(edits), time.Time{}), task)
	require.True(t, strings.HasPrefix(got, "needed-0: Title 0\nmerged as aaaaaaaaaa: src/a.go\n"), got)
	require.Greater(t, len(got), 900)
	require.LessOrEqual(t, len(got), 1024)
}
