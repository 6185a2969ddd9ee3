package templates

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

var update = flag.Bool("update", false, "rewrite the golden prompts")

const (
	base   = board.ObjectID("1111111111111111111111111111111111111111")
	commit = board.ObjectID("2222222222222222222222222222222222222222")
	first  = board.ObjectID("3333333333333333333333333333333333333333")
	tip    = board.ObjectID("4444444444444444444444444444444444444444")
)

var noon = time.Date(2026, 1, 17, 12, 0, 0, 0, time.UTC)

func rowOf(role board.Role) *board.RoleRow {
	rows := board.BuiltinRoles()
	return rows[slices.IndexFunc(rows, func(row *board.RoleRow) bool { return row.Name == role })]
}

// fresh is a coder's first prompt on a task nobody has touched.
func fresh() Input {
	return Input{
		Role: board.Coder, Row: rowOf(board.Coder), Kernel: "## Tier 0\n\n- **I1** …", Agent: "coder-1", Worktree: "/repo/.worktrees/task-3",
		Limits: board.Limits{Iterations: 10, Cycles: 5},
		Goal:   &board.Goal{ID: "goal-1", Title: "Uploads survive a bad network", Spec: "specs/vision.md", Status: board.InProgress},
		Specs:  []Spec{{Path: "specs/vision.md", Anchor: "retry", Tip: tip, Base: base}},
		Task: &board.Task{
			ID: "task-3", Title: "Retry uploads", Status: board.Claimed, Kind: board.Code, Goal: "goal-1", Sprint: "sprint-1",
			DoneWhen: "an upload that fails twice succeeds\nand the third failure is reported", Spec: "specs/vision.md#retry",
			Scope: "upload only", Priority: 2, DependsOn: []board.TaskID{"task-1", "task-2"}, Owns: []string{"upload/**"},
			Verify: "go test ./upload", Created: noon, CreatedBy: "planner-1",
			Attempt: &board.Attempt{Number: 1, Coder: "coder-1", Base: base, Start: base, Iteration: 1},
		},
	}
}

// rework is the prompt of a coder who continues after everything went wrong.
func rework() Input {
	in := fresh()
	in.Anomalies = []*board.Anomaly{{ID: "sprint-1/4", Type: board.RetryLoop, Task: "task-3", By: "coder-2", At: noon,
		Details: map[string]string{"error_pattern": "connection reset\n# Not a heading", "count": "3"}}}
	in.Lessons, in.LessonsLeft = []string{"retries (.liza/knowledge/retries.md, from 1f2e3d4)\n# Retry\nReset the delay."}, 2
	in.Rejections = []string{"task-1, rejected by code-reviewer-1 (git show --no-patch 1f2e3d4)\n- upload/client.go: no limit"}
	t := in.Task
	t.Stretch = true
	t.Limits = &board.Limits{Iterations: 4, Cycles: 2}
	t.Supersedes, t.Generation, t.Rescope = []board.TaskID{"task-0"}, 1, "the queue was the cause"
	t.Failures = []board.Failure{{Coder: "coder-2", Reason: "the server never answered", At: noon}}
	t.Attempt = &board.Attempt{Number: 2, Coder: "coder-1", Base: base, Start: first, Iteration: 3, Cycles: 1, Fix: tip}
	t.MergeFails = 1
	t.Intent = &board.Intent{Summary: "wrap the call", Validation: "count the attempts", Files: []string{"upload/retry.go"},
		Assumptions: []string{"the server is idempotent"}, Risks: []string{"double uploads"}, Extend: []string{"go.mod"}, TestsNotNeeded: "no"}
	t.RejectedBy = board.CodeReviewer
	t.Judgements = []board.Judgement{{Role: board.CodeReviewer, Rejection: &board.Rejection{Commit: first, By: "code-reviewer-1", At: noon,
		Blockers: []board.Finding{{File: "upload/retry.go", Line: 41, Issue: "the delay is never reset", Why: "later calls are slow", Suggestion: "reset it"}},
		Concerns: []board.Finding{{File: "upload/retry.go", Issue: "no unit in the name"}},
		Prior:    []board.Prior{{Finding: "no test", Status: board.Resolved}}, Overall: "nearly there"}}}
	t.Integration = &board.Integration{Onto: tip, Paths: []string{"upload/client.go"}, Gate: "test", Output: "FAIL upload", By: "coder-2", At: noon}
	t.Handoff = &board.Handoff{Summary: "delay is in", NextAction: "reset it", Approach: "wrapper", Blockers: []string{"none"},
		Files: []string{"upload/retry.go"}, NextSteps: []string{"run the tests"}, DeadEnds: []string{"a global timer"}, By: "coder-1", At: noon}
	t.Block = &board.Block{Reason: "which delay?", Limit: "iterations", Questions: []string{"how long may it take?"}, Attempted: []string{"1s"}, By: "coder-2", At: noon}
	in.Goal.Alignment = []board.Alignment{{Text: "two of three parts done", By: "planner-1", At: noon}}
	in.Goal.Changes = []board.Change{{Spec: "specs/vision.md", Change: "three tries, not five", By: "human:ada", At: noon}}
	in.Notes = []*board.Note{{For: "task-3", Text: "keep it boring", By: "human:ada", At: noon}}
	in.Questions = []*board.Question{{ID: "sprint-1/8", Task: "task-3", Text: "is 1s too long?", Answer: "no", By: "planner-1", At: noon}}
	in.Failure = "exit status 0 after 40 tool calls, nothing committed"
	in.Compliance, in.Denied = "partial", []string{"contracts/**", ".liza/**"}
	in.Specs[0].Change, in.Specs[0].Patch = Changed, retryPatch
	return in
}

