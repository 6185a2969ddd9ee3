// Package hooks is what git itself refuses: the judgement over a set of ref
// updates, on a clone, on a server and by hand, and the hooks that ask for it.
//
// A gate that cannot decide refuses. The judgement moves no ref and writes no
// object, but that git may keep in a quarantine what a merge recomputes.
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

// A judge is one judgement while it goes on.
type judge struct {
	store   *gitstore.Store
	push    Push
	refused []Refused

	folds         bool        // names of refs that differ in case only are one here
	created       bool        // the push brings the board
	before, after *flow.Board // around the push; nil where there is none
	tip           git.ID      // the state commit after the push

	kept   map[string]git.ID // refs that the moves of the push bring with them
	passed map[git.ID]bool   // where those moves found integration
	proved map[string]bool   // principals who signed a move of the push
	broken bool              // the chain is refused: what follows from it cannot be judged

	moves    int // that were judged
	sessions int // that the push brings
	warnings []Refused
}

// Judge says whether the updates may happen together; the store is that of
// the repository in which they would. The error is a *Rejection, also where
// nothing could be decided: a gate that cannot decide refuses.
func Judge(ctx context.Context, s *gitstore.Store, p Push) error {
	return newJudge(s, p).decide(ctx)
}

func newJudge(s *gitstore.Store, p Push) *judge {
	return &judge{store: s, push: p, kept: map[string]git.ID{}, passed: map[git.ID]bool{}, proved: map[string]bool{}}
}

// decide turns what was refused, or an error that says nothing about the push, into
// a *Rejection; nil lets the push pass.
func (j *judge) decide(ctx context.Context) error {
	if err := j.judgePush(ctx); err != nil {
		j.refuse("push", undecided(ctx, err))
	}
	if len(j.refused) == 0 {
		return nil
	}
	return &Rejection{j.refused}
}

// judgePush collects what is refused; an error is one that says nothing about it.
func (j *judge) judgePush(ctx context.Context) error {
	if err := j.resolveSymrefs(ctx); err != nil {
		return err
	}
	if err := j.openBoard(ctx); err != nil {
		return err
	}
	j.broken = len(j.refused) > 0
	if u, ok := j.update(layout.State); ok && !j.broken {
		if err := j.state(ctx, u); err != nil {
			return err
		}
	}
	if j.after == nil {
		if !j.broken {
			j.boardless()
		}
		return nil
	}
	for _, u := range j.push.Updates {
		if err := errors.Join(j.ref(ctx, u), ctx.Err()); err != nil {
			return err
		}
	}
	if !j.broken {
		if err := j.complete(ctx); err != nil {
			return err
		}
	}
	return j.after.Err() // a task that cannot be read is not one that is not there
}

// resolveSymrefs replaces symbolic refs by what they stand for, because that is what
// git will move, and refuses what the push says wrongly or twice.
func (j *judge) resolveSymrefs(ctx context.Context) error {
	list := make([]Update, 0, len(j.push.Updates))
	seen := make(map[string]git.ID, cap(list))
	for _, u := range j.push.Updates {
		if !strings.HasPrefix(u.Name, "refs/") {
			continue // HEAD and the like, which git lists beside what they stand for
		}
		target, err := j.store.Repo.SymbolicRef(ctx, u.Name)
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if target != "" {
			u.Name = target
		}
		to, twice := seen[u.Name]
		if twice && to != u.New {
			j.refuse(u.Name, refusal(RuleRef, "git push", "the push moves %s twice", u.Name))
		}
		if !twice {
			list = append(list, u)
		}
		seen[u.Name] = u.New
	}
	j.push.Updates = list
	return nil
}

// openBoard reads the board as it is before the push, and holds what the push says
// of refs against where they are.
func (j *judge) openBoard(ctx context.Context) error {
	now, err := j.store.Repo.Resolve(ctx, layout.State)
	if err != nil {
		return err
	}
	if u, ok := j.update(layout.State); ok && !j.push.Server {
		now = u.Old // a range of the history, not what is here
	}
	if j.tip = now; now != "" {
		if j.before, err = j.store.BoardAt(now); err != nil {
			return j.unreadable(err)
		}
		j.after = j.before
	}
	j.created = now == ""
	fold, err := j.store.Repo.Config(ctx, "core.ignoreCase")
	if err != nil {
		return err
	}
	j.folds = fold == "true"
	if !j.push.Server {
		return nil
	}
	for _, u := range j.push.Updates {
		if j.kind(u.Name) == foreign {
			continue
		}
		at, err := j.store.Repo.Resolve(ctx, u.Name)
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if at != u.Old {
			j.refuse(u.Name, moved(u, at))
		}
	}
	return nil
}

// moved refuses an update that begins where its ref is not.
func moved(u Update, at git.ID) *flow.Refusal {
	return refusal(RuleMoved, "git liza sync", "%s is at %s, not at %s as the push says", u.Name, named(at), named(u.Old))
}

// unreadable lets pass what can be told to be none of our business without
// the board.
func (j *judge) unreadable(err error) error {
	for _, u := range j.push.Updates {
		if strings.HasPrefix(u.Name, "refs/heads/") || j.kind(u.Name) != foreign {
			return fmt.Errorf("the board here cannot be read: %w", err)
		}
	}
	return nil
}

// boardless judges a push to a server that has no board after it: it is an
// ordinary one, but for the place where a board would be.
func (j *judge) boardless() {
	for _, u := range j.push.Updates {
		if j.push.Server && u.New != "" && git.Shadows(u.Name) {
			j.refuse(u.Name, shadowed(u.Name))
		}
		if j.push.Server && u.Name != layout.State && strings.HasPrefix(strings.ToLower(u.Name)+"/", layout.Refs) {
			j.refuse(u.Name, refusal(flow.RuleNotFound, "git liza sync --set REMOTE", "there is no blackboard here that %s could belong to", u.Name))
		}
	}
}

func (j *judge) update(name string) (Update, bool) {
	for _, u := range j.push.Updates {
		if u.Name == name {
			return u, true
		}
	}
	return Update{}, false
}

func (j *judge) refuse(what string, r *flow.Refusal) {
	j.refused = append(j.refused, Refused{what, r})
}
