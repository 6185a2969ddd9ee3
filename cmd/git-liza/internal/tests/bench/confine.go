package main

import (
	"fmt"
	"path/filepath"
)

// measureConfinement measures sessions that the kernel confines beside others: their start, and a
// command in them.
func (b *bench) measureConfinement() error {
	c := &clone{b: b, path: b.path(filepath.Join("confined", "work"))}
	c.git = filepath.Join(c.path, ".git")
	if err := c.found(); err != nil {
		return err
	}
	const shows = 20
	tasks := 0
	session := func(mode string, shows int) func() (sample, error) {
		return func() (sample, error) {
			tasks++
			id := fmt.Sprintf("session-%d", tasks)
			if _, err := b.output(c.liza("task", "add", id, "--title", "T", "--done-when", "D", "--spec", "specs/vision.md#limits", "--scope", "S", "--owns", id+"/**", "--priority", "1")); err != nil {
				return sample{}, err
			}
			if _, err := c.plain("config", "liza.confine", mode); err != nil {
				return sample{}, err
			}
			return b.sampleAlone(c.liza("agent", "coder", "--once", "--provider",
				fmt.Sprintf("exec:for i in $(seq %d); do git liza show $LIZA_TASK >/dev/null || exit; done; git liza block $LIZA_TASK --reason R --question Q", shows)))
		}
	}
	got, err := alternate(b.scale.rounds, session("required", 0), session("off", 0), session("required", shows), session("off", shows))
	if err != nil {
		return err
	}
	b.noteRatio("a session that is confined beside one that is not, wall", "ms", got[0].of(wall), got[1].of(wall), 0)
	each := func(long, short series) (list []float64) {
		for i := range long {
			list = append(list, (wall(long[i])-wall(short[i]))/shows)
		}
		return list
	}
	b.noteRatio("show in it beside show in the other, wall", "ms", spreadOf(each(got[2], got[0])), spreadOf(each(got[3], got[1])), 1.5)
	var more []float64
	for i := range got[0] {
		more = append(more, wall(got[0][i])-wall(got[1][i]))
	}
	b.noteBound("what confinement adds to a session with one command, wall", "ms", spreadOf(more), 20)
	return nil
}
