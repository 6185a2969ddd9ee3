package gitstore

import (
	"context"
	"errors"

	"github.com/git-liza/git-liza/gitstore/git"
)

// Reclaim puts the state ref back where a process that does not keep the rules
// has moved it: from a state that known does not lead to, or that does not
// replay. known is a sound state that the ref stood at. Moves that others made
// after it stay, as far as they can be found: the ref goes to the longest sound
// history that contains known. Where somebody has built a sound move on another
// history, the ref stays, and what it lacks is kept under refs/liza/rescue/ and
// told as dropped. Was and Is are the same where the ref has not moved. Errors
// are those of [Store.Repair].
func (s *Store) Reclaim(ctx context.Context, known git.ID) (Repaired, error) {
	tip, err := s.Tip(ctx)
	if errors.Is(err, ErrStateLost) {
		return s.Repair(ctx)
	}
	if err != nil {
		return Repaired{}, err
	}
	follows, err := s.Repo.IsAncestor(ctx, known, tip)
	if err != nil {
		return Repaired{}, err
	}
	if follows {
		if err := s.Vouch(ctx, tip); err != nil {
			return s.Repair(ctx)
		}
		return Repaired{Was: tip, Is: tip}, nil
	}
	release, err := s.Repo.Queue(ctx)
	if err != nil {
		return Repaired{}, err
	}
	defer release()
	return s.rewound(ctx, known)
}

// rewound goes on from a state ref that has left its history, while the queue
// is held.
func (s *Store) rewound(ctx context.Context, known git.ID) (Repaired, error) {
	tip, err := s.Tip(ctx)
	if err != nil {
		return Repaired{}, err
	}
	chosen, err := s.chosen(ctx, tip)
	if err != nil || chosen {
		return Repaired{Was: tip, Is: tip}, err
	}
	good, err := s.lastSound(ctx, append(s.dangling(ctx), known))
	if err != nil {
		return Repaired{}, err
	}
	if longer, err := s.Repo.IsAncestor(ctx, known, good); err != nil || !longer {
		good = known
	}
	behind, err := s.Repo.IsAncestor(ctx, tip, good)
	if err != nil {
		return Repaired{}, err
	}
	done := Repaired{Was: tip, Is: good}
	updates := []git.RefUpdate{{Name: git.StateRef, Old: tip, New: good}}
	if !behind {
		if sound, err := s.lastSound(ctx, []git.ID{tip}); err == nil && sound == tip {
			done.Is, done.Kept = tip, []git.ID{good}
			done.Dropped, done.Count = s.dropped(good, tip)
			return done, s.Repo.MoveRefs(ctx, []git.RefUpdate{{Name: s.rescue(good) + "/state", New: good, Any: true}}, "liza: kept")
		}
		done.Kept = []git.ID{tip}
		updates = append(updates, git.RefUpdate{Name: s.rescue(tip) + "/state", New: tip, Any: true})
	}
	if err := s.Repo.MoveRefs(ctx, updates, "liza: put back"); err != nil {
		return Repaired{}, err
	}
	s.wrote(good)
	return done, nil
}

// chosen reports whether the ref follows the remote that holds the board, as
// after `sync --theirs`: another history is somebody's decision then.
func (s *Store) chosen(ctx context.Context, tip git.ID) (bool, error) {
	remote, err := s.Authority(ctx)
	if err != nil || remote == "" {
		return false, err
	}
	seen, err := s.Repo.Resolve(ctx, tracking(remote, "state"))
	if err != nil || seen == "" {
		return false, err
	}
	return s.Repo.IsAncestor(ctx, tip, seen)
}
