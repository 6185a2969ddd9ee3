package view

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// boardOf holds the documents; settings come first unless they are among them.
func boardOf(documents ...board.Document) *board.Board {
	edits := []board.Edit{{Key: board.Key{Folder: board.SettingsDoc}, Document: &board.Settings{Format: board.NewestFormat, Goal: "goal-1",
		Control: board.ControlState{State: board.Running}, Config: board.DefaultConfig()}},
		{Key: board.Key{Folder: board.Sprints, ID: "sprint-1"}, Document: &board.Sprint{ID: "sprint-1", Goal: "goal-1", Status: board.InProgress}},
		{Key: board.Key{Folder: board.ReviewsDoc}, Document: &board.ReviewRules{List: []board.ReviewRule{{Role: board.CodeReviewer}}}}}
	for _, row := range board.BuiltinRoles() {
		edits = append(edits, board.Edit{Key: board.Key{Folder: board.RolesFolder, ID: string(row.Name)}, Document: row})
	}
	for _, doc := range documents {
		key := board.Key{}
		switch d := doc.(type) {
		case *board.Settings:
			key = board.Key{Folder: board.SettingsDoc}
		case *board.Breaker:
			key = board.Key{Folder: board.BreakerDoc}
		case *board.Goal:
			key = board.Key{Folder: board.Goals, ID: string(d.ID)}
		case *board.Sprint:
			key = board.Key{Folder: board.Sprints, ID: string(d.ID)}
		case *board.Question:
			key = board.Key{Folder: board.Questions, ID: string(d.ID)}
		case *board.Task:
			key = board.Key{Folder: board.Tasks, ID: string(d.ID)}
			ofGoal := *d
			ofGoal.Goal = "goal-1"
			if d.Submission != nil && len(d.Submission.ReviewBy) == 0 {
				submission := *d.Submission
				submission.ReviewBy = []board.Role{board.CodeReviewer}
				ofGoal.Submission = &submission
			}
			doc = &ofGoal
		case *board.Agent:
			key = board.Key{Folder: board.Agents, ID: string(d.ID)}
		case *board.Discovery:
			key = board.Key{Folder: board.Discovered, ID: string(d.ID)}
		case *board.Anomaly:
			key = board.Key{Folder: board.Anomalies, ID: string(d.ID)}
		}
		edits = append(edits, board.Edit{Key: key, Document: doc})
	}
	return board.Open(board.Documents{}.With(edits), noon)
}

var goalOne = &board.Goal{ID: "goal-1", Title: "G", Status: board.InProgress, Priority: 3, Sprint: "sprint-1", Added: 1, Merged: 1}

func TestWhatTasksWaitFor(t *testing.T) {
	t.Parallel()
	l := &Reading{At: noon}
	live, ended := noon.Add(time.Minute), noon
	on := needsAmong(nil, []*board.Summary{{ID: "done", Status: board.Merged}, {ID: "dead", Status: board.Abandoned}, {ID: "x", DependsOn: []board.TaskID{"done", "dead", "archived"}}})
	for _, test := range []struct {
		task         board.Summary
		what, detail string
	}{
		{board.Summary{Status: board.Draft}, "planner", "draft"},
		{board.Summary{Status: board.Unclaimed}, "coder", ""},
		{board.Summary{Status: board.Unclaimed, DependsOn: []board.TaskID{"done", "archived"}}, "coder", ""},
		{board.Summary{Status: board.Unclaimed, DependsOn: []board.TaskID{"done", "dead"}}, "tasks", "after dead"},
		{board.Summary{Status: board.Claimed, Coder: "coder-1", Lease: live}, "work", "coder-1"},
		{board.Summary{Status: board.Claimed, Coder: "coder-1", Lease: ended}, "coder", "lease ended"},
		{board.Summary{Status: board.ReadyForReview, Coder: "coder-1"}, "code-reviewer", ""},
		{board.Summary{Status: board.ReadyForReview, Judges: []board.Judge{{By: "human:ann", Lease: live}}}, "work", "human:ann"},
		{board.Summary{Status: board.ReadyForReview, Judges: []board.Judge{{Role: board.CodeReviewer, By: "human:ann", Lease: ended}}}, "code-reviewer", ""},
		{board.Summary{Status: board.ReadyForReview, Judges: []board.Judge{{Role: board.CodeReviewer, Done: true}, {Role: "gates"}}}, "gates", ""},
		{board.Summary{Status: board.Unclaimed, Role: "writer"}, "writer", ""},
		{board.Summary{Status: board.Rejected, Coder: "coder-1"}, "coder", "rejected"},
		{board.Summary{Status: board.Approved}, "merge", ""},
		{board.Summary{Status: board.Blocked, Reason: "why"}, "planner", "why"},
		{board.Summary{Status: board.IntegrationFailed}, "coder", "merge failed"},
		{board.Summary{Status: board.Merged}, "", ""},
		{board.Summary{Status: board.Superseded}, "", ""},
		{board.Summary{Status: board.Abandoned}, "", ""},
	} {
		what, detail := waitsFor(l, &test.task, on, nil, nil)
		require.Equal(t, [2]string{test.what, test.detail}, [2]string{what, detail}, "%+v", test.task)
	}
}

