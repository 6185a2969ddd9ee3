// Package hooks is what git itself refuses: the judgement over a set of ref
// updates, on a clone, on a server and by hand, and the hooks that ask for it.
//
// A gate that cannot decide refuses. The judgement moves no ref and writes no
// object, but that git may keep in a quarantine what a merge recomputes.
package hooks

import (
	"context"
	"errors"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A judge is one judgement while it goes on.
type judge struct {
	*pushState
	authors *authors

	kept   map[string]git.ID // refs that the moves of the push bring with them
	passed map[git.ID]bool   // where those moves found integration
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
	state := &pushState{store: s, push: p}
	return &judge{pushState: state, authors: &authors{state: state, proved: map[string]bool{}},
		kept: map[string]git.ID{}, passed: map[git.ID]bool{}}
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
