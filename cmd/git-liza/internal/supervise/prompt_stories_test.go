package supervise

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/templates"
)

// A prompt repeats of a story what was done and found, and by what it failed, each once and
// none of it at length.
func TestStoryOf(t *testing.T) {
	t.Parallel()
	task := &flow.Task{Title: "US-1: Say hello", Status: flow.Blocked,
		Intent:      &flow.Intent{Summary: "wrote hello", Validation: "looked at it", Assumptions: []string{"nobody shouts", " "}},
		Handoff:     &flow.Handoff{Summary: "wrote hello", Approach: "by hand", DeadEnds: []string{"a loop"}},
		Failures:    []flow.Failure{{Reason: "make failed"}, {Reason: "make failed"}},
		Retry:       &flow.Retry{Error: strings.Repeat("long ", maxStoryBytes)},
		Judgements:  []flow.Judgement{{}, {Rejection: &flow.Rejection{Blockers: []flow.Finding{{Issue: "no greeting", Why: "it is asked for"}}}}},
		Block:       &flow.Block{Reason: "tried too often"},
		Integration: &flow.Integration{Paths: []string{"src/hello"}, Gate: "test", Output: "exit 1"},
	}
	got := storyOf(task)
	require.Equal(t, []string{"US-1: Say hello", "BLOCKED"}, []string{got.Title, got.Status})
	require.Equal(t, []string{"wrote hello", "looked at it", "nobody shouts", "by hand"}, got.Patterns)
	require.Len(t, got.Failures, 6)
	require.Less(t, len(got.Failures[2]), maxStoryBytes+10)
	got.Failures[2] = "long"
	require.Equal(t, []string{"a loop", "make failed", "long", "no greeting it is asked for", "tried too often", "the merge failed: src/hello test exit 1"}, got.Failures)
	require.Equal(t, templates.Story{Title: "T", Status: "MERGED"}, storyOf(&flow.Task{Title: "T", Status: flow.Merged}))
	require.Len(t, task.Integration.Paths, 1, "the task stays as it is")
}

// The stories in a prompt are those of its loop that somebody has worked on, in the order
// of the last change, and the latest of too many.
func TestStoriesForAPrompt(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 17, 14, 0, 0, 0, time.UTC)
	board := func(tasks ...*flow.Task) *flow.Board {
		edits := []flow.Edit{
			{Key: flow.Key{Folder: flow.SettingsDoc}, Document: &flow.Settings{Format: flow.NewestFormat, Goal: "loop"}},
			{Key: flow.Key{Folder: flow.Goals, ID: "loop"}, Document: &flow.Goal{ID: "loop", Status: flow.InProgress, Loop: &flow.Loop{Iterations: 9}}},
			{Key: flow.Key{Folder: flow.Goals, ID: "plain"}, Document: &flow.Goal{ID: "plain", Status: flow.InProgress}},
		}
		for _, one := range tasks {
			edits = append(edits, flow.Edit{Key: flow.Key{Folder: flow.Tasks, ID: string(one.ID)}, Document: one})
		}
		return flow.Open(flow.Documents{}.With(edits), at)
	}
	story := func(n int, goal flow.GoalID, attempts int) *flow.Task {
		return &flow.Task{ID: flow.TaskID(fmt.Sprintf("%s-%d", goal, n)), Title: fmt.Sprint(n), Goal: goal, Status: flow.Merged, Attempts: attempts, Changed: at.Add(-time.Duration(n) * time.Minute)}
	}
	titles := func(b *flow.Board, of *flow.Task) (list []string) {
		for _, s := range storiesFor(b, of) {
			list = append(list, s.Title)
		}
		require.NoError(t, b.Err())
		return list
	}
	own := story(1, "loop", 1)
	b := board(own, story(2, "loop", 1), story(3, "loop", 0), story(4, "loop", 2), story(5, "plain", 1), story(6, "plain", 1))
	require.Equal(t, []string{"4", "2"}, titles(b, own), "the last that changed stands last")
	require.Empty(t, titles(b, story(5, "plain", 1)))
	require.Empty(t, titles(b, nil))

	many := []*flow.Task{own}
	for n := range maxStories + 5 {
		many = append(many, story(n+2, "loop", 1))
	}
	got := titles(board(many...), own)
	require.Len(t, got, maxStories)
	require.Equal(t, []string{fmt.Sprint(maxStories + 1), "2"}, []string{got[0], got[maxStories-1]})
}

// What needed tasks came to stands in a prompt, and never at length.
func TestNeededIsBounded(t *testing.T) {
	t.Parallel()
	task := &flow.Task{ID: "own"}
	var edits []flow.Edit
	for n := range 40 {
		id := flow.TaskID(fmt.Sprintf("needed-%d", n))
		task.DependsOn = append(task.DependsOn, id)
		edits = append(edits, flow.Edit{Key: flow.Key{Folder: flow.Tasks, ID: string(id)}, Document: &flow.Task{ID: id, Title: fmt.Sprintf("Title %d", n), Status: flow.Merged,
			Merge: &flow.Merge{Commit: flow.ObjectID(strings.Repeat("a", 40))}, Submission: &flow.Submission{Paths: []string{"src/a.go"}}}})
	}
	edits = append(edits, flow.Edit{Key: flow.Key{Folder: flow.SettingsDoc}, Document: &flow.Settings{Format: flow.NewestFormat}})
	got := neededFor(flow.Open(flow.Documents{}.With(edits), time.Time{}), task)
	require.True(t, strings.HasPrefix(got, "needed-0: Title 0\nmerged as aaaaaaaaaa: src/a.go\n"), got)
	require.Greater(t, len(got), 900)
	require.LessOrEqual(t, len(got), 1024)
}