const retryPatch = "--- a/specs/vision.md\n+++ b/specs/vision.md\n@@ -7,3 +7,3 @@\n ## Retry\n \n-Five tries.\n+Three tries.\n"

// planned adds what a plan says of a task, and a claim that failed.
func planned(in Input) Input {
	t := in.Task
	t.Files = &board.Files{Create: []string{"upload/retry.go"}, Modify: []string{"upload/client.go"}, Read: []string{"upload/doc.go"}}
	t.Estimate, t.Level, t.VerifyTimeout, t.Labels = board.Duration(90*time.Minute), 2, board.Duration(20*time.Minute), []string{"net"}
	t.Acceptance = []string{"a third failure is reported", "no upload is sent twice"}
	t.Steps = []board.Step{{Step: 1, Action: "write the test", Run: "go test ./upload", Expect: "FAIL"}, {Action: "make it pass"}}
	t.Context, in.Context = "specs/vision.md#retry", "Three tries.\n# Not a heading"
	t.Consumers, t.IntegrationTest = []board.TaskID{"task-7"}, "upload/retry_test.go"
	in.Needed = "task-1: Send once\nmerged as 4444444444: upload/client.go\ncode-reviewer left open: upload/client.go: no limit\n# Not a heading"
	t.Retry = &board.Retry{Count: 2, Error: "no route to host\n# Not a heading", NotBefore: noon}
	return in
}

// moved is the prompt of a coder whose specs are no longer what they were.
func moved() Input {
	in := fresh()
	in.Specs = []Spec{
		{Path: "specs/vision.md", Anchor: "retry", Tip: tip, Base: base, NoSection: true, Change: Changed, Patch: retryPatch, Left: 7000},
		{Path: "specs/the goal.md", Tip: tip, Base: base, Missing: "it was removed"},
	}
	in.Withheld = []string{".claude/settings.json", "CLAUDE.md"}
	return in
}

func review(in Input, submission int) Input {
	in.Role, in.Row, in.Agent, in.Worktree = board.CodeReviewer, rowOf(board.CodeReviewer), "code-reviewer-1", "/repo/.worktrees/review@task-3@1"
	in.Task.Status = board.ReadyForReview
	in.Task.Submission = &board.Submission{Number: submission, Commit: commit, Base: base, Changed: 2,
		Paths: []string{"upload/retry.go", "upload/retry_test.go"}, Receipt: &board.Receipt{Exit: 0, Duration: "3s"}}
	return in
}

