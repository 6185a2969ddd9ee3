package metrics

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// A story makes the steps of a history that was counted by hand.
type story struct {
	t      *testing.T
	counts *Counts
	was    map[board.TaskID]gitstore.TaskStep
	moves  int
}

// clock reads a time of the 17th of January 2026, or of the 18th after a plus.
func clock(t *testing.T, text string) time.Time {
	t.Helper()
	day := "2026-01-17T"
	if text[0] == '+' {
		day, text = "2026-01-18T", text[1:]
	}
	at, err := time.Parse(time.RFC3339, day+text+":00Z")
	require.NoError(t, err)
	return at
}

// move adds a move at a time that leads tasks to states.
func (s *story) move(at string, by board.Actor, task board.TaskID, d flow.Detail, to ...gitstore.TaskStep) {
	s.t.Helper()
	s.moves++
	step := gitstore.Step{Event: gitstore.Event{Commit: board.ObjectID(at), Move: flow.Move{By: by, Task: task, Goal: "goal-1", At: clock(s.t, at), Detail: d}}}
	for _, one := range to {
		before := s.was[one.ID]
		one.From = before.To
		if one.Sprint == "" {
			one.Sprint, one.Stretch = before.Sprint, before.Stretch
		}
		if one.To == 0 {
			one.To = before.To
		}
		one.Goal = "goal-1"
		s.was[one.ID] = one
		step.Tasks = append(step.Tasks, one)
	}
	switch d := d.(type) {
	case *flow.InitMove:
		step.Sprints = []gitstore.SprintStep{{ID: "sprint-1", Goal: "goal-1", Status: board.InProgress, Started: clock(s.t, at)}}
	case *flow.SprintCloseMove:
		step.Sprints = []gitstore.SprintStep{{ID: d.Sprint, Goal: "goal-1", Status: board.Completed, Started: clock(s.t, "08:00"), Ended: clock(s.t, at)}}
	case *flow.SprintStartMove:
		step.Sprints = []gitstore.SprintStep{{ID: d.Sprint, Goal: "goal-1", Status: board.InProgress, Started: clock(s.t, at)}}
	}
	s.counts.Add(step)
}

func to(id board.TaskID, status board.Status) gitstore.TaskStep {
	return gitstore.TaskStep{ID: id, To: status}
}

func (s *story) session(at string, by board.Actor, task board.TaskID, d flow.SessionMove) {
	s.t.Helper()
	d.Role = by.Role()
	s.move(at, by, task, &d)
}

const dollar = 1_000_000

const halfHour = board.Duration(30 * time.Minute)

