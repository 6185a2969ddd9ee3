package view

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// boardOf holds the documents; settings come first unless they are among them.
func boardOf(documents ...flow.Document) *flow.Board {
	edits := []flow.Edit{{Key: flow.Key{Folder: flow.SettingsDoc}, Document: &flow.Settings{Format: flow.NewestFormat, Goal: "goal-1",
		Control: flow.ControlState{State: flow.Running}, Config: flow.DefaultConfig()}},
		{Key: flow.Key{Folder: flow.Sprints, ID: "sprint-1"}, Document: &flow.Sprint{ID: "sprint-1", Goal: "goal-1", Status: flow.InProgress}},
		{Key: flow.Key{Folder: flow.ReviewsDoc}, Document: &flow.ReviewRules{List: []flow.ReviewRule{{Role: flow.CodeReviewer}}}}}
	for _, row := range flow.BuiltinRoles() {
		edits = append(edits, flow.Edit{Key: flow.Key{Folder: flow.RolesFolder, ID: string(row.Name)}, Document: row})
	}
	for _, doc := range documents {
		key := flow.Key{}
		switch d := doc.(type) {
		case *flow.Settings:
			key = flow.Key{Folder: flow.SettingsDoc}
		case *flow.Breaker:
			key = flow.Key{Folder: flow.BreakerDoc}
		case *flow.Goal:
			key = flow.Key{Folder: flow.Goals, ID: string(d.ID)}
		case *flow.Sprint:
			key = flow.Key{Folder: flow.Sprints, ID: string(d.ID)}
		case *flow.Question:
			key = flow.Key{Folder: flow.Questions, ID: string(d.ID)}
		case *flow.Task:
			key = flow.Key{Folder: flow.Tasks, ID: string(d.ID)}
			ofGoal := *d
			ofGoal.Goal = "goal-1"
			if d.Submission != nil && len(d.Submission.ReviewBy) == 0 {
				submission := *d.Submission
				submission.ReviewBy = []flow.Role{flow.CodeReviewer}
				ofGoal.Submission = &submission
			}
			doc = &ofGoal
		case *flow.Agent:
			key = flow.Key{Folder: flow.Agents, ID: string(d.ID)}
		case *flow.Discovery:
			key = flow.Key{Folder: flow.Discovered, ID: string(d.ID)}
		case *flow.Anomaly:
			key = flow.Key{Folder: flow.Anomalies, ID: string(d.ID)}
		}
		edits = append(edits, flow.Edit{Key: key, Document: doc})
	}
	return flow.Open(flow.Documents{}.With(edits), noon)
}

var goalOne = &flow.Goal{ID: "goal-1", Title: "G", Status: flow.InProgress, Priority: 3, Sprint: "sprint-1", Added: 1, Merged: 1}

