package hooks

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A pushState is a push while it is judged, with the boards before and after it and
// what was refused of it.
type pushState struct {
	store   *gitstore.Store
	push    Push
	refused []Refused

	symbolic      []string     // the refs that are symbolic on the server
	folds         bool         // the file system takes names of refs that differ in case only for one
	created       bool         // the push brings the board
	before, after *board.Board // the boards before and after the push; nil is none
	tip           git.ID       // the state commit after the push
}

// resolveSymrefs replaces symbolic refs by the refs that they name, because git
// moves these. It refuses a push that moves a ref to two values. To a clone git shows
// both.
func (s *pushState) resolveSymrefs(ctx context.Context) error {
	if !s.push.Server {
		return nil
	}
	list := make([]Update, 0, len(s.push.Updates))
	seen := make(map[string]git.ID, cap(list))
	for _, u := range s.push.Updates {
		if !strings.HasPrefix(u.Name, "refs/") {
			continue // such as HEAD, which git lists beside the ref that it names
		}
		target, err := s.store.Repo.Refs.SymbolicRef(ctx, u.Name)
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if target != "" {
			s.symbolic = append(s.symbolic, u.Name)
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

// judgeSymbolic refuses to move a ref of the board's that is symbolic on the server.
func (s *pushState) judgeSymbolic() {
	for _, name := range s.symbolic {
		if k := s.kindOf(name); k != foreign && k != tag {
			s.refuse(name, symbolicRefusal("%s is symbolic here", name))
		}
	}
}

// openBoard reads the board before the push. On a server it refuses refs that are
// not where the push says that they are.
func (s *pushState) openBoard(ctx context.Context) error {
	now, err := s.store.Repo.Refs.Resolve(ctx, layout.State)
	if err != nil {
		return err
	}
	if u, ok := s.findUpdate(layout.State); ok && !s.push.Server {
		now = u.Old // the push is a range of the history
	}
	if s.tip = now; now != "" {
		if s.before, err = s.store.BoardAt(now); err != nil {
			return s.requireForeign(err)
		}
		s.after = s.before
	}
	s.created = now == ""
	fold, err := s.store.Repo.Config.Config(ctx, "core.ignoreCase")
	if err != nil {
		return err
	}
	known := false
	if s.folds, known = git.ParseBool(fold); !known {
		return &SettingError{"core.ignoreCase", fmt.Sprintf("%q, neither true nor false", fold), "true"}
	}
	if !s.push.Server {
		return nil
	}
	for _, u := range s.push.Updates {
		if k := s.kindOf(u.Name); k == foreign || k == tag {
			continue
		}
		at, err := s.store.Repo.Refs.Follow(ctx, u.Name)
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if at != u.Old {
			s.refuse(u.Name, movedRefusal(u, at))
		}
	}
	return nil
}

// requireForeign returns nil if the board guards no ref of the push, which can be
// told without reading it; otherwise err, by which the board cannot be read.
func (s *pushState) requireForeign(err error) error {
	for _, u := range s.push.Updates {
		if k := s.kindOf(u.Name); strings.HasPrefix(u.Name, branches) || k != foreign && k != tag {
			return fmt.Errorf("the board here cannot be read: %w", err)
		}
	}
	return nil
}

// judgeWithoutBoard judges a push after which the server has no board. It refuses
// refs where a board would have its own, and accepts all others.
func (s *pushState) judgeWithoutBoard(ctx context.Context) error {
	for _, u := range s.push.Updates {
		if s.push.Server && s.kindOf(u.Name) == tag {
			if err := s.judgeTag(ctx, u); err != nil {
				return err
			}
		}
		if s.push.Server && u.New != "" && git.Shadows(u.Name) {
			s.refuse(u.Name, shadowRefusal(u.Name))
		}
		if s.push.Server && u.Name != layout.State && strings.HasPrefix(strings.ToLower(u.Name)+"/", layout.Refs) {
			s.refuse(u.Name, refusal(flow.RuleNotFound, "git liza sync --set REMOTE", "there is no blackboard here that %s could belong to", u.Name))
		}
	}
	return nil
}

// findUpdate is the update of a ref that the push moves.
func (s *pushState) findUpdate(name string) (Update, bool) {
	if u := lists.Find(s.push.Updates, func(u Update) bool { return u.Name == name }); u != nil {
		return *u, true
	}
	return Update{}, false
}

// refuse notes why a commit or a ref of the push is refused.
func (s *pushState) refuse(what string, r *flow.Refusal) {
	s.refused = append(s.refused, Refused{what, r})
}

// publishesMoves reports whether the moves were made on a board that had no server.
// Their times and leases are not checked against the clock then, and an admin
// answers for their principals.
func (s *pushState) publishesMoves() bool { return s.created || s.push.Publish }

// movedRefusal refuses an update whose ref is at another commit than its old value.
func movedRefusal(u Update, at git.ID) *flow.Refusal {
	return refusal(RuleMoved, "git liza sync", "%s is at %s, not at %s as the push says", u.Name, shortID(at), shortID(u.Old))
}
