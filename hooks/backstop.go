package hooks

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Backstop judges one transaction of a push on a server, after pre-receive has
// judged the whole push. Where a push is not atomic, each ref is a transaction of
// its own, and some may fail: a ref that follows from a move may only move together
// with the state that holds the move, or after it. The old values of refs are those
// of the repository.
func Backstop(ctx context.Context, s *gitstore.Store, refs []Update) error {
	j := newJudge(s, Push{Updates: refs})
	if err := j.judgeTransaction(ctx); err != nil {
		return Unjudged(ctx, err)
	}
	if len(j.refused) > 0 {
		return &Rejection{j.refused}
	}
	return nil
}

// judgeTransaction collects what is refused. An error says nothing about the refs.
func (j *judge) judgeTransaction(ctx context.Context) error {
	tip, err := j.store.Repo.Refs.Resolve(ctx, layout.State)
	if err != nil {
		return err
	}
	if u, ok := j.findUpdate(layout.State); ok {
		if refused := j.checkHistory(ctx, u, tip); refused != nil {
			j.refuse(u.Name, refused)
			return nil
		}
		tip = u.New
	}
	if tip == "" {
		return nil
	}
	if j.after, err = j.store.BoardAt(tip); err != nil {
		return err
	}
	judged, err := j.boardOfPush(tip)
	if err != nil {
		return err
	}
	for _, u := range j.push.Updates {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch j.kindOf(u.Name) {
		case integration:
			j.judgeIntegration(ctx, u)
		case keptRef:
			j.checkKeptRef(ctx, u, tip)
		case taskBranch:
			j.checkTaskBranch(u, judged)
		}
	}
	if judged != nil && judged.Err() != nil {
		return judged.Err()
	}
	return j.after.Err()
}

// boardOfPush is the board by which pre-receive judged the branches of tasks, nil if
// there was none. It can differ from the board that is there: in a push that is not
// atomic, the state may have lost against another push. Where no push is known, as
// for refs that a command on the server moves, it is the board that is there.
func (j *judge) boardOfPush(tip git.ID) (*board.Board, error) {
	if !slices.ContainsFunc(j.push.Updates, func(u Update) bool { return j.kindOf(u.Name) == taskBranch }) {
		return j.after, nil
	}
	state, known, err := j.store.Repo.Journal.JudgedBy()
	if err != nil || !known || state == tip {
		return j.after, err
	}
	if state == "" {
		return nil, nil
	}
	return j.store.BoardAt(state)
}

// checkTaskBranch refuses a task's branch where another push came first: since the
// board judged, by which pre-receive allowed the update, the task has got another
// holder or none, or has ended.
func (j *judge) checkTaskBranch(u Update, judged *board.Board) {
	id := board.ParseBranchRef(u.Name)
	t := j.after.Task(id)
	switch {
	case t != nil && t.Claim != nil:
		if !sameHolder(judged, t) {
			j.refuse(u.Name, refusal(RuleBranch, "git liza show "+string(id),
				"another push was first: %s is held by %s (%s) by now, who alone moves its branch", id, t.Claim.By, holderName(t)))
		}
	case u.New == "" && (t == nil || t.Status.Final() || t.Attempt == nil):
	case u.New != "" && t != nil && t.Submission != nil && !t.Status.Final() && u.New == t.Submission.Commit:
	default:
		j.refuse(u.Name, refusal(RuleBranch, pushWithState+strings.TrimPrefix(u.Name, branches),
			"nobody holds the task of %s by now: its branch stands at the commit that was submitted, or is gone", u.Name))
	}
}

// sameHolder reports whether a task has the same holder on a board as now.
func sameHolder(b *board.Board, now *board.Task) bool {
	if b == nil {
		return false
	}
	was := b.Task(now.ID)
	return was != nil && was.Claim != nil && was.Claim.By == now.Claim.By && was.Claim.Principal == now.Claim.Principal
}

// checkHistory refuses a new state that does not contain the old one. A board from before
// the first release may go, by a command on the server: pre-receive lets no push delete it.
func (j *judge) checkHistory(ctx context.Context, u Update, tip git.ID) *flow.Refusal {
	if u.New == "" {
		if _, err := j.store.BoardAt(tip); errors.Is(err, gitstore.ErrUnreleased) {
			return nil
		}
		return refusal(RuleHistory, "git liza hooks uninstall", "the board's history is never deleted")
	}
	if u.Old == "" {
		return nil
	}
	if contains, err := j.store.Repo.IsAncestor(ctx, u.Old, u.New); err != nil || !contains {
		return rewoundRefusal(u)
	}
	return nil
}

// checkKeptRef refuses a saved ref or a mark that no move up to the state commit tip
// names.
func (j *judge) checkKeptRef(ctx context.Context, u Update, tip git.ID) {
	if u.New == "" || u.Old != "" && u.Old != u.New {
		j.judgeKeptRef(u)
		return
	}
	// Two pushes may name the same ref in two moves, and one of them has lost:
	// only a move that is on the board counts.
	named, err := j.store.LastNaming(ctx, tip, u.Name, MaxMoves)
	known := err == nil && named != "" && named == u.New
	if !known {
		j.refuse(u.Name, refusal(RuleRef, pushWithState+u.Name, "the state that is here names no %s: the push was not atomic", u.Name))
	}
}
