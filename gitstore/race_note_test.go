package gitstore

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var fairStart = time.Date(2026, 1, 17, 14, 0, 0, 0, time.UTC)

// push is a push of 80 ms that begins so long after the start.
func push(at time.Duration, lost, waited bool, others int) raceResult {
	return raceResult{started: fairStart.Add(at), ended: fairStart.Add(at + 80*time.Millisecond), lost: lost, waited: waited, others: others}
}

func noted(n raceNote, results ...raceResult) raceNote {
	for _, r := range results {
		n = n.afterPush(r, 3)
	}
	return n
}

// No clone waits after one lost race, after moves on an old mirror, or because of
// rivals that were there once.
func TestNoRivalsNoWay(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	crowd := noted(raceNote{}, push(0, false, false, 0), push(100*ms, true, false, 5), push(200*ms, true, false, 5), push(300*ms, true, false, 5), push(400*ms, false, false, 0))
	at := func(after time.Duration) time.Time { return fairStart.Add(after) }
	for _, draw := range []float64{0, 0.5, 0.999} {
		require.Greater(t, crowd.backoff(at(480*ms), draw), 80*ms, "three lost races: rivals are there")
		for name, c := range map[string]struct {
			note raceNote
			at   time.Time
		}{
			"the first push":              {raceNote{}, at(0)},
			"after one that won":          {noted(raceNote{}, push(0, false, false, 0)), at(80 * ms)},
			"after one lost race":         {noted(raceNote{}, push(0, false, false, 0), push(100*ms, true, false, 1), push(200*ms, false, false, 0)), at(280 * ms)},
			"on an old mirror":            {noted(raceNote{}, push(0, false, false, 0), push(time.Hour, true, false, 9), push(time.Hour+100*ms, false, false, 0)), at(time.Hour + 180*ms)},
			"on an old mirror, each hour": {noted(raceNote{}, push(time.Hour, true, false, 9), push(time.Hour+100*ms, false, false, 0), push(2*time.Hour, true, false, 9), push(2*time.Hour+100*ms, false, false, 0)), at(2*time.Hour + 180*ms)},
			"after the rivals have left":  {crowd, at(11 * time.Second)},
			"long after them":             {noted(crowd, push(20*time.Minute, true, false, 1), push(20*time.Minute+100*ms, false, false, 0)), at(20*time.Minute + 180*ms)},
			"with a clock set back":       {crowd, at(0)},
		} {
			require.Zero(t, c.note.backoff(c.at, draw), name)
		}
	}
	// Gaps in which nobody came end it, though the races were lost a moment ago.
	alone := noted(crowd, push(700*ms, false, true, 0), push(1100*ms, false, true, 0), push(1500*ms, false, true, 0))
	require.Zero(t, alone.backoff(at(1580*ms), 0.5))
}

// A clone that pushes without a pause leaves a gap now and then, and no other gap.
func TestGapInAStretch(t *testing.T) {
	t.Parallel()
	n, gaps, pushes, at := raceNote{}, time.Duration(0), 0, time.Duration(0)
	for at < 30*time.Second {
		way := n.backoff(fairStart.Add(at), 0.5)
		at += way
		n = noted(n, push(at, false, way > 0, 0))
		gaps, pushes, at = gaps+way, pushes+1, at+90*time.Millisecond
	}
	require.Greater(t, pushes, 250)
	require.Greater(t, gaps, time.Second)
	require.Less(t, gaps, 6*time.Second)
	for range 100 { // a person who types
		at += 500 * time.Millisecond
		require.Zero(t, n.backoff(fairStart.Add(at), 0.5))
		n = noted(n, push(at, false, false, 0))
	}
}

// A racer is a clone in a race that is computed. It builds on what it has seen,
// and its push lands if that is still what the server has when it arrives.
type racer struct {
	note   raceNote
	seen   int // moves that it knows of
	wins   int
	at     time.Duration // when it is done with what it does
	result raceResult    // of the push under way
	step   int           // what it does: see the steps
}

// The steps of a racer: it begins, gives way, looks whether others came, pushes,
// and looks what won.
const (
	begins = iota
	gaveWay
	looksFirst
	pushes
	looksAfter
)

// goOn ends the step of a racer and begins the next, with the server's tip.
func (r *racer) goOn(tip *int, draw func() float64) {
	took := func(d time.Duration) { r.at += time.Duration(float64(d) * (0.9 + draw()/5)) }
	switch r.step {
	case begins:
		way := r.note.backoff(fairStart.Add(r.at), draw())
		r.result = raceResult{started: fairStart.Add(r.at + way), waited: way > 0}
		r.at, r.step = r.at+way, pushes
		if way > 0 {
			r.step = gaveWay
		} else {
			took(80 * time.Millisecond)
		}
	case gaveWay:
		r.step = looksFirst
		took(40 * time.Millisecond)
	case looksFirst:
		r.step = pushes
		if r.seen != *tip {
			r.result.lost, r.result.looked = true, true
			r.end(*tip)
			return
		}
		took(80 * time.Millisecond)
	case pushes:
		if r.seen == *tip {
			*tip, r.wins, r.seen = *tip+1, r.wins+1, *tip+1
			r.end(*tip)
			return
		}
		r.result.lost, r.step = true, looksAfter
		took(40 * time.Millisecond)
	case looksAfter:
		r.end(*tip)
	}
}

func (r *racer) end(tip int) {
	r.result.others, r.seen, r.step = tip-r.seen, tip, begins
	r.result.ended = fairStart.Add(r.at)
	r.note = r.note.afterPush(r.result, 1)
}

// raceOfClones lets n clones push without a pause until so many moves have
// landed, and returns how many each of them won. A look takes 40 ms, a push 80.
func raceOfClones(n, moves int, random *rand.Rand) []int {
	racers, tip := make([]racer, n), 0
	for tip < moves {
		first := &racers[0]
		for i := range racers {
			if racers[i].at < first.at {
				first = &racers[i]
			}
		}
		first.goOn(&tip, random.Float64)
	}
	wins := make([]int, n)
	for i, r := range racers {
		wins[i] = r.wins
	}
	return wins
}

func TestFairShares(t *testing.T) {
	t.Parallel()
	for _, n := range []int{2, 4, 8, 16} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(20) {
				wins := raceOfClones(n, 50*n, rand.New(rand.NewPCG(seed, 1)))
				t.Log(wins)
				for _, won := range wins {
					require.Greater(t, won, 50/4, "seed %d: %v", seed, wins)
				}
			}
		})
	}
}

// A server's judge that found no room has refused nothing.
func TestJudgeWithoutRoom(t *testing.T) {
	t.Parallel()
	lines := refusedLines("remote: liza-refused: push disk_full: there is no room to judge in: mkdir /tmp/x: no space left on device; type: df -h /srv/x.git\n")
	require.Len(t, lines, 1)
	err := (&rejection{refused: lines, said: "refs/liza/state [remote rejected]"}).Unwrap()
	require.ErrorIs(t, err, ErrRemoteFull)
	require.ErrorIs(t, outcomeOf(lines[0].err()).asError(), ErrRemoteFull, "who waits for the push is told the same")
	require.False(t, lines[0].judged())
}