func TestNobodyIsThere(t *testing.T) {
	t.Parallel()
	p := NewPicture(Reading{At: noon, Board: boardOf(goalOne, &board.Task{ID: "a", Status: board.Unclaimed}, &board.Task{ID: "b", Status: board.ReadyForReview}, &board.Task{ID: "c", Status: board.Approved})})
	nobody := func(agents ...Agent) []string {
		var list []string
		for _, g := range p.waiting(agents) {
			if g.Nobody {
				list = append(list, g.For)
			}
		}
		return list
	}
	coder, reviewer := Agent{Role: board.Coder}, Agent{Role: board.CodeReviewer}
	require.Equal(t, []string{"code-reviewer", "coder"}, nobody())
	require.Equal(t, []string{"code-reviewer"}, nobody(coder))
	require.Empty(t, nobody(coder, reviewer))
	reviewer.Degraded = "no network"
	require.Equal(t, []string{"code-reviewer"}, nobody(coder, reviewer))
}

func TestNobodyIsHeardOf(t *testing.T) {
	t.Parallel()
	said := func(role board.Role, ago time.Duration) Agent {
		return Agent{Role: role, Presence: &Heartbeat{gitstore.Presence{At: noon.Add(-ago), Every: board.Duration(time.Minute)}, noon}}
	}
	byHand := Agent{Role: board.Coder}
	both := []WaitGroup{{For: "code-reviewer"}, {For: "coder"}, {For: "merge"}, {For: "planner"}}
	for _, test := range []struct {
		groups []WaitGroup
		agents []Agent
		want   []board.Role
	}{
		{nil, nil, []board.Role{}},
		{both, nil, []board.Role{board.CodeReviewer, board.Coder}},
		{both[1:], []Agent{byHand, said(board.CodeReviewer, 0)}, []board.Role{board.Coder}},
		{both, []Agent{byHand, said(board.Coder, 3*time.Minute)}, []board.Role{board.CodeReviewer}},
		{both[1:], []Agent{said(board.Coder, 3*time.Minute+time.Second)}, []board.Role{board.Coder}},
		{both[2:], nil, []board.Role{}},
	} {
		require.Equal(t, test.want, unheardRoles(waitsOf(nil), test.groups, test.agents))
	}
}

