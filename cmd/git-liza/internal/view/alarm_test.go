package view

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view/metrics"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// start is a minute after the last move of the boards.
var start = noon.Add(time.Minute)

// A scene is a board with what the machine knows.
type scene struct {
	documents []board.Document
	local     Local
}

func sceneOf(documents ...board.Document) scene { return scene{documents: documents} }

func (s scene) knowing(l Local) scene {
	s.local = l
	return s
}

func (s scene) reading(at time.Time, by board.Actor) Reading {
	return Reading{Board: boardOf(append([]board.Document{goalOne}, s.documents...)...), At: at, Person: flow.Caller{By: by}, Local: s.local}
}

// alarms returns the alarms of a kind that a person has at a time.
func (s scene) alarms(kind AlarmKind, at time.Time) (list []Alarm, due time.Time) {
	p := NewPicture(s.reading(at, "human:ann"))
	for _, a := range p.Alarms() {
		if a.Kind == kind {
			list = append(list, a)
		}
	}
	return list, p.alarmDue
}

func before(d time.Duration) time.Time { return start.Add(-d) }

// oneTask returns a task that is in a state since a time.
func oneTask(status board.Status, since time.Time, edit func(*board.Task)) *board.Task {
	t := &board.Task{ID: "t", Status: status, Title: "T", Created: start.Add(-24 * time.Hour), Changed: since}
	if edit != nil {
		edit(t)
	}
	return t
}

func claimedUntil(lease time.Time, attempt board.Attempt) *board.Task {
	return oneTask(board.Claimed, start, func(t *board.Task) {
		t.Attempt, t.Claim = &attempt, &board.Claim{By: attempt.Coder, Since: lease.Add(-time.Hour), Lease: lease}
	})
}

func controlOf(c board.ControlState, edit func(*board.Settings)) *board.Settings {
	s := &board.Settings{Format: board.NewestFormat, Goal: "goal-1", Control: c, Config: board.DefaultConfig()}
	if edit != nil {
		edit(s)
	}
	return s
}

func configured(edit func(*board.Config)) *board.Settings {
	return controlOf(board.ControlState{State: board.Running}, func(s *board.Settings) { edit(&s.Config) })
}

func heardAt(at time.Time, doing string) gitstore.Presence {
	return gitstore.Presence{At: at, Every: board.Duration(10 * time.Second), Doing: doing, Since: at}
}

var coderOne = &board.Agent{ID: "coder-1", Role: board.Coder, Generation: "0123456789abcdef"}

