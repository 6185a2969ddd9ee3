package supervise

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/lesson"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/glob"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/templates"
)

// Earlier rejections are looked for in the newest moves, and so many are told.
const (
	mostMovesRead      = 2000
	mostRejectionsTold = 5
)

// EarlierRejections are the newest rejections of other tasks in the paths of a task, each
// with its source, newest first. They are looked for in the last 2,000 moves.
func EarlierRejections(ctx context.Context, store *gitstore.Store, b *board.Board, t *board.Task) (list []string, err error) {
	if t == nil {
		return nil, nil
	}
	tip, err := store.Tip(ctx)
	if err != nil {
		return nil, err
	}
	paths, read := work.Concerned(t), 0
	err = store.Events(tip, func(e gitstore.Event) (bool, error) {
		read++
		if r, ok := e.Move.Detail.(*flow.RejectMove); ok && e.Move.Task != t.ID {
			if other := b.Task(e.Move.Task); other != nil && meet(paths, work.Concerned(other)) && len(r.Feedback.Blockers) > 0 {
				list = append(list, rejectionText(e, r))
			}
		}
		return read < mostMovesRead && len(list) < mostRejectionsTold, ctx.Err()
	})
	return list, err
}

func meet(mine, theirs []string) bool {
	return slices.ContainsFunc(mine, func(one string) bool {
		return slices.ContainsFunc(theirs, func(other string) bool { return glob.Overlap(one, other) })
	})
}

func rejectionText(e gitstore.Event, r *flow.RejectMove) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s, rejected by %s (git show --no-patch %s)", e.Move.Task, e.Move.By, e.Commit.Short())
	for _, f := range r.Feedback.Blockers {
		text.WriteString("\n- ")
		if f.File != "" {
			text.WriteString(f.File + ": ")
		}
		text.WriteString(f.Issue)
	}
	return text.String()
}

// learnt puts what was learnt of the paths of a task into a prompt, within the bytes
// of a.Learnt: first lessons of integration, then earlier rejections.
func learnt(ctx context.Context, repo *git.Repo, tip board.ObjectID, a PromptInput, in *templates.Input) error {
	if in.Asked != nil || a.Learnt <= 0 {
		return nil
	}
	all, _, err := work.Lessons(ctx, repo, tip)
	if err != nil {
		return err
	}
	list := lesson.For(all, work.Concerned(in.Task), a.Role)
	if err := work.MarkGone(ctx, repo, tip, list); err != nil {
		return err
	}
	texts := lists.Of(lists.Where(list, func(l lesson.Lesson) bool { return !l.Stale() }), lesson.Lesson.Told)
	in.Lessons, in.LessonsLeft = lesson.Within(texts, a.Learnt)
	left := a.Learnt
	for _, text := range in.Lessons {
		left -= len(text)
	}
	in.Rejections, _ = lesson.Within(a.Rejections, left)
	return nil
}
