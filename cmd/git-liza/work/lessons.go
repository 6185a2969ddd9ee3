package work

import (
	"context"
	"errors"

	"github.com/git-liza/git-liza/cmd/git-liza/lesson"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Lessons reads the lessons of a commit, by name. wrong are the paths of files that are
// none; they concern nobody.
func Lessons(ctx context.Context, repo *git.Repo, commit flow.ObjectID) (list []lesson.Lesson, wrong []string, err error) {
	objects, err := repo.Objects(ctx)
	if err != nil {
		return nil, nil, err
	}
	c, err := objects.Commit(commit)
	if err != nil {
		return nil, nil, err
	}
	folder, ok, err := objects.Find(c.Tree, lesson.Folder)
	if err != nil || !ok || folder.Mode != git.ModeTree {
		return nil, nil, err
	}
	entries, err := objects.Tree(folder.ID)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		path := lesson.Folder + "/" + e.Name
		if !lesson.IsLesson(path) {
			continue
		}
		if e.Mode != git.ModeBlob || len(list) == lesson.MaxLessons {
			wrong = append(wrong, path)
			continue
		}
		data, err := objects.ReadKind(e.ID, "blob", lesson.MaxFile)
		var large *git.TooLarge
		if err != nil && !errors.As(err, &large) {
			return nil, nil, err
		}
		one, faults := lesson.Parse(path, data)
		if large != nil || len(faults) > 0 {
			wrong = append(wrong, path)
			continue
		}
		list = append(list, one)
	}
	return list, wrong, nil
}

// Concerned are the paths and globs by which lessons are found for a task: those that it
// owns, else those that it declared; any, if nobody has said.
func Concerned(t *flow.Task) []string {
	switch {
	case len(t.Owns) > 0:
		return t.Owns
	case t.Intent != nil && len(t.Intent.Files) > 0:
		return t.Intent.Files
	}
	return []string{"**"}
}