func TestWhatToDoNext(t *testing.T) {
	t.Parallel()
	const complete = "git liza task edit a --title TEXT --done-when TEXT --spec PATH --scope TEXT"
	control := func(c board.ControlState) *board.Settings {
		return &board.Settings{Format: board.NewestFormat, Goal: "goal-1", Control: c, Config: board.DefaultConfig()}
	}
	blocked := &board.Task{ID: "b", Status: board.Blocked, Block: &board.Block{Reason: "why", Questions: []string{"?"}}}
	exhausted := *blocked
	exhausted.Failures = []board.Failure{{Coder: "coder-1"}, {Coder: "coder-2"}}
	submitted := &board.Task{ID: "r", Status: board.ReadyForReview, Title: "R", Attempt: &board.Attempt{Coder: "coder-1"}, Submission: &board.Submission{}}
	for _, test := range []struct {
		documents []board.Document
		want      []string
	}{
		{[]board.Document{&board.Goal{ID: "goal-1", Status: board.InProgress}}, []string{"git liza task add --from FILE"}},
		{[]board.Document{goalOne, &board.Task{ID: "a", Status: board.Unclaimed}}, []string{"git liza rush"}},
		{[]board.Document{goalOne, &board.Task{ID: "a", Status: board.Unclaimed}, &board.Agent{ID: "coder-1", Role: board.Coder, Generation: "0123456789abcdef"}},
			[]string{}}, // it takes the task
		{[]board.Document{goalOne, &board.Task{ID: "a", Status: board.Unclaimed, Role: "researcher"}, &board.RoleRow{Name: "researcher", Capacity: board.Does}}, []string{"git liza rush --agents researcher=1"}},
		{[]board.Document{goalOne, blocked}, []string{"git liza task unblock b"}},
		{[]board.Document{goalOne, &exhausted}, []string{"git liza task supersede b --by FILE --reason R"}},
		{[]board.Document{goalOne, submitted}, []string{"git liza review r"}},
		{[]board.Document{goalOne, submitted, &board.Task{ID: "a", Status: board.Approved}}, []string{"git liza review r", "git liza merge --all"}},
		{[]board.Document{goalOne, &board.Task{ID: "a", Status: board.Merged}}, []string{"git liza goal done"}},
		{[]board.Document{&board.Goal{ID: "goal-1", Status: board.InProgress, Added: 1}, &board.Task{ID: "a", Status: board.Abandoned}}, []string{"git liza task add --from FILE"}},
		{[]board.Document{&board.Settings{Format: board.NewestFormat, Goal: "goal-2", Next: board.Counters{Goal: 3}, Control: board.ControlState{State: board.Running},
			Config: board.DefaultConfig()}, &board.Goal{ID: "goal-2", Status: board.InProgress}, &board.Task{ID: "a", Status: board.Merged}},
			[]string{"git liza task add --from FILE"}},
		{[]board.Document{&board.Goal{ID: "goal-1", Status: board.Completed}, &board.Task{ID: "a", Status: board.Merged}}, []string{}},
		{[]board.Document{goalOne, &board.Task{ID: "a", Status: board.Merged}, &board.Discovery{ID: "sprint-1/1", Text: "leak", Urgency: "immediate"}},
			[]string{"git liza task add --record sprint-1/1 --draft", "git liza goal done"}},
		{[]board.Document{goalOne, control(board.ControlState{State: board.Paused}), &board.Task{ID: "a", Status: board.Unclaimed}}, []string{"git liza resume --reason R"}},
		{[]board.Document{goalOne, control(board.ControlState{State: board.Checkpoint}), &board.Task{ID: "a", Status: board.Draft}}, []string{"git liza checkpoint decide CONTINUE --message M", complete}},
		{[]board.Document{goalOne, control(board.ControlState{State: board.Checkpoint, Decision: "REPLAN"}), &board.Task{ID: "a", Status: board.Draft}}, []string{"git liza resume --reason R", complete}},
		{[]board.Document{goalOne, control(board.ControlState{State: board.Checkpoint}), &board.Breaker{Tripped: true}, &board.Task{ID: "a", Status: board.Draft}},
			[]string{"git liza board breaker reset --resolution R", complete}},
	} {
		l := Reading{Board: boardOf(test.documents...), At: noon, Person: flow.Caller{By: "human:ann"}}
		p := NewPicture(l)
		commands := []string{}
		for _, s := range p.steps(p.Inbox(), p.Waiting()) {
			commands = append(commands, s.Command)
		}
		require.Equal(t, test.want, commands)
	}
}

