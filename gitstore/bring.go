package gitstore

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// BringCommits makes sure that this clone has commits of a task. If one is
// missing, it fetches the saved commits of the task and integration. Errors
// wrap ErrOffline, or git.ErrNoCommit if the remote lacks the commits too.
func (m *Mirror) BringCommits(ctx context.Context, id board.TaskID, need ...git.ID) error {
	missing, err := m.firstMissing(need)
	if err != nil || missing == "" {
		return err
	}
	name, err := m.history.Authority(ctx)
	if err != nil {
		return err
	}
	if name != "" {
		if err := m.fetchSaved(ctx, name, id); err != nil {
			return err
		}
		if missing, err = m.firstMissing(need); err != nil || missing == "" {
			return err
		}
	}
	return fmt.Errorf("%w: %s of %s is neither here nor at a remote that holds the board", git.ErrNoCommit, missing.Short(), id)
}

// firstMissing is the first of the commits that this clone lacks, "" if it has
// all.
func (m *Mirror) firstMissing(need []git.ID) (git.ID, error) {
	for _, id := range need {
		if _, here, err := m.history.findCommit(id); err != nil || !here {
			return id, err
		}
	}
	return "", nil
}

func (m *Mirror) fetchSaved(ctx context.Context, name string, id board.TaskID) error {
	release, err := m.repo.Turns.PushTurn(ctx)
	if err != nil {
		return err
	}
	defer release()
	if _, _, err := m.refresh(ctx, name); err != nil {
		return err
	}
	there := layout.RemoteRef(name, "saved/"+string(id))
	if err := m.remotes.fetchInto(ctx, name, [][2]string{{layout.SavedRefs + string(id) + "/*", there + "/*"}}); err != nil {
		return offlineError(name, err)
	}
	return m.keepSaved(ctx, there, layout.SavedRefs+string(id))
}

// keepSaved turns the fetched refs of a task into refs of this clone.
func (m *Mirror) keepSaved(ctx context.Context, there, here string) error {
	found, err := m.repo.Refs.List(ctx, there)
	if err != nil {
		return err
	}
	var updates []git.RefUpdate
	for ref, id := range found {
		name := here + strings.TrimPrefix(ref, there)
		now, err := m.repo.Refs.Resolve(ctx, name)
		if err != nil {
			return err
		}
		if now == "" {
			updates = append(updates, git.RefUpdate{Name: name, New: id})
		}
		updates = append(updates, git.RefUpdate{Name: ref, Old: id})
	}
	return m.repo.Refs.MoveRefs(ctx, updates, "liza: brought")
}
