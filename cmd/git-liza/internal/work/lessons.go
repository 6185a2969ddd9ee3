package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/lesson"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Lessons reads the lessons of a commit, by name. wrong are the paths of files and folders
// that are none; they concern nobody.
func Lessons(ctx context.Context, repo *git.Repo, commit board.ObjectID) (list []lesson.Lesson, wrong []string, err error) {
	objects, entries, err := listFolder(ctx, repo, commit, lesson.Folder)
	if err != nil {
		return nil, nil, err
	}
	for i := 0; i < len(entries); i++ {
		e := entries[i]
		if e.Mode == git.ModeTree && !strings.Contains(e.Name, "/") && !strings.HasPrefix(e.Name, ".") {
			below, err := objects.Tree(e.ID)
			if err != nil {
				return nil, nil, err
			}
			for _, one := range below {
				one.Name = e.Name + "/" + one.Name
				entries = append(entries, one)
			}
			continue
		}
		path := lesson.Folder + "/" + e.Name
		if strings.HasPrefix(e.Name, ".") {
			continue
		}
		if e.Mode != git.ModeBlob || !lesson.IsLesson(path) || len(list) == lesson.MaxLessons {
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

// MarkGone notes of each lesson which of its commits are not on integration, whose tip is
// given. It starts two gits, whatever the number of lessons.
func MarkGone(ctx context.Context, repo *git.Repo, tip board.ObjectID, list []lesson.Lesson) error {
	var names strings.Builder
	for _, l := range list {
		for _, commit := range l.Commits {
			names.WriteString(commit + "^{commit}\n")
		}
	}
	if names.Len() == 0 {
		return nil
	}
	out, err := repo.Run(ctx, git.Cmd{Args: []string{"cat-file", "--batch-check=%(objectname)"}, Stdin: []byte(names.String())})
	if err != nil {
		return err
	}
	ids := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	var ask strings.Builder
	for _, id := range ids {
		if repo.CheckID(git.ID(id)) == nil {
			ask.WriteString(id + "\n")
		}
	}
	ask.WriteString("^" + string(tip) + "\n")
	out, err = repo.Run(ctx, git.Cmd{Args: []string{"rev-list", "--no-walk=unsorted", "--stdin"}, Stdin: []byte(ask.String())})
	if err != nil {
		return err
	}
	apart := strings.Fields(string(out))
	place := 0
	for i := range list {
		for _, commit := range list[i].Commits {
			if id := ids[place]; repo.CheckID(git.ID(id)) != nil || slices.Contains(apart, id) {
				list[i].Gone = append(list[i].Gone, commit)
			}
			place++
		}
	}
	return nil
}

// Concerned are the paths and globs by which lessons are found for a task: those that it
// owns, else those that it declared; any, if nobody has said; none without a task.
func Concerned(t *board.Task) []string {
	switch {
	case t == nil:
		return nil
	case len(t.Owns) > 0:
		return t.Owns
	case t.Intent != nil && len(t.Intent.Files) > 0:
		return t.Intent.Files
	}
	return []string{"**"}
}

// Librarian is the role that writes lessons. A board that has it gets a task for it at the
// end of each sprint in which something went wrong.
const Librarian board.Role = "librarian"

// LessonsTask is the id of the task that writes down what a sprint has taught. The id makes
// the task once.
func LessonsTask(id board.SprintID) board.TaskID { return "lessons-" + board.TaskID(id) }

// Setbacks counts the moves of a sprint from which there may be something to learn:
// rejections, handoffs, failed merges, abandoned tasks and anomalies. Those of tasks of
// librarians are none.
func Setbacks(ctx context.Context, c *Clone, b *board.Board, tip board.ObjectID, s *board.Sprint) (count int, err error) {
	err = c.Store.Log(tip, func(e gitstore.Event) (bool, error) {
		m := e.Move
		within := !m.At.Before(s.Started) && (s.Ended.IsZero() || !m.At.After(s.Ended))
		if within && (m.Goal == "" || m.Goal == s.Goal) && isSetback(b, m) {
			count++
		}
		return !m.At.Before(s.Started), ctx.Err()
	})
	return count, err
}

func isSetback(b *board.Board, m flow.Move) bool {
	switch m.Act {
	case board.ActReject, board.ActHandoff, board.ActIntegrationFail, board.ActAbandon, board.ActAnomaly:
		t := b.Task(m.Task)
		return t == nil || t.Role != Librarian
	}
	return false
}

// AddLessons adds the task that writes down what a sprint has taught. It returns "" if the
// board has no librarians, nothing went wrong, the task is there, or the goal has ended.
func AddLessons(ctx context.Context, c *Clone, id board.SprintID) (board.TaskID, error) {
	task := board.TaskInput{ID: LessonsTask(id), Kind: board.Docs, Role: Librarian, Owns: []string{lesson.Folder + "/**"},
		Title:    fmt.Sprintf("Write down what %s has taught", id),
		DoneWhen: fmt.Sprintf("Each rejection, handoff, failed merge, abandoned task and anomaly of %s has a lesson or needs none, and `git liza check` finds no error", id),
		Scope:    lesson.Folder + " alone; `git liza sprint " + string(id) + "` and `git liza log` say what happened"}
	return addOnce(ctx, c, id, task, func(b *board.Board, tip board.ObjectID, s *board.Sprint) (bool, error) {
		if b.Role(Librarian) == nil {
			return false, b.Err()
		}
		count, err := Setbacks(ctx, c, b, tip, s)
		return count > 0, err
	})
}
