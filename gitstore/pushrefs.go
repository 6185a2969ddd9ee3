package gitstore

import (
	"context"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/git"
)

// outgoingRefs are the refs of the remote that a move updates, state first:
// those that follow from the move, and the branch of the task, which reviewers
// on other hosts read.
func (m *Mirror) outgoingRefs(ctx context.Context, on base, r Result) ([]git.RefUpdate, error) {
	list := []git.RefUpdate{{Name: layout.State, Old: on.tip, New: r.Commit}}
	seen, err := m.repo.Refs.Resolve(ctx, layout.RemoteRef(on.remote, "integration"))
	if err != nil {
		return nil, err
	}
	branch := r.After.Settings().Integration.Ref()
	for _, u := range refUpdates(r.Move, r.Before, r.Commit) {
		if u.Name != branch {
			list = append(list, u)
			continue
		}
		if u.Old, err = m.expectedIntegration(ctx, r.Move, u, seen); err != nil {
			return nil, err
		}
		list = append(list, u)
	}
	if d, ok := r.Move.Detail.(*flow.InitMove); ok && !d.Created {
		list = append(list, git.RefUpdate{Name: branch, Old: seen, New: d.Integration.Tip})
	}
	return append(list, taskBranches(r)...), nil
}

// expectedIntegration is where the remote's integration branch must be: at its
// tip on the board. For a human's adoption it may also be at any commit that
// the adopted one contains.
func (m *Mirror) expectedIntegration(ctx context.Context, move flow.Move, u git.RefUpdate, seen git.ID) (git.ID, error) {
	if move.Act == board.ActInit {
		return seen, nil
	}
	if move.Act != board.ActAdopt || seen == "" || seen == u.Old {
		return u.Old, nil
	}
	contains, err := m.repo.IsAncestor(ctx, seen, u.New)
	if err != nil || !contains {
		return u.Old, err
	}
	return seen, nil
}

// taskBranches are the updates of task branches at the remote: a submission
// pushes one, the end of a task deletes it. Git accepts the deletion of a
// missing branch.
func taskBranches(r Result) []git.RefUpdate {
	var list []git.RefUpdate
	for _, edit := range r.After.Changes() {
		t, ok := edit.Document.(*board.Task)
		if !ok {
			continue
		}
		ref := t.ID.BranchRef()
		if d, ok := r.Move.Detail.(*flow.SubmitMove); ok && t.ID == r.Move.Task {
			list = append(list, git.RefUpdate{Name: ref, New: d.Commit, Any: true})
			continue
		}
		was := r.Before.Task(t.ID)
		if was == nil || was.Submissions == 0 || was.Status.Final() {
			continue
		}
		if t.Status.Final() || was.Attempt != nil && t.Attempt == nil {
			list = append(list, git.RefUpdate{Name: ref, Any: true})
		}
	}
	return list
}

// incomingRefs are the refs of this clone that follow a move on the remote,
// except the integration branch, which every step of the mirror moves.
func (m *Mirror) incomingRefs(r Result) []git.RefUpdate {
	integration := r.After.Settings().Integration.Ref()
	return lists.Where(refUpdates(r.Move, r.Before, r.Commit), func(u git.RefUpdate) bool { return u.Name != integration })
}
