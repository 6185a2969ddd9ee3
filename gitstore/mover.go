package gitstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A mover moves the refs of this clone for all processes whose moves wait, with one
// transaction: the state ref to the end of their chain, and the other refs of the last
// move. A move with other refs ends the chain, so that the refs of a process that was
// killed inside follow from the last move alone, as they always do, see
// [Settler.completeRefs].
//
// An entry that names its parent as its commit has no move: its process waits until the
// moves before it have landed.
type mover struct {
	repo    *git.Repo
	history *history
	settler *Settler
	audit   *Audit
	packer  *Packer
}

// mostJoined bounds the moves that one transaction brings.
const mostJoined = 64

func waitingDir(r *git.Repo) string { return filepath.Join(r.CommonDir(), layout.Private, "waiting") }

// readWaiting lists the moves that wait, and then reads the tip, while the queue is held.
// In this order, because the process that moves the refs removes entries later. What
// dead processes only waited for is removed.
func (m *mover) readWaiting(ctx context.Context) ([]*outboxEntry, git.ID, error) {
	list, err := listEntries(waitingDir(m.repo))
	if err != nil {
		return nil, "", err
	}
	list = slices.DeleteFunc(list, func(e *outboxEntry) bool {
		gone := e.dead && e.Commit == e.Parent
		if gone {
			os.Remove(e.path)
		}
		return gone
	})
	tip, err := m.repo.Refs.Resolve(ctx, layout.State)
	return list, tip, err
}

// afterTip are the entries that wait on a tip; those before have landed.
func afterTip(list []*outboxEntry, tip git.ID) (landed, rest []*outboxEntry) {
	for i, e := range slices.Backward(list) {
		if e.Commit == tip && tip != "" {
			return list[:i+1], list[i+1:]
		}
	}
	return nil, list
}

// chainEnd is the state on which the next move is built. open is false if it cannot be
// built before the refs have moved: the last one moves other refs, one before it will
// not land, or there are too many.
func chainEnd(list []*outboxEntry, tip git.ID) (end git.ID, open bool) {
	_, rest := afterTip(list, tip)
	for _, e := range rest {
		if e.dead || e.Parent != tip {
			return "", false
		}
		tip = e.Commit
	}
	return tip, len(rest) < mostJoined && !slices.ContainsFunc(rest, (*outboxEntry).movesOthers)
}

// movesOthers reports whether a move that waits moves other refs than the state.
func (e *outboxEntry) movesOthers() bool { return len(e.Refs) > 1 }

// moveWaiting moves the refs to the end of the chain that waits, and writes an outcome to
// every entry of it. Entries behind a gap in the chain are built again. The caller has
// the turn to move refs; own is the commit that it waits for, "" for none.
func (m *mover) moveWaiting(ctx context.Context, own git.ID) (*packJob, error) {
	chain, due, err := m.collectChain(ctx)
	if chain = m.soundPart(ctx, chain, own); len(chain) > 0 {
		lasting, end := outlast(ctx, endTurn)
		defer end()
		m.moveChain(lasting, chain)
	}
	return due, err
}

// outlast is a context that ends some time after another one: what other processes wait for
// does not end with the interrupt of this one, unless it hangs.
func outlast(ctx context.Context, d time.Duration) (context.Context, func()) {
	lasting, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(d, end) })
	return lasting, func() { stop(); end() }
}

// soundPart is what may be moved of a chain, up to the first entry that no process of ours
// wrote: anybody can put a file there. What lies behind it is built again. own is the
// commit of this process.
func (m *mover) soundPart(ctx context.Context, chain []*outboxEntry, own git.ID) []*outboxEntry {
	for i, e := range chain {
		if e.Commit != own && len(e.Refs) > 0 && m.checkEntry(ctx, e) != nil {
			writeOutcomes(chain[i:], outcome{Kind: outcomeAgain})
			return chain[:i]
		}
	}
	return chain
}

// checkEntry replays the move of an entry, and refuses updates of the refs that hooks
// guard, the integration branch and our own, where they do not follow from it. It uses the
// derived files, as the process did that made the move.
func (m *mover) checkEntry(ctx context.Context, e *outboxEntry) error {
	r, err := m.audit.replayMove(ctx, e.Commit, false, m.history.current)
	if err != nil {
		return err
	}
	due := refUpdates(r.Move, r.Before, e.Commit)
	for _, u := range e.Refs[1:] {
		guarded := !strings.HasPrefix(u.Name, "refs/heads/") || git.Shadows(u.Name) || u.Name == r.Before.Settings().Integration.Ref()
		if guarded && !slices.ContainsFunc(due, func(d git.RefUpdate) bool { return d.Name == u.Name && d.New == u.New }) {
			return fmt.Errorf("%s does not follow from the move %s", u.Name, e.Commit.Short())
		}
	}
	return nil
}