// secured is the prompt of a second role that judges a submission, again: a
// person has dismissed one of its blockers, and another role has one that is open.
func secured() Input {
	in := review(rework(), 2)
	in.Role, in.Row, in.Agent, in.Worktree = "security-reviewer", rowOf("security-reviewer"), "security-reviewer-1", "/repo/.worktrees/review@task-3@2@security-reviewer"
	in.Row.Strict = true
	t := in.Task
	t.Submission.ReviewBy = []board.Role{board.CodeReviewer, "security-reviewer", "gates"}
	t.Judgements = append(t.Judgements, board.Judgement{Role: "security-reviewer", Rejection: &board.Rejection{Commit: first, By: "security-reviewer-2", At: noon,
		Blockers:  []board.Finding{{File: "upload/retry.go", Line: 7, Issue: "the token is in the log"}},
		Dismissed: []board.Dismissed{{Finding: board.Finding{Issue: "the retry is not limited"}, Reason: "the server limits it", By: "human:ada", At: noon}}}})
	based(in)
	in.Specs[0].Reread = true
	in.Specs[0].Text = Cut{"## Retry\n\nThree tries.\n", true}
	in.Log, in.Diff = Cut{"2222222 by coder-1: Try three times\n", false}, Cut{"--- a/upload/retry.go\n+++ b/upload/retry.go\n# Not a heading\n", true}
	return in
}

// unjudged is the prompt of a role whose last review ended without a verdict.
func unjudged(in Input) Input {
	in.Task.Judgements = []board.Judgement{{Role: board.CodeReviewer, NoVerdicts: 1, Error: "the model is overloaded"}}
	in.Task.Submission.Gates = []board.Receipt{{Gate: "lint", Result: board.Fail, Exit: 1}, {Gate: "types", Result: board.Pass}}
	return in
}

// dismissed is the prompt of the role whose only blocker a person has dismissed.
func dismissed() Input {
	in := secured()
	in.Task.Judgements = slices.Clone(in.Task.Judgements[1:])
	in.Task.Judgements[0].Rejection.Blockers = nil
	return in
}

// based adds texts that the task is based on.
func based(in Input) {
	in.Task.BasedOn = []string{"docs/adr.md#timeouts", "specs/vision.md#limits"}
	in.Specs[0] = Spec{Path: "specs/vision.md", Anchor: "retry", Tip: tip, Base: base, Change: Changed, Patch: retryPatch}
}

// refused is the prompt of a coder whose work two roles have rejected.
func refused() Input {
	in := secured()
	own := rework()
	in.Role, in.Row, in.Agent, in.Worktree = own.Role, own.Row, own.Agent, own.Worktree
	in.Task.Status, in.Task.Submission = board.Claimed, nil
	in.Specs[0].Reread = false
	in.Specs = append(in.Specs, Spec{Path: "docs/adr.md", Anchor: "timeouts", Basis: true, Tip: tip, Base: base, Change: Changed, Patch: "--- a/docs/adr.md\n+++ b/docs/adr.md\n@@ -1 +1 @@\n-Wait a minute.\n+Wait an hour.\n"},
		Spec{Path: "specs/vision.md", Anchor: "limits", Basis: true, Tip: tip, Base: base})
	return in
}

func planning() Input {
	in := fresh()
	in.Role, in.Row, in.Agent, in.Worktree, in.Task = board.Planner, rowOf(board.Planner), "planner-1", "", nil
	in.Triggers = []flow.Trigger{{Reason: "no_tasks", Text: "the goal has no tasks yet"}}
	return in
}