// Nobody is told to judge what they coded under the name of an agent: next says what the
// inbox says, and names the work of others if some waits and no agent at work judges it.
func TestNobodyJudgesTheirOwnUnderAnotherName(t *testing.T) {
	t.Parallel()
	submitted := func(id board.TaskID, by board.Actor) *board.Task {
		return &board.Task{ID: id, Status: board.ReadyForReview, Attempt: &board.Attempt{Coder: by}, Coders: []board.Worker{{By: by}}, Submission: &board.Submission{}}
	}
	reviewer := &board.Agent{ID: "code-reviewer-1", Role: board.CodeReviewer, Generation: "0123456789abcdef"}
	own := "git liza rush --agents code-reviewer=1"
	for _, test := range []struct {
		documents []board.Document
		want      []string
	}{
		{[]board.Document{submitted("a", "human:ann")}, []string{own}},
		{[]board.Document{submitted("a", "human:ann"), submitted("b", "coder-1")}, []string{"git liza review b"}},
		{[]board.Document{submitted("a", "human:ann"), reviewer}, nil},
		{[]board.Document{submitted("a", "human:ann"), submitted("b", "coder-1"), reviewer}, nil},
		{[]board.Document{submitted("a", "human:bob"), reviewer}, nil},
	} {
		p := NewPicture(Reading{Board: boardOf(append(test.documents, goalOne)...), At: noon, Person: flow.Caller{By: "human:ann"}})
		var commands []string
		for _, s := range p.steps(p.Inbox(), p.Waiting()) {
			commands = append(commands, s.Command)
		}
		require.Equal(t, test.want, commands)
	}
}

// A reason can be all that a program has printed. Of several tasks the ids
// matter more.
func TestLongReasonsHideNoTask(t *testing.T) {
	t.Parallel()
	long := "crash_limit: the agent's program crashed\nTraceback"
	of := func(details ...string) string {
		tasks := []board.TaskID{"a", "b", "c"}[:len(details)]
		return waitRows(waitsOf(nil), []WaitGroup{{For: "planner", Count: len(tasks), Tasks: tasks, Details: details}})[0][2]
	}
	require.Equal(t, "a (crash_limit: the agent's program crashed …)", of(long))
	require.Equal(t, "a, b (draft), c (no key)", of(long, "draft", "no key"))
	require.Equal(t, "\nnext\n  git liza task unblock a  blocked: it hangs …\n", stepsText([]Step{{"git liza task unblock a", "blocked: it hangs\nTraceback"}}, 0))
}

func TestStatesOfAgents(t *testing.T) {
	t.Parallel()
	held := func(lease time.Time, handoff *board.Handoff) *board.Task {
		return &board.Task{ID: "a", Status: board.Claimed, Changed: noon, Claim: &board.Claim{By: "coder-1", Lease: lease}, Attempt: &board.Attempt{Coder: "coder-1"}, Handoff: handoff}
	}
	live := noon.Add(time.Minute)
	coder, reviewer := &board.Agent{ID: "coder-1", Role: board.Coder, Task: "a"}, &board.Agent{ID: "code-reviewer-1", Role: board.CodeReviewer, Review: "a"}
	idle := &board.Agent{ID: "coder-1", Role: board.Coder}
	for _, test := range []struct {
		agent *board.Agent
		task  *board.Task
		want  string
	}{
		{idle, &board.Task{ID: "a", Status: board.Unclaimed}, agentIdle},
		{coder, held(live, nil), agentWorking},
		{coder, held(noon, nil), agentGone},
		{coder, held(live, &board.Handoff{By: "coder-1", At: noon}), agentHandoff},
		{coder, held(live, &board.Handoff{By: "coder-1", At: noon.Add(-time.Minute)}), agentWorking},
		{coder, held(live, &board.Handoff{By: "coder-2", At: noon}), agentWorking},
		{idle, &board.Task{ID: "a", Status: board.ReadyForReview, Attempt: &board.Attempt{Coder: "coder-1"}}, agentWaiting},
		{idle, &board.Task{ID: "a", Status: board.Rejected, Attempt: &board.Attempt{Coder: "coder-1"}}, agentIdle},
		{reviewer, &board.Task{ID: "a", Status: board.ReadyForReview, Judgements: reviewed(live)}, agentReviewing},
		{reviewer, &board.Task{ID: "a", Status: board.ReadyForReview, Judgements: reviewed(noon)}, agentGone},
	} {
		b := boardOf(test.agent, test.task)
		list := NewPicture(Reading{Board: b, At: noon}).Agents()
		require.Len(t, list, 1)
		require.Equal(t, test.want, list[0].State, "%+v", test.task)
	}
}

// reviewed is a review by code-reviewer-1 with the given lease.
func reviewed(lease time.Time) []board.Judgement {
	return []board.Judgement{{Role: board.CodeReviewer, Review: &board.Review{By: "code-reviewer-1", Lease: lease}}}
}
