package hooks

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A pushState is what is known of a push while it is judged: the boards before and
// after it, and what was refused of it.
type pushState struct {
	store   *gitstore.Store
	push    Push
	refused []Refused

	folds         bool        // names of refs that differ in case only are one here
	created       bool        // the push brings the board
	before, after *flow.Board // around the push; nil where there is none
	tip           git.ID      // the state commit after the push
}

// resolveSymrefs replaces symbolic refs by what they stand for, because that is what
// git will move, and refuses what the push says wrongly or twice.
func (s *pushState) resolveSymrefs(ctx context.Context) error {
	list := make([]Update, 0, len(s.push.Updates))
	seen := make(map[string]git.ID, cap(list))
	for _, u := range s.push.Updates {
		if !strings.HasPrefix(u.Name, "refs/") {
			continue // HEAD and the like, which git lists beside what they stand for
		}
		target, err := s.store.Repo.SymbolicRef(ctx, u.Name)
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if target != "" {
			u.Name = target
		}
		to, twice := seen[u.Name]
		if twice && to != u.New {
			s.refuse(u.Name, refusal(RuleRef, "git push", "the push moves %s twice", u.Name))
		}
		if !twice {
			list = append(list, u)
		}
		seen[u.Name] = u.New
	}
	s.push.Updates = list
	return nil
}

// openBoard reads the board as it is before the push, and holds what the push says
// of refs against where they are.
func (s *pushState) openBoard(ctx context.Context) error {
	now, err := s.store.Repo.Resolve(ctx, layout.State)
	if err != nil {
		return err
	}
	if u, ok := s.update(layout.State); ok && !s.push.Server {
		now = u.Old // a range of the history, not what is here
	}
	if s.tip = now; now != "" {
		if s.before, err = s.store.BoardAt(now); err != nil {
			return s.unreadable(err)
		}
		s.after = s.before
	}
	s.created = now == ""
	fold, err := s.store.Repo.Config(ctx, "core.ignoreCase")
	if err != nil {
		return err
	}
	s.folds = fold == "true"
	if !s.push.Server {
		return nil
	}
	for _, u := range s.push.Updates {
		if s.kind(u.Name) == foreign {
			continue
		}
		at, err := s.store.Repo.Resolve(ctx, u.Name)
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if at != u.Old {
			s.refuse(u.Name, moved(u, at))
		}
	}
	return nil
}

// unreadable lets pass what can be told to be none of our business without
// the board.
func (s *pushState) unreadable(err error) error {
	for _, u := range s.push.Updates {
		if strings.HasPrefix(u.Name, "refs/heads/") || s.kind(u.Name) != foreign {
			return fmt.Errorf("the board here cannot be read: %w", err)
		}
	}
	return nil
}

// boardless judges a push to a server that has no board after it: it is an
// ordinary one, but for the place where a board would be.
func (s *pushState) boardless() {
	for _, u := range s.push.Updates {
		if s.push.Server && u.New != "" && git.Shadows(u.Name) {
			s.refuse(u.Name, shadowed(u.Name))
		}
		if s.push.Server && u.Name != layout.State && strings.HasPrefix(strings.ToLower(u.Name)+"/", layout.Refs) {
			s.refuse(u.Name, refusal(flow.RuleNotFound, "git liza sync --set REMOTE", "there is no blackboard here that %s could belong to", u.Name))
		}
	}
}

func (s *pushState) update(name string) (Update, bool) {
	for _, u := range s.push.Updates {
		if u.Name == name {
			return u, true
		}
	}
	return Update{}, false
}

func (s *pushState) refuse(what string, r *flow.Refusal) {
	s.refused = append(s.refused, Refused{what, r})
}

// elsewhere holds for moves that were made before this push could be: then
// the clock says nothing, leases may be as long as they were, and an admin
// answers for who made them.
func (s *pushState) elsewhere() bool { return s.created || s.push.Publish }

// moved refuses an update that begins where its ref is not.
func moved(u Update, at git.ID) *flow.Refusal {
	return refusal(RuleMoved, "git liza sync", "%s is at %s, not at %s as the push says", u.Name, named(at), named(u.Old))
}
