// Package playbook is the built-in deterministic agent, the provider `script`.
//
// A supervisor spawns it like any other agent. It takes the place of a language model
// in the demo, in tests of the supervisors, and when a project tries its gates. A
// playbook, a YAML file committed in the project, says what it does. It plans with `git
// liza task add`, codes by writing files and committing them, and judges by running
// checks in the review's checkout: a verdict follows from exit codes alone.
//
// It reads and changes the blackboard only as an agent does, through `git liza …
// --json` and plain git as child processes. It does not read the prompt. What is
// uncommitted in a task's worktree when it begins was left by an earlier run that was
// ended; the agent removes it.
package playbook

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/document"
)

// DefaultPath is the path of the playbook, unless [ConfigKey] is set in git's
// configuration.
const DefaultPath = "specs/playbook.yaml"

// ConfigKey is the key of git's configuration that names another playbook,
// relative to the top of the checkout.
const ConfigKey = "liza.script.playbook"

// A Playbook says what the script agents of a project do.
type Playbook struct {
	Wait   board.Duration    `yaml:"wait"` // how long a wait_for may take; 0 means 20 s
	Plan   []board.TaskInput `yaml:"plan"` // the tasks that the planner adds, with the keys of `task add --from`
	Work   []Work            `yaml:"work"`
	Checks []Check           `yaml:"checks"` // what every review runs, before the checks of its task

	Answers []Answer `yaml:"answers"` // the first that fits a question answers it
}

// An Answer is what agents of a role say to questions about a task.
type Answer struct {
	Role board.Role   `yaml:"role"` // "" is every role
	Task board.TaskID `yaml:"task"` // "" is every task
	Asks *Ask         `yaml:"asks"` // what they ask somebody else first
	Text string       `yaml:"text"`
}

// An Ask is a question to somebody else.
type Ask struct {
	To   board.Role     `yaml:"to"`
	Text string         `yaml:"text"`
	Wait board.Duration `yaml:"wait"` // how long for the answer; 0 is not at all
	File Path           `yaml:"file"` // of the worktree, which gets the answer; "" for none
}

// Work says what coders and reviewers do about one task.
type Work struct {
	Task     board.TaskID   `yaml:"task"`
	WaitFor  []board.TaskID `yaml:"wait_for"` // the first attempt waits until these have been claimed too
	Attempts []Recipe       `yaml:"attempts"` // the first, and one more for each rejection; the last one is repeated
	Fix      *Recipe        `yaml:"integration_fix"`
	Checks   []Check        `yaml:"checks"`
}

// A Recipe is one commit on a task's branch: what is declared, written and run for it,
// in this order.
type Recipe struct {
	Intent  Intent `yaml:"intent"`
	Ask     *Ask   `yaml:"ask"`
	Write   []File `yaml:"write"`
	Append  []File `yaml:"append"`
	Run     string `yaml:"run"` // a shell command in the worktree, such as a patch
	Message string `yaml:"message"`
}

// An Intent is what `git liza intent` records.
type Intent struct {
	Summary        string   `yaml:"summary"`
	Validation     string   `yaml:"validation"`
	Files          []string `yaml:"files"`
	Assumptions    []string `yaml:"assumptions"`
	Risks          []string `yaml:"risks"`
	Extend         []string `yaml:"extend"`
	TestsNotNeeded string   `yaml:"tests_not_needed"`
}

// A File is written, or appended to, in the worktree.
type File struct {
	Path       Path   `yaml:"path"`
	Content    string `yaml:"content"`
	Executable bool   `yaml:"executable"`
}

// A Check is a shell command that a review runs at the submitted commit, and the
// blocker that it raises if its exit code is not 0.
type Check struct {
	Name       string `yaml:"name"`
	Run        string `yaml:"run"`
	File       Path   `yaml:"file"`
	Line       int    `yaml:"line"`
	Issue      string `yaml:"issue"`
	Why        string `yaml:"why"`
	Suggestion string `yaml:"suggestion"`
}

