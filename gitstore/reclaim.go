package gitstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Reclaim resets the state ref after a process that ignores the rules has moved
// it: to a state that does not descend from known, that does not replay, or that
// cannot be read. known is a sound state that the ref was at. Later moves of others
// stay as far as they can be found: the ref goes to the longest sound history that
// contains known. If somebody has built a sound move on another history, the ref
// stays, and the moves that it lacks are kept under refs/liza/rescue/ and reported as
// dropped. Was and Is are equal if the ref has not moved. Errors are those of
// [Repairer.Repair].
func (r *Repairer) Reclaim(ctx context.Context, known git.ID) (Repaired, error) {
	tip, err := r.history.Tip(ctx)
	follows := false
	if err == nil {
		follows, err = r.repo.IsAncestor(ctx, known, tip)
	}
	if err == nil && follows {
		if err = r.vouchReadable(ctx, tip); err == nil {
			return Repaired{Was: tip, Is: tip}, nil
		}
	}
	switch {
	case ctx.Err() != nil:
		return Repaired{}, ctx.Err()
	case IsUnreadable(err) || git.ExitCode(err) > 0:
		return r.Repair(ctx)
	case err != nil:
		return Repaired{}, err
	}
	release, err := r.repo.Turns.Alone(ctx)
	if err != nil {
		return Repaired{}, err
	}
	defer release()
	return r.reclaimRewound(ctx, known)
}

// vouchReadable refuses a tip that does not replay, and one of which an object cannot
// be read any more: what this process read before says nothing of that.
func (r *Repairer) vouchReadable(ctx context.Context, tip git.ID) error {
	if err := r.audit.Vouch(ctx, tip); err != nil {
		return err
	}
	return r.checkObjects(ctx, tip)
}

// checkObjects reads the objects of the board at a state. The error wraps
// git.ErrDamaged where one cannot be read.
func (r *Repairer) checkObjects(ctx context.Context, state git.ID) error {
	list, err := r.repo.TipObjects(ctx, []git.ID{state})
	if err != nil {
		return err
	}
	bad, err := r.repo.UnreadableObjects(ctx, list, 1)
	for id, why := range bad {
		return fmt.Errorf("%w: %s: %s", git.ErrDamaged, id.Short(), why)
	}
	return err
}

// IsUnreadable reports whether an error of reading the board says that its ref or its
// objects are damaged: [Repairer.Reclaim] may help, and waiting does not.
func IsUnreadable(err error) bool {
	var breach *Breach
	var malformed *document.Error
	return errors.Is(err, ErrStateLost) || errors.Is(err, git.ErrBrokenRef) || errors.Is(err, git.ErrNoObject) || errors.Is(err, git.ErrDamaged) ||
		errors.As(err, &breach) || errors.As(err, &malformed)
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
			return done, r.repo.Refs.MoveRefs(ctx, []git.RefUpdate{{Name: r.rescueName(good) + "/state", New: good, Any: true}}, "liza: kept")
		}
		done.Kept = []git.ID{tip}
		updates = append(updates, git.RefUpdate{Name: r.rescueName(tip) + "/state", New: tip, Any: true})
	}
	if err := r.repo.Refs.MoveRefs(ctx, updates, "liza: put back"); err != nil {
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
	seen, err := r.repo.Refs.Resolve(ctx, layout.RemoteRef(remote, "state"))
	if err != nil || seen == "" {
		return false, ctx.Err() // a ref that cannot be read says nothing
	}
	follows, err := r.repo.IsAncestor(ctx, tip, seen)
	if git.ExitCode(err) > 0 {
		return false, nil // nor does a commit
	}
	return follows, err
}
