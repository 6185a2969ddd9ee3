package hooks

import (
	"context"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Backstop judges one transaction of a push on a server after pre-receive has
// judged the whole: where a push is not atomic, each ref is a transaction of
// its own, and some may fail. So what follows from moves goes with the state
// that holds them or after it. refs carry their true old values.
func Backstop(ctx context.Context, s *gitstore.Store, refs []Update) error {
	j := newJudge(s, Push{Updates: refs})
	if err := j.backstop(ctx); err != nil {
		return Unjudged(ctx, err)
	}
	if len(j.refused) > 0 {
		return &Rejection{j.refused}
	}
	return nil
}

func (j *judge) backstop(ctx context.Context) error {
	tip, err := j.store.Repo.Resolve(ctx, layout.State)
	if err != nil {
		return err
	}
	if u, ok := j.update(layout.State); ok {
		if refused := j.grows(ctx, u); refused != nil {
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
	relied, err := j.relied(tip)
	if err != nil {
		return err
	}
	for _, u := range j.push.Updates {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch j.kind(u.Name) {
		case integration:
			j.integrate(ctx, u)
		case keptRef:
			j.recorded(ctx, u, tip)
		case taskBranch:
			j.settled(u, relied)
		}
	}
	if relied != nil && relied.Err() != nil {
		return relied.Err()
	}
	return j.after.Err()
}

// relied is the board by which pre-receive judged the branches of tasks that
// move: of several refs that are not atomic, the state may have lost against
// another push. Where nothing tells, as for what a command on the server moves,
// it is the one that is there; nil is none.
func (j *judge) relied(tip git.ID) (*flow.Board, error) {
	if !slices.ContainsFunc(j.push.Updates, func(u Update) bool { return j.kind(u.Name) == taskBranch }) {
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

// settled refuses a task's branch that another push has overtaken: the task has
// another holder by now than on the board by which pre-receive judged who may move
// the branch, or none, or it is over.
func (j *judge) settled(u Update, relied *flow.Board) {
	id := flow.ParseBranchRef(u.Name)
	t := j.after.Task(id)
	switch {
	case t != nil && t.Claim != nil:
		if !sameHolder(relied, t) {
			j.refuse(u.Name, refusal(RuleBranch, "git liza show "+string(id),
				"another push was first: %s is held by %s (%s) by now, who alone moves its branch", id, t.Claim.By, holder(t)))
		}
	case u.New == "" && (t == nil || t.Status.Final() || t.Attempt == nil):
	case u.New != "" && t != nil && t.Submission != nil && !t.Status.Final() && u.New == t.Submission.Commit:
	default:
		j.refuse(u.Name, refusal(RuleBranch, pushWithState+strings.TrimPrefix(u.Name, branches),
			"nobody holds the task of %s by now: its branch stands at the commit that was submitted, or is gone", u.Name))
	}
}

// sameHolder tells whether a task was held on a board by whom it is held now.
func sameHolder(b *flow.Board, now *flow.Task) bool {
	if b == nil {
		return false
	}
	was := b.Task(now.ID)
	return was != nil && was.Claim != nil && was.Claim.By == now.Claim.By && was.Claim.Principal == now.Claim.Principal
}

// grows refuses what throws history away.
func (j *judge) grows(ctx context.Context, u Update) *flow.Refusal {
	if u.New == "" {
		return refusal(RuleHistory, "git liza hooks uninstall", "the board's history is never deleted")
	}
	if u.Old == "" {
		return nil
	}
	if contains, err := j.store.Repo.IsAncestor(ctx, u.Old, u.New); err != nil || !contains {
		return rewound(u)
	}
	return nil
}

// recorded refuses a save or a mark that the state does not hold yet.
func (j *judge) recorded(ctx context.Context, u Update, tip git.ID) {
	if u.New == "" || u.Old != "" && u.Old != u.New {
		j.keep(u)
		return
	}
	// Of two pushes that name the same ref in two moves one has lost: what the
	// board says counts, not that there is a move that could have named it.
	named, err := j.store.LastNaming(ctx, tip, u.Name, MaxMoves)
	known := err == nil && named != "" && named == u.New
	if !known {
		j.refuse(u.Name, refusal(RuleRef, pushWithState+u.Name, "the state that is here names no %s: the push was not atomic", u.Name))
	}
}
