// Package planfile reads plans: the list of tasks that task add takes, the same list
// with what its tasks have in common, and the task-graph.json of other programs. It says
// on which line of the file everything stands.
package planfile

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/automation"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plan"
	"github.com/git-liza/git-liza/gitstore/document"
)

// A File is a plan with the places of its parts in the file.
type File struct {
	Plan     plan.Plan
	Findings []Finding // what the reader refuses
	root     document.Value
	tasks    []document.Value
	isGraph  bool // a task-graph.json

	Report Report   // on what the file of another system says beside the plan
	file   string   // of a folder, below it
	from   []Origin // of the tasks, if they were converted
	ended  []string // of each task why it is finished; "" if it is open

	settled bool
}

// A Finding is a fault with its line.
type Finding struct {
	File   string       `json:"file,omitempty"` // below the folder that the plan is read from, "" for a file
	Line   int          `json:"line"`
	Code   plan.Code    `json:"code"`
	Task   board.TaskID `json:"task"` // "" for the plan
	Reason string       `json:"reason"`
}

// mostFaults bounds the faults of the reader. A file of the greatest size has room for
// more.
const mostFaults = 100_000

// Read reads a plan of at most limit bytes. name is that of its file: a name that ends
// in .json, or a text that begins with {, is a task-graph.json. What the reader refuses
// are findings of the file, whose plan has the rest.
func Read(name string, data []byte, limit int) *File {
	text := strings.TrimSpace(strings.TrimPrefix(string(data[:min(len(data), 512)]), "\ufeff"))
	f := &File{isGraph: strings.HasSuffix(strings.ToLower(name), ".json") || strings.HasPrefix(text, "{")}
	parse := document.Parse
	if f.isGraph {
		parse = document.ParseJSON
	}
	doc, err := parse(name, data, limit)
	if err != nil {
		f.refuse(err)
		return f
	}
	f.root = doc.Root()
	f.tasks = f.root.Key("tasks").Entries()
	switch {
	case f.isGraph:
		f.readGraph(&doc)
	case f.root.IsMapping():
		f.readMapping(&doc)
	default:
		f.tasks = f.root.Entries()
		f.refuse(doc.DecodeAll(&f.Plan.Tasks, mostFaults))
	}
	flow.CleanTexts(&f.Plan)
	for i := range f.Plan.Tasks {
		cleanFiles(f.Plan.Tasks[i].Files)
	}
	f.findIDs()
	return f
}

// cleanFiles gives paths the form that a board keeps: ./a//b is a/b, and no list is empty.
func cleanFiles(files *board.Files) {
	if files == nil {
		return
	}
	for _, list := range []*[]string{&files.Create, &files.Modify, &files.Read} {
		for i, name := range *list {
			(*list)[i] = cleanPath(name)
		}
		if len(*list) == 0 {
			*list = nil
		}
	}
}

// cleanPath leaves as it is what is no path: the check tells it.
func cleanPath(name string) string {
	clean := path.Clean(name)
	switch {
	case name == "" || !fs.ValidPath(clean):
		return name
	case strings.HasSuffix(name, "/"): // a folder
		return clean + "/"
	}
	return clean
}

// A mapping is a list of tasks with what they have in common.
type mapping struct {
	ID         string      `yaml:"id"`       // by which artifacts refer to the plan
	BasedOn    []string    `yaml:"based_on"` // the artifacts that it stands on, which git liza show --trace follows
	Feature    string      `yaml:"feature"`
	Automation class       `yaml:"automation"`
	Schedule   schedule    `yaml:"schedule"`
	Levels     []string    `yaml:"levels"` // their names, from level 1
	Defaults   defaults    `yaml:"defaults"`
	Tasks      []plan.Task `yaml:"tasks"`
}

// A class is that which [automation.Classify] reads; here it is only checked.
type class struct {
	Type       automation.Type       `yaml:"type"`
	Scope      automation.Scope      `yaml:"scope"`
	Loop       automation.Loop       `yaml:"loop"`
	SecondLook automation.SecondLook `yaml:"second_look"`
	Ralph      automation.Loop       `yaml:"ralph"` // as a harness says it
	ECC        automation.SecondLook `yaml:"ecc"`
}

// Governs reports whether the plan declares how far its tasks may be automated.
func (f *File) Governs() bool { return f.from == nil && f.root.Key("automation").Line() > 0 }

// A schedule is that of the goal; the names of its levels stand beside it.
type schedule struct {
	Barrier board.Barrier `yaml:"barrier"`
}

