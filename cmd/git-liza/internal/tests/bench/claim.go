package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
)

var syncModes = []string{"none", "batch"}

// measureClaims measures one claim, the whole process, beside the script. Its coder claimed
// and released the task before, so the worktree exists and no checkout is measured,
// only its verification.
func (b *bench) measureClaims() error {
	c, err := b.board(b.scale.live, b.scale.archived)
	if err != nil {
		return err
	}
	for _, mode := range syncModes {
		if err := c.syncing(mode); err != nil {
			return err
		}
		start, err := c.tip()
		if err != nil {
			return err
		}
		got, err := b.claimsBeside(c)
		if err != nil {
			return err
		}
		for i, beside := range []string{"", ", the script with our hooks"} {
			b.noteRatio("claim, sync "+mode+", wall"+beside, "ms", got[0].of(wall), got[1+i].of(wall), 0.75)
			b.noteRatio("claim, sync "+mode+", CPU"+beside, "ms", got[0].of(cpu), got[1+i].of(cpu), 0.75)
		}
		if mode == "none" {
			b.noteBound("claim, peak memory", "MiB", got[0].of(peak), 64)
			if err := b.measureBytes(c, start); err != nil {
				return err
			}
		}
	}
	return b.measureFirstClaims(c)
}

// claimsBeside returns samples of the claim, of the script as in a clone without git liza,
// and of the script with the hooks that the claim pays for as well.
func (b *bench) claimsBeside(c *clone) ([]series, error) {
	if err := c.begin(); err != nil {
		return nil, err
	}
	d, err := c.draft(0)
	if err != nil {
		return nil, err
	}
	script := func(change func(*command)) func() (sample, error) {
		return func() (sample, error) {
			if err := d.write(); err != nil {
				return sample{}, err
			}
			floor := c.floor(0)
			change(&floor)
			return b.sample(floor)
		}
	}
	return alternate(b.scale.rounds, c.again, script(func(*command) {}), script(func(f *command) { f.env = []string{"GIT_DIR=" + c.git} }))
}

// measureRow measures moves in a row, each a process of its own, for the one that takes
// longest: packing is to keep nobody waiting.
func (b *bench) measureRow() error {
	c, err := b.board(b.scale.live, b.scale.few)
	if err != nil {
		return err
	}
	if err := c.syncing("batch"); err != nil {
		return err
	}
	var all series
	for n := range b.scale.row {
		s, err := b.sampleAlone(c.liza("note", "--for", "all", fmt.Sprintf("note %d", n)))
		if err != nil {
			return err
		}
		all = append(all, s)
	}
	took := all.of(wall)
	most := spread{took.max, took.max, took.max}
	b.noteRatio(fmt.Sprintf("the slowest of %d moves in a row against the median, wall", len(all)), "ms", most, spread{took.median, took.median, took.median}, 5)
	return nil
}

// again measures a claim and gives the task back.
func (c *clone) again() (sample, error) {
	s, err := c.b.sample(c.claim(0))
	if err == nil {
		_, err = c.b.output(c.release(0))
	}
	return s, err
}

// measureFirstClaims measures claims of tasks that nobody had before, each with its
// worktree, beside the script and `git worktree add`.
func (b *bench) measureFirstClaims(c *clone) error {
	d, err := c.draft(0)
	if err != nil {
		return err
	}
	n := 0
	got, err := alternate(min(b.scale.rounds, 10), func() (sample, error) {
		n++
		task := fmt.Sprintf("task-%d", b.scale.archived+20*n-8) // free, see liveTask
		as := "--as=coder-" + fmt.Sprint(20+n)
		s, err := b.sample(c.liza("claim", task, as))
		if err == nil {
			_, err = b.output(c.liza("release", task, as))
		}
		return s, err
	}, func() (sample, error) {
		if err := d.write(); err != nil {
			return sample{}, err
		}
		floor := c.floor(0)
		floor.dir, floor.env = c.git, unhooked
		floor.args = append([]string{"sh", "-c", `GIT_DIR=. "$@" && git worktree add -q -b "$0" "../` + layout.Worktrees + `/$0"`, fmt.Sprintf("plain-%d", n)}, floor.args...)
		return b.sample(floor)
	})
	if err != nil {
		return err
	}
	b.noteRatio("first claim with its worktree, wall", "ms", got[0].of(wall), got[1].of(wall), 0)
	return nil
}

// measureArchives measures a claim on a board with a large archive beside one with a small
// archive.
func (b *bench) measureArchives() error {
	many, err := b.board(b.scale.live, b.scale.archived)
	if err != nil {
		return err
	}
	few, err := b.board(b.scale.live, b.scale.few)
	if err != nil {
		return err
	}
	for _, c := range []*clone{many, few} {
		if err := c.syncing("none"); err != nil {
			return err
		}
	}
	got, err := alternate(b.scale.rounds, many.again, few.again)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("claim, %d archived against %d, ", b.scale.archived, b.scale.few)
	b.noteRatio(what+"wall", "ms", got[0].of(wall), got[1].of(wall), 1.3)
	b.noteRatio(what+"CPU", "ms", got[0].of(cpu), got[1].of(cpu), 1.3)
	return nil
}

// measureBytes measures how many bytes the moves since a state have added.
func (b *bench) measureBytes(c *clone, since string) error {
	moves, err := c.made(since, layout.State)
	if err != nil {
		return err
	}
	out, err := c.plain("rev-list", "--objects", "--no-object-names", layout.State, "^"+since)
	if err != nil {
		return err
	}
	var loose int64
	for id := range strings.FieldsSeq(out) {
		info, err := os.Stat(filepath.Join(c.git, "objects", id[:2], id[2:]))
		if err != nil {
			return err
		}
		loose += info.Size()
	}
	packed, err := b.output(command{dir: c.path, args: []string{"sh", "-c",
		`printf '%s\n^%s\n' "$1" "$0" | git pack-objects -q --revs --stdout | wc -c`, since, layout.State}})
	if err != nil {
		return err
	}
	total := 0.0
	if _, err := fmt.Sscan(packed, &total); err != nil {
		return err
	}
	per := func(bytes float64) spread {
		v := bytes / float64(moves) / 1024
		return spread{v, v, v}
	}
	b.noteBound("new bytes per move, loose", "KB", per(float64(loose)), 6)
	b.noteBound(fmt.Sprintf("new bytes per move, %d moves in one pack", moves), "KB", per(total), 1)
	return nil
}
