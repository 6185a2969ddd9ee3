package gitstore

import (
	"context"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"time"
)

// contention is how long after a lost race the next push of this clone gives
// way to others. A client that lost has to fetch and build again while the one
// that won could push at once: measured, one of them won 95 of 96 races.
const contention = 10 * time.Second

// giveWay waits, where a race was lost not long ago and the last one was won,
// for a random part of what a talk with the remote takes, so that the losers'
// next pushes get their chance.
func (s *Store) giveWay(ctx context.Context) error {
	lost, won, took := s.lastTurn()
	if !won || took <= 0 || time.Now().Sub(lost) > contention {
		return nil
	}
	return wait(ctx, time.Duration(mathrand.Int64N(int64(2*took))))
}

// noteTurn remembers how a push went. Most clones never lose a race, and write
// nothing.
func (s *Store) noteTurn(lostRace bool, took time.Duration) {
	now := time.Now()
	lost, _, _ := s.lastTurn()
	if lostRace {
		lost = now
	} else if now.Sub(lost) > contention {
		return
	}
	_ = os.WriteFile(s.knownFile("races"), fmt.Appendf(nil, "%d %t %d\n", lost.UnixNano(), !lostRace, took), 0o666)
}

// lastTurn is when a race was lost last, whether the last push was won, and
// how long it took.
func (s *Store) lastTurn() (lost time.Time, won bool, took time.Duration) {
	data, err := os.ReadFile(s.knownFile("races"))
	var nanos int64
	if err != nil {
		return time.Time{}, false, 0
	}
	if _, err := fmt.Sscan(string(data), &nanos, &won, &took); err != nil {
		return time.Time{}, false, 0
	}
	return time.Unix(0, nanos), won, took
}