func replanning() Input {
	in := planning()
	blocked := rework().Task
	blocked.Status = board.Blocked
	in.Triggers = []flow.Trigger{
		{Reason: "exhausted", Task: "task-3", Text: "iterations"},
		{Reason: "blocked", Task: "task-4", Text: "which port?"},
		{Reason: "blocked", Task: "task-5", Text: "which host?"},
		{Reason: "integration_failed", Task: "task-6", Text: "integration_failures"},
		{Reason: "immediate_discovery", Record: "sprint-1/7", Task: "task-3", Text: "the key is in the log"},
	}
	in.About = []*board.Task{blocked}
	blocked.Block.Asked = []board.RecordID{"sprint-1/9"}
	in.Questions = append(rework().Questions, &board.Question{ID: "sprint-1/9", Task: "task-3", Text: "how long may it take?"})
	in.Discoveries = []*board.Discovery{{ID: "sprint-1/7", Text: "the key is in the log", Severity: "critical", Urgency: "immediate",
		During: "task-3", Recommend: "mask it", By: "coder-2"}}
	in.Board = []board.Summary{
		{ID: "task-1", Title: "Client", Status: board.Merged, Priority: 1},
		{ID: "task-3", Title: "Retry uploads", Status: board.Blocked, Priority: 2, DependsOn: []board.TaskID{"task-1"}, Reason: "iterations"},
		{ID: "task-4", Title: "Listen", Status: board.Blocked, Priority: 3, Reason: "which port?"},
	}
	return in
}

// deciding is the prompt of a planner after a decision that holds tasks back.
func deciding() Input {
	in := planning()
	in.Goal.Hold = &board.Hold{Checkpoint: "checkpoint-4", Decision: "REPLAN", Message: "the queue has to go", By: "human:ada", At: noon}
	in.Triggers = []flow.Trigger{{Reason: "decision", Text: "REPLAN: the queue has to go"}, {Reason: "blocked", Task: "task-4", Text: "which port?"}}
	in.Held = []board.TaskID{"task-4", "task-5"}
	return in
}

// inputs are what the golden prompts are made of.
func inputs() map[string]Input {
	return map[string]Input{
		"coder":               fresh(),
		"coder-rework":        rework(),
		"code-reviewer":       review(fresh(), 1),
		"code-reviewer-again": review(rework(), 2),
		"coder-waiting":       waiting(fresh()),
		"coder-moved":         moved(),
		"code-reviewer-moved": review(moved(), 1),
		"planner":             planning(),
		"planner-replan":      replanning(),
		"planner-decision":    deciding(),

		"security-reviewer-again":     secured(),
		"security-reviewer-dismissed": dismissed(),
		"coder-refused":               refused(),

		"coder-planned":         planned(fresh()),
		"code-reviewer-planned": unjudged(review(planned(fresh()), 1)),

		"coder-reported":         reported(fresh()),
		"code-reviewer-reported": reported(review(rework(), 2)),
		"planner-reported":       reported(planning()),

		"question":          asked(),
		"question-reported": reported(asked()),
	}
}

// reported is the prompt of an agent whose last message is its report.
func reported(in Input) Input {
	in.Report = "supervisor"
	return in
}

// asked is the prompt of a planner that answers a question of somebody who looks for an
// answer too.
func asked() Input {
	in := planning()
	in.Task, in.Triggers, in.Worktree = rework().Task, nil, "/tmp/checkout"
	in.Questions, in.Asked = rework().Questions, &board.Question{ID: "sprint-1/9", Task: "task-3", From: "architect-1", To: board.Planner, Text: "may the wrapper retry?\n# Not a heading"}
	in.Chain = []*board.Question{{ID: "sprint-1/8", Task: "task-3", From: "coder-1", Text: "where does the retry belong?"}}
	return in
}

// waiting is the prompt of a coder that may wait for the verdict.
func waiting(in Input) Input {
	in.Await = board.Duration(30 * time.Minute)
	return in
}

func render(t *testing.T, in Input, layers ...Layer) Prompt {
	t.Helper()
	p, err := Render(in, layers...)
	require.NoError(t, err)
	return p
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for name, in := range inputs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := render(t, in).Text()
			file := filepath.Join("..", "testdata", "prompts", name+".md")
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, string(want), got)
			require.NotContains(t, got, "<no value>")
			require.NotContains(t, got, "invalid(")
			require.NotContains(t, got, "%!")
		})
	}
}

