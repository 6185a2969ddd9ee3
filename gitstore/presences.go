package gitstore

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Presences are the presences of all agents.
type Presences struct {
	repo    *git.Repo
	history *history
	remotes *Remotes
}

// List are the last presences of the registered agents, as far as this clone
// knows: those of its own agents at once, others as of the last fetch.
// Presences of earlier registrations, unreadable ones, and those dated more
// than a lease ahead are left out.
func (ps *Presences) List(ctx context.Context, b *board.Board) (map[board.AgentID]Presence, error) {
	remote, err := ps.history.Authority(ctx)
	if err != nil {
		return nil, err
	}
	now, lease := ps.history.Now(), time.Duration(b.Settings().Config.Lease)
	known := map[board.AgentID]Presence{}
	for _, a := range board.All[*board.Agent](b, board.Agents) {
		if a.Generation == "" {
			continue
		}
		said := []func() (Presence, bool){
			func() (Presence, bool) { return readBeat(ps.repo, a.ID) },
			func() (Presence, bool) { return ps.readRef(ctx, a.ID.PresenceRef(), a.ID) },
		}
		if remote != "" {
			said = append(said, func() (Presence, bool) {
				return ps.readRef(ctx, layout.RemoteRef(remote, "agents/"+string(a.ID)), a.ID)
			})
		}
		for _, say := range said {
			p, ok := say()
			if ok && p.Generation == a.Generation && p.isOver(now, lease) && p.At.After(known[a.ID].At) {
				known[a.ID] = p
			}
		}
	}
	return known, b.Err()
}

func (ps *Presences) readRef(ctx context.Context, ref string, id board.AgentID) (Presence, bool) {
	at, err := ps.repo.Refs.Resolve(ctx, ref)
	if err != nil {
		return Presence{}, false
	}
	return readPresence(ctx, ps.repo, at, id)
}

// Share pushes the presence refs of the agents to the remote that holds the
// board, and deletes those there that this clone lacks. It does nothing in a
// clone that holds its own board. Errors wrap ErrOffline, or say what the
// remote refused.
func (ps *Presences) Share(ctx context.Context, ids []board.AgentID) error {
	remote, err := ps.history.Authority(ctx)
	if err != nil || remote == "" || len(ids) == 0 {
		return err
	}
	var updates []git.RefUpdate
	for _, id := range ids {
		name := id.PresenceRef()
		at, err := ps.repo.Refs.Resolve(ctx, name)
		if err != nil {
			return err
		}
		updates = append(updates, git.RefUpdate{Name: name, New: at, Any: true})
	}
	err = ps.remotes.push(ctx, remote, updates)
	var refused *rejection
	if err != nil && !errors.As(err, &refused) {
		return offlineError(remote, err)
	}
	return err
}

// Forget removes the presence of an agent, of any registration, here and at the
// remote if a fetch saw it there. Errors are those of [DropPresence] and
// [Presences.Share].
func (ps *Presences) Forget(ctx context.Context, id board.AgentID) error {
	if err := DropPresence(ctx, ps.repo, id, ""); err != nil {
		return err
	}
	remote, err := ps.history.Authority(ctx)
	if err != nil || remote == "" {
		return err
	}
	there := layout.RemoteRef(remote, "agents/"+string(id))
	seen, err := ps.repo.Refs.Resolve(ctx, there)
	if err != nil || seen == "" {
		return err
	}
	if err := ps.Share(ctx, []board.AgentID{id}); err != nil {
		return err
	}
	return ps.repo.Refs.MoveRefs(ctx, []git.RefUpdate{{Name: there, Any: true}}, "presence")
}

// Prune removes the presences of ended registrations from this clone, and
// returns the number of agents they were of.
func (ps *Presences) Prune(ctx context.Context, b *board.Board) (int, error) {
	remote, err := ps.history.Authority(ctx)
	if err != nil {
		return 0, err
	}
	refs, err := ps.repo.Refs.List(ctx, layout.PresenceRefs)
	if err != nil {
		return 0, err
	}
	gone := map[board.AgentID]bool{}
	var updates []git.RefUpdate
	stale := func(ref string, at git.ID, id board.AgentID) {
		a := b.Agent(id)
		if p, ok := readPresence(ctx, ps.repo, at, id); !ok || a == nil || a.Generation != p.Generation {
			updates, gone[id] = append(updates, git.RefUpdate{Name: ref, Old: at}), true
		}
	}
	for ref, at := range refs {
		stale(ref, at, board.ParsePresenceRef(ref))
	}
	if remote != "" {
		there := layout.RemoteRef(remote, "agents/")
		if refs, err = ps.repo.Refs.List(ctx, there); err != nil {
			return 0, err
		}
		for ref, at := range refs {
			stale(ref, at, board.AgentID(strings.TrimPrefix(ref, there)))
		}
	}
	if err := b.Err(); err != nil {
		return 0, err
	}
	return len(gone), ps.repo.Refs.MoveRefs(ctx, updates, "archive")
}