// handCounted is a history of two days. The comments of TestReport count it.
func handCounted(t *testing.T) *Counts {
	s := &story{t: t, counts: &Counts{}, was: map[board.TaskID]gitstore.TaskStep{}}
	born := func(id board.TaskID, sprint board.SprintID, stretch bool) gitstore.TaskStep {
		return gitstore.TaskStep{ID: id, To: board.Unclaimed, Sprint: sprint, Stretch: stretch}
	}
	s.move("08:00", "human:ann", "", &flow.InitMove{})
	s.move("08:00", "planner-1", "", &flow.AddMove{}, born("a", "sprint-1", false), born("b", "sprint-1", false), born("c", "sprint-1", false), born("e", "sprint-1", true))
	s.move("08:10", "coder-1", "a", &flow.ClaimMove{}, to("a", board.Claimed))
	s.move("08:40", "coder-1", "a", &flow.SubmitMove{}, to("a", board.ReadyForReview))
	s.session("08:40", "coder-1", "a", flow.SessionMove{Provider: "claude", Model: "opus", Outcome: "submitted", Usage: board.Usage{Sessions: 1, Input: 1000, Cached: 200, Output: 100, Cost: dollar, Seconds: 1800}})
	s.move("08:50", "code-reviewer-1", "a", &flow.ReviewMove{Lease: halfHour})
	s.move("09:00", "code-reviewer-1", "a", &flow.RejectMove{}, to("a", board.Rejected))
	s.session("09:00", "code-reviewer-1", "a", flow.SessionMove{Provider: "codex", Model: "gpt", Outcome: "rejected", Usage: board.Usage{Sessions: 1, Input: 500, Output: 50, Cost: dollar / 2, Seconds: 600}})
	s.move("09:05", "coder-1", "a", &flow.ClaimMove{}, to("a", board.Claimed))
	s.move("09:25", "coder-1", "a", &flow.SubmitMove{}, to("a", board.ReadyForReview))
	s.move("09:30", "code-reviewer-1", "a", &flow.ReviewMove{Lease: halfHour})
	s.move("09:40", "code-reviewer-1", "a", &flow.ApproveMove{}, to("a", board.Approved))
	s.move("09:45", "coder-1", "a", &flow.IntegrationFailMove{}, to("a", board.IntegrationFailed))
	s.move("09:50", "coder-1", "a", &flow.ClaimMove{}, to("a", board.Claimed))
	s.move("10:00", "coder-1", "a", &flow.SubmitMove{}, to("a", board.ReadyForReview))
	s.move("10:00", "code-reviewer-2", "a", &flow.ReviewMove{Lease: board.Duration(5 * time.Minute)})
	s.move("10:04", "code-reviewer-2", "a", &flow.RenewMove{Lease: halfHour})
	s.move("10:05", "security-reviewer-1", "a", &flow.ReviewMove{Lease: halfHour})
	s.move("10:10", "code-reviewer-2", "a", &flow.ApproveMove{})
	s.move("10:15", "security-reviewer-1", "a", &flow.ApproveMove{}, to("a", board.Approved))
	s.move("10:20", "coder-1", "a", &flow.MergeMove{Drift: 3}, to("a", board.Merged))
	s.move("10:20", "coder-2", "b", &flow.ClaimMove{}, to("b", board.Claimed))
	s.move("10:50", "coder-2", "b", &flow.SubmitMove{}, to("b", board.ReadyForReview))
	s.session("10:50", "coder-2", "b", flow.SessionMove{Provider: "claude", Model: "opus", Outcome: "submitted", Usage: board.Usage{Sessions: 1, Input: 3000, Output: 300, Cost: 3 * dollar, Seconds: 1800}})
	s.move("10:50", "code-reviewer-1", "b", &flow.ReviewMove{Lease: halfHour})
	s.session("12:00", "planner-1", "", flow.SessionMove{Provider: "claude", Model: "opus", Outcome: "planned", Usage: board.Usage{Sessions: 1, Input: 100, Output: 10, Cost: dollar / 10, Seconds: 600}})
	s.move("12:00", "human:ann", "b", &flow.ApproveMove{}, to("b", board.Approved))
	s.move("12:10", "coder-2", "b", &flow.MergeMove{Drift: 1}, to("b", board.Merged))
	s.move("12:10", "coder-2", "c", &flow.ClaimMove{}, to("c", board.Claimed))
	s.move("12:40", "coder-2", "c", &flow.BlockMove{}, to("c", board.Blocked))
	s.session("12:40", "coder-2", "c", flow.SessionMove{Provider: "none", Outcome: "blocked"})
	carried := func(id board.TaskID, stretch bool) gitstore.TaskStep {
		return gitstore.TaskStep{ID: id, Sprint: "sprint-2", Stretch: stretch}
	}
	s.move("+09:00", "human:ann", "", &flow.SprintCloseMove{Sprint: "sprint-1"}, carried("c", false), carried("e", true))
	s.move("+09:00", "human:ann", "", &flow.SprintStartMove{Sprint: "sprint-2"})
	s.move("+09:10", "human:ann", "", &flow.AddMove{Tasks: []board.TaskInput{{ID: "d", Reverts: []board.TaskID{"a"}}}}, born("d", "sprint-2", false))
	s.move("+09:40", "human:ann", "", &flow.AdoptMove{Tasks: []board.TaskID{"d"}}, to("d", board.Merged))
	return s.counts
}

func minutes(n int64) int64 { return 60 * n }

