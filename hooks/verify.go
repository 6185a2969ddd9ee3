package hooks

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A Verified is what [Verify] has found besides what it refuses.
type Verified struct {
	Moves    int       // how many were judged
	Warnings []Refused // merges that this git computes differently than the git that made them
}

// Verify judges the moves after from, or with "" from the first one, up to the state
// commit to. It judges as a server does, but without the clock and without a pusher.
// If to is the tip of the board, it judges the integration branch too. It checks all
// signatures, and with signed requires them. The error is a *Rejection.
func Verify(ctx context.Context, s *gitstore.Store, from, to git.ID, signed bool) (Verified, error) {
	j := newJudge(s, Push{Updates: []Update{{layout.State, from, to}}, Fresh: true, Signed: signed})
	if err := j.addIntegration(ctx, to); err != nil {
		if missing, ok := errors.AsType[*Rejection](err); ok {
			return Verified{}, missing
		}
		return Verified{}, Unjudged(ctx, err)
	}
	err := j.decidePush(ctx)
	if err != nil && s.Repo.IsShallow() {
		err = &Rejection{[]Refused{{string(to), refusal(RuleUndecided, "git fetch --unshallow", "this clone is shallow, and cannot tell what moves and merges build on")}}}
	}
	return Verified{j.moves, j.warnings}, j.explainUnfetched(ctx, err)
}

// explainUnfetched turns the refusal of a move whose saved commit is missing into one
// that says which refs to fetch, if the saved ref is not here: clones fetch saved refs
// of others only when they need them. It returns any other error unchanged.
func (j *judge) explainUnfetched(ctx context.Context, err error) error {
	var rejected *Rejection
	if !errors.As(err, &rejected) || rejected.Refused[0].Rule != flow.RuleFact {
		return err
	}
	what := rejected.Refused[0].What
	e, eventErr := j.store.ReadEvent(git.ID(what))
	remote, remoteErr := j.store.Repo.Config.AnyRemote(ctx)
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
		at, refErr := j.store.Repo.Refs.Resolve(ctx, ref.Name)
		if _, here := j.store.Repo.ParseCommit(ctx, string(ref.New)); refErr == nil && at == "" && here != nil {
			return &Rejection{[]Refused{{what, refusal(RuleUndecided, "git fetch "+remote+" '"+layout.SavedRefs+"*:"+layout.SavedRefs+"*'",
				"%s, which keeps %s, was not fetched", ref.Name, ref.New.Short())}}}
		}
	}
	return err
}

// addIntegration adds the integration branch, at its commit, to what is judged if to is
// the tip of the board. The error is a *Rejection if its commits are missing.
func (j *judge) addIntegration(ctx context.Context, to git.ID) error {
	tip, err := j.store.Tip(ctx)
	if err != nil || tip != to {
		return err
	}
	b, err := j.store.BoardAt(tip)
	if err != nil {
		return nil // the judgement of the moves says what is wrong with it
	}
	name := b.Settings().Integration.Ref()
	at, err := j.store.Repo.Refs.Direct(ctx, name)
	if err == nil && at == "" {
		return j.refuseMissingBranch(ctx, name, b.Settings().Integration)
	}
	if err == nil {
		j.push.Updates = append(j.push.Updates, Update{name, at, at})
	}
	return err
}

// refuseMissingBranch refuses the integration branch because it is not here, as in a
// fresh clone that has fetched only refs/liza. If its commits are not here either,
// no merge can be judged, and the error is a *Rejection.
func (j *judge) refuseMissingBranch(ctx context.Context, name string, want board.Branch) error {
	missing := Refused{name, refusal(flow.RuleTip, "git branch "+want.Name+" "+string(want.Tip),
		"there is no branch %s here; the board has it at %s", want.Name, want.Tip.Short())}
	if _, err := j.store.Repo.ParseCommit(ctx, string(want.Tip)); err == nil {
		j.refuse(name, missing.Refusal)
		return nil
	}
	remote, err := j.store.Repo.Config.AnyRemote(ctx)
	missing.Hint = "git fetch " + cmp.Or(remote, "REMOTE") + " " + name + ":" + name
	return cmp.Or[error](err, &Rejection{[]Refused{missing}})
}

// replayMove replays one commit. If another version of git computed a merge of a whole
// board differently, the recorded result counts, and a warning is noted. In moves
// after a state that was judged before, such a merge is refused: a forged merge could
// name another version of git.
func (j *judge) replayMove(ctx context.Context, id git.ID) (gitstore.Replay, error) {
	r, err := j.store.Audit.ReplayMove(ctx, id, j.push.Server || j.push.Fresh)
	refused, is := errors.AsType[*flow.Refusal](err)
	if !j.created || !is || refused.Rule != flow.RuleMerge {
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
