package gitstore

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/git-liza/git-liza/gitstore/git"
)

// partMoves is how many moves of a chain are replayed by one core before it looks for more. A
// part begins with reading what its board has and that of the part before does not, so it is
// not short; nor is it long, because the last one has the other cores wait.
const partMoves = 250

// replayKeeps bounds what each core keeps of documents, as keepBytes does. A replay asks
// again for those of its board, and never for what they were.
const replayKeeps = 2 << 20

// noticeEvery is how often a replay says how far it is.
const noticeEvery = 5 * time.Second

// replayEach replays the commits of a chain on all cores: each is judged by the recorded tree
// of its parent, so parts of the chain need not wait for each other. One core lists a chain
// that is not listed yet, while the others replay the newest of its moves. It returns how many
// replay before the first one that does not, and that one, nil if all do. The error is that of
// the context, or of a call for each move.
func (a *Audit) replayEach(ctx context.Context, r *chainReplay) (int, *Breach, error) {
	r.more.L, r.broken = &r.mu, -1
	defer r.narrate(a.repo.Notice)()
	defer func(keep int) { a.history.documents.keep = keep }(a.history.documents.keep)
	a.history.documents.keep = replayKeeps
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) - 1 {
		all.Go(func() { r.fail(r.work(ctx, a.apart(ctx))) })
	}
	if !r.listed {
		r.list(ctx, a.history)
	}
	r.fail(r.work(ctx, a)) // with the caches that are there
	all.Wait()
	if r.err != nil {
		return int(r.done.Load()), nil, r.err
	}
	return max(0, len(r.chain)-1-r.broken), r.breach, nil // where the list ends in a breach, none
}

// apart is an audit with caches of its own, for another goroutine.
func (a *Audit) apart(ctx context.Context) *Audit {
	h := openHistory(ctx, a.repo, a.history.clock)
	h.documents.keep = replayKeeps
	return &Audit{Admits: a.Admits, repo: a.repo, history: h, trail: map[git.ID]link{}}
}

// A chainReplay is a chain whose parts are replayed side by side. Places in it count from the
// newest commit.
type chainReplay struct {
	size       int                             // commits of a part
	tip, known git.ID                          // what is listed: the commits up to the one and after the other
	each       func(place int, r Replay) error // is called for each move that replays, side by side; may be nil

	done atomic.Int64 // commits that were replayed

	mu     sync.Mutex
	more   sync.Cond // there are more parts, or it is known that there are none
	chain  []git.ID  // newest first, as far as it is listed
	listed bool      // the chain is all there
	parts  int       // that are listed
	newer  int       // parts from the newest one on that were taken while it was not
	older  int       // parts that were not taken from the oldest one on, once it is
	broken int       // the place of the oldest commit that is known not to replay, or to be listed; -1 if none is
	breach *Breach
	err    error
}

// listedReplay is the replay of a chain, oldest first, in parts of so many commits.
func listedReplay(chain []git.ID, size int) *chainReplay {
	r := &chainReplay{size: size, chain: slices.Clone(chain)}
	slices.Reverse(r.chain)
	r.endList()
	return r
}

// list lists the chain. Whoever waits for parts takes the newest ones meanwhile.
func (r *chainReplay) list(ctx context.Context, h *history) {
	breach := h.walkChain(r.tip, r.known, func(id git.ID) bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.chain = append(r.chain, id)
		if len(r.chain)%r.size == 0 {
			r.parts++
			r.more.Signal()
		}
		return r.err == nil && ctx.Err() == nil
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	if breach != nil {
		r.broken, r.breach = len(r.chain), breach
	}
	r.err = cmp.Or(r.err, ctx.Err())
	r.endList()
	r.more.Broadcast()
}

// endList notes that the chain is all there.
func (r *chainReplay) endList() {
	r.parts = (len(r.chain) + r.size - 1) / r.size
	r.listed, r.older = true, r.parts
}

// work replays parts until none is left before the first breach.
func (r *chainReplay) work(ctx context.Context, a *Audit) error {
	for {
		n, ok := r.take()
		if !ok {
			return nil
		}
		if err := r.replayPart(ctx, a, n); err != nil {
			return err
		}
	}
}

// take is a part that nobody has taken: the oldest one, but while the chain is not all
// there the newest one.
func (r *chainReplay) take() (n int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !r.listed && r.err == nil {
		if r.broken < 0 && r.newer < r.parts {
			r.newer++
			return r.newer - 1, true
		}
		r.more.Wait()
	}
	if r.err != nil || r.older <= r.newer || r.older*r.size <= r.broken {
		return 0, false
	}
	r.older--
	return r.older, true
}

// replayPart replays a part, from its oldest commit on, up to a breach.
func (r *chainReplay) replayPart(ctx context.Context, a *Audit, n int) error {
	begin := n * r.size
	part := r.part(begin)
	for i, id := range slices.Backward(part) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if r.isOver(begin + i) {
			return nil
		}
		replayed, err := a.ReplayMove(ctx, id, false)
		if err != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			r.found(begin+i, &Breach{id, err})
			return nil
		}
		if r.each != nil {
			if err := r.each(begin+i, replayed); err != nil {
				return err
			}
		}
		r.done.Add(1)
	}
	return nil
}

// part are the commits of the part that begins at a place.
func (r *chainReplay) part(begin int) []git.ID {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.chain[begin:min(begin+r.size, len(r.chain))]
}

// isOver reports whether nothing of a commit matters any more.
func (r *chainReplay) isOver(place int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err != nil || place < r.broken
}

func (r *chainReplay) found(place int, breach *Breach) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if place > r.broken {
		r.broken, r.breach = place, breach
	}
}

func (r *chainReplay) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = cmp.Or(r.err, err)
	r.more.Broadcast()
}

// narrate says now and then how far the replay is, until the function that it returns is
// called.
func (r *chainReplay) narrate(say func(string)) (end func()) {
	if say == nil {
		return func() {}
	}
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(noticeEvery)
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
				say(r.progress())
			}
		}
	}()
	return func() {
		close(over)
		<-ended
	}
}

func (r *chainReplay) progress() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.listed {
		return fmt.Sprintf("%d moves replayed, %d or more to come", r.done.Load(), int64(len(r.chain))-r.done.Load())
	}
	return fmt.Sprintf("%d of %d moves replayed", r.done.Load(), len(r.chain))
}
