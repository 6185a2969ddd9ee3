package main

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// shortHistory is how many moves the history has beside which long ones are measured.
const shortHistory = 1000

// measureReplay measures the replay of histories of real moves: of long ones, each move
// beside one of a short history, and on one core beside all.
func (b *bench) measureReplay() error {
	short, err := b.history(shortHistory)
	if err != nil {
		return err
	}
	for _, moves := range b.scale.histories {
		long, err := b.history(moves)
		if err != nil {
			return err
		}
		if err := b.measureHistory(short, long, moves); err != nil {
			return err
		}
	}
	return nil
}

// measureHistory measures a history of so many moves beside the short one.
func (b *bench) measureHistory(short, long *clone, moves int) error {
	replay := func(c *clone, env ...string) func() (sample, error) {
		fsck := c.liza("fsck", "--full")
		fsck.env = env
		return func() (sample, error) { return b.sample(fsck) }
	}
	const alone = "GOMAXPROCS=1"
	got, err := alternate(min(b.scale.rounds, 5), replay(short, alone), replay(long, alone), replay(long))
	if err != nil {
		return err
	}
	per := func(s series, moves int) spread {
		took := s.of(cpu)
		return spread{took.median / float64(moves), took.min / float64(moves), took.max / float64(moves)}
	}
	what := fmt.Sprintf("fsck --full of %d moves", moves)
	b.noteRatio(what+", per move, against "+strconv.Itoa(shortHistory)+", one core, CPU", "ms", per(got[1], moves), per(got[0], shortHistory), 1.1)
	one, all := got[1].of(wall), got[2].of(wall)
	gain := one.median / all.median
	b.add(row{what: what + ", one core against all, wall", measured: one.in("ms"), floor: all.in("ms"), ratio: fmt.Sprintf("%.2f ×", gain),
		budget: "≥ 1.7 ×", verdict: budgetWord(gain >= 1.7)})
	b.noteBound(what+", peak memory", "MiB", got[2].of(peak), 150)
	return nil
}

// mostMoves is how many moves a history can have, so that its last move is in the past.
const (
	mostMoves    = 500_000
	moveInterval = 10 * time.Second
	historyAge   = 2 * mostMoves * moveInterval
)

// history is a clone with a small board whose history has so many moves.
func (b *bench) history(moves int) (*clone, error) {
	b.progress("making a history of %d moves", moves)
	name := fmt.Sprintf("history-%d/work", moves)
	c := &clone{b: b, path: b.path(name), git: b.path(name + "/.git")}
	late := b.path("late/git-liza")
	if err := build(b.source, late, "./cmd/git-liza", "-tags=testclock"); err != nil {
		return nil, err
	}
	program, environ := b.program, b.environ
	b.program, b.environ = late, append(slices.Clip(environ), "LIZA_NOW=-"+historyAge.String())
	defer func() { b.program, b.environ = program, environ }()
	if err := c.found(); err != nil {
		return nil, err
	}
	if _, err := b.output(c.liza("claim", "first", "--as", string(benchCoder(0)))); err != nil {
		return nil, err
	}
	text, err := c.plain("rev-list", "--count", layout.State)
	if err != nil {
		return nil, err
	}
	have, err := strconv.Atoi(text)
	if err != nil {
		return nil, err
	}
	return c, c.renew(moves - have)
}

// renew renews the lease of the task so many times. The moves are
// applied by the rules and replay; only their commits are written by `git fast-import`,
// because a transaction each would take an hour for the longest history.
func (c *clone) renew(number int) error {
	g, err := c.generator(0, 0)
	if err != nil {
		return err
	}
	repo, err := git.Open(c.b.ctx, c.path)
	if err != nil {
		return err
	}
	defer repo.Close()
	store := gitstore.OpenStore(c.b.ctx, repo, time.Now)
	b, tip, err := store.Board(c.b.ctx)
	if err != nil {
		return err
	}
	begin, from := b.Task("first").Claim.Since, "from "+string(tip)+"\n"
	return c.fastImport(g, func() {
		for n := 1; n <= number && g.err == nil; n++ {
			m := flow.Move{Act: board.ActRenew, Task: "first", Goal: g.settings.Goal, By: board.Actor(benchCoder(0)), At: begin.Add(time.Duration(n) * moveInterval),
				Request: board.Request(fmt.Sprintf("%016x", n)), Detail: &flow.RenewMove{Lease: board.Duration(time.Hour)}}
			if b, g.err = flow.Apply(b, m, nil); g.err != nil {
				return
			}
			g.commit(m, from)
			from = ""
			for _, e := range b.Changes() {
				g.document(e.Key.Folder, e.Key.ID, e.Document)
			}
			g.print("\n")
		}
	})
}
