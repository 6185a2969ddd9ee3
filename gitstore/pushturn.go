package gitstore

import (
	"context"
	"slices"
	"time"

	"github.com/git-liza/git-liza/gitstore/git"
)

// maxUnanswered bounds how often one push is repeated that the remote did not
// take, without a word of its judge, although nothing there has moved: a ref
// was locked, or the connection broke.
const maxUnanswered = 4

// deliver pushes what is in the outbox, and tells every letter that it touched
// what became of it. It runs while this process has the turn to push; the error
// is what those heard whose push went wrong.
func (s *Store) deliver(ctx context.Context, name string) (*chore, error) {
	waited, err := s.giveWay(ctx)
	if err != nil {
		return nil, s.spread(ctx, nil, err)
	}
	chain, err := s.collect(ctx)
	if err != nil || len(chain) == 0 {
		return nil, err
	}
	started := time.Now()
	d := delivery{store: s, remote: name}
	var due *chore
	if waited {
		err = d.look(ctx)
	}
	if err == nil && !d.lost {
		due, err = d.deliver(ctx, chain)
	}
	if err == nil {
		s.noteTurn(turnResult{started: started, ended: time.Now(), waited: waited, lost: d.lost, looked: d.looked, others: d.others})
	}
	return due, err
}

// collect is the chain to push. Where it is broken, because somebody gave up or
// died, or the mirror has moved, everybody builds again.
func (s *Store) collect(ctx context.Context) ([]*outboxEntry, error) {
	release, err := s.Repo.Queue(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	list, mirror, err := s.waiting(ctx)
	if err == nil && !linked(list, mirror) {
		tellAll(list, fate{Kind: fateAgain})
		list = nil
	}
	return list, err
}

// waiting is the outbox, and the mirror that its chain should begin at.
func (s *Store) waiting(ctx context.Context) ([]*outboxEntry, git.ID, error) {
	list, err := listOutbox(s.Repo)
	if err != nil {
		return nil, "", err
	}
	mirror, err := s.Repo.Resolve(ctx, git.StateRef)
	return list, mirror, err
}

// spread tells everybody who waits of an error, or those of a chain only.
func (s *Store) spread(ctx context.Context, chain []*outboxEntry, cause error) error {
	f := fateOf(cause)
	if ctx.Err() != nil {
		f = fate{Kind: fateAgain} // it is only this process that was called off
	}
	release, err := s.Repo.Queue(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	defer release()
	list, err := listOutbox(s.Repo)
	if err != nil {
		return err
	}
	for i, e := range list {
		if chain == nil || slices.ContainsFunc(chain, func(p *outboxEntry) bool { return p.Commit == e.Commit }) {
			e.tell(f)
			continue
		}
		tellAll(list[i:], fate{Kind: fateAgain})
		break
	}
	return cause
}
