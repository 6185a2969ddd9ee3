package gitstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A delivery is one push of the outbox, with its outcome.
type delivery struct {
	pusher *pusher
	remote string
	lost   bool // a push of another clone was faster
	others int  // moves in that push
	looked bool // this clone fetched the loss before it pushed
}

// lookAtRemote fetches after this clone has backed off. If other moves came
// first, the push is known to be late and need not be made.
func (d *delivery) lookAtRemote(ctx context.Context) error {
	step, news, err := d.pusher.mirror.refresh(ctx, d.remote)
	if err != nil {
		return d.pusher.spreadError(ctx, nil, err)
	}
	if step.from == step.to {
		return nil
	}
	d.lost, d.others, d.looked = true, len(news), true
	return d.endOvertaken(ctx, news)
}

// pushChain pushes a chain. If the remote rejects it without a line of its judge, it
// pushes the moves one at a time.
func (d *delivery) pushChain(ctx context.Context, chain []*outboxEntry) (*packJob, error) {
	for try, whole, forwarded := 0, true, false; ; try++ {
		updates := pushUpdates(chain, whole)
		pushErr := d.pusher.remotes.push(ctx, d.remote, updates)
		if pushErr == nil {
			return d.endLanded(ctx, chain)
		}
		if ctx.Err() != nil || errors.Is(pushErr, context.DeadlineExceeded) {
			return nil, d.pusher.spreadError(ctx, nil, fmt.Errorf("%w; the remote may have the move: repeating the command is safe", offlineError(d.remote, pushErr)))
		}
		step, news, err := d.pusher.mirror.refresh(ctx, d.remote)
		if err != nil {
			return nil, d.pusher.spreadError(ctx, nil, unknownOutcome(err, pushErr))
		}
		if step.from != step.to {
			d.lost, d.others = true, len(news)
			return nil, d.endOvertaken(ctx, news)
		}
		if lines := refusalsOf(pushErr); len(lines) > 0 && !lines[0].judged() {
			return nil, d.pusher.spreadError(ctx, chain, fmt.Errorf("remote %s: %w", d.remote, lines[0].err()))
		} else if len(lines) > 0 {
			if handled, err := d.endRefused(ctx, chain, lines); handled || err != nil {
				return nil, err
			}
			chain, try = chain[:1], 0
			continue
		}
		if !forwarded {
			if forwarded = d.pusher.mirror.forwardIntegration(ctx, d.remote, step.seen) != ""; forwarded {
				continue
			}
		}
		switch final := IsDeclined(pushErr); {
		case final && whole && slices.ContainsFunc(updates, isDeletion):
			whole = false // a remote that denies deletions of task branches must not stop a merge
		case !final && try < maxUnanswered-1:
			if err := waitToRetry(ctx, try); err != nil {
				return nil, d.pusher.spreadError(ctx, nil, err)
			}
		case len(chain) > 1:
			chain, try, whole = chain[:1], 0, true
		default:
			return nil, d.pusher.spreadError(ctx, chain, d.explainUntaken(ctx, chain, step, pushErr))
		}
	}
}

// pushUpdates are the updates of a push; without whole, those that delete no ref.
func pushUpdates(chain []*outboxEntry, whole bool) []git.RefUpdate {
	updates := foldUpdates(chain, func(e *outboxEntry) []git.RefUpdate { return e.Push })
	if !whole {
		updates = slices.DeleteFunc(updates, isDeletion)
	}
	return updates
}

func isDeletion(u git.RefUpdate) bool { return u.New == "" }

