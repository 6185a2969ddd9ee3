package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plaintext"
)

var noon = time.Date(2026, 1, 17, 12, 0, 0, 0, time.UTC)

// Scripts rely on the keys: they may become more, they do not change.
func TestKeysOfATask(t *testing.T) {
	t.Parallel()
	const contract = `id, title, status, kind, goal, sprint, done_when, spec, scope, priority, depends_on, owns, verify, created,
		changed, assigned_to, lease_expires, worktree, branch, base_commit, iteration, review_cycles, review_cycles_total, attempts,
		failed_by, intent, review_commit, reviewing_by, review_lease_expires, approved_by, verdict, rejection, merge_commit, drift,
		blocked_reason, blocked_questions, integration_failure, integration_fix, handoff, supersedes, superseded_by, rescope_reason,
		role, based_on, review_by, without, reviews, missing, stale, usage, budget, budget_left, claimable, why_not, limits, reverts, reverted,
		level, estimate, labels, files, acceptance, steps, context, consumers, integration_test, verify_timeout,
		retries, not_before, retry_error, entered, abandoned_by, gates,
		phase, denies, asking`
	require.Equal(t, strings.Fields(strings.ReplaceAll(contract, ",", " ")), TaskKeys())
}

// The same key has the same kind of value whatever the task's state: a list is
// a list, and what is absent is null.
func TestAbsentValues(t *testing.T) {
	t.Parallel()
	view := Reading{Board: board.Open(board.Documents{}, noon), Asker: flow.Caller{By: "coder-1"}}
	text, err := json.Marshal(view.Task(&board.Task{ID: "a", Status: board.Draft}))
	require.NoError(t, err)
	var task map[string]any
	require.NoError(t, json.Unmarshal(text, &task))
	for _, key := range []string{"depends_on", "owns", "failed_by", "blocked_questions", "supersedes", "superseded_by", "based_on", "review_by", "without", "reviews", "missing", "stale", "reverts"} {
		require.Equal(t, []any{}, task[key], key)
	}
	for _, key := range []string{"created", "lease_expires", "review_lease_expires", "intent", "verdict", "rejection", "integration_failure", "handoff", "budget", "budget_left", "limits", "reverted"} {
		require.Contains(t, task, key)
		require.Nil(t, task[key], key)
	}
	for _, key := range []string{"title", "kind", "assigned_to", "branch", "base_commit", "merge_commit"} {
		require.Equal(t, "", task[key], key)
	}
	require.Equal(t, float64(0), task["iteration"])
	require.Equal(t, map[string]any{"sessions": 0., "input": 0., "cached": 0., "output": 0., "cost": "0", "seconds": 0., "tokens": 0.}, task["usage"])
	require.Equal(t, "DRAFT", task["status"])
	require.Equal(t, false, task["claimable"])
}

// A task looks the same whether its summary or its document is shown.
func TestSummarisedIsTheSame(t *testing.T) {
	t.Parallel()
	view := Reading{Board: board.Open(board.Documents{}, noon), Asker: flow.Caller{By: "coder-1"}}
	for _, task := range []*board.Task{
		{ID: "a", Status: board.Draft},
		{ID: "b", Status: board.Merged, Title: "B", Kind: board.Code, Goal: "goal-1", Sprint: "sprint-2", Priority: 4, DependsOn: []board.TaskID{"a"},
			Owns: []string{"src/**"}, Created: noon, Changed: noon.Add(time.Hour), Attempt: &board.Attempt{Coder: "coder-1", Iteration: 3, Cycles: 2}},
		{ID: "c", Status: board.ReadyForReview, Submission: &board.Submission{ReviewBy: []board.Role{board.CodeReviewer}}, Attempt: &board.Attempt{Coder: "coder-1"}, Claim: &board.Claim{By: "coder-2", Lease: noon},
			Judgements: []board.Judgement{{Role: board.CodeReviewer, Review: &board.Review{By: "code-reviewer-1", Lease: noon.Add(time.Minute)}}}, Block: &board.Block{Reason: "which?"}},
		{ID: "d", Status: board.ReadyForReview, Role: "writer", BasedOn: []string{"a.md#b"}, Submission: &board.Submission{Commit: "c", ReviewBy: []board.Role{board.CodeReviewer, "security-reviewer", "human"}},
			Judgements: []board.Judgement{{Role: board.CodeReviewer, Verdict: &board.Verdict{Commit: "c"}}, {Role: "security-reviewer", Verdict: &board.Verdict{Commit: "b"}}}},
		{ID: "e", Status: board.Rejected, Submission: &board.Submission{Commit: "c", ReviewBy: []board.Role{board.CodeReviewer}}, RejectedBy: board.CodeReviewer},
		{ID: "f", Status: board.Unclaimed, Title: "a \"quoted\" \\ <b> & ü\u202e \u2028 \x01\t\xff", Verify: "go test ./...", Spec: "specs/ü.md#x", Limits: &board.Limits{Cycles: 3}, Level: 2,
			Estimate: board.Duration(90 * time.Minute), Labels: []string{"a", "ü"}, Retry: &board.Retry{Count: 2, NotBefore: noon}, Entered: noon, Phase: "build", Reverts: []board.TaskID{"a", "b"}},
	} {
		summary := task.Summary()
		sameJSON(t, view.Task(task), &summary)
	}
}

