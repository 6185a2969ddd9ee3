package gitstore

import (
	"context"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/git"
)

// TaskMoves visits the moves that changed the document of a task, newest first, until visit
// returns false: those that lead to one state and not to another, "" for all. It shows moves
// of a newer format as [Store.Log] does. It takes as long as the task is old, and on a board
// with 100,000 moves a second or two for the oldest one.
func (h *history) TaskMoves(ctx context.Context, id board.TaskID, after, to git.ID, visit func(Event) (bool, error)) error {
	args := []string{string(to)}
	if after != "" {
		args = append(args, "^"+string(after))
	}
	args = append(args, "--")
	args = append(args, lists.Of(taskPaths(id), func(path string) string { return ":(top,literal)" + path })...)
	return git.VisitCommits(ctx, h.Repo, args, func(commit git.ID) (bool, error) {
		e, err := h.readLogged(commit)
		if err != nil {
			return false, err
		}
		if more, err := visit(e); err != nil || !more {
			return false, err
		}
		if e.Move.Task == id { // a move of one task is of one that was there
			return true, nil
		}
		return h.hasTask(e.Parent, id) // git would look on to the first move of the board
	})
}

// hasTask reports whether a task is there at a state.
func (h *history) hasTask(commit git.ID, id board.TaskID) (bool, error) {
	if commit == "" {
		return false, nil
	}
	c, err := h.readStateCommit(commit)
	if err != nil {
		return false, err
	}
	for _, path := range taskPaths(id) {
		if _, ok, err := h.objects.Find(c.Tree, path); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// taskPaths are the paths that the document of a task can have in the state tree.
func taskPaths(id board.TaskID) []string {
	return []string{DocumentPath(board.Key{Folder: board.Tasks, ID: string(id)}), DocumentPath(board.Key{Folder: board.Archive, ID: string(id)})}
}