// endLanded moves the mirror to the state that the remote has after the push.
func (d *delivery) endLanded(ctx context.Context, chain []*outboxEntry) (*packJob, error) {
	ctx = context.WithoutCancel(ctx)
	release, err := d.pusher.repo.Turns.Queue(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	list, err := listOutbox(d.pusher.repo)
	if err != nil {
		return nil, err
	}
	last := chain[len(chain)-1].Commit
	seen, err := d.headsAfter(chain)
	if err != nil {
		return nil, err
	}
	_, err = d.pusher.mirror.advance(ctx, shift{remote: d.remote, from: chain[0].Parent, to: last, seen: seen,
		refs: foldUpdates(chain, func(e *outboxEntry) []git.RefUpdate { return e.Refs })})
	if said := ReadDeclined(d.pusher.repo); said != nil && said.Task == "" {
		os.Remove(declinedFile(d.pusher.repo))
	}
	f := outcome{Kind: outcomeLanded}
	if err != nil {
		f = outcomeOf(fmt.Errorf("%s has the move, but this clone's refs could not follow: %w", d.remote, err))
	}
	for _, e := range list {
		if slices.ContainsFunc(chain, func(p *outboxEntry) bool { return p.Commit == e.Commit }) {
			e.writeOutcome(f)
		}
	}
	return d.pusher.packer.countMoves(last, len(chain)), nil
}

// headsAfter are the heads of the remote after a push. Its integration branch
// is known only if the push moved it.
func (d *delivery) headsAfter(chain []*outboxEntry) (heads, error) {
	last := chain[len(chain)-1].Commit
	b, err := d.pusher.history.BoardAt(last)
	if err != nil {
		return heads{}, err
	}
	found := heads{state: last}
	for _, u := range pushUpdates(chain, true) {
		if u.Name == b.Settings().Integration.Ref() {
			found.integration = u.New
		}
	}
	return found, nil
}

// endOvertaken ends all entries after the remote got other moves. Some of those
// may be moves of this clone whose push got no answer.
func (d *delivery) endOvertaken(ctx context.Context, news []git.ID) error {
	release, err := d.pusher.repo.Turns.Queue(ctx)
	if err != nil {
		return err
	}
	defer release()
	list, err := listOutbox(d.pusher.repo)
	if err != nil {
		return err
	}
	for _, e := range list {
		f := outcome{Kind: outcomeAgain}
		if slices.Contains(news, e.Commit) {
			f.Kind = outcomeLanded
		}
		e.writeOutcome(f)
	}
	return nil
}

// endRefused ends the entry that the remote's judge named. Entries before it
// stay in the outbox, those after it are built again. handled is false if the
// chain has several entries and the judge named none.
func (d *delivery) endRefused(ctx context.Context, chain []*outboxEntry, lines []refusedLine) (handled bool, err error) {
	at, line := blamedEntry(chain, lines)
	if at < 0 {
		return false, nil
	}
	release, err := d.pusher.repo.Turns.Queue(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	list, err := listOutbox(d.pusher.repo)
	if err != nil {
		return false, err
	}
	i := slices.IndexFunc(list, func(e *outboxEntry) bool { return e.Commit == chain[at].Commit })
	if i >= 0 {
		list[i].writeOutcome(outcomeOf(line.refusal))
		writeOutcomes(list[i+1:], outcome{Kind: outcomeAgain})
	}
	return true, nil
}

// blamedEntry is the entry that a line of the judge is about: the entry that it
// names, or the only one that updates the ref that it names; -1 if neither is
// clear.
func blamedEntry(chain []*outboxEntry, lines []refusedLine) (int, refusedLine) {
	if len(chain) == 1 {
		return 0, lines[0]
	}
	for _, l := range lines {
		if i := slices.IndexFunc(chain, func(e *outboxEntry) bool { return l.what == string(e.Commit) }); i >= 0 {
			return i, l
		}
	}
	for _, l := range lines {
		at, n := -1, 0
		for i, e := range chain {
			if slices.ContainsFunc(e.Push[1:], func(u git.RefUpdate) bool { return u.Name == l.what }) {
				at, n = i, n+1
			}
		}
		if n == 1 {
			return at, l
		}
	}
	return -1, refusedLine{}
}

func refusalsOf(err error) []refusedLine {
	if r, is := errors.AsType[*rejection](err); is {
		return r.refused
	}
	return nil
}

// explainUntaken says why a remote rejected a move although its board is at the
// state that the move was built on: its integration branch may be elsewhere.
func (d *delivery) explainUntaken(ctx context.Context, chain []*outboxEntry, step shift, pushErr error) error {
	b, err := d.pusher.history.BoardAt(step.to)
	if err != nil {
		return err
	}
	branch := b.Settings().Integration
	moves := slices.ContainsFunc(chain[0].Push, func(u git.RefUpdate) bool { return u.Name == branch.Ref() })
	if now := step.seen.integration; moves && now != branch.Tip {
		return fmt.Errorf("%w: %w", ErrForeignRef, &flow.Refusal{Rule: flow.RuleTip,
			Hint:   d.pusher.settler.RemoteStrayHint(ctx, b, d.remote, now),
			Reason: fmt.Sprintf("%s of %s is at %s, the board says %s", branch.Name, d.remote, git.ShortOrNone(now), branch.Tip.Short())})
	}
	return d.pusher.remotes.explainHindered(ctx, d.remote, branch.Ref(), fmt.Errorf("remote %s: %w", d.remote, pushErr))
}

// unknownOutcome is the error of a push without an answer when the remote
// cannot be fetched from either.
func unknownOutcome(err, pushErr error) error {
	if _, is := errors.AsType[*rejection](pushErr); is || IsDeclined(pushErr) || !errors.Is(err, ErrOffline) {
		return err
	}
	return fmt.Errorf("%w; if the connection broke during the push, the remote may have the move: repeating the command is safe", err)
}
