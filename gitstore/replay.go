package gitstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A Replay is a state commit that is the result of its move on its parent.
type Replay struct {
	Event
	Before, After *board.Board
	Committer     string      // its line in the commit, which no move gives: see [CheckIdent]
	Facts         *flow.Facts // nil unless they were gathered afresh
	Signature     string      // the block after the move, "" if it is not signed
}

// ReplayMove judges one state commit: its move, applied to its parent's board,
// must give its tree, and the commit must be what that move renders to. With fresh
// it gathers the facts from git, as for a new move. Otherwise it takes the facts that
// the move records for true, as for history. It writes nothing to the repository.
// The error is *flow.Refusal, *document.Error, or a plain description.
//
// It checks only the form of a signature, see [Audit.CheckSignature].
func (a *Audit) ReplayMove(ctx context.Context, commit git.ID, fresh bool) (Replay, error) {
	return a.replayMove(ctx, commit, fresh, a.history.past)
}

// replayMove is [Audit.ReplayMove] with the summaries of a cache.
func (a *Audit) replayMove(ctx context.Context, commit git.ID, fresh bool, kept *summaryCache) (Replay, error) {
	c, err := a.history.readStateCommit(commit)
	if err != nil {
		return Replay{}, err
	}
	defer func() { a.last = c }()
	r := Replay{Event: Event{Commit: commit, Tree: c.Tree}, Committer: headerValue(c.Raw, "committer ")}
	var source snapshot
	switch len(c.Parents) {
	case 0:
		r.Before, source = a.history.emptyBoard()
	case 1:
		r.Parent = c.Parents[0]
		if a.last.ID == r.Parent {
			r.Before, source, err = a.history.boardOf(a.last, kept)
		} else {
			r.Before, source, err = a.history.boardAt(r.Parent, kept)
		}
		if err != nil {
			return Replay{}, err
		}
	default:
		return Replay{}, errors.New("it has more than one parent")
	}
	if r.Move, r.Signature, err = decodeSigned(commit, c.Message, source.format); err != nil {
		if _, _, unreadable := a.history.boardOf(c, kept); errors.Is(unreadable, ErrUnreleased) {
			err = unreadable
		}
		return Replay{}, err
	}
	if err := a.applyMove(ctx, &r, fresh); err != nil {
		return Replay{}, err
	}
	return r, a.checkRendering(r, source, c)
}

// applyMove applies the move.
func (a *Audit) applyMove(ctx context.Context, r *Replay, fresh bool) error {
	if err := a.checkSeen(*r); err != nil {
		return err
	}
	if fresh {
		q := flow.Ask(r.Before, r.Move)
		if !a.Admits {
			q.Valid, q.Brought = nil, false
		}
		gathered, err := a.commits.gatherFacts(ctx, q, func(ctx context.Context, onto, commit git.ID, attributes string) (git.Merge, error) {
			return a.repo.Merger.With(attributes).TryMerge(ctx, onto, commit)
		})
		if err != nil {
			return err
		}
		r.Facts = &gathered
	}
	var err error
	r.After, err = flow.Apply(r.Before.Within(ctx), r.Move, r.Facts)
	return err
}

// checkRendering compares the commit with the result of the move on its parent.
func (a *Audit) checkRendering(r Replay, source snapshot, c git.Commit) error {
	tree, err := (&draft{snapshot: source}).applyEdits(r.After.Changes())
	if err != nil {
		return err
	}
	if tree != c.Tree {
		return errors.New("its tree is not what its move makes of its parent's")
	}
	subject := r.Move.Subject()
	if !strings.HasPrefix(c.Message, subject+"\n") {
		subject = r.Move.Told(r.Before, r.After)
	}
	if err := cmp.Or(r.Before.Err(), r.After.Err()); err != nil {
		return err
	}
	raw, err := stateCommit{tree, r.Parent, r.Move, subject, r.Committer}.encode(source.format)
	if err != nil {
		return err
	}
	if string(raw)+r.Signature != string(c.Raw) {
		return errors.New("the commit is not what its move renders to")
	}
	return a.checkRecorded(r.Move)
}

// checkRecorded compares what a move records about commits with the commits
// that this clone has; another clone may have more.
func (a *Audit) checkRecorded(m flow.Move) error {
	var id, tree git.ID
	var parents []git.ID
	switch d := m.Detail.(type) {
	case *flow.SubmitMove:
		id, tree = d.Commit, d.Tree
	case *flow.MergeMove:
		id, tree, parents = d.Commit, d.Tree, []git.ID{d.Onto, d.Submission}
	default:
		return nil
	}
	c, ok, err := a.history.findCommit(id)
	switch {
	case err != nil || !ok:
		return err
	case c.Tree != tree:
		return fmt.Errorf("it records tree %s for commit %s, which has %s", tree.Short(), id.Short(), c.Tree.Short())
	case parents != nil && !slices.Equal(c.Parents, parents):
		return fmt.Errorf("the merge commit %s has other parents than it records", id.Short())
	}
	return nil
}
