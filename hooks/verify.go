package hooks

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A Verified is what a judgement of history by hand has found besides what it
// refuses.
type Verified struct {
	Moves    int
	Warnings []Refused // merges that this git computes differently than the one that made them
}

// Verify judges the moves after from, or from the first, up to the state
// commit to as a server would have, but for the clock and for who pushed. At
// the tip of the board it holds the integration branch against it too.
// Signatures are checked where there are any, and must be there if signed. The
// error is a *Rejection.
func Verify(ctx context.Context, s *gitstore.Store, from, to git.ID, signed bool) (Verified, error) {
	j := newJudge(s, Push{Updates: []Update{{layout.State, from, to}}, Fresh: true, Signed: signed})
	if err := j.standing(ctx, to); err != nil {
		var missing *Rejection
		if errors.As(err, &missing) {
			return Verified{}, missing
		}
		return Verified{}, Unjudged(ctx, err)
	}
	err := j.decide(ctx)
	if err != nil && s.Repo.IsShallow() {
		err = &Rejection{[]Refused{{string(to), refusal(RuleUndecided, "git fetch --unshallow", "this clone is shallow, and cannot tell what moves and merges build on")}}}
	}
	return Verified{j.moves, j.warnings}, j.unfetched(ctx, err)
}

// unfetched says which refs are to be fetched where a move was refused for want
// of a commit that its own saved ref keeps, and the ref is not here: clones
// fetch what others saved when they need it. Any other error stays as it is.
func (j *judge) unfetched(ctx context.Context, err error) error {
	var rejected *Rejection
	if !errors.As(err, &rejected) || rejected.Refused[0].Rule != flow.RuleFact {
		return err
	}
	what := rejected.Refused[0].What
	e, eventErr := j.store.ReadEvent(git.ID(what))
	remote, remoteErr := j.store.Repo.AnyRemote(ctx)
	if eventErr != nil || remoteErr != nil || remote == "" {
		return err
	}
	before, boardErr := j.store.BoardAt(e.Parent)
	if boardErr != nil {
		return err
	}
	for _, ref := range e.Move.Refs(before) {
		if !strings.HasPrefix(ref.Name, layout.SavedRefs) {
			continue
		}
		at, refErr := j.store.Repo.Resolve(ctx, ref.Name)
		if _, here := j.store.Repo.ParseCommit(ctx, string(ref.New)); refErr == nil && at == "" && here != nil {
			return &Rejection{[]Refused{{what, refusal(RuleUndecided, "git fetch "+remote+" '"+layout.SavedRefs+"*:"+layout.SavedRefs+"*'",
				"%s, which keeps %s, was not fetched", ref.Name, ref.New.Short())}}}
		}
	}
	return err
}

// standing has the integration branch judged where it stands.
func (j *judge) standing(ctx context.Context, to git.ID) error {
	tip, err := j.store.Tip(ctx)
	if err != nil || tip != to {
		return err
	}
	b, err := j.store.BoardAt(tip)
	if err != nil {
		return nil // the chain says what is wrong with it
	}
	name := b.Settings().Integration.Ref()
	at, err := j.store.Repo.Resolve(ctx, name)
	if err == nil && at == "" {
		return j.unbranched(ctx, name, b.Settings().Integration)
	}
	if err == nil {
		j.push.Updates = append(j.push.Updates, Update{name, at, at})
	}
	return err
}

// unbranched says that the integration branch is not here, as in a fresh clone
// that has fetched refs/liza alone. Without what it holds no merge can be
// judged either, and the error is a *Rejection.
func (j *judge) unbranched(ctx context.Context, name string, want flow.Branch) error {
	missing := Refused{name, refusal(flow.RuleTip, "git branch "+want.Name+" "+string(want.Tip),
		"there is no branch %s here; the board has it at %s", want.Name, want.Tip.Short())}
	if _, err := j.store.Repo.ParseCommit(ctx, string(want.Tip)); err == nil {
		j.refuse(name, missing.Refusal)
		return nil
	}
	remote, err := j.store.Repo.AnyRemote(ctx)
	missing.Hint = "git fetch " + cmp.Or(remote, "REMOTE") + " " + want.Name + ":" + want.Name
	return cmp.Or[error](err, &Rejection{[]Refused{missing}})
}

// replay replays one commit. A merge that another version of git computed
// differently is history where the whole board is judged: what it recorded
// counts, with a warning. Among the moves after a state that was judged it is
// refused, since whoever forges a merge says that of it.
func (j *judge) replay(ctx context.Context, id git.ID) (gitstore.Replay, error) {
	r, err := j.store.Audit.ReplayMove(ctx, id, j.push.Server || j.push.Fresh)
	var refused *flow.Refusal
	if !j.created || !errors.As(err, &refused) || refused.Rule != flow.RuleMerge {
		return r, err
	}
	e, eventErr := j.store.ReadEvent(id)
	if eventErr != nil {
		return r, err
	}
	d, ok := e.Move.Detail.(*flow.MergeMove)
	if !ok || d.Git == j.store.Repo.GitVersion() {
		return r, err
	}
	recorded, oldErr := j.store.Audit.ReplayMove(ctx, id, false)
	if oldErr != nil {
		return r, err
	}
	j.warnings = append(j.warnings, Refused{string(id), refusal(flow.RuleMerge, refused.Hint, "git %s computed this merge, git %s does not: %s", d.Git, j.store.Repo.GitVersion(), refused.Reason)})
	return recorded, nil
}