// sameJSON requires that a task looks the same in JSON whether its summary or its document
// is shown: with all keys of its summary, and with each alone.
func sameJSON(t *testing.T, whole Object, summary *board.Summary) {
	t.Helper()
	for _, keys := range append([][]string{SummaryKeys()}, slices.Collect(slices.Chunk(SummaryKeys(), 1))...) {
		rows, ok := NewTaskRows([]*board.Summary{summary, summary}, keys)
		require.True(t, ok)
		var got, want bytes.Buffer
		require.NoError(t, rows.WriteJSON(&got))
		only := slices.Clone(whole).Only(keys)
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		require.NoError(t, e.Encode(map[string]any{"tasks": []Object{only, only}}))
		require.Equal(t, strings.TrimSpace(string(plaintext.EscapeJSON(want.Bytes()))), got.String(), "%s of %s", keys, summary.ID)
	}
	_, ok := NewTaskRows(nil, []string{"id", "done_when"})
	require.False(t, ok)
}

// A long list is written in parts, which are what it is at once.
func TestLongRows(t *testing.T) {
	t.Parallel()
	list := make([]*board.Summary, 2000)
	for i := range list {
		list[i] = &board.Summary{ID: board.TaskID(fmt.Sprint("task-", i)), Title: strings.Repeat("x", i%100)}
	}
	rows, _ := NewTaskRows(list, SummaryKeys())
	var parts writes
	require.NoError(t, rows.WriteJSON(&parts))
	require.Greater(t, parts.number, 3)
	var got struct{ Tasks []struct{ ID string } }
	require.NoError(t, json.Unmarshal(parts.Bytes(), &got))
	require.Len(t, got.Tasks, len(list))
	require.Equal(t, "task-1999", got.Tasks[1999].ID)
	whole, err := rows.MarshalJSON()
	require.NoError(t, err)
	require.Equal(t, parts.String(), string(whole))
}

// writes counts what is written to it.
type writes struct {
	bytes.Buffer
	number int
}

func (w *writes) Write(data []byte) (int, error) {
	w.number++
	return w.Buffer.Write(data)
}

func TestValueOf(t *testing.T) {
	t.Parallel()
	move := flow.Move{Act: board.ActReject, Task: "task-1", By: "human:ann", At: noon.In(time.FixedZone("", 3600)),
		Detail: &flow.RejectMove{Commit: "c", Feedback: board.Feedback{Blockers: []board.Finding{{File: "a<b>.go", Line: 3, Issue: "…"}}}}}
	entry, err := ValueOf(Entry{State: "s", Move: move}).(Object).MarshalJSON()
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, json.Compact(&out, entry))
	require.Equal(t, `{"state":"s","act":"reject","task":"task-1","goal_id":"","by":"human:ann","principal":"","at":"2026-01-17T12:00:00Z","generation":"","request":"","seen":"",`+
		`"commit":"c","feedback":{"blockers":[{"file":"a<b>.go","line":3,"issue":"…","why":"","suggestion":""}],"concerns":[],"prior":[],"overall":""},"role":"","for":null}`, out.String())
	require.Equal(t, map[string]any{"count": "3"}, ValueOf(map[string]string{"count": "3"}))
	require.Equal(t, "30m", ValueOf(board.Duration(30*time.Minute)))
	require.Equal(t, []any{"a", "b"}, ValueOf([]board.TaskID{"a", "b"}))
	require.Nil(t, ValueOf((*board.Task)(nil)))
	text, err := json.Marshal(Object{})
	require.NoError(t, err)
	require.Equal(t, "{}", string(text))
}