// alarmCases have for each kind of alarm what it looks like. At that time the first scene has
// it, and the second one has it again, at another moment of the board.
var alarmCases = []struct {
	kind    AlarmKind
	first   scene
	second  scene
	subject string
	text    string
	next    string
	call    bool
	elapsed bool // a second before the first scene has none
}{
	{LeaseAlarm, sceneOf(claimedUntil(before(2*time.Minute), board.Attempt{Number: 1, Coder: "coder-1"})), sceneOf(claimedUntil(before(5*time.Minute), board.Attempt{Number: 1, Coder: "coder-1"})),
		"t", "t: the lease of coder-1 has ended", "git liza release t", false, true},
	{ReviewLeaseAlarm, sceneOf(reviewedUntil(before(2 * time.Minute))), sceneOf(reviewedUntil(before(time.Hour))),
		"t/code-reviewer", "t: the review of code-reviewer-1 has ended without a verdict", "git liza review t", false, true},
	{"blocked", sceneOf(blockedAt(start)), sceneOf(blockedAt(before(time.Hour))), "t", "t is blocked: no port is free", "git liza task unblock t", true, false},
	{"question", sceneOf(askedAt("1", start)...), sceneOf(askedAt("2", start)...), "t", "t asks: Which?", "git liza answer t", true, false},
	{OrphanedAlarm, sceneOf(rejectedAt(before(30*time.Second), 1)), sceneOf(rejectedAt(before(time.Minute), 1)),
		"t", "t was rejected, and coder-1 is gone", "git liza rush", false, true},
	{ReviewLoopAlarm, sceneOf(rejectedAt(start, 3), coderOne), sceneOf(rejectedAt(start, 4), coderOne), "t", "", "git liza show t --patch", false, false},
	{MergeAlarm, sceneOf(unmergeable(start, "a.go")), sceneOf(unmergeable(before(time.Hour), "a.go")), "t", "t does not merge: conflicts in a.go", "git liza show t", false, false},
	{"exhausted", sceneOf(failedAt(start)), sceneOf(failedAt(before(time.Hour))), "t", "t failed too often to be tried again: no port is free", "git liza task supersede t --by FILE --reason R", true, false},
	{ReassignedAlarm, sceneOf(takenOver(2)), sceneOf(takenOver(3)), "t", "t went from coder-1 to coder-2", "git liza show t", false, false},
	{ApproachingAlarm, sceneOf(claimedUntil(start.Add(time.Hour), board.Attempt{Number: 1, Coder: "coder-1", Iteration: 8})),
		sceneOf(claimedUntil(start.Add(time.Hour), board.Attempt{Number: 1, Coder: "coder-1", Iteration: 9})), "t/iterations", "", "git liza show t", false, false},
	{ApproachingAlarm, limited(rejectedAt(start, 8)), limited(rejectedAt(start, 9)), "t/review_cycles", "t: 8 of 10 rejections", "git liza show t", false, false},
	{ApproachingAlarm, limited(failedBy(8, 1)), limited(failedBy(9, 1)), "t/failures", "t: 8 of 10 failures", "git liza show t", false, false},
	{ApproachingAlarm, sceneOf(failedBy(8, 8), tenOfEachBut(100)), sceneOf(failedBy(9, 9), tenOfEachBut(100)), "t/failed_coders", "t: 8 of 10 coders failed", "git liza show t", false, false},
	{ApproachingAlarm, limited(unmerged(8)), limited(unmerged(9)), "t/integration_failures", "t: 8 of 10 failed merges", "git liza show t", false, false},
	{ApproachingAlarm, limited(unjudged(8)), limited(unjudged(9)), "t/no_verdicts", "t: 8 of 10 reviews ended without a verdict", "git liza show t", false, false},
	{StalledAlarm, sceneOf(oneTask(board.Unclaimed, before(30*time.Minute), nil)), sceneOf(oneTask(board.Unclaimed, before(time.Hour), nil)),
		"goal-1", "goal-1: no task has changed: 1 for a coder (none is there)", "git liza status --goal goal-1", false, true},
	// Whose coder is there, and may take nothing.
	{StalledAlarm, spent(before(30 * time.Minute)), spent(before(time.Hour)),
		"goal-1", "goal-1: no task has changed: 1 for a coder (refused: nothing_claimable)", "git liza status --goal goal-1", false, true},
	// Whose leases were renewed a moment ago.
	{StalledAlarm, sceneOf(claimedUntil(start.Add(30*time.Minute), board.Attempt{Number: 1, Coder: "coder-1"})), sceneOf(claimedUntil(start, board.Attempt{Number: 1, Coder: "coder-1"})),
		"goal-1", "goal-1: no task has changed: 1 in work", "git liza status --goal goal-1", false, true},
	{StalledAlarm, sceneOf(reviewedSince(before(30 * time.Minute))), sceneOf(reviewedSince(before(time.Hour))),
		"goal-1", "goal-1: no task has changed: 1 in work", "git liza status --goal goal-1", false, true},
	{DraftAlarm, sceneOf(oneTask(board.Draft, before(30*time.Minute), nil)), sceneOf(oneTask(board.Draft, before(time.Hour), nil)), "t", "t is still a draft: T", "git liza task edit t --done-when TEXT --spec PATH --scope TEXT", false, true},
	{"discovery", sceneOf(foundAt("sprint-1/1", start)), sceneOf(foundAt("sprint-1/1", before(time.Hour))), "sprint-1/1", "urgent discovery: the port is open", "git liza task add --record sprint-1/1 --draft", true, false},
	{"hook", sceneOf(violatedAt(start, board.NoHooks, "pre-commit came or changed")), sceneOf(violatedAt(before(time.Hour), board.NoHooks, "pre-commit came or changed")), "sprint-1/1", "the hook pre-commit came or changed while a session ran", "git liza record dismiss sprint-1/1 --reason R", true, false},
	{"setting", sceneOf(violatedAt(start, board.NoSettings, "k in f came or changed")), sceneOf(violatedAt(before(time.Hour), board.NoSettings, "k in f came or changed")), "sprint-1/1", "the setting k in f came or changed while a session ran", "git liza record dismiss sprint-1/1 --reason R", true, false},
	{"clone", sceneOf(violatedAt(start, board.NoChanges, "changed: settings k")), sceneOf(violatedAt(before(time.Hour), board.NoChanges, "changed: settings k")), "sprint-1/1", "the clone changed: settings k while a session ran", "git liza record dismiss sprint-1/1 --reason R", true, false},
	{InvalidAlarm, brokenAt("a1"), brokenAt("b2"), "board", "it does not replay; no move is made", "git liza fsck --repair", true, false},
	{"checkpoint", sceneOf(checkpointAt(start)), sceneOf(checkpointAt(before(time.Minute))), "board", "the checkpoint waits for a decision: half", "git liza checkpoint decide CONTINUE --message M", true, false},
	{StaleAlarm, sceneOf(checkpointAt(before(30 * time.Minute))), sceneOf(checkpointAt(before(time.Hour))), "board", "the checkpoint waits for a decision: half", "git liza checkpoint show", true, true},
	{StuckAlarm, sceneOf(checkpointAt(before(2 * time.Hour))), sceneOf(checkpointAt(before(3 * time.Hour))), "board", "the checkpoint waits for a decision: half", "git liza checkpoint show", true, true},
	{AbandonedAlarm, sceneOf(checkpointAt(before(8 * time.Hour))), sceneOf(checkpointAt(before(9 * time.Hour))), "board", "the checkpoint waits for a decision: half", "git liza checkpoint show", true, true},
	{PauseAlarm, sceneOf(pausedAt(before(30 * time.Minute))), sceneOf(pausedAt(before(time.Hour))), "board", "the board is paused: lunch", "git liza resume --reason R", true, true},
	{ForgottenAlarm, sceneOf(pausedAt(before(2 * time.Hour))), sceneOf(pausedAt(before(3 * time.Hour))), "board", "the board is paused: lunch", "git liza resume --reason R", true, true},
	{UnstaffedAlarm, sceneOf(oneTask(board.Unclaimed, before(time.Minute), nil)), sceneOf(oneTask(board.Unclaimed, before(time.Hour), nil)),
		"goal-1/coder", "1 task waits for a coder, and none is there", "git liza rush", false, true},
	{DeadAlarm, deadWith("0123456789abcdef"), deadWith("fedcba9876543210"), "coder-1", "coder-1 is dead and holds t", "git liza release t", true, false},
	{DriftAlarm, sceneOf(mergedBehind("a1", start)), sceneOf(mergedBehind("b2", before(time.Minute))), "t", "t was 24 commits behind when it was merged", "git liza show t", false, false},
	{"breaker", sceneOf(&board.Breaker{Tripped: true, Pattern: "retry_cluster", At: start}), sceneOf(&board.Breaker{Tripped: true, Pattern: "retry_cluster", At: before(time.Hour)}),
		"board", "the circuit breaker is tripped: retry_cluster", "git liza board breaker reset --resolution R", true, false},
	{ProviderAlarm, machineNeeds("paused", "claude", start), machineNeeds("paused", "claude", before(time.Hour)), "claude", "claude is paused", "git liza providers resume claude", true, false},
	{"role", machineNeeds("role", "gates", start), machineNeeds("role", "gates", before(time.Hour)), "gates", "gates is paused", "git liza providers resume gates", true, false},
	{DeadlineAlarm, sceneOf(dueAt(start)...), sceneOf(dueAt(before(time.Hour))...), "sprint-1", "sprint-1 is past its deadline", "git liza sprint show sprint-1", false, true},
}

