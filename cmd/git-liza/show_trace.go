package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/artifacts"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/gitstore/git"
)

// trace prints what a file, a commit or a task stands on: from code to the tasks whose work
// changed it and was merged, from a task to its spec, to what it is based on and to the plan
// that lists it, from there on by the front matter of artifacts.
func (l look) trace(inv *invocation, subject string) error {
	t := tracing{look: l, inv: inv}
	if err := t.readSources(); err != nil {
		return err
	}
	from, err := t.begin(subject)
	if err != nil {
		return err
	}
	for _, one := range t.tasks {
		from = append(from, t.refsOf(one)...)
	}
	var failed error
	chain := artifacts.Trace(t.sources, from, func(path string) bool {
		_, why, err := t.files.Read(path, 0)
		failed = errors.Join(failed, err)
		return why == ""
	})
	if err := errors.Join(failed, l.reading.Board.Err()); err != nil {
		return err
	}
	return inv.answer("", map[string]any{"subject": subject, "tasks": t.rows(), "links": chain.Links, "dangling": chain.Dangling}, t.text(subject, chain))
}

// A tracing follows what work stands on.
type tracing struct {
	look
	inv     *invocation
	files   *work.TextFiles
	sources []artifacts.Source
	tasks   []*board.Task
}

// readSources reads the artifacts that are on integration.
func (t *tracing) readSources() error {
	var err error
	if t.files, err = work.OpenTextFiles(t.inv.ctx, t.clone, t.reading.Board.Settings().Integration.Tip); err != nil {
		return err
	}
	d, err := readDefinitions(t.inv.ctx, t.clone)
	if err != nil {
		return err
	}
	paths, err := t.files.List(t.inv.ctx, d.folders()...)
	if err != nil {
		return err
	}
	for _, path := range paths {
		kind := d.at(path).kind
		if kind == nil || kind.IsAny() {
			continue
		}
		data, why, err := t.files.Read(path, artifacts.MaxText)
		switch {
		case err != nil:
			return err
		case why == "" && len(data) <= artifacts.MaxText:
			t.sources = append(t.sources, artifacts.SourceOf(path, kind, data))
		}
	}
	return nil
}

// begin finds the tasks that a subject is of, and the artifact that it is.
func (t *tracing) begin(subject string) ([]artifacts.Ref, error) {
	var id board.TaskID
	isID := id.UnmarshalText([]byte(subject)) == nil
	if isID {
		if task := t.reading.Board.Task(id); task != nil {
			t.tasks = []*board.Task{task}
			return nil, nil
		}
	}
	if file, err := rootedFile(t.inv, t.clone, subject); err == nil {
		if _, why, err := t.files.Read(file, 0); err != nil {
			return nil, err
		} else if why == "" {
			return t.beginFile(file)
		}
	}
	commit, err := work.ParseCommit(t.inv.ctx, t.clone, subject)
	if errors.Is(err, git.ErrNoCommit) && isID {
		return nil, &flow.Refusal{Rule: flow.RuleNotFound, Hint: "git liza list --all", Reason: "there is no task " + subject + ", and no file on integration or commit of that name"}
	}
	if errors.Is(err, git.ErrNoCommit) {
		return nil, &flow.Refusal{Rule: flow.RuleNotFound, Hint: "git liza help show",
			Reason: git.Visible(subject) + " is no task, no file on integration, and no commit"}
	}
	if err != nil {
		return nil, err
	}
	return nil, t.findCommit(commit)
}

// beginFile finds the tasks that changed a file, and the artifact that it is.
func (t *tracing) beginFile(file string) (from []artifacts.Ref, err error) {
	if slices.ContainsFunc(t.sources, func(s artifacts.Source) bool { return s.Path == file }) {
		from = append(from, artifacts.Ref{To: file})
	}
	return from, t.eachMerged(func(task *board.Task) (bool, error) {
		s := task.Submission
		if slices.Contains(s.Paths, file) || s.Changed <= len(s.Paths) {
			return slices.Contains(s.Paths, file), nil
		}
		out, err := t.clone.Repo.Git(t.inv.ctx, "--literal-pathspecs", "diff", "--name-only", "--no-renames", "--no-ext-diff", string(s.Base), string(s.Commit), "--", file)
		return len(out) > 0, err
	})
}

