package work

import (
	"context"
	"fmt"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/lesson"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// Librarian is the role that writes lessons. A board that has it gets a task for it at the
// end of each sprint in which something went wrong.
const Librarian flow.Role = "librarian"

// LessonsTask is the id of the task that writes down what a sprint has taught. The id makes
// the task once.
func LessonsTask(id flow.SprintID) flow.TaskID { return "lessons-" + flow.TaskID(id) }

// Setbacks counts the moves of a sprint from which there may be something to learn:
// rejections, handoffs, failed merges, abandoned tasks and anomalies. Those of tasks of
// librarians are none.
func Setbacks(ctx context.Context, c *Clone, b *flow.Board, tip flow.ObjectID, s *flow.Sprint) (count int, err error) {
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

func isSetback(b *flow.Board, m flow.Move) bool {
	switch m.Act {
	case flow.ActReject, flow.ActHandoff, flow.ActIntegrationFail, flow.ActAbandon, flow.ActAnomaly:
		t := b.Task(m.Task)
		return t == nil || t.Role != Librarian
	}
	return false
}

// AddLessons adds the task that writes down what a sprint has taught. It returns "" if the
// board has no librarians, nothing went wrong, the task is there, or the goal has ended.
func AddLessons(ctx context.Context, c *Clone, id flow.SprintID) (flow.TaskID, error) {
	b, tip, err := c.Store.Board(ctx)
	if err != nil {
		return "", err
	}
	s := b.Sprint(id)
	if s == nil || b.Role(Librarian) == nil || b.Task(LessonsTask(id)) != nil {
		return "", b.Err()
	}
	g := b.Goal(s.Goal)
	if g == nil || !g.Status.IsInProgress() {
		return "", b.Err()
	}
	count, err := Setbacks(ctx, c, b, tip, s)
	if err != nil || count == 0 {
		return "", err
	}
	task := flow.TaskInput{ID: LessonsTask(id), Kind: flow.Docs, Role: Librarian, Owns: []string{lesson.Folder + "/**"}, Spec: g.Spec,
		Title:    fmt.Sprintf("Write down what %s has taught", id),
		DoneWhen: fmt.Sprintf("Each rejection, handoff, failed merge, abandoned task and anomaly of %s has a lesson or needs none, and `git liza check` finds no error", id),
		Scope:    lesson.Folder + " alone; `git liza sprint " + string(id) + "` and `git liza log` say what happened"}
	return c.For(g.ID).addOnce(ctx, task)
}
