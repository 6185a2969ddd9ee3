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
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(os.Args) > 1 && os.Args[1] == "staying" {
		exit(staying(ctx, os.Args[2:]))
		return
	}
	var dir, program, only string
	var writers, histories []int
	scale := full
	flag.StringVar(&dir, "dir", "", "where the boards are made and kept (default: a temporary folder, removed at the end)")
	flag.StringVar(&program, "program", "", "the git-liza to measure (default: built from ./cmd/git-liza)")
	flag.Func("writers", "how many processes make moves side by side, such as 1,8 (default 1,2,4,8,16; with -quick 8)", func(list string) (err error) {
		writers, err = numbers(list, benchTasks)
		return err
	})
	flag.Func("histories", "of how many moves histories are replayed, such as 50000,100000 (default 10000,50000; with -quick 2000)", func(list string) (err error) {
		histories, err = numbers(list, mostMoves)
		return err
	})
	flag.StringVar(&only, "only", "", "measure only this: claim, row, archive, look, watch, metrics, replay, moves, work, judge, everyday, checkouts, confine or start")
	flag.BoolFunc("quick", "small boards and few rounds, within a minute", func(string) error {
		scale = quick
		return nil
	})
	asJSON := flag.Bool("json", false, "print {machine, rows[] {what, measured, floor, ratio, budget, verdict}} instead of a table")
	flag.Parse()
	if writers != nil {
		scale.writers = writers
	}
	if histories != nil {
		scale.histories = histories
	}
	exit(run(&bench{ctx: ctx, scale: scale, dir: dir, program: program, boards: map[string]*clone{}}, only, *asJSON))
}

// numbers are numbers of up to most, separated by commas.
func numbers(list string, most int) (found []int, err error) {
	for word := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > most {
			return nil, fmt.Errorf("a number between 1 and %d is needed, not %q", most, word)
		}
		found = append(found, n)
	}
	return found, nil
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
	lonely         int // live tasks of the board beside it
	rounds         int
	together       time.Duration // how long processes make moves side by side
	row            int           // moves in a row
	histories      []int         // moves of the long histories
	writers        []int         // how many of them
}

var (
	full  = scale{live: 1000, archived: 100_000, few: 100, list: 10_000, lonely: 100, rounds: 40, together: 10 * time.Second, row: 5000, histories: []int{10_000, 50_000}, writers: []int{1, 2, 4, 8, 16}}
	quick = scale{live: 1000, archived: 10_000, few: 100, list: 2000, lonely: 100, rounds: 8, together: 2 * time.Second, row: 300, histories: []int{2000}, writers: []int{8}}
)

// A bench is one run: the programs to measure and the folder of its boards.
type bench struct {
	ctx     context.Context
	scale   scale
	dir     string
	program string // the measured git-liza
	empty   string // a Go program that does nothing
	self    string // this program
	source  string // the folder of the source, "" for the current one
	environ []string
	table   table
	boards  map[string]*clone
}

// run measures one part, or all for "", and prints what it found.
func run(b *bench, only string, asJSON bool) (err error) {
	if b.dir == "" {
		if b.dir, err = os.MkdirTemp("", "liza-bench-*"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	}
	if b.dir, err = filepath.Abs(b.dir); err != nil {
		return err
	}
	if err := b.prepare(); err != nil {
		return err
	}
	if !asJSON {
		fmt.Println(b.machine())
	}
	var failed error
	for _, part := range []struct {
		name    string
		measure func() error
	}{
		{"claim", b.measureClaims}, {"row", b.measureRow}, {"archive", b.measureArchives}, {"look", b.measureLists}, {"watch", b.measureWatch}, {"metrics", b.measureMetrics}, {"replay", b.measureReplay}, {"moves", b.measureMoves}, {"work", b.measureWork}, {"judge", b.measureJudgements}, {"everyday", b.measureEveryday}, {"checkouts", b.measureCheckouts}, {"confine", b.measureConfinement}, {"start", b.measureStart},
	} {
		if only != "" && only != part.name {
			continue
		}
		if err := part.measure(); err != nil {
			failed = fmt.Errorf("%s: %w", part.name, err)
			break // what was measured before is still worth its minutes
		}
	}
	if asJSON {
		return errors.Join(failed, json.NewEncoder(os.Stdout).Encode(map[string]any{"machine": b.machine(), "rows": b.table}))
	}
	fmt.Println()
	return errors.Join(failed, b.table.print(os.Stdout))
}