// eachMerged keeps the merged tasks for which a function says so.
func (t *tracing) eachMerged(keep func(*board.Task) (bool, error)) error {
	for _, s := range t.reading.Board.Summaries() {
		task := t.reading.Board.Task(s.ID)
		if task == nil || task.Merge == nil || task.Submission == nil {
			continue
		}
		ok, err := keep(task)
		if err != nil {
			return err
		}
		if ok {
			t.tasks = append(t.tasks, task)
		}
	}
	return nil
}

// findCommit finds the task whose merge brought a commit to integration.
func (t *tracing) findCommit(commit git.ID) error {
	out, err := t.clone.Repo.Git(t.inv.ctx, "rev-list", "--ancestry-path", string(commit)+".."+string(t.reading.Board.Settings().Integration.Tip))
	if err != nil {
		return err
	}
	after := strings.Fields(string(out)) // newest first
	place := map[git.ID]int{commit: len(after)}
	for i, id := range after {
		place[git.ID(id)] = i
	}
	best := -1
	err = t.eachMerged(func(task *board.Task) (bool, error) {
		at, ok := place[task.Merge.Commit]
		if task.Submission.Commit == commit {
			at, ok = len(after)+1, true
		}
		if !ok || at <= best {
			return false, nil
		}
		best, t.tasks = at, nil
		return true, nil
	})
	if err == nil && len(t.tasks) == 0 {
		return &flow.Refusal{Rule: flow.RuleNotFound, Reason: "no task on the board brought " + commit.Short() + " to integration", Hint: "git liza log"}
	}
	return err
}

// refsOf are what a task stands on.
func (t *tracing) refsOf(task *board.Task) (from []artifacts.Ref) {
	for _, s := range t.sources {
		if slices.Contains(s.Tasks, string(task.ID)) {
			from = append(from, artifacts.Ref{To: s.Path, Field: "tasks"})
		}
	}
	from = append(from, lists.Of(task.BasedOn, func(on string) artifacts.Ref { return artifacts.Ref{To: on, Field: "based_on"} })...)
	return append(from, artifacts.Ref{To: task.Spec, Field: "spec"})
}

// A tracedTask is a task with the commit by which its work was merged.
type tracedTask struct {
	ID     board.TaskID   `json:"id"`
	Title  string         `json:"title"`
	Status string         `json:"status"`
	Commit board.ObjectID `json:"commit"` // "" before the merge
	By     board.Actor    `json:"by"`     // who merged it
}

func (t *tracing) rows() []tracedTask {
	rows := []tracedTask{}
	for _, one := range t.tasks {
		row := tracedTask{ID: one.ID, Title: one.Title, Status: one.Status.String()}
		if one.Merge != nil {
			row.Commit, row.By = one.Merge.Commit, one.Merge.By
		}
		rows = append(rows, row)
	}
	return rows
}

// text is the chain for people, each artifact below what refers to it.
func (t *tracing) text(subject string, chain artifacts.Chain) string {
	var text strings.Builder
	for _, row := range t.rows() {
		fmt.Fprintf(&text, "%s %s: %s", row.ID, row.Status, plaintext.Line(row.Title))
		if row.Commit != "" {
			fmt.Fprintf(&text, " (%s by %s)", row.Commit.Short(), row.By)
		}
		text.WriteString("\n")
	}
	for _, one := range chain.Links {
		words := []string{git.Visible(one.Path), one.Type, plaintext.Line(one.ID), plaintext.Line(one.Status), plaintext.Line(one.Title)}
		words = slices.DeleteFunc(words, func(word string) bool { return word == "" })
		fmt.Fprintf(&text, "%s%s\n", strings.Repeat("  ", one.Depth+1), strings.Join(words, " · "))
	}
	for _, ref := range chain.Dangling {
		place := "the task"
		if ref.Path != "" {
			place = fmt.Sprintf("%s:%d", git.Visible(ref.Path), ref.Line)
		}
		fmt.Fprintf(&text, "%s: %s %s: %s\n", place, ref.Field, plaintext.Line(ref.To), ref.Text)
	}
	if text.Len() == 0 {
		return "nothing on the board says why there is " + git.Visible(subject)
	}
	return text.String()
}