// A Path names a file below the top of the checkout, outside .git.
type Path string

// UnmarshalText refuses a path that is not clean or leads outside.
func (p *Path) UnmarshalText(text []byte) error {
	name := string(text)
	switch {
	case name == "" || name == "." || path.IsAbs(name) || path.Clean(name) != name || name == ".." || strings.HasPrefix(name, "../"):
		return fmt.Errorf("%q is not a clean path below the top of the checkout", name)
	case slices.ContainsFunc(strings.Split(name, "/"), func(s string) bool { return strings.EqualFold(s, ".git") }):
		return fmt.Errorf("%q lies inside .git", name)
	}
	*p = Path(name)
	return nil
}

// MarshalText returns the path.
func (p Path) MarshalText() ([]byte, error) { return []byte(p), nil }

// Parse reads a playbook. The error names the file, and the line or the task that is
// wrong.
func Parse(name string, data []byte) (*Playbook, error) {
	var p Playbook
	if err := document.Decode(name, data, &p); err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &p, nil
}

// check refuses a playbook that leaves an agent without anything to do.
func (p *Playbook) check() error {
	seen := map[board.TaskID]bool{}
	for i, w := range p.Work {
		switch {
		case w.Task == "":
			return fmt.Errorf("work %d names no task", i+1)
		case seen[w.Task]:
			return fmt.Errorf("%s has two entries under work", w.Task)
		case len(w.Attempts) == 0:
			return fmt.Errorf("%s has no attempts", w.Task)
		}
		seen[w.Task] = true
	}
	for _, w := range p.Work {
		if err := w.check(seen); err != nil {
			return fmt.Errorf("%s: %w", w.Task, err)
		}
	}
	for i, t := range p.Plan {
		if t.ID != "" && !seen[t.ID] {
			return fmt.Errorf("%s is planned, but nothing under work says how to do it", t.ID)
		}
		if t.ID == "" {
			return fmt.Errorf("plan %d has no id", i+1)
		}
	}
	for i, a := range p.Answers {
		if a.Text == "" {
			return fmt.Errorf("answer %d has no text", i+1)
		}
		if err := a.Asks.check(); err != nil {
			return fmt.Errorf("answer %d: %w", i+1, err)
		}
	}
	return checkAll(p.Checks)
}

func (q *Ask) check() error {
	if q != nil && (q.To == "" || q.Text == "") {
		return errors.New("a question needs to and text")
	}
	return nil
}

func (w *Work) check(known map[board.TaskID]bool) error {
	for _, id := range w.WaitFor {
		if !known[id] || id == w.Task {
			return fmt.Errorf("wait_for names %s, which is no other task of this playbook", id)
		}
	}
	for i, r := range w.Attempts {
		if err := r.check(); err != nil {
			return fmt.Errorf("attempt %d: %w", i+1, err)
		}
	}
	if w.Fix != nil {
		if err := w.Fix.check(); err != nil {
			return fmt.Errorf("integration_fix: %w", err)
		}
	}
	return checkAll(w.Checks)
}

func (r *Recipe) check() error {
	switch {
	case r.Intent.Summary == "" || r.Intent.Validation == "":
		return errors.New("the intent needs summary and validation")
	case r.Message == "":
		return errors.New("the commit has no message")
	}
	if err := r.Ask.check(); err != nil {
		return err
	}
	for _, f := range append(slices.Clone(r.Write), r.Append...) {
		if f.Path == "" {
			return errors.New("a file has no path")
		}
	}
	return nil
}

func checkAll(checks []Check) error {
	for i, c := range checks {
		if c.Name == "" || c.Run == "" || c.Issue == "" {
			return fmt.Errorf("check %d needs name, run and issue", i+1)
		}
	}
	return nil
}

// find returns what the playbook has about a task.
func (p *Playbook) find(id board.TaskID) (*Work, error) {
	for i := range p.Work {
		if p.Work[i].Task == id {
			return &p.Work[i], nil
		}
	}
	return nil, fmt.Errorf("the playbook says nothing about %s", id)
}
