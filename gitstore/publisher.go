package gitstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A publisher pushes the missing moves of a board to a remote.
type publisher struct {
	repo    *git.Repo
	history *history
	remotes *Remotes
}

// The bounds of one push of a published board: the length of a command line
// bounds the refs, the judge of a server the moves.
const (
	maxPublishRefs  = 1000
	maxPublishMoves = 4000
)

// publishOption tells a server that the moves were made before they were pushed
// to it.
const publishOption = "liza-publish"

// A part is what one push adds to a board.
type part struct {
	tip   git.ID
	moves int
	refs  []git.RefUpdate
}

// publishBoard pushes the moves that a remote lacks, with the refs that they
// need. If a commit of a move is neither here nor there, that move and the
// later ones are left to a clone that has it; a *flow.Refusal says so. A remote
// without a board is first offered all moves, because only a server with hooks
// refuses them.
func (pub *publisher) publishBoard(ctx context.Context, remote string, found heads, tip git.ID) (int, error) {
	whole := found.state != ""
	moves, found, err := pub.publishParts(ctx, remote, found, tip, whole)
	if whole || !flow.IsRefused(err, flow.RuleFact) {
		return moves, err
	}
	more, _, err := pub.publishParts(ctx, remote, found, tip, true)
	return moves + more, err
}

// publishParts pushes a board in parts; with whole it stops at the first move
// with a missing commit. now are the heads of the remote after it.
func (pub *publisher) publishParts(ctx context.Context, remote string, found heads, tip git.ID, whole bool) (moves int, now heads, err error) {
	parts, left, err := pub.cutParts(ctx, remote, tip, found.state, whole)
	if err != nil {
		return 0, found, err
	}
	since := found.state
	for _, p := range parts {
		b, err := pub.history.BoardAt(p.tip)
		if err != nil {
			return moves, found, err
		}
		branch := git.RefUpdate{Name: b.Settings().Integration.Ref(), Old: found.integration, New: b.Settings().Integration.Tip}
		if err := pub.checkExtends(ctx, remote, branch); err != nil {
			return moves, found, err
		}
		updates := append([]git.RefUpdate{{Name: layout.State, Old: found.state, New: p.tip}, branch}, p.refs...)
		if p.tip == tip {
			open, err := pub.openBranches(ctx, b, since == "")
			if err != nil {
				return moves, found, err
			}
			updates = append(updates, open...)
		}
		if err := pub.pushPublished(ctx, remote, updates, found.state == ""); err != nil {
			return moves, found, pub.remotes.explainHindered(ctx, remote, branch.Name, err)
		}
		moves += p.moves
		found = heads{p.tip, branch.New}
		if err := pub.remotes.noteHeads(ctx, remote, found); err != nil {
			return moves, found, err
		}
	}
	if left != nil {
		left.Reason = fmt.Sprintf("%s got %d moves, and %s", remote, moves, left.Reason)
		return moves, found, left
	}
	return moves, found, nil
}

// noteHeads records the heads of a remote.
func (r *Remotes) noteHeads(ctx context.Context, remote string, found heads) error {
	return r.repo.Refs.MoveRefs(ctx, []git.RefUpdate{{Name: layout.RemoteRef(remote, "state"), New: found.state, Any: true},
		{Name: layout.RemoteRef(remote, "integration"), New: found.integration, Any: true}}, "liza: published to "+remote)
}

// checkExtends refuses to publish over an integration branch of the remote with
// other commits.
func (pub *publisher) checkExtends(ctx context.Context, remote string, branch git.RefUpdate) error {
	if branch.Old == "" || branch.Old == branch.New {
		return nil
	}
	contains, err := pub.repo.IsAncestor(ctx, branch.Old, branch.New)
	if err != nil || contains {
		return err
	}
	name := branch.Name[len("refs/heads/"):]
	return fmt.Errorf("%w: %w", ErrForeignRef, &flow.Refusal{Rule: flow.RuleTip,
		Hint:   fmt.Sprintf("git log %s..%s", branch.New.Short(), layout.RemoteRef(remote, "integration")),
		Reason: fmt.Sprintf("%s of %s is at %s, which the board's %s does not contain", name, remote, branch.Old.Short(), branch.New.Short())})
}

