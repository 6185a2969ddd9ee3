package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
)

// measureLists measures the lists of a board with many live tasks, with and without the
// derived cache. The disk's pages are in memory in both cases.
func (b *bench) measureLists() error {
	c, err := b.board(b.scale.list, b.scale.few)
	if err != nil {
		return err
	}
	for _, name := range []string{"list", "status"} {
		if _, err := b.output(c.liza(name)); err != nil {
			b.add(row{what: name, measured: firstLine(err.Error()), verdict: "failed"})
			continue
		}
		warm, err := alternate(b.scale.rounds, func() (sample, error) { return b.sample(c.liza(name)) })
		if err != nil {
			return err
		}
		cold, err := alternate(min(b.scale.rounds, 10), func() (sample, error) {
			if err := os.RemoveAll(filepath.Join(c.git, layout.Private, "cache")); err != nil {
				return sample{}, err
			}
			return b.sample(c.liza(name))
		})
		if err != nil {
			return err
		}
		b.noteBound(name+", warm, CPU", "ms", warm[0].of(cpu), 30)
		b.noteBound(name+", cold, wall", "ms", cold[0].of(wall), 500)
		b.add(row{what: name + ", cold, peak memory", measured: cold[0].of(peak).in("MiB")})
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
		return b.sample(command{dir: b.dir, args: []string{b.program, "version"}})
	}, func() (sample, error) {
		return b.sample(command{dir: b.dir, args: []string{b.empty}})
	})
	if err != nil {
		return err
	}
	b.noteRatio("version beside an empty Go program, wall", "ms", got[0].of(wall), got[1].of(wall), 3)
	b.noteRatio("version beside an empty Go program, CPU", "ms", got[0].of(cpu), got[1].of(cpu), 3)
	return nil
}
