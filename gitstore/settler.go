package gitstore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A Settler moves the refs that follow from moves to where the board says, and
// reports those that something else has moved.
type Settler struct {
	Follower Follower // updates checkouts if a remote is the authority; may be nil

	repo    *git.Repo
	history *history
}

// refsToMove are the refs that follow from the move. A ref that is already at
// its new value is only checked. The error wraps ErrForeignRef if the
// integration branch is not where the board says.
func (s *Settler) refsToMove(ctx context.Context, m flow.Move, before *board.Board, commit git.ID) ([]git.RefUpdate, error) {
	list := refUpdates(m, before, commit)
	for i := range list {
		u := &list[i]
		now, err := s.repo.Refs.Direct(ctx, u.Name)
		if err != nil {
			return nil, err
		}
		switch {
		case now == u.New:
			u.Old = now
		case now != u.Old && u.Name == before.Settings().Integration.Ref():
			if u.Old, err = s.checkIntegration(ctx, m, *u, before, now); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// checkIntegration judges an integration branch that is not where the board
// says. An adopt by a human may continue from a commit that it contains;
// everything else is refused.
func (s *Settler) checkIntegration(ctx context.Context, m flow.Move, u git.RefUpdate, before *board.Board, now git.ID) (git.ID, error) {
	if m.Act == board.ActAdopt && now != "" {
		contains, err := s.repo.IsAncestor(ctx, now, u.New)
		if err != nil || contains {
			return now, err
		}
	}
	return "", s.foreignError(ctx, before, now)
}

// foreignError is the error of an integration branch at now that is not where
// the board says.
func (s *Settler) foreignError(ctx context.Context, b *board.Board, now git.ID) error {
	want := b.Settings().Integration
	return fmt.Errorf("%w: %w", ErrForeignRef, &flow.Refusal{Rule: flow.RuleTip, Hint: s.StrayHint(ctx, b, now),
		Reason: fmt.Sprintf("%s is at %s, the board says %s", want.Name, git.ShortOrNone(now), want.Tip.Short())})
}

// Settle does for a reader what every move does first: it moves the refs of the
// last move, and integration, to where the board says. A branch that something
// else has moved stays where it is.
func (s *Settler) Settle(ctx context.Context) error {
	b, tip, err := s.history.Board(ctx)
	if errors.Is(err, ErrNoBoard) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.completeRefs(ctx, tip, b)
}

// completeRefs completes the refs of a process that died inside its
// transaction: the board decides.
func (s *Settler) completeRefs(ctx context.Context, tip git.ID, b *board.Board) error {
	late, err := s.listLate(ctx, tip, b)
	if err != nil || len(late) == 0 {
		return err
	}
	late, branch, err := s.withoutUnfollowed(ctx, b, late)
	if err != nil {
		return err
	}
	err = s.repo.Refs.MoveRefs(ctx, late, "liza: complete "+tip.Short())
	if err == nil && branch != nil {
		// If files were changed meanwhile, the commands that need them say so.
		_ = s.Follower.Follow(ctx, branch.Old, branch.New)
	}
	if errors.Is(err, git.ErrRefMoved) {
		// The process was alive but slow, or another one completed its refs.
		if still, lateErr := s.listLate(ctx, tip, b); lateErr == nil && len(still) == 0 {
			return nil
		}
	}
	return err
}

// withoutUnfollowed removes the integration branch of a mirror from the updates
// if a checkout of it cannot follow now.
func (s *Settler) withoutUnfollowed(ctx context.Context, b *board.Board, late []git.RefUpdate) ([]git.RefUpdate, *git.RefUpdate, error) {
	i := slices.IndexFunc(late, func(u git.RefUpdate) bool { return u.Name == b.Settings().Integration.Ref() })
	if i < 0 || s.Follower == nil {
		return late, nil, nil
	}
	remote, err := s.history.Authority(ctx)
	if err != nil || remote == "" {
		return late, nil, err
	}
	branch := late[i]
	if s.Follower.MayFollow(ctx, branch.Old, branch.New) != nil {
		return slices.Delete(late, i, i+1), nil, nil
	}
	return late, &branch, nil
}

// listLate are the refs of the last move that still have their old values, and
// integration if it is where its last move found it.
func (s *Settler) listLate(ctx context.Context, tip git.ID, b *board.Board) ([]git.RefUpdate, error) {
	e, err := s.history.ReadEvent(tip)
	if err != nil {
		return nil, err
	}
	list, err := s.lateRefsOf(ctx, e)
	if err != nil {
		return nil, err
	}
	integration := b.Settings().Integration
	for _, u := range list {
		if u.New == integration.Tip && u.Name == b.Settings().Integration.Ref() {
			return list, nil
		}
	}
	now, err := s.repo.Refs.Direct(ctx, b.Settings().Integration.Ref())
	if err != nil || now == integration.Tip || now == "" {
		return list, err
	}
	passed, err := s.integrationCameFrom(ctx, e, now, integration.Tip)
	if err != nil || !passed {
		return list, err
	}
	return append(list, git.RefUpdate{Name: b.Settings().Integration.Ref(), Old: now, New: integration.Tip}), nil
}

// integrationCameFrom reports whether the last merge or adoption on the board
// before a move led integration from one commit to the other. A mirror may have
// missed several of them.
func (s *Settler) integrationCameFrom(ctx context.Context, e Event, from, to git.ID) (bool, error) {
	if remote, err := s.history.Authority(ctx); err != nil || remote != "" {
		if err != nil {
			return false, err
		}
		return s.history.integrationPrecedes(from, to)
	}
	c, ok, err := s.history.findCommit(to)
	if err != nil || !ok {
		return false, err
	}
	if len(c.Parents) == 2 && c.Parents[0] == from {
		return true, nil
	}
	if contains, err := s.repo.IsAncestor(ctx, from, to); err != nil || !contains {
		return false, err
	}
	found := false
	err = s.history.Events(e.Commit, func(e Event) (bool, error) {
		switch d := e.Move.Detail.(type) {
		case *flow.MergeMove:
			found = d.Onto == from
			return false, nil
		case *flow.AdoptMove:
			found = d.Onto == from
			return d.Onto == d.Commit, nil
		}
		return true, nil
	})
	return found, err
}

func (s *Settler) lateRefsOf(ctx context.Context, e Event) ([]git.RefUpdate, error) {
	refs, err := s.history.refsOfMove(e)
	if err != nil {
		return nil, err
	}
	var list []git.RefUpdate
	for _, u := range refs {
		now, err := s.repo.Refs.Direct(ctx, u.Name)
		if err != nil {
			return nil, err
		}
		if now != u.Old || now == u.New {
			continue
		}
		// A ref cannot point to a missing object: another clone made the move.
		if _, _, err := s.history.objects.Size(u.New); errors.Is(err, git.ErrNoObject) {
			continue
		}
		list = append(list, u)
	}
	return list, nil
}
