package gitstore

import (
	"context"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A client that lost a race has to fetch and build again, while the one that
// won could push at once: measured, one of them won 95 of 96 races, or all 50
// of a list, and never heard that others tried. So a clone that won gives way
// before its next push, but only while there are rivals: two races lost in a
// row show them, one lost race does not, and a move on a mirror that was old
// lost no race at all.
const (
	// contention is how long rivals count as present after a lost race. It is
	// longer than maxBackoff, so that a clone that backs off does not forget
	// why.
	contention = 10 * time.Second
	// knownFor is how long a fetched state counts as known: a push that is late
	// on an older mirror lost no race.
	knownFor = 2 * time.Second
	// Rivals count as present after enough lost races. At most maxLosses are
	// remembered, and each gap that no rival used takes one back.
	enough, maxLosses = 2, 4
	// stretch is how long a clone pushes without a pause before it leaves one
	// gap: rivals may come too late each time, and it would never know of them.
	stretch = time.Second
	// maxBackoff and maxOthers bound how long a clone backs off, in time and in
	// moves of others.
	maxBackoff = 5 * time.Second
	maxOthers  = 16
)

// A raceNote is what this clone remembers of its pushes, in one line of the
// file liza/races.
type raceNote struct {
	won    time.Time     // when the last push was won; zero if it was lost
	lost   time.Time     // when a push was late last, also on an old mirror
	began  time.Time     // when the pushes began that had no pause between them
	losses int           // races lost that nothing has outweighed yet
	before int           // moves of others that came before the one under way
	others int           // that come before one of ours, about
	win    time.Duration // that a push takes which wins
	loss   time.Duration // that one takes which loses, with the look at what won
}

// isContended reports whether rivals are present.
func (n raceNote) isContended(now time.Time) bool {
	return n.losses >= enough && now.Sub(n.lost) < contention
}

// backoff is how much longer to back off: the losers of a race need the time to
// fetch and to push, each of them once. draw is in [0, 1), so that two clones
// do not back off in step. The time since the last push counts.
func (n raceNote) backoff(now time.Time, draw float64) time.Duration {
	if n.won.IsZero() || n.won.After(now) {
		return 0
	}
	var way time.Duration
	switch {
	case n.isContended(now):
		way = min(n.loss+n.win*time.Duration(min(max(n.others, 1), maxOthers)), maxBackoff)
		way = time.Duration(float64(way) * (0.75 + draw/2))
	case n.isPressing(now) && now.Sub(n.began) > stretch:
		way = min(time.Duration(float64(n.win)*(1+2*draw)), maxBackoff)
	}
	return max(way-now.Sub(n.won), 0)
}

// isPressing reports whether a push at that time follows the last one without a
// pause in which a rival could push.
func (n raceNote) isPressing(at time.Time) bool {
	return !n.won.IsZero() && at.Sub(n.won) < n.win
}

// A raceResult is the result of a push.
type raceResult struct {
	started, ended time.Time
	waited         bool // this clone backed off before
	lost           bool // another clone was faster
	looked         bool // the loss was fetched before a push
	others         int  // moves of the other clones
}

// afterPush is the note after a push. rivals is how many others made moves
// lately.
func (n raceNote) afterPush(r raceResult, rivals int) raceNote {
	took := r.ended.Sub(r.started)
	if r.lost {
		if r.started.Sub(n.lost) >= contention {
			n.losses = 0
		}
		switch {
		case r.waited: // somebody needed the gap
			n.losses = min(n.losses+enough, maxLosses)
		case min(r.started.Sub(n.won), r.started.Sub(n.lost)) < knownFor:
			n.losses = min(n.losses+1, maxLosses)
		}
		n.lost, n.won, n.began, n.before = r.ended, time.Time{}, time.Time{}, n.before+r.others
		if !r.looked {
			n.loss = took
		}
		return n
	}
	switch {
	case r.waited && n.before == 0:
		n.losses = max(n.losses-1, 0)
	case !n.isContended(r.ended) && r.ended.Sub(n.lost) >= contention:
		n.losses, n.others, n.loss = 0, 0, 0
	}
	if !n.isPressing(r.started) || r.waited {
		n.began = r.started
	}
	// Many moves in between can come from many clones, or from one that never
	// backs off: the number rises step by step.
	n.others = min(max(n.before, n.others*3/4), 2*n.others+1)
	n.won, n.win, n.before = r.ended, took, 0
	if n.isContended(r.ended) {
		// A push that won at once may have been lucky: the makers of the last moves
		// tell how many rivals there are.
		n.others = max(n.others, rivals)
	}
	n.loss = max(n.loss, took)
	return n
}

// backOff waits if others should push first, and reports whether it did.
func (p *pusher) backOff(ctx context.Context) (waited bool, err error) {
	way := p.readRaceNote().backoff(time.Now(), mathrand.Float64())
	if way == 0 {
		return false, nil
	}
	return true, git.Wait(ctx, way)
}

// noteRace remembers how a push went.
func (p *pusher) noteRace(r raceResult) {
	n, rivals := p.readRaceNote(), 0
	if n.isContended(r.ended) && !r.lost {
		rivals = p.countRivals(r.ended)
	}
	n = n.afterPush(r, rivals)
	line := fmt.Appendf(nil, "%d %d %d %d %d %d %d %d\n", toNanos(n.won), toNanos(n.lost), toNanos(n.began), n.losses, n.before, n.others, n.win, n.loss)
	_ = os.WriteFile(p.history.statePath("races"), line, 0o666) // torn or lost, it costs a moment
}

// countRivals counts the other clones that made moves lately, as far as
// committers and principals tell clones apart. Unreadable commits count as
// none.
func (p *pusher) countRivals(now time.Time) int {
	id, err := p.repo.Refs.Resolve(context.Background(), layout.State)
	who := map[string]bool{}
	for range 2 * maxOthers {
		if err != nil || id == "" {
			break
		}
		c, readErr := p.history.readStateCommit(id)
		if readErr != nil || len(c.Parents) == 0 || now.Sub(c.CommitterTime) > contention {
			break
		}
		_, principal, _ := strings.Cut(c.Message, "\nprincipal: ")
		principal, _, _ = strings.Cut(principal, "\n")
		who[c.Committer+" "+c.CommitterEmail+" "+principal] = true
		id = c.Parents[0]
	}
	return max(len(who)-1, 0)
}

func toNanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func (p *pusher) readRaceNote() raceNote {
	data, err := os.ReadFile(p.history.statePath("races"))
	if err != nil {
		return raceNote{}
	}
	var n raceNote
	var won, lost, began int64
	_, err = fmt.Sscan(string(data), &won, &lost, &began, &n.losses, &n.before, &n.others, (*int64)(&n.win), (*int64)(&n.loss))
	if err != nil {
		return raceNote{} // torn, or of an earlier program
	}
	n.won, n.lost, n.began = fromNanos(won), fromNanos(lost), fromNanos(began)
	return n
}

func fromNanos(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n)
}
