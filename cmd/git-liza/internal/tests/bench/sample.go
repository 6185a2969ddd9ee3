package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// A command is one process to measure.
type command struct {
	dir  string
	args []string
	env  []string // added to the bench's own
}

// A sample is what one process cost, with all the processes that it started.
type sample struct {
	wall, cpu time.Duration
	peak      int64 // bytes of the largest process; see peakOf
}

// sample runs the command to its end. The processor time of processes that outlive it
// counts, their wall time does not.
func (b *bench) sample(c command) (sample, error) {
	s, err := b.sampleAlone(c)
	s.cpu += orphans()
	return s, err
}

// sampleAlone runs the command to its end, and does not wait for what outlives it.
func (b *bench) sampleAlone(c command) (sample, error) {
	p := exec.CommandContext(b.ctx, c.args[0], c.args[1:]...)
	p.Dir, p.Env = c.dir, append(slices.Clip(b.environ), c.env...)
	var said bytes.Buffer
	p.Stderr = &said
	start := time.Now()
	err := p.Run()
	s := sample{wall: time.Since(start)}
	if err != nil {
		return s, fmt.Errorf("%s: %w: %s", strings.Join(c.args, " "), err, said.String())
	}
	s.cpu = p.ProcessState.UserTime() + p.ProcessState.SystemTime()
	s.peak = peakOf(p.ProcessState)
	return s, nil
}

// A series is the samples of one thing.
type series []sample

// alternate takes n samples of each arm, in turn, after one round that does not count.
func alternate(n int, arms ...func() (sample, error)) ([]series, error) {
	all := make([]series, len(arms))
	for round := range n + 1 {
		for i, arm := range arms {
			s, err := arm()
			if err != nil {
				return nil, err
			}
			if round > 0 {
				all[i] = append(all[i], s)
			}
		}
	}
	return all, nil
}

func wall(s sample) float64 { return s.wall.Seconds() * 1000 }
func cpu(s sample) float64  { return s.cpu.Seconds() * 1000 }
func peak(s sample) float64 { return float64(s.peak) / (1 << 20) }

// A spread is the median and the extremes of a series.
type spread struct{ median, min, max float64 }

func (s series) of(what func(sample) float64) spread {
	values := make([]float64, 0, len(s))
	for _, one := range s {
		values = append(values, what(one))
	}
	return spreadOf(values)
}

func spreadOf(values []float64) spread {
	slices.Sort(values)
	n := len(values)
	if n == 0 {
		return spread{}
	}
	return spread{(values[(n-1)/2] + values[n/2]) / 2, values[0], values[n-1]}
}

// in renders a spread as MEDIAN UNIT (MIN–MAX).
func (s spread) in(unit string) string {
	return fmt.Sprintf("%s %s (%s–%s)", short(s.median), unit, short(s.min), short(s.max))
}

// short keeps three digits of a number, for people.
func short(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// output runs a command that is not measured, and returns what it prints.
func (b *bench) output(c command) (string, error) {
	p := exec.CommandContext(b.ctx, c.args[0], c.args[1:]...)
	p.Dir, p.Env = c.dir, append(slices.Clip(b.environ), c.env...)
	var said bytes.Buffer
	p.Stderr = &said
	out, err := p.Output()
	orphans()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(c.args, " "), err, said.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// pinned returns the environment of everything that runs: no configuration of this
// machine, and none of its variables for git or for the program.
func pinned(home string) []string {
	env := []string{"HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + home + "/.gitconfig", "LC_ALL=C", "TZ=UTC", "NO_COLOR=1"}
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "LIZA_") && name != "HOME" && name != "LC_ALL" && name != "TZ" {
			env = append(env, kv)
		}
	}
	return env
}