func reviewedUntil(lease time.Time) *board.Task {
	return oneTask(board.ReadyForReview, start, func(t *board.Task) {
		t.Attempt, t.Submission = &board.Attempt{Number: 1, Coder: "coder-1"}, &board.Submission{Number: 1, ReviewBy: []board.Role{board.CodeReviewer}}
		t.Judgements = []board.Judgement{{Role: board.CodeReviewer, Review: &board.Review{By: "code-reviewer-1", Lease: lease}}}
	})
}

func reviewedSince(since time.Time) *board.Task {
	t := reviewedUntil(start.Add(time.Hour))
	t.Submission.At, t.Judgements[0].Review.Since = before(2*time.Hour), since
	return t
}

func blockedAt(at time.Time) *board.Task {
	return oneTask(board.Blocked, start, func(t *board.Task) { t.Block = &board.Block{Reason: "no port is free", At: at} })
}

func askedAt(number string, at time.Time) []board.Document {
	id := board.RecordID("sprint-1/" + number)
	return []board.Document{controlOf(board.ControlState{State: board.Running}, nil), &board.Question{ID: id, Task: "t", From: "coder-1", Text: "Which?", Asked: at},
		oneTask(board.Blocked, start, func(t *board.Task) {
			t.Block = &board.Block{Questions: []string{"Which?"}, At: at, Asked: []board.RecordID{id}, From: board.Unclaimed}
		})}
}

