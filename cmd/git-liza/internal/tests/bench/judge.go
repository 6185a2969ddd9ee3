package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
)

// measureJudgements measures what a server's hooks add to a push, of one move and of many,
// unsigned and signed. The same push goes to a repository without hooks.
func (b *bench) measureJudgements() error {
	for _, signing := range []string{"unsigned", "signed"} {
		p, err := b.pusher(signing == "signed")
		if err != nil {
			return err
		}
		if err := p.pushes(signing); err != nil {
			return err
		}
	}
	return nil
}

// A pusher is a clone with moves that two bare repositories lack: one with hooks, one
// without.
type pusher struct {
	*clone
	moves         []string // commits on the state ref, oldest first
	judged, plain string   // the repositories
}

// pusher makes a board and its moves: alternating claims and releases of one task.
func (b *bench) pusher(signed bool) (*pusher, error) {
	c := &clone{b: b, path: b.path(fmt.Sprintf("push-%t/work", signed))}
	c.git = filepath.Join(c.path, ".git")
	p := &pusher{clone: c, judged: filepath.Join(c.path, "../judged.git"), plain: filepath.Join(c.path, "../plain.git")}
	b.progress("making %d moves to push", p.many())
	if err := c.found(); err != nil {
		return nil, err
	}
	setup := []command{
		c.liza("task", "add", string(benchTask(0)), "--title", "Pushed", "--done-when", "It is pushed", "--spec", "specs/vision.md", "--scope", "All"),
		c.liza("config", "limits.iterations", "1000000"),
	}
	if signed {
		setup = append(setup, c.liza("principal", "add", "ann", "--new-key", "--agent", "human:*", "--agent", "coder-*"))
	}
	for _, repo := range []string{p.judged, p.plain} {
		setup = append(setup, command{dir: c.path, args: []string{"git", "init", "-q", "--bare", repo}})
	}
	setup = append(setup, command{dir: p.judged, args: []string{b.program, "hooks", "install", "--server"}})
	for _, repo := range []string{p.judged, p.plain} {
		setup = append(setup, command{dir: c.path, args: []string{"git", "push", "-q", "--atomic", repo, "refs/heads/integration", layout.Refs + "*"}})
	}
	for _, step := range setup {
		if _, err := b.output(step); err != nil {
			return nil, err
		}
	}
	return p, p.fill()
}

func (p *pusher) many() int { return max(100, p.b.scale.live) }

// fill makes moves until there are enough.
func (p *pusher) fill() error {
	base, err := p.tip()
	if err != nil {
		return err
	}
	for len(p.moves) < p.many()+2*p.b.scale.rounds+1 {
		if l := p.stayingMoves(p.b.ctx, 0); l.failed > 0 {
			return fmt.Errorf("moves could not be made")
		}
		out, err := p.clone.plain("rev-list", "--reverse", base+".."+layout.State)
		if err != nil {
			return err
		}
		p.moves = strings.Fields(out)
	}
	return nil
}

// push returns a push of the state up to the n-th move.
func (p *pusher) push(repo string, n int) command {
	return command{dir: p.path, args: []string{"git", "push", "-q", "--atomic", repo, p.moves[n] + ":" + layout.State}}
}

// pushes measures single moves one after the other, then many at once. Each push of
// many goes to a fresh copy of the repositories.
func (p *pusher) pushes(signing string) error {
	next := map[string]int{}
	one := func(repo string) func() (sample, error) {
		return func() (sample, error) {
			next[repo]++
			return p.b.sample(p.push(repo, next[repo]-1))
		}
	}
	got, err := alternate(p.b.scale.rounds, one(p.judged), one(p.plain))
	if err != nil {
		return err
	}
	p.b.noteExcess("push of one move, "+signing, got, 30)
	// After refs were packed, the hooks read those of the board once more.
	packed := func(repo string) func() (sample, error) {
		return func() (sample, error) {
			if _, err := p.b.output(command{dir: repo, args: []string{"git", "pack-refs", "--all"}}); err != nil {
				return sample{}, err
			}
			return one(repo)()
		}
	}
	if got, err = alternate(p.b.scale.rounds, packed(p.judged), packed(p.plain)); err != nil {
		return err
	}
	p.b.noteExcess("push of one move, "+signing+", refs packed", got, 30)
	many := func(repo string) func() (sample, error) {
		return func() (sample, error) {
			fresh := repo + ".copy"
			if err := os.RemoveAll(fresh); err != nil {
				return sample{}, err
			}
			if err := os.CopyFS(fresh, os.DirFS(repo)); err != nil {
				return sample{}, err
			}
			return p.b.sample(p.push(fresh, next[repo]+p.many()-1))
		}
	}
	if got, err = alternate(min(p.b.scale.rounds, 5), many(p.judged), many(p.plain)); err != nil {
		return err
	}
	what := fmt.Sprintf("push of %d moves, %s", p.many(), signing)
	budget := map[string]float64{"unsigned": 1, "signed": 1.5}[signing] * float64(p.many())
	p.b.noteExcess(what, got, budget)
	p.b.add(row{what: what + ", peak memory", measured: got[0].of(peak).in("MiB"), floor: got[1].of(peak).in("MiB")})
	return nil
}

// noteExcess notes by how many milliseconds of wall time the first of two series exceeds the
// second.
func (b *bench) noteExcess(what string, got []series, budget float64) {
	with, without := got[0].of(wall), got[1].of(wall)
	more := with.median - without.median
	b.add(row{what: what, measured: with.in("ms"), floor: without.in("ms"), ratio: fmt.Sprintf("+%s ms", short(more)),
		budget: fmt.Sprintf("≤ +%s ms", trim(budget)), verdict: budgetWord(more <= budget)})
}
