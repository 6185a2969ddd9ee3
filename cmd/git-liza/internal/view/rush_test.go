package view

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

var rushNoon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// rushStory is what a rush says, with hostile and long texts among it.
func rushStory() []RushLine {
	move := func(n int, id board.TaskID, title, text string, merged int) RushLine {
		return RushLine{At: rushNoon.Add(time.Duration(n) * time.Second), Kind: "move", Goal: "goal-1", Task: id, Title: title, Text: text, Progress: &Progress{merged, 7}}
	}
	return []RushLine{
		{At: rushNoon, Kind: "move", Text: "coder-1 joined"},
		move(1, "task-1", "Count the words of a text", "claimed by coder-1", 3),
		move(2, "task-1", "Count the words of a text", "→ READY_FOR_REVIEW (1 path) by coder-1", 3),
		move(3, "the-longest-id-of-all", "長い題名はここで切られます。とても長い", "→ REJECTED (2 blockers) by code-reviewer-1", 3),
		move(4, "task-12", "Escapes \x1b[31m and \u202ereversed\n\nlines", "→ MERGED as 0cc8e48664 by coder-2", 4),
		{At: rushNoon.Add(5 * time.Second), Kind: "output", Agent: "coder-1", Text: "I look at the\ttests"},
		{At: rushNoon.Add(65 * time.Second), Kind: "team", Text: "coding: coder-1 (task-1 for 4m); waiting: coder-2, planner-1; for a person: task-3 (git liza status)"},
	}
}

func TestRushLines(t *testing.T) {
	t.Parallel()
	for width, want := range map[int]string{
		0: `12:00:00Z  coder-1 joined
12:00:01Z  task-1  Count the words of a text     claimed by coder-1  3 of 7
12:00:02Z  task-1  Count the words of a text     → READY_FOR_REVIEW (1 path) by coder-1  3 of 7
12:00:03Z  the-longest-id-of-all  長い題名はここで切られます…   → REJECTED (2 blockers) by code-reviewer-1  3 of 7
12:00:04Z  task-12       Escapes ^[[31m and <U+202E>…  → MERGED as 0cc8e48664 by coder-2  4 of 7
12:00:05Z  coder-1 | I look at the tests
12:01:05Z  coding: coder-1 (task-1 for 4m); waiting: coder-2, planner-1; for a person: task-3 (git liza status)
`,
		80: `12:00:00Z  coder-1 joined
12:00:01Z  task-1  Count the …  claimed by coder-1  3 of 7
12:00:02Z  task-1  Count the …  → READY_FOR_REVIEW (1 path) by coder-1  3 of 7
12:00:03Z  the-longest-id-of-all  → REJECTED (2 blockers) by code-reviewer-1
                                   3 of 7
12:00:04Z  task-12       → MERGED as 0cc8e48664 by coder-2  4 of 7
12:00:05Z  coder-1 | I look at the tests
12:01:05Z  coding: coder-1 (task-1 for 4m); waiting: coder-2, planner-1; for a
           person: task-3 (git liza status)
`,
		40: `12:00:00Z  coder-1 joined
12:00:01Z  task-1  claimed by coder-1
   3 of 7
12:00:02Z  task-1  → READY_FOR_REVIEW (1
  path) by coder-1  3 of 7
12:00:03Z  the-longest-id-of-all  →
  REJECTED (2 blockers) by
  code-reviewer-1  3 of 7
12:00:04Z  task-12       → MERGED as
  0cc8e48664 by coder-2  4 of 7
12:00:05Z  coder-1 | I look at the tests
12:01:05Z  coding: coder-1 (task-1 for
           4m); waiting: coder-2,
           planner-1; for a person:
           task-3 (git liza status)
`,
	} {
		layout := RushLayout{Width: width}
		var got strings.Builder
		for _, l := range rushStory() {
			got.WriteString(layout.Text(l) + "\n")
		}
		require.Equal(t, want, got.String(), width)
		require.NotContains(t, got.String(), "\x1b")
	}
}

func TestRushSummary(t *testing.T) {
	t.Parallel()
	s := RushSummary{Merged: []MergedTask{{"task-1", "One\u202e\x1b"}}, Used: Spent{Usage: board.Usage{Sessions: 2, Input: 31000, Output: 204, Cost: 420000}}, Took: 723 * time.Second, Next: "git merge integration",
		Open: []OpenTask{{"task-2", "BLOCKED", "no key — Where is it?", "git liza task unblock task-2"}, {"task-3", "UNCLAIMED", "it waits for coder", "git liza rush"}, {"task-4", "UNCLAIMED", "it needs task-2, which is not merged yet", "git liza rush"}}}
	const head = "1 task merged, 31204 tokens, 0.42 dollars, in 12m\n"
	require.Equal(t, head+`merged  task-1  One<U+202E>^[
open    task-2  BLOCKED: no key — Where is it?
                git liza task unblock task-2
        task-3  UNCLAIMED: it waits for coder
        task-4  UNCLAIMED: it needs task-2, which is not merged yet
                git liza rush
next    git merge integration
`, s.Text(80))
	require.Equal(t, `1 task merged, 31204 tokens, 0.42
  dollars, in 12m
merged  task-1  One<U+202E>^[
open    task-2  BLOCKED: no key — Where
                is it?
                git liza task unblock
                task-2
        task-3  UNCLAIMED: it waits for
                coder
        task-4  UNCLAIMED: it needs
                task-2, which is not
                merged yet
                git liza rush
next    git merge integration
`, s.Text(40))
	for i := range 30 {
		s.Merged = append(s.Merged, MergedTask{ID: board.TaskID("more-" + strconv.Itoa(i))})
	}
	s.Open = nil
	require.Contains(t, s.Text(0), "        more-8\n        and 21 more\nnext    git merge integration\n")
}
