package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A load is what processes side by side achieved.
type load struct {
	moves, failed int
	lost          int // moves that reported success and are not in the history, plus those in the history that did not
	seconds       float64
	waits         []float64 // of single moves, in ms
	shares        []int     // the moves of each process
}

func (l load) rate() float64 { return float64(l.moves) / l.seconds }

func (l load) p99() float64 {
	slices.Sort(l.waits)
	if len(l.waits) == 0 {
		return 0
	}
	return l.waits[(len(l.waits)-1)*99/100]
}

// least is the share of the process that made the fewest moves, in percent of an even one.
func (l load) least() float64 {
	return 100 * float64(slices.Min(l.shares)*len(l.shares)) / float64(max(l.moves, 1))
}

// measureMoves measures processes side by side, each of which claims and releases a task of
// its own.
func (b *bench) measureMoves() error {
	c, err := b.board(b.scale.live, b.scale.archived)
	if err != nil {
		return err
	}
	drafts := make([]draft, benchTasks)
	for n := range drafts {
		if drafts[n], err = c.draft(n); err != nil {
			return err
		}
	}
	for _, mode := range syncModes {
		if err := c.syncing(mode); err != nil {
			return err
		}
		for _, writers := range b.scale.writers {
			if err := c.measureWriters(mode, writers, drafts); err != nil {
				return err
			}
		}
	}
	return nil
}

// measureWriters measures that many processes. They run as commands, each move a process of
// its own, beside the queued script with the same documents; and as processes that stay,
// like supervisors.
func (c *clone) measureWriters(mode string, writers int, drafts []draft) error {
	script := func(ctx context.Context, n int) load { return c.scriptMoves(ctx, n, drafts[n]) }
	var commands, queued []load
	for range 2 {
		l, err := c.countLost(layout.State, func() load { return c.runWorkers(writers, c.commandMoves) })
		if err != nil {
			return err
		}
		commands = append(commands, l)
		if err := c.begin(); err != nil {
			return err
		}
		if l, err = c.countLost(floorRef, func() load { return c.runWorkers(writers, script) }); err != nil {
			return err
		}
		queued = append(queued, l)
	}
	stayed, err := c.countLost(layout.State, func() load { return c.runWorkers(writers, c.stayingMoves) })
	if err != nil {
		return err
	}
	c.b.noteLoads(fmt.Sprintf("%d × commands, sync %s", writers, mode), writers, commands, queued)
	c.b.noteLoads(fmt.Sprintf("%d staying, sync %s", writers, mode), writers, []load{stayed}, queued)
	return nil
}

// noteLoads notes what was measured, against the script, which eight writers and more are to
// be faster than.
func (b *bench) noteLoads(what string, writers int, measured, script []load) {
	var rates, floors, waits, least []float64
	wrong := 0
	for _, l := range measured {
		rates, waits, least = append(rates, l.rate()), append(waits, l.p99()), append(least, l.least())
		wrong += l.failed + l.lost
	}
	for _, l := range script {
		floors = append(floors, l.rate())
	}
	got, floor := spreadOf(rates), spreadOf(floors)
	b.add(row{what: what + ": moves/s", measured: got.in("/s"), floor: floor.in("/s")})
	if writers >= 8 {
		b.add(row{what: what + ": against the queued script", ratio: fmt.Sprintf("%.2f ×", got.median/floor.median), budget: "≥ 1.8 ×",
			verdict: budgetWord(got.median >= 1.8*floor.median)})
	}
	b.noteBound(what+": p99", "ms", spreadOf(waits), 2*float64(writers)/got.median*1000)
	if writers > 1 {
		share := spreadOf(least)
		b.add(row{what: what + ": the least share", measured: share.in("%"), budget: "≥ 50 %", verdict: budgetWord(share.median >= 50)})
	}
	b.add(row{what: what + ": failed or lost", measured: fmt.Sprint(wrong), budget: "0", verdict: budgetWord(wrong == 0)})
}

// countLost compares the reported moves with the history.
func (c *clone) countLost(ref string, run func() load) (load, error) {
	before, err := c.plain("rev-parse", ref)
	if err != nil {
		return load{}, err
	}
	l := run()
	n, err := c.made(before, ref)
	l.lost = max(n-l.moves, l.moves-n)
	return l, err
}

