package gitstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
)

// updates are the refs that follow from the move. One that stands where it
// should already is only checked. The error wraps ErrForeignRef where the
// integration branch is not where the board says.
func (s *Store) updates(ctx context.Context, m flow.Move, before *flow.Board, commit git.ID) ([]git.RefUpdate, error) {
	list := refUpdates(m, before, commit)
	for i := range list {
		u := &list[i]
		now, err := s.Repo.Resolve(ctx, u.Name)
		if err != nil {
			return nil, err
		}
		switch {
		case now == u.New:
			u.Old = now
		case now != u.Old && u.Name == integrationRef(before):
			if u.Old, err = s.astray(ctx, m, *u, before, now); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

func integrationRef(b *flow.Board) string { return "refs/heads/" + b.Settings().Integration.Name }

// astray judges an integration branch that is elsewhere than the board says:
// a human's adopt may go on from what it contains, everything else is refused.
func (s *Store) astray(ctx context.Context, m flow.Move, u git.RefUpdate, before *flow.Board, now git.ID) (git.ID, error) {
	if m.Act == flow.ActAdopt && now != "" {
		contains, err := s.Repo.IsAncestor(ctx, now, u.New)
		if err != nil || contains {
			return now, err
		}
	}
	return "", s.foreign(ctx, before, now)
}

// foreign describes the integration branch that is at now, where the board
// says otherwise.
func (s *Store) foreign(ctx context.Context, b *flow.Board, now git.ID) error {
	want := b.Settings().Integration
	return fmt.Errorf("%w: %w", ErrForeignRef, &flow.Refusal{Rule: flow.RuleTip, Hint: s.StrayHint(ctx, b, now),
		Reason: fmt.Sprintf("%s is at %s, the board says %s", want.Name, git.ShortOrNone(now), want.Tip.Short())})
}

// Settle does for a reader what every move does first: it brings the refs of
// the last move, and integration, to what the board says. A branch that
// something else has moved stays where it is.
func (s *Store) Settle(ctx context.Context) error {
	b, tip, err := s.Board(ctx)
	if errors.Is(err, ErrNoBoard) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.settle(ctx, tip, b)
}

// settle completes what a process that died inside its transaction left: the
// board is the truth.
func (s *Store) settle(ctx context.Context, tip git.ID, b *flow.Board) error {
	late, err := s.late(ctx, tip, b)
	if err != nil || len(late) == 0 {
		return err
	}
	late, branch, err := s.followed(ctx, b, late)
	if err != nil {
		return err
	}
	err = s.Repo.MoveRefs(ctx, late, "liza: complete "+tip.Short())
	if err == nil && branch != nil {
		// Whoever changed files meanwhile is told by the commands that need them.
		_ = s.Follower.Follow(ctx, branch.Old, branch.New)
	}
	if errors.Is(err, git.ErrRefMoved) {
		// It was alive, only slow, or another one completed it.
		if still, lateErr := s.late(ctx, tip, b); lateErr == nil && len(still) == 0 {
			return nil
		}
	}
	return err
}

// followed takes the integration branch of a mirror out of what is about to be
// completed where a checkout of it cannot follow now.
func (s *Store) followed(ctx context.Context, b *flow.Board, late []git.RefUpdate) ([]git.RefUpdate, *git.RefUpdate, error) {
	i := slices.IndexFunc(late, func(u git.RefUpdate) bool { return u.Name == integrationRef(b) })
	if i < 0 || s.Follower == nil {
		return late, nil, nil
	}
	remote, err := s.Authority(ctx)
	if err != nil || remote == "" {
		return late, nil, err
	}
	branch := late[i]
	if s.Follower.MayFollow(ctx, branch.Old, branch.New) != nil {
		return slices.Delete(late, i, i+1), nil, nil
	}
	return late, &branch, nil
}

// late are the refs of the last move that stand where they stood before it,
// and integration if it stands where the last move of it found it.
func (s *Store) late(ctx context.Context, tip git.ID, b *flow.Board) ([]git.RefUpdate, error) {
	e, err := s.Event(tip)
	if err != nil {
		return nil, err
	}
	list, err := s.lateRefs(ctx, e)
	if err != nil {
		return nil, err
	}
	integration := b.Settings().Integration
	for _, u := range list {
		if u.New == integration.Tip && u.Name == integrationRef(b) {
			return list, nil
		}
	}
	now, err := s.Repo.Resolve(ctx, integrationRef(b))
	if err != nil || now == integration.Tip || now == "" {
		return list, err
	}
	passed, err := s.cameFrom(ctx, e, now, integration.Tip)
	if err != nil || !passed {
		return list, err
	}
	return append(list, git.RefUpdate{Name: integrationRef(b), Old: now, New: integration.Tip}), nil
}

// cameFrom reports whether the board's last merge or adoption, looking back
// from a move, led integration from one commit to the other. A mirror may have
// missed several of them.
func (s *Store) cameFrom(ctx context.Context, e Event, from, to git.ID) (bool, error) {
	if remote, err := s.Authority(ctx); err != nil || remote != "" {
		if err != nil {
			return false, err
		}
		return s.precedes(from, to)
	}
	c, ok, err := s.commit(to)
	if err != nil || !ok {
		return false, err
	}
	if len(c.Parents) == 2 && c.Parents[0] == from {
		return true, nil
	}
	if contains, err := s.Repo.IsAncestor(ctx, from, to); err != nil || !contains {
		return false, err
	}
	found := false
	err = s.History(e.Commit, func(e Event) (bool, error) {
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

func (s *Store) lateRefs(ctx context.Context, e Event) ([]git.RefUpdate, error) {
	refs, err := s.refsOf(e)
	if err != nil {
		return nil, err
	}
	var list []git.RefUpdate
	for _, u := range refs {
		now, err := s.Repo.Resolve(ctx, u.Name)
		if err != nil {
			return nil, err
		}
		if now != u.Old || now == u.New {
			continue
		}
		// What is not here cannot be pointed to: another clone made the move.
		if _, _, err := s.objects.Size(u.New); errors.Is(err, git.ErrNoObject) {
			continue
		}
		list = append(list, u)
	}
	return list, nil
}

// refsOf are the refs that followed from a move that was made.
func (s *Store) refsOf(e Event) ([]git.RefUpdate, error) {
	before, source := s.emptyBoard()
	if e.Parent != "" {
		c, err := s.commitObject(e.Parent)
		if err != nil {
			return nil, err
		}
		source.root = c.Tree
		before = flow.Open(source, c.AuthorTime.UTC())
	}
	return refUpdates(e.Move, before, e.Commit), before.Err()
}

// Naming is what the last move that names a saved ref or a mark puts it at, ""
// where none of the last moves up to tip, as many as most, does.
func (s *Store) Naming(ctx context.Context, tip git.ID, ref string, most int) (git.ID, error) {
	var named git.ID
	err := s.History(tip, func(e Event) (bool, error) {
		if most--; most < 0 {
			return false, nil
		}
		if strings.HasPrefix(ref, savedPrefix) && !strings.HasPrefix(ref, savedPrefix+string(e.Move.Task)+"/") {
			return true, ctx.Err()
		}
		list, err := s.refsOf(e)
		for _, u := range list {
			if u.Name == ref {
				named = u.New
			}
		}
		return named == "", errors.Join(err, ctx.Err())
	})
	return named, err
}

// refUpdates are the refs that follow from a move, as the move says.
func refUpdates(m flow.Move, before *flow.Board, commit git.ID) []git.RefUpdate {
	var list []git.RefUpdate
	for _, r := range m.Refs(before) {
		u := git.RefUpdate{Name: r.Name, Old: r.Old, New: r.New}
		if r.State {
			u.New = commit
		}
		list = append(list, u)
	}
	return list
}
