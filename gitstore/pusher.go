package gitstore

import (
	"context"
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A pusher pushes the outbox.
type pusher struct {
	repo    *git.Repo
	history *history
	settler *Settler
	remotes *Remotes
	mirror  *Mirror
	packer  *Packer
}

// maxUnanswered bounds how often one push is repeated that came to nothing without a no
// and without a change of the remote's refs: a ref was locked, or the connection broke.
const maxUnanswered = 4

// pushOutbox pushes the outbox and writes an outcome to every entry that it
// touched. The caller holds the push lock. The error is that of the entries
// whose push failed.
func (p *pusher) pushOutbox(ctx context.Context, name string) (*packJob, error) {
	waited, err := p.backOff(ctx)
	if err != nil {
		return nil, p.spreadError(ctx, nil, err)
	}
	chain, err := p.collectChain(ctx)
	if err != nil || len(chain) == 0 {
		return nil, err
	}
	started := time.Now()
	d := delivery{pusher: p, remote: name}
	var due *packJob
	if waited {
		err = d.lookAtRemote(ctx)
	}
	if err == nil && !d.lost {
		due, err = d.pushChain(ctx, chain)
	}
	if err == nil {
		p.noteRace(raceResult{started: started, ended: time.Now(), waited: waited, lost: d.lost, looked: d.looked, others: d.others})
	}
	return due, err
}

// collectChain is the chain to push. If it is broken, because a process gave up
// or died, or because the mirror has moved, all entries are built again.
func (p *pusher) collectChain(ctx context.Context) ([]*outboxEntry, error) {
	release, err := p.repo.Turns.Queue(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	list, mirror, err := p.readOutbox(ctx)
	if err == nil && !isChain(list, mirror) {
		writeOutcomes(list, outcome{Kind: outcomeAgain})
		list = nil
	}
	return list, err
}

// readOutbox is the outbox, and the mirror at which its chain should begin.
func (p *pusher) readOutbox(ctx context.Context) ([]*outboxEntry, git.ID, error) {
	list, err := listOutbox(p.repo)
	if err != nil {
		return nil, "", err
	}
	mirror, err := p.repo.Refs.Resolve(ctx, layout.State)
	return list, mirror, err
}

// spreadError passes an error on to all processes that wait, or only to those of a
// chain.
func (p *pusher) spreadError(ctx context.Context, chain []*outboxEntry, cause error) error {
	f := outcomeOf(cause)
	if ctx.Err() != nil {
		f = outcome{Kind: outcomeAgain} // only this process was interrupted
	}
	if len(chain) > 0 && IsDeclined(cause) {
		p.noteDeclined(chain[0].Commit, cause)
	}
	release, err := p.repo.Turns.Queue(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	defer release()
	list, err := listOutbox(p.repo)
	if err != nil {
		return err
	}
	for i, e := range list {
		if chain == nil || slices.ContainsFunc(chain, func(sent *outboxEntry) bool { return sent.Commit == e.Commit }) {
			e.writeOutcome(f)
			continue
		}
		writeOutcomes(list[i:], outcome{Kind: outcomeAgain})
		break
	}
	return cause
}