// isWhole reports whether an entry says of the state ref what its commits say.
func (e *outboxEntry) isWhole() bool {
	if len(e.Refs) == 0 {
		return e.Commit == e.Parent
	}
	return e.Refs[0] == git.RefUpdate{Name: layout.State, Old: e.Parent, New: e.Commit}
}

// collectChain is the chain to move. It ends the entries before it, which have landed,
// and those behind it.
func (m *mover) collectChain(ctx context.Context) ([]*outboxEntry, *packJob, error) {
	release, err := m.repo.Turns.Queue(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	list, tip, err := m.readWaiting(ctx)
	if err != nil {
		return nil, nil, err
	}
	landed, chain := afterTip(list, tip)
	if len(landed) > 0 {
		_ = m.settler.Settle(ctx)                          // if that fails, the next move completes the refs
		writeOutcomes(landed, outcome{Kind: outcomeAgain}) // each process looks for its move
	}
	at, moves := tip, 0
	for i, e := range chain {
		if e.dead || e.Parent != at || !e.isWhole() {
			writeOutcomes(chain[i:], outcome{Kind: outcomeAgain})
			chain = chain[:i]
			break
		}
		at = e.Commit
		moves += min(len(e.Refs), 1)
	}
	if moves == 0 {
		return chain, nil, nil
	}
	return chain, m.packer.countMoves(at, moves), nil
}

// moveChain moves the refs to the end of a chain and ends its entries. It reports
// whether all have landed. If the transaction fails because of one of them, those
// before it land, it has its error, and those after it are built again.
func (m *mover) moveChain(ctx context.Context, chain []*outboxEntry) bool {
	err := m.moveRefs(ctx, chain)
	switch {
	case err == nil:
		writeOutcomes(chain, outcome{Kind: outcomeLanded})
		return true
	case len(chain) == 1 || m.concernsAll(ctx, chain, err):
		f := outcomeOf(err)
		if errors.Is(err, git.ErrRefMoved) || ctx.Err() != nil {
			f = outcome{Kind: outcomeAgain, Reason: err.Error()}
		}
		writeOutcomes(chain, f)
		return false
	}
	half := len(chain) / 2
	if chain[len(chain)-1].movesOthers() {
		half = len(chain) - 1
	}
	if !m.moveChain(ctx, chain[:half]) {
		writeOutcomes(chain[half:], outcome{Kind: outcomeAgain})
		return false
	}
	return m.moveChain(ctx, chain[half:])
}

// concernsAll reports whether the error of a transaction is that of all its moves.
func (m *mover) concernsAll(ctx context.Context, chain []*outboxEntry, err error) bool {
	if errors.Is(err, git.ErrUnsynced) {
		return true
	}
	if now, resolveErr := m.repo.Refs.Resolve(ctx, layout.State); resolveErr != nil || now != chain[0].Parent {
		return true
	}
	return errors.Is(err, git.ErrRefLocked) && !chain[len(chain)-1].movesOthers()
}

// moveRefs makes the transaction of a chain.
func (m *mover) moveRefs(ctx context.Context, chain []*outboxEntry) error {
	moves := slices.DeleteFunc(slices.Clone(chain), func(e *outboxEntry) bool { return len(e.Refs) == 0 })
	if len(moves) == 0 {
		return nil
	}
	last := moves[len(moves)-1]
	m.history.objects.NoteFlushed(moves[0].Parent, last.Commit)
	updates := foldUpdates(moves, func(e *outboxEntry) []git.RefUpdate { return e.Refs })
	if err := m.repo.Refs.MoveRefs(ctx, updates, joinedMessage(moves)); err != nil {
		// A transaction that failed or was interrupted may have happened all the same.
		now, resolveErr := m.repo.Refs.Resolve(ctx, layout.State)
		if errors.Is(err, git.ErrUnsynced) || resolveErr != nil || now != last.Commit {
			return err
		}
		_ = m.settler.Settle(ctx)
	}
	m.audit.rememberWritten(last.Commit)
	return nil
}