func TestReport(t *testing.T) {
	t.Parallel()
	b := handCounted(t)
	r := b.Report(Ask{By: ByAgent, Now: clock(t, "+10:00"), Budgets: board.Budgets{Goal: board.Budget{Tokens: 10_000, Cost: 10 * dollar}}})

	// a, b and d are merged, c is blocked, e is unclaimed. d took a back.
	require.Equal(t, 3, r.Tasks.Merged)
	require.Equal(t, 2, r.Tasks.Open)
	require.Equal(t, 1, r.Tasks.Reverted)
	require.Equal(t, 3, r.Tasks.States[board.Merged])
	require.Equal(t, 1, r.Tasks.States[board.Blocked])
	require.Equal(t, 1, r.Tasks.States[board.Unclaimed])

	// Claims: a at 8:10, 9:05 and 9:50, b at 10:20, c at 12:10. The second and the third
	// of a are rework.
	require.Equal(t, 5, r.Iterations)
	require.Equal(t, Share{2, 5}, r.Rework)

	// Approvals: a at 9:40, 10:10 and 10:15, b at 12:00. One rejection, of a at 9:00: of
	// the three merged tasks b and d had none.
	require.Equal(t, Verdicts{Approvals: 4, Rejections: 1, PerVerdict: Share{4, 5}, PerTask: Share{2, 3}}, r.Verdicts)
	// In a row: each of the four gave one, code-reviewer-1 after its rejection.
	approved := map[board.Actor]int{}
	for _, v := range b.Active() {
		approved[v.By] = v.Approved
	}
	require.Equal(t, map[board.Actor]int{"code-reviewer-1": 1, "code-reviewer-2": 1, "security-reviewer-1": 1, "human:ann": 1, "coder-1": 0, "coder-2": 0}, approved)
	require.Equal(t, 1, r.ReviewCycles)
	require.Equal(t, 1, r.Failures)

	// Lead time: a 8:00 to 10:20, b 8:00 to 12:10, d 9:10 to 9:40: 30, 140, 250. Of
	// three the second is the median, the third the 95th percentile.
	require.Equal(t, Spread{3, minutes(140), minutes(250)}, r.LeadTime)
	// Working: a is claimed for 30 + 20 + 10 and reviewed for 10 (8:50), 10 (9:30) and 15
	// (10:00 to 10:15, twice at once from 10:05 to 10:10): 95. b is claimed for 30 and
	// reviewed until the lease ends at 11:20, 30: 60. d: 0.
	require.Equal(t, Spread{3, minutes(60), minutes(95)}, r.Working)
	// Waiting is the rest: a 45, b 190, d 30.
	require.Equal(t, Spread{3, minutes(45), minutes(190)}, r.Waiting)

	require.Equal(t, map[board.Status]Spread{
		board.Unclaimed:         {4, minutes(30), minutes(250)}, // a 10, d 30, b 140, c 250
		board.Claimed:           {5, minutes(30), minutes(30)},  // a 10, 20 and 30, b 30, c 30
		board.ReadyForReview:    {4, minutes(15), minutes(70)},  // a 15, 15 and 20, b 70
		board.Rejected:          {1, minutes(5), minutes(5)},
		board.Approved:          {3, minutes(5), minutes(10)}, // a 5 and 5, b 10
		board.IntegrationFailed: {1, minutes(5), minutes(5)},
	}, r.States)
	require.Equal(t, map[board.Role]Spread{
		board.Coder:         {5, minutes(30), minutes(30)},
		board.CodeReviewer:  {4, minutes(10), minutes(30)}, // 10, 10, 10 and 30
		"security-reviewer": {1, minutes(10), minutes(10)},
	}, r.Roles)
	require.Equal(t, Spread{2, 1, 3}, r.Drift, "d was adopted")

	// Sessions: 1000, 500, 3000 and 100 tokens read, 200 of them cached, 100 + 50 + 300 +
	// 10 written; 1 + 0.5 + 3 + 0.1 dollars; 30 + 10 + 30 + 10 minutes. One of five did not say.
	require.Equal(t, board.Usage{Sessions: 5, Input: 4600, Cached: 200, Output: 460, Cost: 4_600_000, Seconds: minutes(80)}, r.Usage)
	require.Equal(t, 1, r.Uncounted)

	require.Equal(t, []Spending{{"goal-1", board.Budget{Tokens: 10_000, Cost: 10 * dollar}, board.Budget{Tokens: 4860, Cost: 4_600_000}}}, r.Budgets)
	require.False(t, r.Budgets[0].IsOver())
	require.True(t, Spending{"goal-1", board.Budget{Cost: dollar}, board.Budget{Cost: dollar}}.IsOver())
	require.Equal(t, []Trouble{{Task: "a", Rejections: 1, Failures: 1, Reverted: true}}, b.Troubles())

	// At the end of the first day a and b were final and c was not. So it was when the
	// sprint was closed; c moved on, and d came to it.
	day1, day2 := clock(t, "00:00"), clock(t, "+00:00")
	require.Equal(t, []SprintDay{{"sprint-1", day1, 3, 1}, {"sprint-1", day2, 3, 1}, {"sprint-2", day2, 2, 1}}, r.Burndown)
	require.Equal(t, []Day{
		{day1, map[board.Status]int{board.Merged: 2, board.Blocked: 1, board.Unclaimed: 1}},
		{day2, map[board.Status]int{board.Merged: 3, board.Blocked: 1, board.Unclaimed: 1}},
	}, r.Days)

	one := func(input, cached, output int64, cost board.Cost, took int64) board.Usage {
		return board.Usage{Sessions: 1, Input: input, Cached: cached, Output: output, Cost: cost, Seconds: minutes(took)}
	}
	both := one(3000, 0, 300, 3*dollar, 30)
	both.Sessions = 2
	require.Equal(t, []Row{
		{Name: "coder-2", Usage: both, Uncounted: 1, Merged: 1, Iterations: 2},
		{Name: "coder-1", Usage: one(1000, 200, 100, dollar, 30), Merged: 1, Iterations: 3, Rejected: 1},
		{Name: "code-reviewer-1", Usage: one(500, 0, 50, dollar/2, 10), Approvals: 1, Rejections: 1},
		{Name: "planner-1", Usage: one(100, 0, 10, dollar/10, 10)},
		{Name: "code-reviewer-2", Approvals: 1},
		{Name: "human:ann", Approvals: 1},
		{Name: "security-reviewer-1", Approvals: 1},
	}, r.Rows)
}

