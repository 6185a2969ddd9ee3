package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
)

// workFiles is how many files a measured submission has.
const workFiles = 20

// measureWork measures the cost of syncing the work that a move names to disk before the move:
// a submission of twenty files and its merge under batch, beside the same under none. A
// git that syncs nothing makes the commits.
func (b *bench) measureWork() error {
	c, err := b.board(b.scale.live, b.scale.few)
	if err != nil {
		return err
	}
	n := 0
	submitted, merged := make([]series, len(syncModes)), make([]series, len(syncModes))
	for round := range min(b.scale.rounds, 20) + 1 {
		for i, mode := range syncModes {
			n++
			both, err := c.workOn(n, mode)
			if err != nil {
				return err
			}
			if round > 0 { // the first is to warm up
				submitted[i], merged[i] = append(submitted[i], both[0]), append(merged[i], both[1])
			}
		}
	}
	b.noteRatio(fmt.Sprintf("submit of %d files, sync batch beside none, wall", workFiles), "ms", submitted[1].of(wall), submitted[0].of(wall), 0)
	b.noteRatio(fmt.Sprintf("merge of %d files, sync batch beside none, wall", workFiles), "ms", merged[1].of(wall), merged[0].of(wall), 0)
	return nil
}

// workOn takes a new task from its claim to its merge, and measures submit and merge.
func (c *clone) workOn(n int, mode string) (got [2]sample, err error) {
	if err := c.syncing(mode); err != nil {
		return got, err
	}
	id, coder, reviewer := fmt.Sprintf("work-%d", n), fmt.Sprintf("--as=coder-%d", 100+n), fmt.Sprintf("--as=code-reviewer-%d", 100+n)
	tree := filepath.Join(c.path, layout.Worktrees, id)
	if err := c.typed(c.liza("task", "add", id, "--title", "T", "--done-when", "D", "--spec", "specs/vision.md", "--scope", "S", "--kind", "docs"),
		c.liza("claim", id, coder), c.liza("intent", id, coder, "--summary", "S", "--validation", "V")); err != nil {
		return got, err
	}
	for i := range workFiles {
		path := filepath.Join(tree, "work", id, fmt.Sprintf("part-%d.md", i))
		if err := write(path, strings.Repeat(fmt.Sprintf("line %d of %s\n", i, id), 100)); err != nil {
			return got, err
		}
	}
	unsynced := func(args ...string) command {
		return command{dir: tree, args: append([]string{"git", "-c", "core.fsync=none"}, args...)}
	}
	if err := c.typed(unsynced("add", "-A"), unsynced("commit", "-q", "-m", id)); err != nil {
		return got, err
	}
	if got[0], err = c.b.sample(c.liza("submit", id, coder)); err != nil {
		return got, err
	}
	commit, err := c.plain("rev-parse", layout.TaskBranches+id)
	if err == nil {
		err = c.typed(c.liza("review", id, reviewer), c.liza("approve", id, reviewer, "--commit", commit))
	}
	if err != nil {
		return got, err
	}
	got[1], err = c.b.sample(c.liza("merge", id))
	return got, err
}

// typed runs commands that are not measured.
func (c *clone) typed(list ...command) error {
	for _, one := range list {
		if _, err := c.b.output(one); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(one.args[1:], " "), err)
		}
	}
	return nil
}