// runWorkers runs workers at once for the time that the scale sets.
func (c *clone) runWorkers(writers int, work func(ctx context.Context, n int) load) load {
	ctx, cancel := context.WithTimeout(c.b.ctx, c.b.scale.together)
	defer cancel()
	var mu sync.Mutex
	var all load
	var wait sync.WaitGroup
	start := time.Now()
	for n := range writers {
		wait.Go(func() {
			one := work(ctx, n)
			mu.Lock()
			defer mu.Unlock()
			all.moves += one.moves
			all.failed += one.failed
			all.waits = append(all.waits, one.waits...)
			all.shares = append(all.shares, one.moves)
		})
	}
	wait.Wait()
	all.seconds = time.Since(start).Seconds()
	orphans()
	return all
}

// commandMoves claims and releases the n-th task until the time is over.
func (c *clone) commandMoves(ctx context.Context, n int) (l load) {
	for {
		for _, next := range []command{c.claim(n), c.release(n)} {
			l.count(func() error { return c.runOnly(next) })
		}
		if ctx.Err() != nil {
			return l
		}
	}
}

// scriptMoves makes moves with the queued script until the time is over.
func (c *clone) scriptMoves(ctx context.Context, n int, d draft) (l load) {
	for ctx.Err() == nil {
		floor := c.floor(n)
		floor.args = append([]string{"sh", c.b.path("queued.sh")}, floor.args[1:]...)
		if err := d.write(); err != nil {
			return load{failed: 1}
		}
		l.count(func() error { return c.runOnly(floor) })
	}
	return l
}

// count makes one move and notes how long it took.
func (l *load) count(move func() error) {
	start := time.Now()
	if err := move(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		l.failed++
		return
	}
	l.moves++
	l.waits = append(l.waits, time.Since(start).Seconds()*1000)
}

// runOnly runs a command while others run. It does not wait for orphans.
func (c *clone) runOnly(next command) error {
	p := exec.CommandContext(c.b.ctx, next.args[0], next.args[1:]...)
	p.Dir, p.Env = next.dir, append(slices.Clip(c.b.environ), next.env...)
	if out, err := p.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(next.args, " "), err, out)
	}
	return nil
}

// stayingMoves runs a process of this program that stays; see staying.
func (c *clone) stayingMoves(_ context.Context, n int) (l load) {
	p := exec.CommandContext(c.b.ctx, c.b.self, "staying", string(benchTask(n)), string(benchCoder(n)), c.b.scale.together.String(), c.b.program)
	p.Dir, p.Env, p.Stderr = c.path, c.b.environ, os.Stderr
	out, err := p.Output()
	for line := range bytes.Lines(out) {
		wait := 0.0
		if _, err := fmt.Sscan(string(line), &wait); err == nil {
			l.moves++
			l.waits = append(l.waits, wait)
		}
	}
	if err != nil {
		l.failed++
	}
	return l
}

// staying claims and releases a task in this process, as a supervisor does, and prints
// how long each move took, in ms. Its arguments are the task, the coder, how long to
// go on, and the program that packs.
func staying(ctx context.Context, args []string) error {
	if len(args) != 4 {
		return fmt.Errorf("staying TASK CODER DURATION PROGRAM")
	}
	task, coder := board.TaskID(args[0]), board.Actor(args[1])
	limit, err := time.ParseDuration(args[2])
	if err != nil {
		return err
	}
	c, end, err := openAs(ctx, coder)
	if err != nil {
		return err
	}
	defer end()
	c.Repo.Background = background(args[3])
	claim := func() error {
		_, _, err := c.Claim(ctx, task, 0)
		return err
	}
	release := func() error {
		_, err := c.Release(ctx, task, flow.ReleaseMove{})
		return err
	}
	for end := time.Now().Add(limit); time.Now().Before(end); {
		for _, move := range []func() error{claim, release} {
			start := time.Now()
			if err := move(); err != nil {
				return err
			}
			fmt.Println(time.Since(start).Seconds() * 1000)
		}
	}
	return nil
}

// openAs opens the clone of the current folder for a coder, until end is called.
func openAs(ctx context.Context, coder board.Actor) (c *work.Clone, end func(), err error) {
	repo, err := git.Open(ctx, ".")
	if err != nil {
		return nil, nil, err
	}
	end = func() { repo.Close() }
	if c, err = work.Open(ctx, repo, time.Now, os.Environ()); err == nil {
		err = c.Identify(ctx, coder, "")
	}
	if err != nil {
		end()
		return nil, nil, err
	}
	return c, end, nil
}

// background has a program pack, as supervisors do, so that no move waits.
func background(program string) func(args ...string) error {
	return func(args ...string) error {
		return proc.Background(proc.Command{Path: program, Args: args, Env: os.Environ()})
	}
}