func TestWhatTasksWaitFor(t *testing.T) {
	t.Parallel()
	l := &Reading{At: noon}
	live, ended := noon.Add(time.Minute), noon
	on := needsAmong(nil, []*flow.Summary{{ID: "done", Status: flow.Merged}, {ID: "dead", Status: flow.Abandoned}, {ID: "x", DependsOn: []flow.TaskID{"done", "dead", "archived"}}})
	for _, test := range []struct {
		task         flow.Summary
		what, detail string
	}{
		{flow.Summary{Status: flow.Draft}, "planner", "draft"},
		{flow.Summary{Status: flow.Unclaimed}, "coder", ""},
		{flow.Summary{Status: flow.Unclaimed, DependsOn: []flow.TaskID{"done", "archived"}}, "coder", ""},
		{flow.Summary{Status: flow.Unclaimed, DependsOn: []flow.TaskID{"done", "dead"}}, "tasks", "after dead"},
		{flow.Summary{Status: flow.Claimed, Coder: "coder-1", Lease: live}, "work", "coder-1"},
		{flow.Summary{Status: flow.Claimed, Coder: "coder-1", Lease: ended}, "coder", "lease ended"},
		{flow.Summary{Status: flow.ReadyForReview, Coder: "coder-1"}, "code-reviewer", ""},
		{flow.Summary{Status: flow.ReadyForReview, Judges: []flow.Judge{{By: "human:ann", Lease: live}}}, "work", "human:ann"},
		{flow.Summary{Status: flow.ReadyForReview, Judges: []flow.Judge{{Role: flow.CodeReviewer, By: "human:ann", Lease: ended}}}, "code-reviewer", ""},
		{flow.Summary{Status: flow.ReadyForReview, Judges: []flow.Judge{{Role: flow.CodeReviewer, Done: true}, {Role: "gates"}}}, "gates", ""},
		{flow.Summary{Status: flow.Unclaimed, Role: "writer"}, "writer", ""},
		{flow.Summary{Status: flow.Rejected, Coder: "coder-1"}, "coder", "rejected"},
		{flow.Summary{Status: flow.Approved}, "merge", ""},
		{flow.Summary{Status: flow.Blocked, Reason: "why"}, "planner", "why"},
		{flow.Summary{Status: flow.IntegrationFailed}, "coder", "merge failed"},
		{flow.Summary{Status: flow.Merged}, "", ""},
		{flow.Summary{Status: flow.Superseded}, "", ""},
		{flow.Summary{Status: flow.Abandoned}, "", ""},
	} {
		what, detail := waitsFor(l, &test.task, on, nil, nil)
		require.Equal(t, [2]string{test.what, test.detail}, [2]string{what, detail}, "%+v", test.task)
	}
}

func TestNobodyIsThere(t *testing.T) {
	t.Parallel()
	p := NewPicture(Reading{At: noon, Board: boardOf(goalOne, &flow.Task{ID: "a", Status: flow.Unclaimed}, &flow.Task{ID: "b", Status: flow.ReadyForReview}, &flow.Task{ID: "c", Status: flow.Approved})})
	nobody := func(agents ...Agent) []string {
		var list []string
		for _, g := range p.waiting(agents) {
			if g.Nobody {
				list = append(list, g.For)
			}
		}
		return list
	}
	coder, reviewer := Agent{Role: flow.Coder}, Agent{Role: flow.CodeReviewer}
	require.Equal(t, []string{"code-reviewer", "coder"}, nobody())
	require.Equal(t, []string{"code-reviewer"}, nobody(coder))
	require.Empty(t, nobody(coder, reviewer))
	reviewer.Degraded = "no network"
	require.Equal(t, []string{"code-reviewer"}, nobody(coder, reviewer))
}

func TestNobodyIsHeardOf(t *testing.T) {
	t.Parallel()
	said := func(role flow.Role, ago time.Duration) Agent {
		return Agent{Role: role, Presence: &Heartbeat{gitstore.Presence{At: noon.Add(-ago), Every: flow.Duration(time.Minute)}, noon}}
	}
	byHand := Agent{Role: flow.Coder}
	both := []WaitGroup{{For: "code-reviewer"}, {For: "coder"}, {For: "merge"}, {For: "planner"}}
	for _, test := range []struct {
		groups []WaitGroup
		agents []Agent
		want   []flow.Role
	}{
		{nil, nil, []flow.Role{}},
		{both, nil, []flow.Role{flow.CodeReviewer, flow.Coder}},
		{both[1:], []Agent{byHand, said(flow.CodeReviewer, 0)}, []flow.Role{flow.Coder}},
		{both, []Agent{byHand, said(flow.Coder, 3*time.Minute)}, []flow.Role{flow.CodeReviewer}},
		{both[1:], []Agent{said(flow.Coder, 3*time.Minute+time.Second)}, []flow.Role{flow.Coder}},
		{both[2:], nil, []flow.Role{}},
	} {
		require.Equal(t, test.want, unheardRoles(waitsOf(nil), test.groups, test.agents))
	}
}

