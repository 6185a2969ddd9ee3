package planfile

import (
	"slices"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plan"
)

// A Report is what the files of another system say that a plan has no place for.
type Report struct {
	System   string     `json:"system"` // with its version; "" for a plan in our form
	Left     []Left     `json:"unmapped"`
	Finished []Finished `json:"finished"`
}

// A Left is something that has no place in the plan.
type Left struct {
	File string `json:"file"` // below the folder that was read, "" for a file
	Line int    `json:"line"` // from 1
	What string `json:"what"` // a field, or a part of the text
	Why  string `json:"why"`
}

// A Finished is work that is done there, so that it is no task to be done.
type Finished struct {
	File  string       `json:"file"`
	Line  int          `json:"line"`
	Task  board.TaskID `json:"task"`
	Title string       `json:"title"`
	Why   string       `json:"why"`
}

// An Origin is where a task stands in the files of another system.
type Origin struct {
	File string
	Line int
}

// A Source is a task of another system with its origin. Ended says why it is finished,
// "" if it is open.
type Source struct {
	Task  plan.Task
	At    Origin
	Ended string
}

// Converted is the plan of tasks that a reader of another system has found. What it
// refuses are findings.
func Converted(feature string, tasks []Source, findings []Finding, report Report) *File {
	f := &File{Plan: plan.Plan{Feature: feature, Names: map[int]string{}}, Findings: findings, Report: report, from: []Origin{}}
	for _, one := range tasks {
		f.Plan.Tasks = append(f.Plan.Tasks, one.Task)
		f.from, f.ended = append(f.from, one.At), append(f.ended, one.Ended)
	}
	flow.CleanTexts(&f.Plan)
	for i := range f.Plan.Tasks {
		t := &f.Plan.Tasks[i]
		cleanFiles(t.Files)
		for n, name := range t.Owns {
			t.Owns[n] = cleanPath(name)
		}
	}
	return f
}

// Within says that the file of a plan stands in a folder that was read.
func (f *File) Within(file string) {
	f.file = file
	for i := range f.Findings {
		f.Findings[i].File = file
	}
	for i := range f.Report.Left {
		f.Report.Left[i].File = file
	}
}

// fileOf is the file in which a task stands, "" if the plan has only one.
func (f *File) fileOf(task int) string {
	if f.from == nil || task < 0 {
		return f.file
	}
	return f.from[task].File
}

// TaskFile is the file below the folder of the plan in which a task stands, "" if the plan
// is one file.
func (f *File) TaskFile(i int) string { return f.fileOf(i) }

// Settle takes out of the plan what is finished where it comes from and what the board
// does not have, so that nobody does it again; the report names it. Tasks that need it
// need what it needs. What the board has stays: it is compared. onBoard may be nil. A second
// call does nothing.
func (f *File) Settle(onBoard func(board.TaskID) bool) {
	if f.settled {
		return
	}
	f.settled = true
	gone := map[board.TaskID]*plan.Task{}
	for i, why := range f.ended {
		t := &f.Plan.Tasks[i]
		if why == "" {
			continue
		}
		at := Finished{File: f.fileOf(i), Line: f.TaskLine(i), Task: t.ID, Title: t.Title, Why: why}
		if onBoard != nil && onBoard(t.ID) {
			at.Why += "; the board has it, and says what becomes of it here"
		} else {
			gone[t.ID] = t
		}
		f.Report.Finished = append(f.Report.Finished, at)
	}
	if len(gone) == 0 {
		return
	}
	rest := File{}
	needs := map[board.TaskID][]board.TaskID{}
	for i := range f.Plan.Tasks {
		t := f.Plan.Tasks[i]
		if gone[t.ID] != nil && f.ended[i] != "" {
			continue
		}
		if slices.ContainsFunc(t.DependsOn, func(id board.TaskID) bool { return gone[id] != nil }) {
			t.DependsOn = f.openNeeds(t.DependsOn, gone, needs)
		}
		t.Consumers = slices.DeleteFunc(slices.Clone(t.Consumers), func(id board.TaskID) bool { return gone[id] != nil })
		rest.Plan.Tasks, rest.ended = append(rest.Plan.Tasks, t), append(rest.ended, f.ended[i])
		if f.from != nil {
			rest.from = append(rest.from, f.from[i])
		} else {
			rest.tasks = append(rest.tasks, f.tasks[i])
		}
	}
	f.Plan.Tasks, f.ended, f.tasks = rest.Plan.Tasks, rest.ended, rest.tasks
	if f.from != nil {
		f.from = append([]Origin{}, rest.from...)
	}
	f.closeLevels()
}

// openNeeds replaces needs that are gone by what they need.
func (f *File) openNeeds(list []board.TaskID, gone map[board.TaskID]*plan.Task, known map[board.TaskID][]board.TaskID) []board.TaskID {
	var open []board.TaskID
	for _, id := range list {
		if gone[id] == nil {
			open = append(open, id)
			continue
		}
		below, seen := known[id]
		if !seen {
			known[id] = nil // a cycle of finished tasks ends here
			below = f.openNeeds(gone[id].DependsOn, gone, known)
			known[id] = below
		}
		open = append(open, below...)
	}
	var once []board.TaskID
	seen := map[board.TaskID]bool{}
	for _, id := range open {
		if !seen[id] {
			seen[id], once = true, append(once, id)
		}
	}
	return once
}

// closeLevels closes the gaps that finished tasks leave between levels, and forgets what
// the file says of all tasks together.
func (f *File) closeLevels() {
	f.Plan.Said = plan.Said{}
	if len(f.Plan.Tasks) == 0 {
		f.Plan.Barrier = 0
	}
	closeGaps(&f.Plan, lists.Of(f.Plan.Tasks, func(t plan.Task) int { return t.Level }))
}