func TestFormat(t *testing.T) {
	t.Parallel()
	task := Object{{"id", board.TaskID("task-1")}, {"owns", []any{"a/**", "b"}}, {"priority", 2}, {"verdict", nil}, {"intent", Object{{"summary", "<x>"}}}}
	for _, test := range [][2]string{
		{"", ""}, {"plain", "plain"}, {"%(id)", "task-1"}, {"%(owns)|%(priority)", "a/**,b|2"}, {"%%(id)", "%(id)"}, {"100%%", "100%"},
		{"%(id)%0a%(verdict)%41", "task-1\nA"}, {"%(intent)", `{"summary":"<x>"}`}, {"a)b(%(id))", "a)b(task-1)"},
	} {
		f, err := ParseFormat(test[0])
		require.NoError(t, err, test[0])
		require.Equal(t, test[1], f.Fill(task), test[0])
	}
	for _, bad := range []string{"%", "%(", "%(id", "%()", "%(ID)", "%x", "%zz", "a%"} {
		_, err := ParseFormat(bad)
		require.Error(t, err, bad)
	}
}

func TestTableFitsItsWidth(t *testing.T) {
	t.Parallel()
	var rows Table
	rows.Add("task-1", "漢字", "short")
	rows.Add("a", "b", "long\nand\x1b[31m red and \u202elonger\u202c than that\u200b\ufe0f 👩\u200d💻 ❤\ufe0f")
	require.Equal(t, "task-1  漢字  short\na       b     long and^[[31m red and <U+202E>longer<U+202C> than that<U+200B><U+FE0F> 👩\u200d💻 ❤\ufe0f\n", rows.Text(0))
	for width := 20; width < 60; width++ {
		for line := range strings.Lines(rows.Text(width)) {
			require.LessOrEqual(t, cells(strings.TrimSuffix(line, "\n")), width)
		}
	}
	require.Equal(t, "漢…", Cut("漢字漢字", 4))
	require.Equal(t, "漢字", Cut("漢字", 4))
	require.Equal(t, "e\u0301e\u0301", Cut("e\u0301e\u0301", 2))
}

func TestWrap(t *testing.T) {
	t.Parallel()
	rows := Table{Indent: "  "}
	rows.Add("done_when", "one two three four five six seven")
	rows.Add("", "  indented")
	rows.Add("commit", strings.Repeat("0", 40))
	rows.Wrap(34)
	require.Equal(t, "  done_when  one two three four\n             five six seven\n               indented\n  commit     "+strings.Repeat("0", 40)+"\n", rows.Text(0))
}

// All that an agent's row says can be read on a narrow terminal.
func TestWrapOfAgents(t *testing.T) {
	t.Parallel()
	var rows Table
	rows.Add("coder-1", "WORKING", "task-1", "29m left, coding for 3s (session 1), heard 0s ago, 600 tokens, 0.01 dollars so far, claude:opus on "+
		"builder-7.example.org, process 123456")
	rows.Add("coder-2", "IDLE", "", "")
	rows.Wrap(80)
	require.Equal(t, `coder-1  WORKING  task-1  29m left, coding for 3s (session 1), heard 0s ago, 600
                          tokens, 0.01 dollars so far, claude:opus on
                          builder-7.example.org, process 123456
coder-2  IDLE
`, rows.Text(0))
}

func TestSpan(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{0: "0s", 59 * time.Second: "59s", 12*time.Minute + 40*time.Second: "12m",
		time.Hour: "1h", 47*time.Hour + 59*time.Minute: "47h", 49 * time.Hour: "2 days", -3 * time.Minute: "3m"} {
		require.Equal(t, want, Span(d))
	}
}

// What git liza list does with ten thousand tasks, for people and as JSON.
func BenchmarkList10000(b *testing.B) {
	list := make([]*board.Summary, 10_000)
	for i := range list {
		list[i] = &board.Summary{ID: board.TaskID(fmt.Sprint("task-", i)), Title: "Show the count of the words in the status bar", Status: board.Unclaimed, Kind: board.Code,
			Goal: "goal-1", Sprint: "sprint-1", Spec: "specs/vision.md#words", Priority: 3, DependsOn: []board.TaskID{"task-1"}, Owns: []string{"src/words/**"}, Created: noon, Changed: noon, Entered: noon}
	}
	view := Reading{Board: board.Open(board.Documents{}, noon), Asker: flow.Caller{By: "coder-1"}, At: noon}
	b.Run("text", func(b *testing.B) {
		for b.Loop() {
			_ = view.TaskTable(list, list, 0).Text(0)
		}
	})
	b.Run("json", func(b *testing.B) {
		for b.Loop() {
			rows, _ := NewTaskRows(list, SummaryKeys())
			require.NoError(b, rows.WriteJSON(io.Discard))
		}
	})
}