func rejectedAt(at time.Time, cycles int) *board.Task {
	return oneTask(board.Rejected, start, func(t *board.Task) {
		t.Attempt, t.RejectedBy = &board.Attempt{Number: 1, Coder: "coder-1", Cycles: cycles}, board.CodeReviewer
		t.Judgements = []board.Judgement{{Role: board.CodeReviewer, Rejection: &board.Rejection{At: at}}}
	})
}

func unmergeable(at time.Time, paths ...string) *board.Task {
	return oneTask(board.IntegrationFailed, start, func(t *board.Task) { t.Integration = &board.Integration{At: at, Paths: paths} })
}

func failedAt(at time.Time) *board.Task {
	t := blockedAt(at)
	t.Failures = []board.Failure{{Coder: "coder-1", At: at}, {Coder: "coder-2", At: at}}
	return t
}

// limited is a board with a task, where ten of each are the limit.
func limited(t *board.Task) scene { return sceneOf(t, tenOfEachBut(10)) }

// tenOfEachBut makes ten of each the limit, but for failures.
func tenOfEachBut(failures int) *board.Settings {
	return configured(func(c *board.Config) {
		c.Limits = board.Limits{Iterations: 10, Cycles: 10, Failures: failures, FailedCoders: 10, MergeFails: 10, NoVerdicts: 10}
	})
}

// failedBy is a task with failures of some coders.
func failedBy(failures, coders int) *board.Task {
	return oneTask(board.Unclaimed, start, func(t *board.Task) {
		for n := range failures {
			t.Failures = append(t.Failures, board.Failure{Coder: board.Actor(agentID(board.Coder, n%coders+1)), At: start})
		}
	})
}

func unmerged(fails int) *board.Task {
	t := unmergeable(start)
	t.MergeFails = fails
	return t
}

func unjudged(lost int) *board.Task {
	t := reviewedUntil(start.Add(time.Hour))
	t.Judgements[0].NoVerdicts = lost
	return t
}

// spent is a goal of which the budget is spent, with a task since a time and its coder.
func spent(since time.Time) scene {
	goal := *goalOne
	goal.Usage = board.Usage{Input: 100}
	return sceneOf(configured(func(c *board.Config) { c.Budgets.Goal.Tokens = 100 }), &goal, coderOne, oneTask(board.Unclaimed, since, nil)).
		knowing(Local{Presences: map[board.AgentID]gitstore.Presence{"coder-1": heardAt(start, "waiting")}})
}

func takenOver(attempt int) *board.Task {
	t := claimedUntil(start.Add(time.Hour), board.Attempt{Number: attempt, Coder: "coder-2"})
	t.Coders = []board.Worker{{By: "coder-1"}, {By: "coder-2"}}
	return t
}

func foundAt(id board.RecordID, at time.Time) *board.Discovery {
	return &board.Discovery{ID: id, Text: "the port is open", Severity: "high", Urgency: "immediate", At: at}
}

