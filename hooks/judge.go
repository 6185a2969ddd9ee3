// Package hooks judges sets of ref updates for the hooks of git, on a clone and on
// a server, and for a person who verifies the history.
//
// A judgement that cannot be made refuses the updates. It moves no ref and writes
// no object, except that git may keep in a quarantine what a merge recomputes.
package hooks

import (
	"context"
	"errors"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A judge is one judgement while it is made.
type judge struct {
	*pushState
	authors *authors

	kept   map[string]git.ID // the saved refs and marks that the moves of the push name
	passed map[git.ID]bool   // the commits at which those moves found integration
	broken bool              // the chain of moves is refused, so nothing can be judged by it

	moves    int // how many moves were judged
	sessions int // how many sessions the push brings
	warnings []Refused
}

// judgeUpdates decides whether the updates may happen together in the repository of the
// store. The error is a *Rejection, also where no decision could be made.
func judgeUpdates(ctx context.Context, s *gitstore.Store, p Push) error {
	return newJudge(s, p).decidePush(ctx)
}

func newJudge(s *gitstore.Store, p Push) *judge {
	state := &pushState{store: s, push: p}
	return &judge{pushState: state, authors: &authors{state: state, proved: map[string]bool{}},
		kept: map[string]git.ID{}, passed: map[git.ID]bool{}}
}

// decidePush judges the push and returns nil, which accepts it, or a *Rejection. An
// error that says nothing about the push rejects it too.
func (j *judge) decidePush(ctx context.Context) error {
	if err := j.judgePush(ctx); err != nil {
		j.refuse("push", undecidedRefusal(ctx, err))
	}
	if len(j.refused) == 0 {
		return nil
	}
	return &Rejection{j.refused}
}

// judgePush judges the state and then every other ref, and collects what is
// refused. An error says nothing about the push.
func (j *judge) judgePush(ctx context.Context) error {
	if err := j.resolveSymrefs(ctx); err != nil {
		return err
	}
	if err := j.openBoard(ctx); err != nil {
		return err
	}
	for _, u := range j.push.Updates {
		if target, symbolic := strings.CutPrefix(string(u.New), "ref:"); symbolic && j.kindOf(u.Name) != foreign { // since git 2.46
			j.refuse(u.Name, refusal(RuleRef, "git liza status", "%s names a commit, and never another ref, such as %s", u.Name, target))
		}
	}
	j.judgeSymbolic()
	j.broken = len(j.refused) > 0
	if u, ok := j.findUpdate(layout.State); ok && !j.broken {
		if err := j.judgeState(ctx, u); err != nil {
			return err
		}
	}
	if j.after == nil {
		if j.broken {
			return nil
		}
		return j.judgeWithoutBoard(ctx)
	}
	for _, u := range j.push.Updates {
		if err := errors.Join(j.judgeRef(ctx, u), ctx.Err()); err != nil {
			return err
		}
	}
	if !j.broken {
		if err := j.checkComplete(ctx); err != nil {
			return err
		}
	}
	return j.after.Err() // the board says of a task that it cannot read that there is none
}
