package main

import (
	"fmt"
	"path/filepath"
	"strconv"
)

// measureEveryday measures what the hooks of a clone add to everyday commands, beside the same
// repository without hooks.
func (b *bench) measureEveryday() error {
	var with, without *clone
	for _, c := range []**clone{&with, &without} {
		name := "everyday-without"
		if with == nil {
			name = "everyday-with"
		}
		*c = &clone{b: b, path: b.path(filepath.Join(name, "work")), git: b.path(filepath.Join(name, "work", ".git"))}
		if err := (*c).found(); err != nil {
			return err
		}
		if err := (*c).syncing("none"); err != nil {
			return err
		}
	}
	if _, err := b.output(with.liza("hooks", "install")); err != nil {
		return err
	}
	for _, row := range []struct {
		what   string
		args   []string
		budget extra
	}{
		{"git status", []string{"status", "--porcelain"}, extra{}},
		{"git commit", []string{"commit", "-q", "--allow-empty", "-m", "x"}, extra{times: 1.5}},
		{"git update-ref, one transaction", []string{"update-ref", "refs/tags/t", "HEAD"}, extra{ms: 2.5}},
		{"git update-ref, 1,000 refs at once", []string{"sh", "-c", thousandRefs}, extra{}},
	} {
		arm := func(c *clone) func() (sample, error) {
			n := 0
			return func() (sample, error) {
				n++
				args := append([]string{"git"}, row.args...)
				if row.args[0] == "sh" {
					args = append(row.args, strconv.Itoa(n))
				}
				return b.sample(command{dir: c.path, args: args})
			}
		}
		got, err := alternate(b.scale.rounds*2, arm(with), arm(without))
		if err != nil {
			return err
		}
		b.noteExtra("hooks: "+row.what, got[0].of(wall), got[1].of(wall), row.budget)
	}
	return nil
}

// thousandRefs makes refs that no rule guards, in one transaction.
const thousandRefs = `for i in $(seq 1000); do echo "update refs/bench/$0-$i HEAD"; done | git update-ref --stdin`

// An extra is what hooks may add: milliseconds, or how many times what it takes without
// them; 0 for no bound.
type extra struct{ ms, times float64 }

// noteExtra notes by how much the median exceeds the floor's, and whether that keeps to a
// budget.
func (b *bench) noteExtra(what string, measured, floor spread, budget extra) {
	more, ratio := measured.median-floor.median, measured.median/floor.median
	r := row{what: what, measured: measured.in("ms"), floor: floor.in("ms"), ratio: fmt.Sprintf("%+.1f ms, %.2f ×", more, ratio)}
	switch {
	case budget.times > 0:
		r.budget, r.verdict = fmt.Sprintf("≤ %.1f ×", budget.times), budgetWord(ratio <= budget.times)
	case budget.ms > 0:
		r.budget, r.verdict = "≤ +"+trim(budget.ms)+" ms", budgetWord(more <= budget.ms)
	}
	b.add(r)
}