func violatedAt(at time.Time, assumption, reality string) *board.Anomaly {
	return &board.Anomaly{ID: "sprint-1/1", Type: board.AssumptionViolated, Details: map[string]string{"assumption": assumption, "reality": reality}, At: at}
}

func brokenAt(commit board.ObjectID) scene {
	return sceneOf().knowing(Local{Breach: &Breach{Rule: flow.RuleReplay, Reason: "it does not replay", Commit: commit}, Repair: "git liza fsck --repair"})
}

func checkpointAt(at time.Time) *board.Settings {
	return controlOf(board.ControlState{State: board.Checkpoint, Reason: "half", At: at}, nil)
}

func pausedAt(at time.Time) *board.Settings {
	return controlOf(board.ControlState{State: board.Paused, Reason: "lunch", At: at}, nil)
}

func deadWith(g board.Generation) scene {
	a := *coderOne
	a.Generation, a.Task = g, "t"
	return sceneOf(&a, claimedUntil(start.Add(time.Hour), board.Attempt{Number: 1, Coder: "coder-1"})).knowing(Local{Dead: map[board.AgentID]int{"coder-1": 77}})
}

func mergedBehind(commit board.ObjectID, at time.Time) *board.Task {
	return oneTask(board.Merged, at, func(t *board.Task) { t.Merge = &board.Merge{Commit: commit, Drift: 24, At: at} })
}

func machineNeeds(kind, subject string, since time.Time) scene {
	return sceneOf().knowing(Local{Needs: []Need{{Kind: kind, Subject: subject, Text: subject + " is paused", Command: "git liza providers resume " + subject, Since: since}}})
}

func dueAt(deadline time.Time) []board.Document {
	return []board.Document{&board.Goal{ID: "goal-1", Status: board.InProgress, Sprint: "sprint-1"},
		&board.Sprint{ID: "sprint-1", Goal: "goal-1", Status: board.InProgress, Deadline: deadline}}
}

// Each alarm fires exactly once, ends, and fires again when the same happens again.
func TestEachAlarmFiresOnce(t *testing.T) {
	t.Parallel()
	for _, c := range alarmCases {
		t.Run(string(c.kind), func(t *testing.T) {
			t.Parallel()
			var memory work.Alarms
			fires := func(s scene, at time.Time) (fired, ended int) {
				list, _ := s.alarms(c.kind, at)
				var rows []work.AlarmRow
				for _, a := range list {
					rows = append(rows, work.AlarmRow{Key: a.Key(), Call: a.Call})
				}
				on, off, err := memory.Note(context.Background(), rows, at, nil)
				require.NoError(t, err)
				return len(on), len(off)
			}
			list, _ := c.first.alarms(c.kind, start)
			require.Len(t, list, 1)
			a := list[0]
			require.Equal(t, c.subject, a.Subject)
			if c.text != "" {
				require.Equal(t, c.text, a.Text)
			}
			require.Equal(t, c.next, a.Next)
			require.Equal(t, c.call, a.Call)

			if c.elapsed {
				fired, _ := fires(c.first, start.Add(-time.Second))
				require.Zero(t, fired)
				_, due := c.first.alarms(c.kind, start.Add(-time.Second))
				require.False(t, due.IsZero() || due.After(start), "nobody would look then")
			}
			for _, step := range []struct {
				scene        scene
				after        time.Duration
				fired, ended int
			}{
				{c.first, 0, 1, 0}, {c.first, time.Second, 0, 0}, {sceneOf(), 2 * time.Second, 0, 1},
				{c.second, 3 * time.Second, 1, 0}, {c.second, 4 * time.Second, 0, 0}, {sceneOf(), 5 * time.Second, 0, 1},
			} {
				fired, ended := fires(step.scene, start.Add(step.after))
				require.Equal(t, []int{step.fired, step.ended}, []int{fired, ended}, "after %s", step.after)
			}
		})
	}
}

