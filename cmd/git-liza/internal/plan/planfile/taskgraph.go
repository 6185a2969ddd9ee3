package planfile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plan"
	"github.com/git-liza/git-liza/gitstore/document"
)

// graphKeys are the keys of a task-graph.json that stand for ours.
var graphKeys = map[string]string{
	"depends_on": "dependencies", "verify": "verification", "estimate": "estimate_minutes",
}

// graphLevels are the names of the levels of a file that does not name its own.
var graphLevels = []string{"Foundation", "Core", "Integration", "Testing", "Quality"}

// A taskGraph is what all such files have; levels stand in it in different forms.
type taskGraph struct {
	Feature    string      `yaml:"feature"`
	Version    string      `yaml:"version"`
	Generated  string      `yaml:"generated"`
	TotalTasks *int        `yaml:"total_tasks"`
	Minutes    *int        `yaml:"estimated_duration_minutes"`
	Widest     int         `yaml:"max_parallelization"`
	Critical   *int        `yaml:"critical_path_minutes"`
	Path       []string    `yaml:"critical_path"` // follows from the tasks
	Tasks      []graphTask `yaml:"tasks"`
}

// levelRows and levelNames are the two forms of levels.
type (
	levelRows struct {
		Graph  taskGraph           `yaml:",inline"`
		Levels map[string]levelRow `yaml:"levels"` // by their numbers
	}
	levelNames struct {
		Graph  taskGraph `yaml:",inline"`
		Levels []string  `yaml:"levels"`
	}
)

type levelRow struct {
	Name        string         `yaml:"name"`
	Description string         `yaml:"description"`
	Tasks       []board.TaskID `yaml:"tasks"`
	Parallel    bool           `yaml:"parallel"`
	Minutes     int            `yaml:"estimated_minutes"`
	DependsOn   []string       `yaml:"depends_on_levels"`
}

type graphTask struct {
	ID              board.TaskID   `yaml:"id"`
	Title           string         `yaml:"title"`
	Description     string         `yaml:"description"`
	Phase           string         `yaml:"phase"`
	Level           string         `yaml:"level"` // a number or a name
	Dependencies    []board.TaskID `yaml:"dependencies"`
	DependsOn       []board.TaskID `yaml:"depends_on"`
	Files           *board.Files   `yaml:"files"`
	Criteria        []string       `yaml:"acceptance_criteria"`
	Verification    verification   `yaml:"verification"`
	Minutes         *int           `yaml:"estimate_minutes"`
	Critical        bool           `yaml:"critical_path"`
	Agents          []string       `yaml:"agents_required"`
	Skills          []string       `yaml:"skills_required"`
	Consumers       []board.TaskID `yaml:"consumers"`
	IntegrationTest string         `yaml:"integration_test"`
	Context         board.LongText `yaml:"context"`
	Steps           []graphStep    `yaml:"steps"`
	Priority        int            `yaml:"priority"`
	Status          string         `yaml:"status"`
}

// A graphStep is a step with what has to come of its command.
type graphStep struct {
	board.Step `yaml:",inline"`
	File       string `yaml:"file"`
	Snippet    string `yaml:"code_snippet"`
	Verify     string `yaml:"verify"`
}

// expectations are what the word of a step asks for.
var expectations = map[string]string{"exit_code": "it succeeds", "exit_code_nonzero": "it fails"}

type verification struct {
	Command string `yaml:"command"`
	Seconds int    `yaml:"timeout_seconds"`
}

func (f *File) readGraph(doc *document.Parsed) {
	var rows levelRows
	if f.root.Key("levels").IsList() {
		var named levelNames
		f.refuse(doc.DecodeAll(&named, mostFaults))
		rows.Graph, rows.Levels = named.Graph, map[string]levelRow{}
		for i, name := range named.Levels {
			rows.Levels[strconv.Itoa(i+1)] = levelRow{Name: name}
		}
	} else {
		f.refuse(doc.DecodeAll(&rows, mostFaults))
	}
	graph := &rows.Graph
	f.checkVersion(graph.Version)
	f.Report.System = "task-graph.json"
	f.Plan = plan.Plan{Feature: graph.Feature, Names: map[int]string{}, Barrier: board.LevelBarrier,
		Said: plan.Said{Tasks: graph.TotalTasks, Minutes: graph.Minutes, Critical: graph.Critical}}
	numbers := f.readLevels(rows.Levels)
	listed := map[board.TaskID]int{}
	for _, row := range f.Plan.Said.Rows {
		for _, id := range row.Tasks {
			listed[id] = row.Level
		}
	}
	for i := range graph.Tasks {
		t := graph.Tasks[i].task(graph.Feature)
		t.Level = listed[t.ID]
		if said := graph.Tasks[i].Level; said != "" {
			t.Level = f.levelNumber(i, said, numbers)
		}
		f.checkNumbers(i, &graph.Tasks[i])
		f.leaveRest(i, &graph.Tasks[i])
		f.Plan.Tasks = append(f.Plan.Tasks, t)
	}
}

// checkVersion refuses a version that nobody here knows.
func (f *File) checkVersion(version string) {
	switch major, _, _ := strings.Cut(version, "."); major {
	case "", "1", "2":
	default:
		f.Findings = append(f.Findings, Finding{Line: f.line(plan.Place{Task: -1, Key: "version", Entry: -1}), Code: plan.Form,
			Reason: fmt.Sprintf("version %.40q of task-graph.json is not known here, only 1 and 2 are", version)})
	}
}

