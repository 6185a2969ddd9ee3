package hooks

import (
	"context"
	"errors"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// Transaction judges a ref transaction that git has prepared. On a clone that
// is a person's or a program's own, on the board and the integration branch
// alone; on a server one that pre-receive has judged, see [Backstop]. git
// gives no old value where the caller gave none, and hands out what it packs as
// moves, and the removal of loose refs that are packed as deletions. An old value
// that it gives it may have read before somebody else moved the ref. permit, on
// a clone, is that of the Push.
func Transaction(ctx context.Context, s *gitstore.Store, updates []Update, server bool, permit func(flow.Move) *flow.Refusal) error {
	var list []Update
	for _, u := range updates {
		if !strings.HasPrefix(u.Name, "refs/") || u.New == "" && s.Repo.Pruning(ctx, u.Name, u.Old) || u.Old == "" && s.Repo.Packing(u.Name, u.New) {
			continue
		}
		now, err := s.Repo.Resolve(ctx, u.Name)
		if err := errors.Join(err, ctx.Err()); err != nil {
			return Unjudged(ctx, err)
		}
		if u.Old != "" && u.Old != now {
			return &Rejection{[]Refused{{u.Name, moved(u, now)}}}
		}
		u.Old = now
		list = append(list, u)
	}
	if server {
		return Backstop(ctx, s, list)
	}
	return Judge(ctx, s, Push{Updates: list, Permit: permit})
}

// Committed makes durable that refs of a server have moved: git syncs what is in
// them, but answers a push before their names need be on the disk.
func Committed(ctx context.Context, s *gitstore.Store, updates []Update) error {
	names := make([]string, 0, len(updates))
	for _, u := range updates {
		names = append(names, u.Name)
	}
	return s.Repo.Flusher.SyncMoved(ctx, names)
}