// An alarm about an item of the inbox is listed there. What calls is; a note is if it waits
// for an agent, and not because an item has its subject or its command.
func TestUnlistedAlarms(t *testing.T) {
	t.Parallel()
	kinds := func(list []Alarm) (kinds []AlarmKind) {
		for _, a := range list {
			kinds = append(kinds, a.Kind)
		}
		return kinds
	}
	unlisted := func(s scene, by board.Actor) []AlarmKind {
		return kinds(Unlisted(NewPicture(s.reading(start, by)).Alarms()))
	}
	for _, c := range alarmCases {
		list := unlisted(c.first, "human:ann")
		require.Equal(t, c.call || c.kind == UnstaffedAlarm, !slices.Contains(list, c.kind), c.kind)
	}
	planner := &board.Agent{ID: "planner-1", Role: board.Planner, Generation: "0123456789abcdef"}
	soon := sceneOf(blockedAt(start), planner).knowing(Local{Presences: map[board.AgentID]gitstore.Presence{"planner-1": heardAt(start, "waiting")}})
	require.Empty(t, unlisted(soon, "human:ann"), "a planner settles it soon")
	require.Equal(t, []AlarmKind{"blocked"}, unlisted(soon, "coder-1"), "its inbox is empty")
	marked := checkpointAt(before(time.Hour))
	marked.Control.Mark = "sprint-1"
	require.Empty(t, unlisted(sceneOf(marked), "human:ann"), "the item is about the board, the alarm about the mark")
	dead := deadWith("0123456789abcdef")
	dead.local.Presences = map[board.AgentID]gitstore.Presence{"coder-1": heardAt(start, "coding"), "coder-2": heardAt(start, "coding")}
	dead.documents = append(dead.documents, &board.Agent{ID: "coder-2", Role: board.Coder, Generation: "0123456789abcdef"})
	require.Empty(t, unlisted(dead, "human:ann"), "the other one may release it")
	judged := reviewedUntil(before(2 * time.Minute))
	require.Equal(t, "git liza review t", NewPicture(sceneOf(judged).reading(start, "human:ann")).Inbox().Items[0].Command)
	require.Equal(t, []AlarmKind{ReviewLeaseAlarm}, unlisted(sceneOf(judged), "human:ann"), "the item is that nobody judges")
	require.Equal(t, []AlarmKind{"blocked"}, unlisted(sceneOf(blockedAt(start)).knowing(Local{Snoozed: map[string]time.Time{"blocked t " + start.Format(time.RFC3339): start.Add(time.Hour)}}), "human:ann"))
}

// What an agent is about to settle calls nobody for ten minutes.
func TestCallsWaitForAgents(t *testing.T) {
	t.Parallel()
	planner := &board.Agent{ID: "planner-1", Role: board.Planner, Generation: "0123456789abcdef"}
	heard := func(at time.Time, doing string) Local {
		return Local{Presences: map[board.AgentID]gitstore.Presence{"planner-1": heardAt(at, doing)}}
	}
	for _, test := range []struct {
		name  string
		scene scene
		at    time.Duration
		call  bool
	}{
		{"nobody plans", sceneOf(blockedAt(start)), 0, true},
		{"a planner is heard of", sceneOf(blockedAt(start), planner).knowing(heard(start, "waiting")), 0, false},
		{"and still does nothing", sceneOf(blockedAt(start), planner).knowing(heard(start.Add(10*time.Minute), "waiting")), 10 * time.Minute, true},
		{"the planner is silent", sceneOf(blockedAt(start), planner).knowing(heard(start.Add(-time.Hour), "waiting")), 0, true},
		{"the planner gave up", sceneOf(blockedAt(start), planner).knowing(heard(start, gitstore.Failing)), 0, true},
		{"the board stands still", sceneOf(checkpointAt(start), planner).knowing(heard(start, "waiting")), 0, true},
	} {
		kind := AlarmKind("blocked")
		if test.name == "the board stands still" {
			kind = "checkpoint"
		}
		list, _ := test.scene.alarms(kind, start.Add(test.at))
		require.Len(t, list, 1, test.name)
		require.Equal(t, test.call, list[0].Call, test.name)
	}
	// A snoozed item calls nobody.
	s := sceneOf(blockedAt(start)).knowing(Local{Snoozed: map[string]time.Time{"blocked t " + start.Format(time.RFC3339): start.Add(time.Hour)}})
	list, _ := s.alarms("blocked", start)
	require.False(t, list[0].Call)
}

