package view

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// What stops the board comes first, then the oldest, then what nobody knows the age of.
func TestOrderOfTheInbox(t *testing.T) {
	t.Parallel()
	blocked := func(id board.TaskID, ago time.Duration) *board.Task {
		return &board.Task{ID: id, Status: board.Blocked, Changed: noon.Add(-ago), Block: &board.Block{Reason: "why"}}
	}
	paused := &board.Settings{Format: board.NewestFormat, Goal: "goal-1", Control: board.ControlState{State: board.Paused, At: noon, Reason: "lunch"}, Config: board.DefaultConfig()}
	r := Reading{Board: boardOf(goalOne, paused, blocked("new", time.Minute), blocked("old", time.Hour)), At: noon, Person: flow.Caller{By: "human:ann"}}
	r.Local.Needs = []Need{{Kind: "role", Subject: "robot"}, {Kind: "paused", Subject: "claude", Since: noon.Add(-30 * time.Minute)}}
	subjects := func(in *Inbox) (list []string) {
		for _, i := range in.Items {
			list = append(list, i.Subject)
		}
		return list
	}
	in := NewPicture(r).Inbox()
	require.Equal(t, []string{"board", "old", "claude", "new", "robot"}, subjects(in))

	// A snoozed item is counted, and is there again when the same happens anew.
	r.Local.Snoozed = map[string]time.Time{in.Items[1].Key(): noon.Add(time.Second)}
	in = NewPicture(r).Inbox()
	require.Equal(t, []string{"board", "claude", "new", "robot"}, subjects(in))
	require.Equal(t, 1, in.Snoozed)
	require.Equal(t, []string{"board", "claude", "new", "robot", "old"}, subjects(in.All()))
	r.Board = boardOf(goalOne, paused, blocked("old", 2*time.Minute))
	require.Equal(t, []string{"board", "claude", "old", "robot"}, subjects(NewPicture(r).Inbox()))

	// An agent settles none of it, a planner what is blocked.
	r.Person.By = "coder-1"
	require.Equal(t, 4, NewPicture(r).Inbox().Others)
	r.Person.By = "planner-1"
	require.Equal(t, []string{"old"}, subjects(NewPicture(r).Inbox()))
}

// A text of strangers takes few lines, and none of them is forged.
func TestHostileTextsInTheInbox(t *testing.T) {
	t.Parallel()
	plain := func(text string) string { return text }
	in := &Inbox{Items: []Item{{Text: "a \x1b[31mred\u202e\u200b\ufe0f word\u2028" + strings.Repeat("漢", 5000), Command: "git liza answer " + strings.Repeat("x", 100) + "\nrm"}}, at: noon}
	lines := strings.Split(strings.TrimSuffix(in.Text(40, plain), "\n"), "\n")
	require.LessOrEqual(t, len(lines), 2+mostLines)
	for _, line := range lines[:len(lines)-1] {
		require.LessOrEqual(t, cells(line), 40)
		require.NotRegexp(t, "[\x1b\u202e\u200b\ufe0f\u2028]", line)
	}
	require.Equal(t, "      git liza answer "+strings.Repeat("x", 100)+" rm", lines[len(lines)-1])
}

// A submission is a person's where no agent that judges is at work, but for who submitted
// it.
func TestSubmissionsThatNoAgentJudges(t *testing.T) {
	t.Parallel()
	submitted := func(by board.Actor) *board.Task {
		return &board.Task{ID: "r", Status: board.ReadyForReview, Title: "R", Attempt: &board.Attempt{Coder: by}, Coders: []board.Worker{{By: by}}, Submission: &board.Submission{}}
	}
	other := &board.Task{ID: "s", Status: board.ReadyForReview, Title: "S", Attempt: &board.Attempt{Coder: "coder-2"}, Submission: &board.Submission{},
		Judgements: []board.Judgement{{Role: board.CodeReviewer, Review: &board.Review{By: "code-reviewer-1", Lease: noon.Add(time.Minute)}}}}
	for _, test := range []struct {
		name      string
		documents []board.Document
		commands  []string
		others    int
	}{
		{"an agent's", []board.Document{submitted("coder-1")}, []string{"git liza review r"}, 0},
		{"one's own", []board.Document{submitted("human:ann")}, []string{"git liza rush --agents code-reviewer=1"}, 0},
		{"with a reviewer", []board.Document{submitted("coder-1"), &board.Agent{ID: "code-reviewer-1", Role: board.CodeReviewer, Generation: "0123456789abcdef"}}, nil, 0},
		{"with one that was added by hand", []board.Document{submitted("coder-1"), &board.Agent{ID: "code-reviewer-1", Role: board.CodeReviewer}}, []string{"git liza review r"}, 0},
		{"with one that reviews", []board.Document{submitted("coder-1"), other, &board.Agent{ID: "code-reviewer-1", Role: board.CodeReviewer, Review: "s"}}, nil, 0},
		{"with one that rests", []board.Document{submitted("coder-1"), &board.Agent{ID: "code-reviewer-1", Role: board.CodeReviewer, Degraded: "it lies"}}, []string{"git liza review r"}, 0},
	} {
		r := Reading{Board: boardOf(append(test.documents, goalOne)...), At: noon, Person: flow.Caller{By: "human:ann"}}
		in := NewPicture(r).Inbox()
		var commands []string
		for _, i := range in.Items {
			commands = append(commands, i.Command)
		}
		require.Equal(t, test.commands, commands, test.name)
		require.Equal(t, test.others, in.Others, test.name)
		r.Local.Presences = map[board.AgentID]gitstore.Presence{"code-reviewer-1": {At: noon.Add(-time.Hour), Every: board.Duration(time.Minute)}}
		if test.name == "with a reviewer" {
			require.Len(t, NewPicture(r).Inbox().Items, 1, "its supervisor is not heard of any more")
		}
	}
}
