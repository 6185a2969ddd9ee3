package main

import (
	"cmp"
	"fmt"
	"path"
	"slices"

	"github.com/git-liza/git-liza/artifacts"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/lesson"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
)

// lessons lists what was learnt, or what of it concerns a task or paths.
func (c *recallCommand) lessons(inv *invocation, l look) error {
	all, wrong, err := work.Lessons(inv.ctx, l.clone.Repo, l.reading.Board.Settings().Integration.Tip)
	if err != nil {
		return err
	}
	paths, roles := c.Path, []board.Role(nil)
	if c.Task != "" {
		t, err := l.task(c.Task)
		if err != nil {
			return err
		}
		paths, roles = append(work.Concerned(t), paths...), []board.Role{cmp.Or(t.Role, board.Coder)}
	}
	list, whole := all, len(paths)+len(roles) > 0
	if whole {
		list = lesson.For(all, paths, roles...)
	}
	if err := l.reading.Board.Err(); err != nil {
		return err
	}
	if err := work.MarkGone(inv.ctx, l.clone.Repo, l.reading.Board.Settings().Integration.Tip, list); err != nil {
		return err
	}
	open := lesson.Conflicts(all)
	data := map[string]any{"lessons": append([]lesson.Lesson{}, list...), "conflicts": append([]lesson.Conflict{}, open...), "wrong": append([]string{}, wrong...)}
	return inv.answer("", data, view.LessonsText(list, open, wrong, whole, inv.width()))
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
		tip := l.reading.Board.Settings().Integration.Tip
		for _, commit := range one.Commits {
			id, err := l.clone.Repo.ParseCommit(inv.ctx, commit)
			on := false
			if err == nil {
				on, err = l.clone.Repo.IsAncestor(inv.ctx, id, tip)
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
func (l *look) findConflicts(inv *invocation, _ *view.Picture) error {
	all, _, err := work.Lessons(inv.ctx, l.clone.Repo, l.reading.Board.Settings().Integration.Tip)
	if err != nil {
		return err
	}
	for _, c := range lesson.Conflicts(all) {
		l.reading.Local.Needs = append(l.reading.Local.Needs, view.Need{Kind: "lesson", Subject: c.One,
			Text:    fmt.Sprintf("the lessons %s and %s contradict one another, and nobody is told either: remove one below %s, and git liza adopt the commit", c.One, c.Other, lesson.Folder),
			Command: "git liza recall --lessons"})
	}
	return nil
}