func TestSectionOrder(t *testing.T) {
	t.Parallel()
	var names []string
	for _, s := range render(t, rework()).Sections {
		names = append(names, s.Name)
		require.Equal(t, "built-in", s.Layer)
	}
	require.Equal(t, order, names)
}

// A section with nothing to say costs no heading.
func TestEmptySectionsAreLeftOut(t *testing.T) {
	t.Parallel()
	var names []string
	for _, s := range render(t, fresh()).Sections {
		names = append(names, s.Name)
	}
	require.Equal(t, []string{"contract", "role", "goal", "assignment", "anomalies", "commands", "end"}, names)
}

// Every capacity has a row, and every built-in role a file for every section.
func TestRolesAreComplete(t *testing.T) {
	t.Parallel()
	for _, row := range board.BuiltinRoles() {
		for _, section := range order {
			for _, asked := range []*board.Question{nil, {}} {
				files, err := Layer{Name: "built-in", FS: prompts()}.read(Input{Role: row.Name, Row: row, Asked: asked}.folders(), section)
				require.NoError(t, err)
				require.NotEmpty(t, files, "%s/%s", row.Name, section)
			}
		}
	}
	for i, capacity := range []board.Capacity{board.Plans, board.Does, board.Judges} {
		require.Equal(t, capacity, bases[i].capacity)
	}
	require.NoError(t, fs.WalkDir(prompts(), ".", func(name string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		if folder := filepath.Dir(name); !entry.IsDir() && folder != "parts" && filepath.Base(name) != "contract.md" {
			require.Empty(t, Layer{Name: "built-in"}.unread(board.FirstRoles(), folder, filepath.Base(name)))
		}
		return nil
	}))
}

// A coder is told every field of its task, or there is a reason why not.
func TestEveryFieldOfTheTask(t *testing.T) {
	t.Parallel()
	shown := map[string]string{
		"ID": "id: task-3", "Title": "title: Retry uploads", "Status": "status: CLAIMED", "Kind": "kind: code", "Goal": "goal: goal-1",
		"Sprint": "sprint: sprint-1", "Stretch": "stretch: yes\n", "DoneWhen": "| and the third failure is reported",
		"Spec": "spec: specs/vision.md#retry", "BasedOn": "| docs/adr.md#timeouts", "Scope": "scope: upload only", "Priority": "priority: 2",
		"DependsOn": "depends_on: task-1, task-2", "Owns": "| upload/**", "Verify": "verify: go test ./upload",
		"Limits": "iteration: 3 of 4\nreview_cycles: 1 of 2", "Created": "created: 2026-01-17T12:00:00Z by", "CreatedBy": "by planner-1",
		"Supersedes": "supersedes: task-0", "Generation": "rescoped: 1\n", "Rescope": "rescope_reason: the queue was the cause",
		"Attempt": "attempt: 2\nbase_commit: " + string(base) + "\ncontinues from: " + string(first), "Failures": "failed by coder-2: the server never answered",
		"MergeFails": "integration_failures: 1", "Intent": "summary: wrap the call", "Judgements": "| 1. upload/retry.go:41 — the delay is never reset",
		"Block": "| how long may it take?", "Integration": "| upload/client.go", "Handoff": "next action: reset it",
	}
	for field, text := range map[string]string{
		"Files": "files to create:\n| upload/retry.go\nfiles to modify:\n| upload/client.go\nfiles to read:\n| upload/doc.go", "Estimate": "estimate: 1h30m", "Level": "level: 2\n",
		"Acceptance": "acceptance:\n| a third failure is reported\n| no upload is sent twice", "Steps": "| 1. write the test\n| Run: go test ./upload\n| Expect: FAIL", "Context": "## Context\n\nIt stands in place of the spec's section.\n\n| Three tries",
		"Consumers": "used by: task-7", "IntegrationTest": "integration test: upload/retry_test.go", "VerifyTimeout": "verify_timeout: 20m", "Labels": "labels:\n| net",
		"Retry": "claims without a result: 2",
	} {
		shown[field] = text
	}
	omitted := map[string]string{
		"AbandonedBy": "nobody works on a final task", "Entered": "bookkeeping",
		"Changed": "bookkeeping", "Saves": "bookkeeping", "Attempts": "the attempt's number says it", "Coders": "only the rule against self-review needs it",
		"SupersededBy": "nobody works on a final task", "Abandoned": "nobody works on a final task", "Merge": "nobody works on a final task",
		"Cycles": "the attempt's cycles are what limits look at", "Claim": "the supervisor's concern",
		"Budget": "the supervisor stops what goes beyond it", "Usage": "the supervisor counts it", "Submissions": "the findings name their commit", "Submission": "the reviewer's concern",
		"Role": "the prompt is of that role", "ReviewBy": "the reviewers' concern", "Without": "the reviewers' concern", "Meant": "a person's word to those who judge", "RejectedBy": "the findings say it",
		"Reverts": "the title and scope say it", "Reverted": "nobody works on a final task", "Asked": "the supervisor's concern",
		"Phase": "a task is worked on in its phase alone", "Denies": "they are among what may not be changed", "Asking": "the answers say it",
	}
	in := planned(rework())
	based(in)
	text := render(t, in).Text()
	fields := reflect.TypeFor[board.Task]()
	for i := range fields.NumField() {
		name := fields.Field(i).Name
		if marker, ok := shown[name]; ok {
			require.Contains(t, text, marker, name)
			continue
		}
		require.Contains(t, omitted, name, "a new field: show it or say why not")
	}
	require.Equal(t, fields.NumField(), len(shown)+len(omitted))
}