// The board says from when on something is an alarm, and which kinds are wanted. A clock
// behind the board's time counts as that.
func TestThresholdsOfAlarms(t *testing.T) {
	t.Parallel()
	draft := oneTask(board.Draft, noon.Add(-time.Minute), nil)
	kinds := func(documents ...board.Document) int {
		list, _ := sceneOf(append(documents, draft)...).alarms(DraftAlarm, noon.Add(-time.Hour))
		return len(list)
	}
	require.Zero(t, kinds())
	require.Equal(t, 1, kinds(configured(func(c *board.Config) { c.Alarms.Draft = board.Duration(time.Minute) })))
	require.Zero(t, kinds(configured(func(c *board.Config) { c.Alarms.Draft, c.Alarms.Off = board.Duration(time.Minute), []string{"draft"} })))

	for cycles, want := range map[int]int{5: 0, 4: 1, 3: 1} {
		list, _ := sceneOf(rejectedAt(start, 2), coderOne, configured(func(c *board.Config) { c.Limits.Cycles = cycles })).alarms(ReviewLoopAlarm, start)
		require.Len(t, list, want, "two of %d rejections", cycles)
	}

	planner := &board.Agent{ID: "planner-1", Role: board.Planner, Generation: "0123456789abcdef"}
	soon := configured(func(c *board.Config) { c.Alarms.Stalled = board.Duration(9 * time.Minute) })
	for minutes, want := range map[int]bool{2: false, 3: true} {
		at := start.Add(time.Duration(minutes) * time.Minute)
		s := sceneOf(blockedAt(start), planner, soon).knowing(Local{Presences: map[board.AgentID]gitstore.Presence{"planner-1": heardAt(at, "waiting")}})
		list, _ := s.alarms("blocked", at)
		require.Len(t, list, 1)
		require.Equal(t, want, list[0].Call, "after %d minutes", minutes)
	}
}

// A budget that is nearly used up is an alarm at each tenth, and a spent one a call.
func TestBudgetsThatApproach(t *testing.T) {
	t.Parallel()
	for tokens, want := range map[int64][]string{79: nil, 80: {"approaching goal-1/budget 80"}, 89: {"approaching goal-1/budget 80"}, 95: {"approaching goal-1/budget 90"}, 100: nil} {
		goal := *goalOne
		goal.Usage = board.Usage{Input: tokens}
		s := sceneOf(configured(func(c *board.Config) { c.Budgets.Goal.Tokens = 100 }), &goal)
		list, _ := s.alarms(ApproachingAlarm, start)
		var keys []string
		for _, a := range list {
			require.Equal(t, "git liza config budgets", a.Next)
			keys = append(keys, a.Key())
		}
		require.Equal(t, want, keys, tokens)
		list, _ = s.alarms("budget", start)
		require.Len(t, list, int(tokens/100))
	}
}

// A reviewer whose last verdicts all approve is a note at each multiple of the threshold.
// A rejection ends it.
func TestRubberStamps(t *testing.T) {
	t.Parallel()
	stamps := func(approved, limit int) (keys []string) {
		active := []metrics.Active{{By: "code-reviewer-1", At: start.Unix(), Approved: approved}, {By: "coder-1", At: start.Unix()}}
		list, _ := sceneOf(configured(func(c *board.Config) { c.Alarms.Approvals = limit })).knowing(Local{Active: active}).alarms(RubberStampAlarm, start)
		for _, a := range list {
			require.False(t, a.Call)
			require.Equal(t, "git liza metrics --by agent", a.Next)
			keys = append(keys, a.Key())
		}
		return keys
	}
	require.Empty(t, stamps(19, 0))
	require.Equal(t, []string{"rubber_stamp code-reviewer-1 20"}, stamps(20, 0))
	require.Equal(t, []string{"rubber_stamp code-reviewer-1 20"}, stamps(39, 0))
	require.Equal(t, []string{"rubber_stamp code-reviewer-1 40"}, stamps(40, 0))
	require.Equal(t, []string{"rubber_stamp code-reviewer-1 3"}, stamps(5, 3))
	require.Empty(t, stamps(0, 3), "a rejection came")
}

