package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
)

// measureLists measures looking at a board with many live tasks, beside a program that has
// nothing to do, and with and without the derived cache; and a claim there beside one on
// a board with few live tasks. The disk's pages are in memory in all cases.
func (b *bench) measureLists() error {
	c, err := b.board(b.scale.list, b.scale.few)
	if err != nil {
		return err
	}
	if err := b.measureWarm(c); err != nil {
		return err
	}
	for _, name := range []string{"list", "status"} {
		cold, err := alternate(min(b.scale.rounds, 10), func() (sample, error) {
			if err := os.RemoveAll(filepath.Join(c.git, layout.Private, "cache")); err != nil {
				return sample{}, err
			}
			return b.sample(c.liza(name))
		})
		if err != nil {
			return err
		}
		b.noteBound(name+", cold, wall", "ms", cold[0].of(wall), 500)
		b.add(row{what: name + ", cold, peak memory", measured: cold[0].of(peak).in("MiB")})
	}
	return b.measureCrowd(c)
}

// measureWarm measures commands that look at a board, with the derived cache.
func (b *bench) measureWarm(c *clone) error {
	looks := []struct {
		args  []string
		floor int // the place of what it is measured beside
		most  float64
	}{{args: []string{"--version"}}, {[]string{"list"}, 0, 4}, {[]string{"status"}, 0, 4}, {[]string{"show", string(benchTask(0))}, 0, 4},
		{[]string{"list", "--json"}, 1, 2}, {[]string{"inbox"}, 0, 0}, {[]string{"next"}, 0, 0}}
	var arms []func() (sample, error)
	for _, look := range looks {
		arms = append(arms, func() (sample, error) { return b.sample(c.liza(look.args...)) })
	}
	got, err := alternate(b.scale.rounds, arms...)
	if err != nil {
		return err
	}
	for i, look := range looks[1:] {
		what := fmt.Sprintf("%s at %d live, warm, against %s, CPU", strings.Join(look.args, " "), b.scale.list, strings.Join(looks[look.floor].args, " "))
		b.noteRatio(what, "ms", got[i+1].of(cpu), got[look.floor].of(cpu), look.most)
	}
	return nil
}

// measureCrowd measures a claim on a board with many live tasks, and on one with some,
// beside one on a board with few.
func (b *bench) measureCrowd(many *clone) error {
	some, err := b.board(b.scale.live, b.scale.few)
	if err != nil {
		return err
	}
	few, err := b.board(b.scale.lonely, b.scale.few)
	if err != nil {
		return err
	}
	for _, c := range []*clone{many, some, few} {
		if err := c.syncing("batch"); err != nil {
			return err
		}
	}
	got, err := alternate(b.scale.rounds, many.again, some.again, few.again)
	if err != nil {
		return err
	}
	for i, live := range []int{b.scale.list, b.scale.live} {
		what := fmt.Sprintf("claim, %d live against %d, ", live, b.scale.lonely)
		b.noteRatio(what+"wall", "ms", got[i].of(wall), got[2].of(wall), 1.15)
		b.noteRatio(what+"CPU", "ms", got[i].of(cpu), got[2].of(cpu), 1.15)
	}
	return nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// measureStart measures the program when it has nothing to do, beside an empty one.
func (b *bench) measureStart() error {
	got, err := alternate(2*b.scale.rounds, func() (sample, error) {
		return b.sample(command{dir: b.dir, args: []string{b.program, "--version"}})
	}, func() (sample, error) {
		return b.sample(command{dir: b.dir, args: []string{b.empty}})
	})
	if err != nil {
		return err
	}
	b.noteRatio("--version beside an empty Go program, wall", "ms", got[0].of(wall), got[1].of(wall), 3.6)
	b.noteRatio("--version beside an empty Go program, CPU", "ms", got[0].of(cpu), got[1].of(cpu), 4)
	return nil
}