// The report of the past is that which the counts up to then give.
func TestReportOfThePast(t *testing.T) {
	t.Parallel()
	b := handCounted(t)
	r := b.Report(Ask{Now: clock(t, "09:46")})
	require.Equal(t, 0, r.Tasks.Merged)
	require.Equal(t, 4, r.Tasks.Open)
	require.Equal(t, 1, r.Tasks.States[board.IntegrationFailed])
	require.Equal(t, 2, r.Iterations)
	require.Equal(t, Share{1, 2}, r.Verdicts.PerVerdict)
	require.Equal(t, 2, r.Usage.Sessions)
	require.Equal(t, Spread{}, r.LeadTime)
	require.Equal(t, []SprintDay{{"sprint-1", clock(t, "00:00"), 3, 3}}, r.Burndown)
	require.Equal(t, []Day{{clock(t, "00:00"), map[board.Status]int{board.IntegrationFailed: 1, board.Unclaimed: 3}}}, r.Days)
}

// A span has what happened in it; tasks and budgets are as they were at its end.
func TestReportOfASpan(t *testing.T) {
	t.Parallel()
	b := handCounted(t)
	// From 10:00 on a and b were merged, and d the next day; of the verdicts the last three
	// of a and b are left, of the claims those of b and c.
	r := b.Report(Ask{By: ByRole, Since: clock(t, "10:00")})
	require.Equal(t, 3, r.Tasks.Merged)
	require.Equal(t, Verdicts{Approvals: 3, PerVerdict: Share{3, 3}, PerTask: Share{2, 3}}, r.Verdicts)
	require.Equal(t, 2, r.Iterations)
	require.Equal(t, Share{0, 2}, r.Rework)
	require.Equal(t, 0, r.Failures)
	require.Equal(t, 3, r.Usage.Sessions)
	require.Equal(t, Spread{1, minutes(10), minutes(10)}, r.Roles["security-reviewer"])
	require.Equal(t, []string{"coder", "planner", "code-reviewer", "human", "security-reviewer"}, names(r.Rows))
	require.Equal(t, 2, r.Rows[0].Merged)
}

// Moves that share a second belong to the span that their numbers say.
func TestReportOfMoves(t *testing.T) {
	t.Parallel()
	b := handCounted(t)
	// The 21st move merges a at 10:20, and the 22nd is the claim of b at 10:20.
	for _, test := range []struct{ after, until, merged, iterations int }{{0, 20, 0, 3}, {0, 21, 1, 3}, {20, 21, 1, 0}, {21, 22, 0, 1}, {21, 0, 2, 2}} {
		r := b.Report(Ask{After: test.after, Until: test.until})
		require.Equal(t, []int{test.merged, test.iterations}, []int{r.Tasks.Merged, r.Iterations}, test)
	}
}

func names(rows []Row) (list []string) {
	for _, r := range rows {
		list = append(list, r.Name)
	}
	return list
}

