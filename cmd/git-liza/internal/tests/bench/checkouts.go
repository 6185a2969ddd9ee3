package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// measureCheckouts measures checkouts with repositories of their own beside linked worktrees
// of the same clone, with few refs and with many.
func (b *bench) measureCheckouts() error {
	for _, refs := range []int{20, 5000} {
		c := &clone{b: b, path: b.path(filepath.Join("checkouts-"+fmt.Sprint(refs), "work"))}
		c.git = filepath.Join(c.path, ".git")
		if err := c.found(); err != nil {
			return err
		}
		if _, err := b.output(command{dir: c.path, args: []string{"sh", "-c", manyRefs, fmt.Sprint(refs)}}); err != nil {
			return err
		}
		if err := b.measureCheckoutsOf(c, refs); err != nil {
			return err
		}
	}
	return nil
}

// manyRefs makes branches and packs them.
const manyRefs = `for i in $(seq $0); do echo "create refs/heads/many/$i HEAD"; done | git update-ref --stdin && git pack-refs --all &&
mkdir -p src && for i in $(seq 200); do seq $i 400 >src/$i.txt; done && git add src && git commit -q -m files`

// taskBranch is the branch of the checkout that is measured.
const taskBranch = layout.TaskBranches + "task-1"

// A timed function measures what it does once, by the clock.
func timed(f func() error) func() (sample, error) {
	return func() (sample, error) {
		start := time.Now()
		err := f()
		return sample{wall: time.Since(start)}, err
	}
}

func (b *bench) measureCheckoutsOf(c *clone, refs int) error {
	repo, err := git.Open(b.ctx, c.path)
	if err != nil {
		return err
	}
	defer repo.Close()
	trees, err := worktrees.Open(repo)
	if err != nil {
		return err
	}
	tip, err := repo.Refs.Resolve(b.ctx, "HEAD")
	if err != nil {
		return err
	}
	linked := filepath.Join(c.path, ".linked")
	plain := func(args ...string) func() (sample, error) {
		return timed(func() error {
			_, err := b.output(command{dir: c.path, args: append([]string{"git", "worktree"}, args...)})
			return err
		})
	}
	var made, removed, linkedMade, linkedRemoved series
	for round := range b.scale.rounds + 1 {
		for _, step := range []struct {
			to  *series
			arm func() (sample, error)
		}{
			{&made, timed(func() error {
				_, err := trees.Branch(b.ctx, "task-1", taskBranch, tip)
				return err
			})},
			{&linkedMade, plain("add", "-q", "-b", "linked", linked, string(tip))},
			{&removed, timed(func() error { return trees.Remove(b.ctx, "task-1") })},
			{&linkedRemoved, plain("remove", "--force", linked)},
		} {
			s, err := step.arm()
			if err != nil {
				return err
			}
			if round > 0 {
				*step.to = append(*step.to, s)
			}
		}
		if _, err := b.output(command{dir: c.path, args: []string{"git", "branch", "-q", "-D", "linked", taskBranch}}); err != nil {
			return err
		}
	}
	budget := 1.1
	if refs > 100 {
		budget = 1.5
	}
	with := fmt.Sprintf(", %d refs, wall", refs)
	b.noteRatio("make a checkout beside a linked worktree"+with, "ms", made.of(wall), linkedMade.of(wall), budget)
	b.noteRatio("remove it"+with, "ms", removed.of(wall), linkedRemoved.of(wall), budget)
	return b.measureWorkInside(c, trees, tip, with)
}

// measureWorkInside measures commits in a checkout, and what taking one over adds to a command.
func (b *bench) measureWorkInside(c *clone, trees *worktrees.Trees, tip git.ID, with string) error {
	tree, err := trees.Branch(b.ctx, "task-1", taskBranch, tip)
	if err != nil {
		return err
	}
	beside := filepath.Join(filepath.Dir(c.path), "plain")
	if _, err := b.output(command{dir: c.path, args: []string{"git", "clone", "-q", "--no-local", c.path, beside}}); err != nil {
		return err
	}
	var taken series
	commit := func(dir string) func() (sample, error) {
		n := 0
		return func() (sample, error) {
			n++
			if err := os.WriteFile(filepath.Join(dir, "src", "new.txt"), []byte(strings.Repeat("x", n)), 0o666); err != nil {
				return sample{}, err
			}
			s, err := b.sampleAlone(command{dir: dir, args: []string{"git", "commit", "-q", "-a", "-m", "x"}})
			if err != nil || dir != tree.Path {
				return s, err
			}
			took, err := timed(func() error { return trees.Take(b.ctx, "task-1") })()
			taken = append(taken, took)
			return s, err
		}
	}
	for _, dir := range []string{tree.Path, beside} {
		if err := os.WriteFile(filepath.Join(dir, "src", "new.txt"), nil, 0o666); err != nil {
			return err
		}
		if _, err := b.output(command{dir: dir, args: []string{"git", "add", "-A"}}); err != nil {
			return err
		}
	}
	got, err := alternate(b.scale.rounds, commit(tree.Path), commit(beside))
	if err != nil {
		return err
	}
	b.noteRatio("git commit in it beside a plain clone"+with, "ms", got[0].of(wall), got[1].of(wall), 1.1)
	b.noteBound("take that commit over"+with, "ms", taken.of(wall), 15)
	return nil
}
