package hooks

import (
	"context"
	"errors"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Transaction judges a ref transaction that git has prepared. On a clone it judges
// updates of the board and of the integration branch; permit is the one of the Push.
// On a server it judges updates that pre-receive has judged before, see [Backstop].
//
// git gives no old value where its caller gave none. It shows the packing of refs as
// updates, and the removal of loose refs that are packed as deletions. It may have
// read an old value before another process moved the ref. The error is a *Rejection.
func Transaction(ctx context.Context, s *gitstore.Store, updates []Update, server bool, permit func(flow.Move) *flow.Refusal) error {
	var list []Update
	for _, u := range updates {
		if !strings.HasPrefix(u.Name, "refs/") || u.New == "" && s.Repo.Refs.IsBeingPruned(ctx, u.Name, u.Old) || u.Old == "" && s.Repo.Refs.IsBeingPacked(u.Name, u.New) {
			continue
		}
		now, err := s.Repo.Refs.Follow(ctx, u.Name)
		if err := errors.Join(err, ctx.Err()); err != nil {
			return Unjudged(ctx, err)
		}
		if u.Old != "" && u.Old != now {
			return &Rejection{[]Refused{{u.Name, movedRefusal(u, now)}}}
		}
		u.Old = now
		list = append(list, u)
	}
	if server {
		return Backstop(ctx, s, list)
	}
	return judgeUpdates(ctx, s, Push{Updates: list, Permit: permit, Now: s.Now()})
}

// Committed makes the updates of a server's refs durable, as fsync says, a value of
// liza.fsync. git syncs the content of refs, but answers a push before their names are
// on the disk. gitDir is the GIT_DIR of the hook.
func Committed(gitDir, fsync string, updates []Update) error {
	return git.SyncMovedRefs(gitDir, fsync, lists.Of(updates, func(u Update) string { return u.Name }))
}