// Alarms whose moment is a figure fire at it, end, and fire at it again when it comes again;
// not when it comes and goes.
func TestFiguresFireAgain(t *testing.T) {
	t.Parallel()
	goal := *goalOne
	goal.Usage = board.Usage{Input: 85}
	limited := configured(func(c *board.Config) { c.Budgets.Goal.Tokens = 100 })
	active := []metrics.Active{{By: "code-reviewer-1", At: start.Unix(), Approved: 20}, {By: "coder-1", At: start.Unix()}}
	for kind, s := range map[AlarmKind]scene{
		ApproachingAlarm: sceneOf(limited, &goal),
		RubberStampAlarm: sceneOf().knowing(Local{Active: active}),
	} {
		var memory work.Alarms
		for _, step := range []struct {
			after        time.Duration
			on           bool
			fired, ended int
		}{
			{0, true, 1, 0}, {time.Minute, true, 0, 0}, {time.Hour, false, 0, 1},
			{time.Hour + time.Minute, true, 0, 0}, {time.Hour + 2*time.Minute, false, 0, 0},
			{2 * time.Hour, true, 1, 0}, {3 * time.Hour, true, 0, 0}, {4 * time.Hour, false, 0, 1},
		} {
			var rows []work.AlarmRow
			if list, _ := s.alarms(kind, start); step.on {
				require.Len(t, list, 1, kind)
				rows = append(rows, work.AlarmRow{Key: list[0].Key(), Recurs: list[0].Recurs})
			}
			fired, ended, err := memory.Note(context.Background(), rows, start.Add(step.after), nil)
			require.NoError(t, err)
			require.Equal(t, []int{step.fired, step.ended}, []int{len(fired), len(ended)}, "%s after %s", kind, step.after)
		}
	}
}

// Ten thousand tasks, with 300 agents or as many that die at once, are a call for each, of
// its own key, and few lines of status.
func TestAlarmsOfALargeBoard(t *testing.T) {
	t.Parallel()
	for _, live := range []int{300, 10_000} {
		var documents []board.Document
		known := Local{Dead: map[board.AgentID]int{}}
		for n := range 10_000 {
			task := claimedUntil(start.Add(time.Hour), board.Attempt{Number: 1, Coder: board.Actor(agentID(board.Coder, n+1))})
			if n >= live {
				task = oneTask(board.Merged, noon.Add(-48*time.Hour), nil)
			} else {
				id := agentID(board.Coder, n+1)
				documents = append(documents, &board.Agent{ID: id, Role: board.Coder, Generation: board.Generation(fmt.Sprintf("%016x", n)), Task: board.TaskID(fmt.Sprintf("task-%d", n+1))})
				known.Dead[id] = n + 1
			}
			task.ID = board.TaskID(fmt.Sprintf("task-%d", n+1))
			documents = append(documents, task)
		}
		list, _ := sceneOf(documents...).knowing(known).alarms(DeadAlarm, start)
		keys := map[string]bool{}
		for _, a := range list {
			keys[a.Key()] = a.Call
		}
		require.Len(t, keys, live)
		require.Len(t, list, live)
		require.Equal(t, live, CountCalls(list))
		text := NewPicture(sceneOf(documents...).knowing(known).reading(start, "human:ann")).Status().Text(80, strings.Clone)
		require.Contains(t, text, fmt.Sprintf("  and %d more: git liza agents\n", live-5))
		require.Less(t, strings.Count(text, "\n"), 60)
	}
}

// An alarm is a line, whatever strangers wrote.
func TestHostileAlarms(t *testing.T) {
	t.Parallel()
	a := Alarm{Kind: "blocked", Subject: "t", Since: before(time.Hour), Text: "a \x1b[31mred\u202e\nword", Next: "git liza show t\nrm", Call: true}
	require.Equal(t, "call   a ^[[31mred<U+202E> word, for 1h; git liza show t rm", a.Line(start))
	require.Equal(t, "12:01:00  call   a ^[[31mred<U+202E> word, for 1h; git liza show t rm", AlarmEvent{At: start, Alarm: a}.Text())
	text, err := json.Marshal(a)
	require.NoError(t, err)
	require.False(t, strings.ContainsAny(string(text), "\x1b\n"))
}