func TestMissing(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		lose func(*Input)
		want string
	}{
		{"role", func(in *Input) { in.Role = "" }, "no prompt for role "},
		{"unknown role", func(in *Input) { in.Role = "cook" }, "no prompt for role cook"},
		{"contract", func(in *Input) { in.Kernel = "" }, "a prompt for a coder needs a contract"},
		{"goal", func(in *Input) { in.Goal = nil }, "a prompt for a coder needs a goal"},
		{"task", func(in *Input) { in.Task = nil }, "a prompt for a coder needs a task"},
		{"reviewer's task", func(in *Input) { in.Role, in.Row, in.Task = board.CodeReviewer, rowOf(board.CodeReviewer), nil }, "a prompt for a code-reviewer needs a task with a submission"},
		{"submission", func(in *Input) { in.Role, in.Row = board.CodeReviewer, rowOf(board.CodeReviewer) }, "a prompt for a code-reviewer needs a task with a submission"},
		{"trigger", func(in *Input) { in.Role, in.Row = board.Planner, rowOf(board.Planner) }, "a prompt for a planner needs a trigger"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			in := fresh()
			test.lose(&in)
			_, err := Render(in)
			require.EqualError(t, err, test.want)
		})
	}
}

// Missing optional inputs leave no hole in the text.
func TestBareInputs(t *testing.T) {
	t.Parallel()
	bare := &board.Task{ID: "t", Submission: &board.Submission{}}
	for _, in := range []Input{
		{Role: board.Coder, Task: bare},
		{Role: board.CodeReviewer, Task: bare},
		{Role: board.Planner, Triggers: []flow.Trigger{{}}, About: []*board.Task{bare}},
	} {
		in.Kernel, in.Goal, in.Row = "K", &board.Goal{ID: "g"}, rowOf(in.Role)
		text := render(t, in).Text()
		require.NotContains(t, text, "<no value>")
		require.NotContains(t, text, "\n\n\n")
		require.Contains(t, text, "You are a "+in.Role.String()+".")
	}
}

// The limits of a board with hundreds of tasks do not flood the planner.
func TestLongBoard(t *testing.T) {
	t.Parallel()
	in := replanning()
	in.Board = nil
	for range 500 {
		in.Board = append(in.Board, board.Summary{ID: "task-9", Status: board.Unclaimed, Title: "many"})
	}
	text := render(t, in).Text()
	require.Contains(t, text, "500 UNCLAIMED")
	require.Contains(t, text, "and 440 more: `git liza list`")
	require.Equal(t, maxBoard, strings.Count(text, "| task-9 UNCLAIMED"))
}

