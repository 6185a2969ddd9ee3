package gitstore

import (
	"context"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"time"
)

// contention is how long after a lost race the next push of this clone gives
// way to others, once it has won again.
const contention = 10 * time.Second

// A turn is how the last push of this clone went.
type turn struct {
	lost  time.Time // when a race was lost last
	ended time.Time
	won   bool
	took  time.Duration
}

// giveWay waits after a win for a random part of what a talk with the remote
// takes, where the next push follows at once or a race was lost not long ago.
// A clone that lost has to fetch and build again while the one that won could
// push at once, and the winner cannot see that it has rivals: measured, one of
// them won 95 of 96 races, or all 50 of a list.
func (s *Store) giveWay(ctx context.Context) error {
	last, now := s.lastTurn(), time.Now()
	if !last.won || last.took <= 0 || now.Sub(last.lost) > contention && now.Sub(last.ended) > last.took {
		return nil
	}
	return wait(ctx, time.Duration(mathrand.Int64N(int64(2*last.took))))
}

// noteTurn remembers how a push went.
func (s *Store) noteTurn(lostRace bool, took time.Duration) {
	now, lost := time.Now(), s.lastTurn().lost
	if lostRace {
		lost = now
	}
	_ = os.WriteFile(s.knownFile("races"), fmt.Appendf(nil, "%d %d %t %d\n", lost.UnixNano(), now.UnixNano(), !lostRace, took), 0o666)
}

// lastTurn reads what noteTurn wrote; without it nothing was won.
func (s *Store) lastTurn() turn {
	data, err := os.ReadFile(s.knownFile("races"))
	var last turn
	var lost, ended int64
	if err != nil {
		return turn{}
	}
	if _, err := fmt.Sscan(string(data), &lost, &ended, &last.won, &last.took); err != nil {
		return turn{}
	}
	last.lost, last.ended = time.Unix(0, lost), time.Unix(0, ended)
	return last
}