func TestRows(t *testing.T) {
	t.Parallel()
	b := handCounted(t)
	for by, want := range map[By][]string{
		ByRole:     {"coder", "code-reviewer", "planner", "human", "security-reviewer"},
		BySprint:   {"sprint-1", "sprint-2"},
		ByTask:     {"b", "a", "", "c", "d"},
		ByProvider: {"claude", "codex", "none"},
		ByModel:    {"opus", "gpt", ""},
		ByOutcome:  {"submitted", "rejected", "planned", "blocked"},
	} {
		require.Equal(t, want, names(b.Report(Ask{By: by}).Rows), by)
	}
	of := b.Report(Ask{By: BySprint}).Rows
	require.Equal(t, []int{2, 5, 1, 4, 1}, []int{of[0].Merged, of[0].Iterations, of[0].Rejected, of[0].Approvals, of[0].Rejections})
	require.Equal(t, 1, of[1].Merged)
	require.Empty(t, b.Report(Ask{By: ByTask, Goal: "goal-2"}).Rows)
	require.Equal(t, Report{Tasks: Tasks{States: b.Report(Ask{Goal: "goal-2"}).Tasks.States}, States: map[board.Status]Spread{}, Roles: map[board.Role]Spread{}},
		*b.Report(Ask{Goal: "goal-2"}))
}

func TestCode(t *testing.T) {
	t.Parallel()
	for _, b := range []*Counts{handCounted(t), {}} {
		data := b.Encode()
		again, err := Decode(data)
		require.NoError(t, err)
		ask := Ask{By: ByTask}
		require.Equal(t, b.Report(ask), again.Report(ask))
		require.Equal(t, b.Tip(), again.Tip())
		require.Equal(t, data, again.Encode())
		active, err := DecodeActive(data[:min(len(data), ActiveSize)])
		require.NoError(t, err)
		require.Equal(t, b.Active(), active)
		for n := range data { // torn, and damaged
			_, err := Decode(data[:n])
			require.ErrorIs(t, err, ErrForm)
			broken := append([]byte(nil), data...)
			broken[n] ^= 0x10
			_, err = Decode(broken)
			require.ErrorIs(t, err, ErrForm, n)
		}
	}
	_, err := Decode(append(handCounted(t).Encode(), 0))
	require.ErrorIs(t, err, ErrForm)
}

// Counts that were kept go on as those that were not.
func TestCountsGoOn(t *testing.T) {
	t.Parallel()
	more := func(b *Counts) *Counts {
		s := &story{t: t, counts: b, was: map[board.TaskID]gitstore.TaskStep{"c": {ID: "c", To: board.Blocked, Sprint: "sprint-2"}}}
		s.move("+11:00", "human:ann", "c", &flow.UnblockMove{}, to("c", board.Unclaimed))
		s.move("+11:10", "coder-1", "c", &flow.ClaimMove{}, to("c", board.Claimed))
		s.session("+11:20", "coder-1", "c", flow.SessionMove{Provider: "claude", Outcome: "hung"})
		return b
	}
	kept, err := Decode(handCounted(t).Encode())
	require.NoError(t, err)
	want := more(handCounted(t))
	require.Equal(t, want.Report(Ask{By: BySprint}), more(kept).Report(Ask{By: BySprint}))
	require.Equal(t, 1, want.Report(Ask{By: BySprint}).Rows[1].Usage.Sessions)
}

// Who worked in the last day of the board, the last one first.
func TestActive(t *testing.T) {
	t.Parallel()
	s := &story{t: t, counts: &Counts{}, was: map[board.TaskID]gitstore.TaskStep{}}
	s.move("00:00", "human:ann", "", &flow.InitMove{})
	s.move("00:00", "planner-1", "", &flow.AddMove{}, gitstore.TaskStep{ID: "a", To: board.Unclaimed, Sprint: "sprint-1"})
	s.move("01:00", "coder-1", "a", &flow.ClaimMove{}, to("a", board.Claimed))
	s.move("02:40", "coder-1", "a", &flow.SubmitMove{}, to("a", board.ReadyForReview))
	s.move("03:00", "code-reviewer-1", "a", &flow.ReviewMove{}, to("a", board.ReadyForReview))
	require.Equal(t, []Active{{"code-reviewer-1", clock(t, "03:00").Unix(), 0}, {"coder-1", clock(t, "02:40").Unix(), 0}}, s.counts.Active())
}