// leaveRest reports what a task of the file says that ours have no place for.
func (f *File) leaveRest(i int, t *graphTask) {
	leave := func(key, why string) { f.leave(f.line(plan.Place{Task: i, Key: key, Entry: -1}), key, why) }
	ended := ""
	switch t.Status {
	case "complete", "completed", "done":
		ended = "its status is " + t.Status
	case "", "todo", "pending":
	default:
		leave("status", "the board says what is in work")
	}
	f.ended = append(f.ended, ended)
	if len(t.Agents) > 0 && !slices.Equal(t.Agents, []string{"coder"}) {
		leave("agents_required", "the roles of the board say who works and who judges")
	}
	if len(t.Skills) > 0 {
		leave("skills_required", "a task has no skills")
	}
	for _, step := range t.Steps {
		if step.File+step.Snippet != "" {
			leave("steps", "steps here have no file and no code")
			break
		}
	}
}

// leave reports something that has no place in the plan.
func (f *File) leave(line int, what, why string) {
	f.Report.Left = append(f.Report.Left, Left{Line: max(line, 1), What: what, Why: why})
}

// readLevels reads the table of levels and returns the numbers of their names.
func (f *File) readLevels(levels map[string]levelRow) map[string]int {
	numbers := map[string]int{}
	for _, key := range slices.Sorted(maps.Keys(levels)) {
		row := levels[key]
		n, err := strconv.Atoi(key)
		if err != nil || n < 1 {
			f.Findings = append(f.Findings, Finding{Line: f.line(plan.Place{Task: -1, Key: "levels." + key, Entry: -1}),
				Code: plan.Level, Reason: fmt.Sprintf("level %.40q of the table is not a number from 1", key)})
			continue
		}
		if row.Name != "" {
			f.Plan.Names[n] = row.Name
			numbers[strings.ToLower(row.Name)] = n
		}
		if row.Tasks != nil {
			f.Plan.Said.Rows = append(f.Plan.Said.Rows, plan.Row{Level: n, Tasks: row.Tasks, Key: key})
		}
	}
	slices.SortStableFunc(f.Plan.Said.Rows, func(a, b plan.Row) int { return cmp.Compare(a.Level, b.Level) })
	if len(levels) == 0 {
		for i, name := range graphLevels {
			f.Plan.Names[i+1], numbers[strings.ToLower(name)] = name, i+1
		}
	}
	return numbers
}

// levelNumber is the number of a level that a task names, 0 with a finding if there is none.
func (f *File) levelNumber(i int, said string, numbers map[string]int) int {
	if n, err := strconv.Atoi(said); err == nil && n > 0 {
		return n
	}
	if n := numbers[strings.ToLower(said)]; n > 0 {
		return n
	}
	f.wrong(i, "level", plan.Level, fmt.Sprintf("level %.40q is neither a number from 1 nor the name of a level", said))
	return 0
}

func (f *File) wrong(i int, key string, code plan.Code, reason string) {
	f.Findings = append(f.Findings, Finding{Line: f.line(plan.Place{Task: i, Key: key, Entry: -1}), Code: code, Reason: reason})
}

// The longest times that a file can name, as those of [board.Duration]: ten years.
const (
	mostSeconds = 10 * 365 * 24 * 60 * 60
	mostMinutes = mostSeconds / 60
)

func (f *File) checkNumbers(i int, t *graphTask) {
	if n := t.Minutes; n != nil && (*n < 1 || *n > mostMinutes) {
		f.wrong(i, "estimate", plan.Form, fmt.Sprintf("an estimate is at least one minute and at most ten years, not %d minutes", *n))
	}
	if n := t.Verification.Seconds; n < 0 || n > mostSeconds {
		f.wrong(i, "verify", plan.Form, fmt.Sprintf("a timeout is at most ten years, not %d seconds", n))
	}
}

// task is the task in our form. Such a file names no spec: by convention the
// requirements of the feature stand in one place. done_when are the criteria, else that
// its verification passes.
func (t *graphTask) task(feature string) plan.Task {
	var steps []board.Step
	for _, one := range t.Steps {
		one.Expect = cmp.Or(one.Expect, expectations[one.Verify])
		steps = append(steps, one.Step)
	}
	needs := slices.Clone(t.Dependencies)
	for _, id := range t.DependsOn {
		if !slices.Contains(needs, id) {
			needs = append(needs, id)
		}
	}
	p := plan.Task{
		TaskInput: board.TaskInput{ID: t.ID, Title: t.Title, Scope: cmp.Or(t.Description, t.Title), Priority: t.Priority,
			DependsOn: needs, Verify: t.Verification.Command, DoneWhen: strings.Join(t.Criteria, "\n"),
			Files: t.Files, Acceptance: t.Criteria, Steps: steps, Context: t.Context, Consumers: t.Consumers, IntegrationTest: t.IntegrationTest},
	}
	if feature != "" {
		p.Spec = ".gsd/specs/" + feature + "/requirements.md"
	}
	if p.DoneWhen == "" && p.Verify != "" {
		p.DoneWhen = "This succeeds: " + p.Verify
	}
	if t.Minutes != nil && *t.Minutes > 0 && *t.Minutes <= mostMinutes {
		p.Estimate = board.Duration(time.Duration(*t.Minutes) * time.Minute)
	}
	if n := t.Verification.Seconds; n > 0 && n <= mostSeconds {
		p.VerifyTimeout = board.Duration(time.Duration(n) * time.Second)
	}
	return p
}
