package gitstore

import (
	"context"
	"errors"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Reclaim resets the state ref after a process that ignores the rules has moved
// it: to a state that does not descend from known, or that does not replay.
// known is a sound state that the ref was at. Later moves of others stay as far
// as they can be found: the ref goes to the longest sound history that contains
// known. If somebody has built a sound move on another history, the ref stays,
// and the moves that it lacks are kept under refs/liza/rescue/ and reported as
// dropped. Was and Is are equal if the ref has not moved. Errors are those of
// [Repairer.Repair].
func (r *Repairer) Reclaim(ctx context.Context, known git.ID) (Repaired, error) {
	tip, err := r.history.Tip(ctx)
	if errors.Is(err, ErrStateLost) {
		return r.Repair(ctx)
	}
	if err != nil {
		return Repaired{}, err
	}
	follows, err := r.repo.IsAncestor(ctx, known, tip)
	if err != nil {
		return Repaired{}, err
	}
	if follows {
		if err := r.audit.Vouch(ctx, tip); err != nil {
			return r.Repair(ctx)
		}
		return Repaired{Was: tip, Is: tip}, nil
	}
	release, err := r.repo.Queue(ctx)
	if err != nil {
		return Repaired{}, err
	}
	defer release()
	return r.reclaimRewound(ctx, known)
}

// reclaimRewound handles a state ref that has left its history; the caller
// holds the queue.
func (r *Repairer) reclaimRewound(ctx context.Context, known git.ID) (Repaired, error) {
	tip, err := r.history.Tip(ctx)
	if err != nil {
		return Repaired{}, err
	}
	chosen, err := r.followsRemote(ctx, tip)
	if err != nil || chosen {
		return Repaired{Was: tip, Is: tip}, err
	}
	good, err := r.findLastSound(ctx, append(r.listDangling(ctx), known))
	if err != nil {
		return Repaired{}, err
	}
	if longer, err := r.repo.IsAncestor(ctx, known, good); err != nil || !longer {
		good = known
	}
	behind, err := r.repo.IsAncestor(ctx, tip, good)
	if err != nil {
		return Repaired{}, err
	}
	done := Repaired{Was: tip, Is: good}
	updates := []git.RefUpdate{{Name: layout.State, Old: tip, New: good}}
	if !behind {
		if sound, err := r.findLastSound(ctx, []git.ID{tip}); err == nil && sound == tip {
			done.Is, done.Kept = tip, []git.ID{good}
			done.Dropped, done.Count = r.history.listDropped(good, tip)
			return done, r.repo.MoveRefs(ctx, []git.RefUpdate{{Name: r.rescueName(good) + "/state", New: good, Any: true}}, "liza: kept")
		}
		done.Kept = []git.ID{tip}
		updates = append(updates, git.RefUpdate{Name: r.rescueName(tip) + "/state", New: tip, Any: true})
	}
	if err := r.repo.MoveRefs(ctx, updates, "liza: put back"); err != nil {
		return Repaired{}, err
	}
	r.audit.rememberWritten(good)
	return done, nil
}

// followsRemote reports whether the ref follows the remote that holds the
// board, as after `sync --theirs`: another history is then intended.
func (r *Repairer) followsRemote(ctx context.Context, tip git.ID) (bool, error) {
	remote, err := r.history.Authority(ctx)
	if err != nil || remote == "" {
		return false, err
	}
	seen, err := r.repo.Resolve(ctx, layout.RemoteRef(remote, "state"))
	if err != nil || seen == "" {
		return false, err
	}
	return r.repo.IsAncestor(ctx, tip, seen)
}