// A merge that failed is an order to mend it until a submission answers it.
func TestMergeFailures(t *testing.T) {
	t.Parallel()
	in := rework()
	require.Contains(t, render(t, in).Text(), "git merge "+string(tip)+"\n")
	in.Task.Attempt.Fix = ""
	text := render(t, in).Text()
	require.NotContains(t, text, "git merge ")
	require.Contains(t, text, "## An earlier merge failed\n")
}

// The reviewer may compare submissions from the second one on.
func TestInterdiff(t *testing.T) {
	t.Parallel()
	require.NotContains(t, render(t, review(fresh(), 1)).Text(), "--interdiff")
	require.Contains(t, render(t, review(rework(), 3)).Text(), "git liza show task-3 --interdiff 2 3\n")
}

// named are the commands that a text names, each with its arguments.
func named(text string) (calls [][]string) {
	for _, after := range strings.Split(text, "git liza ")[1:] {
		line, _, _ := strings.Cut(after, "\n")
		line, _, _ = strings.Cut(line, "`")
		calls = append(calls, strings.Fields(line))
	}
	return calls
}

// Each role is given the commands that its acts need, and no others' acts.
func TestCommandsOfRoles(t *testing.T) {
	t.Parallel()
	everybody := []string{"show", "recall", "record anomaly", "status", "list", "log", "contracts", "record discovery", "note"}
	own := map[board.Capacity][]string{
		board.Does:   {"intent", "submit", "ask", "block", "handoff"},
		board.Judges: {"approve", "reject"},
		board.Plans: {"task add", "task edit", "task finalize", "task unblock", "task supersede", "task abandon", "check", "plan import", "answer",
			"record defer", "record alignment", "record spec-change"},
	}
	for name, in := range inputs() {
		var given []string
		acts := own[in.Capacity()]
		if in.Asked != nil {
			acts = []string{"answer", "ask"}
		}
		known := slices.Concat(everybody, acts)
		if in.Await != 0 { // what came back is taken up again in the session, nothing else is
			known = append(known, "await", "claim")
		}
		for _, words := range named(render(t, in).Text()) {
			given = append(given, words[0])
			if len(words) > 1 {
				given = append(given, words[0]+" "+words[1])
			}
			require.Condition(t, func() bool {
				return slices.ContainsFunc(known, func(act string) bool { return act == words[0] || strings.HasPrefix(act, words[0]+" ") })
			}, "%s: git liza %v", name, words)
		}
		for _, act := range acts {
			if in.Report != "supervisor" {
				require.Contains(t, given, act, name)
			}
		}
	}
}

// The starting texts of a project name everything that must not be missing.
func TestStarters(t *testing.T) {
	t.Parallel()
	want := map[string][]string{
		"vision":         {"# Vision", "## Why", "## For whom", "## In scope", "## Out of scope", "## Done when"},
		"spec-changelog": {"# Spec changelog", "| Date | Spec | Change | Triggered by |", "## [goal-1]"},
		"repository":     {"## Commands", "| build |", "| run all tests |", "## Layout", "## Conventions", "## Traps"},
		"guardrails":     {"# Guardrails", "## Tier 0", "*Prevents: ", "## Ask first"},
		"continuity":     {"# Collaboration continuity", "## How we work", "## Decided, and why", "## Open"},
		"stories":        {`"userStories": [`, `"allowedPaths": [`, `"excludedPaths": [`, `"verificationCommands": [`},
		"workflow":       {"git liza verify"},
	}
	for _, starter := range Starters() {
		require.Contains(t, want, starter.Name)
		for _, part := range want[starter.Name] {
			require.Contains(t, starter.Text(), part, starter.Name)
		}
		require.NotEmpty(t, starter.About)
	}
	require.Len(t, Starters(), len(want))
}