func TestWhatToDoNext(t *testing.T) {
	t.Parallel()
	const complete = "git liza task edit a --title TEXT --done-when TEXT --spec PATH --scope TEXT"
	control := func(c flow.ControlState) *flow.Settings {
		return &flow.Settings{Format: flow.NewestFormat, Goal: "goal-1", Control: c, Config: flow.DefaultConfig()}
	}
	blocked := &flow.Task{ID: "b", Status: flow.Blocked, Block: &flow.Block{Reason: "why", Questions: []string{"?"}}}
	exhausted := *blocked
	exhausted.Failures = []flow.Failure{{Coder: "coder-1"}, {Coder: "coder-2"}}
	submitted := &flow.Task{ID: "r", Status: flow.ReadyForReview, Title: "R", Attempt: &flow.Attempt{Coder: "coder-1"}, Submission: &flow.Submission{}}
	for _, test := range []struct {
		documents []flow.Document
		want      []string
	}{
		{[]flow.Document{&flow.Goal{ID: "goal-1", Status: flow.InProgress}}, []string{"git liza task add --from FILE"}},
		{[]flow.Document{goalOne, &flow.Task{ID: "a", Status: flow.Unclaimed}}, []string{"git liza rush"}},
		{[]flow.Document{goalOne, &flow.Task{ID: "a", Status: flow.Unclaimed}, &flow.Agent{ID: "coder-1", Role: flow.Coder, Generation: "0123456789abcdef"}},
			[]string{}}, // it takes the task
		{[]flow.Document{goalOne, &flow.Task{ID: "a", Status: flow.Unclaimed, Role: "researcher"}, &flow.RoleRow{Name: "researcher", Capacity: flow.Does}}, []string{"git liza rush --agents researcher=1"}},
		{[]flow.Document{goalOne, blocked}, []string{"git liza task unblock b"}},
		{[]flow.Document{goalOne, &exhausted}, []string{"git liza task supersede b --by FILE --reason R"}},
		{[]flow.Document{goalOne, submitted}, []string{"git liza review r"}},
		{[]flow.Document{goalOne, submitted, &flow.Task{ID: "a", Status: flow.Approved}}, []string{"git liza review r", "git liza merge --all"}},
		{[]flow.Document{goalOne, &flow.Task{ID: "a", Status: flow.Merged}}, []string{"git liza goal done"}},
		{[]flow.Document{&flow.Goal{ID: "goal-1", Status: flow.InProgress, Added: 1}, &flow.Task{ID: "a", Status: flow.Abandoned}}, []string{"git liza task add --from FILE"}},
		{[]flow.Document{&flow.Settings{Format: flow.NewestFormat, Goal: "goal-2", Next: flow.Counters{Goal: 3}, Control: flow.ControlState{State: flow.Running},
			Config: flow.DefaultConfig()}, &flow.Goal{ID: "goal-2", Status: flow.InProgress}, &flow.Task{ID: "a", Status: flow.Merged}},
			[]string{"git liza task add --from FILE"}},
		{[]flow.Document{&flow.Goal{ID: "goal-1", Status: flow.Completed}, &flow.Task{ID: "a", Status: flow.Merged}}, []string{}},
		{[]flow.Document{goalOne, &flow.Task{ID: "a", Status: flow.Merged}, &flow.Discovery{ID: "sprint-1/1", Text: "leak", Urgency: "immediate"}},
			[]string{"git liza task add --record sprint-1/1 --draft", "git liza goal done"}},
		{[]flow.Document{goalOne, control(flow.ControlState{State: flow.Paused}), &flow.Task{ID: "a", Status: flow.Unclaimed}}, []string{"git liza resume --reason R"}},
		{[]flow.Document{goalOne, control(flow.ControlState{State: flow.Checkpoint}), &flow.Task{ID: "a", Status: flow.Draft}}, []string{"git liza checkpoint decide CONTINUE --message M", complete}},
		{[]flow.Document{goalOne, control(flow.ControlState{State: flow.Checkpoint, Decision: "REPLAN"}), &flow.Task{ID: "a", Status: flow.Draft}}, []string{"git liza resume --reason R", complete}},
		{[]flow.Document{goalOne, control(flow.ControlState{State: flow.Checkpoint}), &flow.Breaker{Tripped: true}, &flow.Task{ID: "a", Status: flow.Draft}},
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
	submitted := func(id flow.TaskID, by flow.Actor) *flow.Task {
		return &flow.Task{ID: id, Status: flow.ReadyForReview, Attempt: &flow.Attempt{Coder: by}, Coders: []flow.Worker{{By: by}}, Submission: &flow.Submission{}}
	}
	reviewer := &flow.Agent{ID: "code-reviewer-1", Role: flow.CodeReviewer, Generation: "0123456789abcdef"}
	own := "git liza rush --agents code-reviewer=1"
	for _, test := range []struct {
		documents []flow.Document
		want      []string
	}{
		{[]flow.Document{submitted("a", "human:ann")}, []string{own}},
		{[]flow.Document{submitted("a", "human:ann"), submitted("b", "coder-1")}, []string{"git liza review b"}},
		{[]flow.Document{submitted("a", "human:ann"), reviewer}, nil},
		{[]flow.Document{submitted("a", "human:ann"), submitted("b", "coder-1"), reviewer}, nil},
		{[]flow.Document{submitted("a", "human:bob"), reviewer}, nil},
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
		tasks := []flow.TaskID{"a", "b", "c"}[:len(details)]
		return waitRows(waitsOf(nil), []WaitGroup{{For: "planner", Count: len(tasks), Tasks: tasks, Details: details}})[0][2]
	}
	require.Equal(t, "a (crash_limit: the agent's program crashed …)", of(long))
	require.Equal(t, "a, b (draft), c (no key)", of(long, "draft", "no key"))
	require.Equal(t, "\nnext\n  git liza task unblock a  blocked: it hangs …\n", stepsText([]Step{{"git liza task unblock a", "blocked: it hangs\nTraceback"}}, 0))
}

func TestStatesOfAgents(t *testing.T) {
	t.Parallel()
	held := func(lease time.Time, handoff *flow.Handoff) *flow.Task {
		return &flow.Task{ID: "a", Status: flow.Claimed, Changed: noon, Claim: &flow.Claim{By: "coder-1", Lease: lease}, Attempt: &flow.Attempt{Coder: "coder-1"}, Handoff: handoff}
	}
	live := noon.Add(time.Minute)
	coder, reviewer := &flow.Agent{ID: "coder-1", Role: flow.Coder, Task: "a"}, &flow.Agent{ID: "code-reviewer-1", Role: flow.CodeReviewer, Review: "a"}
	idle := &flow.Agent{ID: "coder-1", Role: flow.Coder}
	for _, test := range []struct {
		agent *flow.Agent
		task  *flow.Task
		want  string
	}{
		{idle, &flow.Task{ID: "a", Status: flow.Unclaimed}, agentIdle},
		{coder, held(live, nil), agentWorking},
		{coder, held(noon, nil), agentGone},
		{coder, held(live, &flow.Handoff{By: "coder-1", At: noon}), agentHandoff},
		{coder, held(live, &flow.Handoff{By: "coder-1", At: noon.Add(-time.Minute)}), agentWorking},
		{coder, held(live, &flow.Handoff{By: "coder-2", At: noon}), agentWorking},
		{idle, &flow.Task{ID: "a", Status: flow.ReadyForReview, Attempt: &flow.Attempt{Coder: "coder-1"}}, agentWaiting},
		{idle, &flow.Task{ID: "a", Status: flow.Rejected, Attempt: &flow.Attempt{Coder: "coder-1"}}, agentIdle},
		{reviewer, &flow.Task{ID: "a", Status: flow.ReadyForReview, Judgements: reviewed(live)}, agentReviewing},
		{reviewer, &flow.Task{ID: "a", Status: flow.ReadyForReview, Judgements: reviewed(noon)}, agentGone},
	} {
		b := boardOf(test.agent, test.task)
		list := NewPicture(Reading{Board: b, At: noon}).Agents()
		require.Len(t, list, 1)
		require.Equal(t, test.want, list[0].State, "%+v", test.task)
	}
}

// reviewed is a review by code-reviewer-1 with the given lease.
func reviewed(lease time.Time) []flow.Judgement {
	return []flow.Judgement{{Role: flow.CodeReviewer, Review: &flow.Review{By: "code-reviewer-1", Lease: lease}}}
}
