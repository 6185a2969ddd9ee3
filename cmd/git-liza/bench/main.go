// Bench measures what the blackboard costs, on boards that it generates, beside plain
// git making the same change on the same board in the same run: `make bench`. It prints
// a table of medians and ratios against the budgets, asserts nothing, and exits 1 only
// if it could not measure.
//
// Both sides sync alike, and each measurement says how: "none" is liza.fsync=none
// beside core.fsync=none, "batch" is liza.fsync=batch beside
// core.fsync=loose-object,reference. With batch every object and ref is on disk before
// either side returns.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(os.Args) > 1 && os.Args[1] == "resident" {
		exit(resident(ctx, os.Args[2:]))
		return
	}
	var dir, program, only string
	scale := full
	flag.StringVar(&dir, "dir", "", "where the boards are made and kept (default: a temporary folder, removed at the end)")
	flag.StringVar(&program, "program", "", "the git-liza to measure (default: built from ./cmd/git-liza)")
	flag.StringVar(&only, "only", "", "measure only this: claim, archive, look, watch, metrics, moves, work, judge, everyday or start")
	flag.BoolFunc("quick", "small boards and few rounds, within a minute", func(string) error {
		scale = quick
		return nil
	})
	flag.Parse()
	exit(run(ctx, dir, program, only, scale))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// A scale says how large the boards are and how often things are measured.
type scale struct {
	live, archived int // of the large board
	few            int // archived tasks of the board beside it
	list           int // live tasks of the board that is listed
	rounds         int
	together       time.Duration // how long processes make moves side by side
}

var (
	full  = scale{live: 1000, archived: 100_000, few: 100, list: 10_000, rounds: 40, together: 10 * time.Second}
	quick = scale{live: 1000, archived: 10_000, few: 100, list: 2000, rounds: 8, together: 2 * time.Second}
)

// A bench is one run: the programs to measure and the folder of its boards.
type bench struct {
	ctx     context.Context
	scale   scale
	dir     string
	program string // the measured git-liza
	empty   string // a Go program that does nothing
	self    string // this program
	environ []string
	table   table
	boards  map[string]*clone
}

func run(ctx context.Context, dir, program, only string, scale scale) (err error) {
	if dir == "" {
		if dir, err = os.MkdirTemp("", "liza-bench-*"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	b := &bench{ctx: ctx, scale: scale, dir: dir, program: program, boards: map[string]*clone{}}
	if err := b.prepare(); err != nil {
		return err
	}
	fmt.Println(b.machine())
	for _, part := range []struct {
		name    string
		measure func() error
	}{
		{"claim", b.measureClaims}, {"archive", b.measureArchives}, {"look", b.measureLists}, {"watch", b.measureWatch}, {"metrics", b.measureMetrics}, {"moves", b.measureMoves}, {"work", b.measureWork}, {"judge", b.measureJudgements}, {"everyday", b.measureEveryday}, {"start", b.measureStart},
	} {
		if only != "" && only != part.name {
			continue
		}
		if err := part.measure(); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	fmt.Println()
	return b.table.print(os.Stdout)
}
