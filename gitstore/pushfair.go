package gitstore

import (
	"context"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"strings"
	"time"
)

// contention is how long after a lost race this clone gives way to others
// after each push that it won. A client that lost has to fetch and build again
// while the one that won could push at once: measured, one of them won 95 of
// 96 races, or all 50 of a list, and never heard that others tried.
const contention = time.Minute

// maxWay bounds how long a clone gives way, in time and in moves of others.
const (
	maxWay    = 5 * time.Second
	maxOthers = 16
)

// A turnNote is what this clone remembers of its pushes, in one line of the
// file liza/races.
type turnNote struct {
	won    time.Time     // when the last push was won; zero if it was lost
	lost   time.Time     // when a race was lost last
	before int           // moves of others that came before the one under way
	others int           // that come before one of ours, about
	win    time.Duration // that a push takes which wins
	loss   time.Duration // that one takes which loses, with the look at what won
}

// way is how much longer to give way: the losers of a race need the time to
// look and to push, each of them once. A clone that lost none lately leaves a gap now and then, or it would never hear of those
// who come too late each time. What passed since the last push counts.
func (n turnNote) way(now time.Time) time.Duration {
	if n.won.IsZero() || n.won.After(now) {
		return 0
	}
	var way time.Duration
	switch {
	case now.Sub(n.lost) < contention:
		way = min(n.loss+n.win*time.Duration(min(max(n.others, 1), maxOthers)), maxWay)
		way = way*3/4 + time.Duration(mathrand.Int64N(int64(way)/2+1))
	case mathrand.IntN(3) == 0:
		way = min(n.win+time.Duration(mathrand.Int64N(int64(2*n.win)+1)), maxWay)
	}
	return max(way-now.Sub(n.won), 0)
}

// giveWay waits where it is the turn of others. It reports whether it did.
func (s *Store) giveWay(ctx context.Context) (waited bool, err error) {
	way := s.turnNote().way(time.Now())
	if way == 0 {
		return false, nil
	}
	return true, wait(ctx, way)
}

// noteTurn remembers how a push went that took so long.
func (s *Store) noteTurn(d delivery, took time.Duration) {
	n, now := s.turnNote(), time.Now()
	switch {
	case d.lost:
		n.lost, n.won, n.before = now, time.Time{}, n.before+d.others
		if !d.looked {
			n.loss = took
		}
	default:
		// One that won at once may only have been lucky: who made the last moves
		// says how many there are.
		n.won, n.win, n.others, n.before = now, took, max(n.before, n.others*3/4), 0
		if now.Sub(n.lost) < contention {
			n.others = max(n.others, s.rivals(now))
		}
		n.loss = max(n.loss, took)
	}
	line := fmt.Appendf(nil, "%d %d %d %d %d %d\n", nanos(n.won), nanos(n.lost), n.before, n.others, n.win, n.loss)
	_ = os.WriteFile(s.knownFile("races"), line, 0o666) // torn or lost, it costs a moment
}

// rivals counts who else made moves lately, as far as committers and principals
// tell clones apart. What cannot be read is nobody.
func (s *Store) rivals(now time.Time) int {
	id, err := s.Repo.Resolve(context.Background(), StateRef)
	who := map[string]bool{}
	for range 2 * maxOthers {
		if err != nil || id == "" {
			break
		}
		c, readErr := s.commitObject(id)
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

func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func (s *Store) turnNote() turnNote {
	data, err := os.ReadFile(s.knownFile("races"))
	if err != nil {
		return turnNote{}
	}
	var n turnNote
	var won, lost int64
	if _, err := fmt.Sscan(string(data), &won, &lost, &n.before, &n.others, (*int64)(&n.win), (*int64)(&n.loss)); err != nil {
		return turnNote{}
	}
	if n.lost = time.Unix(0, lost); won != 0 {
		n.won = time.Unix(0, won)
	}
	return n
}