// pushPublished pushes a part of a board, without the option if the server
// accepts no options.
func (pub *publisher) pushPublished(ctx context.Context, remote string, updates []git.RefUpdate, first bool) error {
	var err error
	if !first {
		if err = pub.remotes.push(ctx, remote, updates, publishOption); git.ExitCode(err) != 128 {
			return publishError(remote, err)
		}
	}
	err = pub.remotes.push(ctx, remote, updates)
	return publishError(remote, err)
}

func publishError(remote string, err error) error {
	var r *rejection
	switch {
	case err == nil:
		return nil
	case errors.As(err, &r) && len(r.refused) > 0:
		return r.refused[0].err()
	case errors.As(err, &r):
		return fmt.Errorf("remote %s: %w", remote, err)
	}
	return offlineError(remote, err)
}

// cutParts cuts the moves after a state into pushes, each with the refs of its
// moves. With whole it stops at the first move with a missing commit; left says
// so then, and is nil if all moves are in the list.
func (pub *publisher) cutParts(ctx context.Context, remote string, tip, since git.ID, whole bool) (list []part, left *flow.Refusal, err error) {
	chain, breach := pub.history.listChain(tip, since)
	if breach != nil {
		return nil, nil, breach
	}
	list = []part{{}}
	for i, id := range chain {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		e, err := pub.history.ReadEvent(id)
		if err != nil {
			return nil, nil, err
		}
		refs, absent, err := pub.keptRefs(e)
		if err != nil {
			return nil, nil, err
		}
		if whole {
			if left, err = pub.explainLeft(ctx, remote, e, absent, len(chain)-i); err != nil || left != nil {
				break
			}
		}
		p := &list[len(list)-1]
		if p.moves >= maxPublishMoves || p.moves > 0 && len(p.refs)+len(refs) > maxPublishRefs {
			list = append(list, part{})
			p = &list[len(list)-1]
		}
		p.tip, p.moves, p.refs = id, p.moves+1, append(p.refs, refs...)
	}
	if list[0].moves == 0 {
		list = nil
	}
	return list, left, err
}

// explainLeft refuses a move, and the later ones, if this clone and the remote
// lack its commits.
func (pub *publisher) explainLeft(ctx context.Context, remote string, e Event, absent []git.RefUpdate, moves int) (*flow.Refusal, error) {
	for _, u := range absent {
		there, err := pub.remotes.listRemote(ctx, remote, u.Name)
		if err != nil {
			return nil, err
		}
		if there[u.Name] != u.New {
			return &flow.Refusal{Rule: flow.RuleFact, Hint: "git liza sync --set " + remote + " --publish",
				Reason: fmt.Sprintf("the next %d wait for another clone: %s names %s, which is not here; type this in the clone that made it", moves, e.Move.Subject(), u.New.Short())}, nil
		}
	}
	return nil, nil
}

// keptRefs are the saved commits and marks of a move that this clone has;
// absent are those that it lacks.
func (pub *publisher) keptRefs(e Event) (list, absent []git.RefUpdate, err error) {
	all, err := pub.history.refsOfMove(e)
	if err != nil {
		return nil, nil, err
	}
	for _, u := range all {
		if u.Old != "" || !isKeptRef(u.Name) {
			continue
		}
		if _, here, err := pub.history.findCommit(u.New); err != nil {
			return nil, nil, err
		} else if here {
			list = append(list, u)
		} else {
			absent = append(absent, u)
		}
	}
	return list, absent, nil
}

// openBranches are the branches of tasks that wait for a verdict or a merge
// and, for a remote without a board, of tasks in work. A remote with a board
// may have the latter from the holder of the task, and the local branch may be
// that of an earlier coder.
func (pub *publisher) openBranches(ctx context.Context, b *board.Board, first bool) ([]git.RefUpdate, error) {
	var list []git.RefUpdate
	for _, t := range board.All[*board.Task](b, board.Tasks) {
		if t.Status.Final() || t.Attempt == nil {
			continue
		}
		ref, tip := t.ID.BranchRef(), git.ID("")
		switch {
		case t.Claim != nil && !first:
		case t.Claim != nil:
			var err error
			if tip, err = pub.repo.Refs.Resolve(ctx, ref); err != nil {
				return nil, err
			}
		case t.Submission != nil:
			tip = t.Submission.Commit
		}
		if tip == "" {
			continue
		}
		if _, here, err := pub.history.findCommit(tip); err != nil {
			return nil, err
		} else if here {
			list = append(list, git.RefUpdate{Name: ref, New: tip, Any: true})
		}
	}
	return list, b.Err()
}