// defaults are the fields that tasks of a file can share. A task that has a field of its
// own keeps it.
type defaults struct {
	DoneWhen      string         `yaml:"done_when"`
	Spec          string         `yaml:"spec"`
	Scope         string         `yaml:"scope"`
	Priority      int            `yaml:"priority"`
	Verify        string         `yaml:"verify"`
	VerifyTimeout board.Duration `yaml:"verify_timeout"`
	Kind          board.Kind     `yaml:"kind"`
	Role          board.Role     `yaml:"role"`
	Estimate      board.Duration `yaml:"estimate"`
	Labels        []string       `yaml:"labels"`
}

func (d *defaults) fill(t *plan.Task) {
	t.DoneWhen, t.Spec, t.Scope = cmp.Or(t.DoneWhen, d.DoneWhen), cmp.Or(t.Spec, d.Spec), cmp.Or(t.Scope, d.Scope)
	t.Priority, t.Kind, t.Role = cmp.Or(t.Priority, d.Priority), cmp.Or(t.Kind, d.Kind), cmp.Or(t.Role, d.Role)
	t.Verify, t.VerifyTimeout = cmp.Or(t.Verify, d.Verify), cmp.Or(t.VerifyTimeout, d.VerifyTimeout)
	t.Estimate = cmp.Or(t.Estimate, d.Estimate)
	if t.Labels == nil {
		t.Labels = d.Labels
	}
}

func (f *File) readMapping(doc *document.Parsed) {
	var m mapping
	f.refuse(doc.DecodeAll(&m, mostFaults))
	f.Plan.Feature, f.Plan.Barrier, f.Plan.Tasks = m.Feature, m.Schedule.Barrier, m.Tasks
	for i := range m.Tasks {
		m.Defaults.fill(&m.Tasks[i])
	}
	f.Plan.Names = map[int]string{}
	for i, name := range m.Levels {
		f.Plan.Names[i+1] = name
	}
}

// findIDs looks for tasks without id, and for a plan without tasks.
func (f *File) findIDs() {
	for i := range f.Plan.Tasks {
		if !f.tasks[i].IsMapping() {
			f.Plan.Tasks[i].Draft = true // so that nobody misses its title
		} else if f.Plan.Tasks[i].ID == "" && f.tasks[i].Key("id").Line() == 0 {
			f.Findings = append(f.Findings, Finding{Line: f.tasks[i].Line(), Code: plan.Form, Reason: "a task has no id"})
		}
	}
	if len(f.Plan.Tasks) == 0 && len(f.Findings) == 0 {
		f.Findings = append(f.Findings, Finding{Line: max(f.root.Line(), 1), Code: plan.Form, Reason: "the plan has no task"})
	}
}

// refuse notes the faults that a reader reports.
func (f *File) refuse(err error) {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range several.Unwrap() {
			f.refuse(one)
		}
		return
	}
	if err == nil {
		return
	}
	found := Finding{Line: 1, Code: plan.Form, Reason: err.Error()}
	if malformed, is := errors.AsType[*document.Error](err); is {
		found.Line, found.Reason = malformed.Line, malformed.Reason
		if f.isGraph && malformed.Key != "" { // nobody changes the files of other programs for us
			f.leave(malformed.Line, malformed.Key, malformed.Reason)
			return
		}
	}
	f.Findings = append(f.Findings, found)
}

// Locate returns faults of the plan with their lines, and what the reader refuses, in
// the order of the lines.
func (f *File) Locate(faults []plan.Fault) (wrong, warnings []Finding) {
	wrong = slices.Clone(f.Findings)
	for _, one := range faults {
		found := Finding{Line: f.line(one.Place), Code: one.Code, Reason: one.Reason}
		found.File = f.fileOf(one.Place.Task)
		if one.Place.Task >= 0 {
			found.Task = f.Plan.Tasks[one.Place.Task].ID
		}
		if one.Warning {
			warnings = append(warnings, found)
		} else {
			wrong = append(wrong, found)
		}
	}
	for _, list := range [][]Finding{wrong, warnings} {
		slices.SortStableFunc(list, func(a, b Finding) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line)) })
	}
	return wrong, warnings
}

// TaskLine is the line on which a task begins.
func (f *File) TaskLine(i int) int { return f.line(plan.Place{Task: i, Entry: -1}) }

// line is the line of a place, or of what stands around it in the file.
func (f *File) line(at plan.Place) int {
	if f.from != nil {
		if at.Task < 0 {
			return 1
		}
		return max(f.from[at.Task].Line, 1)
	}
	value := f.root
	if at.Task >= 0 {
		value = f.tasks[at.Task]
	}
	line := value.Line()
	key := at.Key
	if other := graphKeys[key]; f.isGraph && other != "" {
		key = other
	}
	for name := range strings.SplitSeq(key, ".") {
		if value = value.Key(name); value.Line() > 0 {
			line = value.Line()
		}
	}
	if entries := value.Entries(); at.Entry >= 0 && at.Entry < len(entries) {
		line = entries[at.Entry].Line()
	}
	return max(line, 1)
}
