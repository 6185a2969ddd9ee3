package main

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/artifacts"
	"github.com/git-liza/git-liza/cmd/git-liza/lesson"
	"github.com/git-liza/git-liza/cmd/git-liza/view"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
)

type lessonCommands struct {
	List  lessonListCommand  `cmd:"" default:"withargs" help:"What was learnt, and where it comes from; the default."`
	Check lessonCheckCommand `cmd:"" help:"Say all that is wrong with lessons."`
}

type lessonListCommand struct {
	Task flow.TaskID `placeholder:"TASK" help:"Only those that concern the paths of a task, the closest first, whole."`
	Path []string    `placeholder:"PATH" help:"Only those that concern these paths or globs, the closest first, whole; repeatable."`
}

// Help says what a lesson is.
func (c *lessonListCommand) Help() string {
	return `A lesson is a file .liza/knowledge/NAME.md on integration. Its front matter says which paths it
concerns, the commits that it comes from, and which lessons it contradicts; the text below says
what was learnt. Prompts of agents that work or judge in these paths tell them, as far as
git config liza.learnt allows. Of lessons that contradict one another nobody is told before a
person has taken one away, and of one that comes from no commit on integration nobody at all.

    git liza lesson list --path src/parser/lines.go
    git liza task add --title 'What the parser taught' --role librarian --kind docs --spec specs/vision.md \
        --done-when 'Each rejection has a lesson' --scope lessons --owns '.liza/knowledge/**'`
}

func (c *lessonListCommand) Run(inv *invocation) error {
	l, err := inv.look()
	if err != nil {
		return err
	}
	all, wrong, err := work.Lessons(inv.ctx, l.Repo, l.Board.Settings().Integration.Tip)
	if err != nil {
		return err
	}
	paths := c.Path
	if c.Task != "" {
		t, err := l.task(c.Task)
		if err != nil {
			return err
		}
		paths = append(work.Concerned(t), paths...)
	}
	list, whole := all, len(paths) > 0
	if whole {
		list = lesson.For(all, paths)
	}
	if err := l.Board.Err(); err != nil {
		return err
	}
	if err := work.MarkGone(inv.ctx, l.Repo, l.Board.Settings().Integration.Tip, list); err != nil {
		return err
	}
	open := lesson.Conflicts(all)
	data := map[string]any{"lessons": append([]lesson.Lesson{}, list...), "conflicts": append([]lesson.Conflict{}, open...), "wrong": append([]string{}, wrong...)}
	return inv.answer("", data, view.LessonsText(list, open, wrong, whole, inv.width()))
}

type lessonCheckCommand struct {
	Paths []string `arg:"" optional:"" placeholder:"PATH" help:"Files of lessons; default: all below .liza/knowledge."`
	At    string   `placeholder:"COMMIT" help:"Read the files of a commit; default: those of the work tree."`
}

// Help says what is checked.
func (c *lessonCheckCommand) Help() string {
	return `Front matter has paths, commits and, if need be, contradicts, and there is a text below it.
The commits are on integration; the lessons that one contradicts are there.

Errors stand on standard output, a line each: FILE:LINE: CODE: what is wrong. The exit
code is 1 if there is one.`
}

func (c *lessonCheckCommand) Run(inv *invocation) error {
	l, err := inv.look()
	if err != nil {
		return err
	}
	at := git.ID("")
	if c.At != "" {
		if at, err = l.Repo.ParseCommit(inv.ctx, c.At); err != nil {
			return err
		}
	}
	files, err := work.OpenTextFiles(inv.ctx, l.Clone, at)
	if err != nil {
		return err
	}
	there, err := files.List(inv.ctx, lesson.Folder)
	if err != nil {
		return err
	}
	there = slices.DeleteFunc(there, func(p string) bool { return strings.HasPrefix(path.Base(p), ".") })
	asked := there
	if len(c.Paths) > 0 {
		asked = nil
		for _, said := range c.Paths {
			file, err := rootedFile(inv, l.Clone, said)
			if err != nil {
				return err
			}
			asked = append(asked, file)
		}
	}
	var list []checkedFile
	for _, file := range asked {
		one, err := checkLesson(inv, l, files, file, there)
		if err != nil {
			return err
		}
		list = append(list, one)
	}
	return answerChecked(inv, list, "git liza help lesson list")
}

// checkLesson says all that is wrong with a file; there are the paths of all lessons.
func checkLesson(inv *invocation, l look, files *work.TextFiles, file string, there []string) (checkedFile, error) {
	checked := checkedFile{Path: file, Type: kindLesson, Errors: []artifacts.Fault{}}
	data, why, err := files.Read(file, lesson.MaxFile+1)
	switch {
	case err != nil:
		return checked, err
	case why != "":
		checked.fault(artifacts.CodeFile, "%s", why)
		return checked, nil
	case !lesson.IsLesson(file):
		checked.fault(artifacts.CodePath, "a lesson is a file %s/NAME.md", lesson.Folder)
		return checked, nil
	}
	one, faults := lesson.Parse(file, data)
	checked.Errors = append(checked.Errors, faults...)
	if len(faults) == 0 {
		tip := l.Board.Settings().Integration.Tip
		for _, commit := range one.Commits {
			id, err := l.Repo.ParseCommit(inv.ctx, commit)
			on := false
			if err == nil {
				on, err = l.Repo.IsAncestor(inv.ctx, id, tip)
			}
			if err != nil || !on {
				checked.fault(artifacts.CodeValue, "commits: %s is no commit on integration", commit)
			}
		}
		for _, name := range one.Contradicts {
			if !slices.Contains(there, path.Join(lesson.Folder, name+".md")) {
				checked.fault(artifacts.CodeValue, "contradicts: there is no lesson %s", name)
			}
		}
	}
	checked.Valid = len(checked.Errors) == 0
	return checked, nil
}

// findConflicts finds lessons on integration that cannot both hold, which only a person
// can settle.
func (l *look) findConflicts(inv *invocation) error {
	all, _, err := work.Lessons(inv.ctx, l.Repo, l.Board.Settings().Integration.Tip)
	if err != nil {
		return err
	}
	for _, c := range lesson.Conflicts(all) {
		l.Local.Needs = append(l.Local.Needs, view.Need{Kind: "lesson", Subject: c.One,
			Text:    fmt.Sprintf("the lessons %s and %s contradict one another, and nobody is told either: remove one below %s, and git liza adopt the commit", c.One, c.Other, lesson.Folder),
			Command: "git liza lesson list"})
	}
	return nil
}
