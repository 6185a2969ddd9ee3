package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
)

// chainLength is how many moves the metrics are counted of.
const chainLength = 10_000

// measureMetrics measures the metrics of a chain of moves: counted from the first on,
// beside the log that git prints of the same commits, and when one move is new; and how long
// it takes to look through all that they say.
func (b *bench) measureMetrics() error {
	c := &clone{b: b, path: b.path("chain/work"), git: b.path("chain/work/.git")}
	b.progress("making a chain of %d moves", chainLength)
	for _, step := range []func() error{c.found, c.makeChain} {
		if err := step(); err != nil {
			return err
		}
	}
	cache := filepath.Join(c.git, layout.Private, "cache", "metrics")
	cold, err := alternate(min(b.scale.rounds, 10), func() (sample, error) {
		if err := os.RemoveAll(cache); err != nil {
			return sample{}, err
		}
		return b.sample(c.liza("metrics"))
	}, func() (sample, error) {
		return b.sample(command{dir: c.path, args: []string{"git", "log", "--format=%B", layout.State}})
	})
	if err != nil {
		return err
	}
	b.noteRatio("metrics of 10,000 moves, cold, wall, beside git log", "ms", cold[0].of(wall), cold[1].of(wall), 0)
	b.noteBound("metrics of 10,000 moves, cold, wall", "ms", cold[0].of(wall), 1000)
	n := 0
	warm, err := alternate(min(b.scale.rounds, 10), func() (sample, error) {
		n++
		if _, err := b.output(c.liza("note", "--for", "all", fmt.Sprintf("note %d", n))); err != nil {
			return sample{}, err
		}
		return b.sample(c.liza("metrics"))
	})
	if err != nil {
		return err
	}
	b.noteBound("metrics of 10,000 moves, one of them new, wall", "ms", warm[0].of(wall), 50)
	found, err := alternate(min(b.scale.rounds, 10), func() (sample, error) {
		return b.sample(c.liza("recall", "why was the count of the time rejected"))
	})
	if err != nil {
		return err
	}
	b.noteBound("recall among 10,000 moves, wall", "ms", found[0].of(wall), 1000)
	return nil
}

// makeChain puts moves on the state ref through `git fast-import`: tasks that go from
// nothing to MERGED in ten moves. A replay would find mistakes in them, because facts of
// git are made up; every reader finds what moves leave.
func (c *clone) makeChain() error {
	g, err := c.generator(chainLength/10, 0)
	if err != nil {
		return err
	}
	tip, err := c.tip()
	if err != nil {
		return err
	}
	chain := chain{generator: g, from: "from " + tip + "\n"}
	return c.fastImport(g, func() {
		for n := range chainLength / 10 {
			chain.life(n + 1)
		}
	})
}

// A chain writes moves with the documents that they change.
type chain struct {
	*generator
	from  string // of the next commit, "" if it follows the last one
	moves int
}

// move writes a move and the task that it changes, nil for none.
func (c *chain) move(act board.Act, by board.Actor, id board.TaskID, d flow.Detail, t *board.Task) {
	if c.err != nil {
		return
	}
	c.moves++
	m := flow.Move{Act: act, Task: id, Goal: c.settings.Goal, By: by, At: c.begun.Add(time.Duration(c.moves-chainLength) * time.Second),
		Request: board.Request(fmt.Sprintf("%016x", c.moves)), Detail: d}
	c.commit(m, c.from)
	c.from = ""
	if t != nil {
		c.document(board.Tasks, string(t.ID), t)
	}
	c.print("\n")
}

func (c *chain) life(n int) {
	coder, reviewer := board.Actor(fmt.Sprintf("coder-%d", 1+n%10)), board.Actor(fmt.Sprintf("code-reviewer-%d", 1+n%3))
	t := c.task(n)
	t.Created = c.begun
	id := t.ID
	state := func(status board.Status) *board.Task {
		t.Status = status
		return t
	}
	lease := board.Duration(30 * time.Minute)
	used := board.Usage{Sessions: 1, Input: 20_000, Cached: 9_000, Output: 3_000, Cost: 250_000, Seconds: 600}
	c.move(board.ActAdd, "planner-1", "", &flow.AddMove{Tasks: []board.TaskInput{t.Input()}}, t)
	c.move(board.ActClaim, coder, id, &flow.ClaimMove{Lease: lease, Base: object(n, "base")}, state(board.Claimed))
	c.move(board.ActIntent, coder, id, &flow.IntentMove{Intent: board.Intent{Summary: "Count the time", Validation: "A test"}}, t)
	c.move(board.ActRenew, coder, id, &flow.RenewMove{Lease: lease}, t)
	t = c.submitted(n)
	c.move(board.ActSubmit, coder, id, &flow.SubmitMove{Commit: object(n, "commit"), Tree: object(n, "tree"), Base: object(n, "base"), Paths: t.Intent.Files, Save: 1}, t)
	c.move(board.ActSession, coder, id, &flow.SessionMove{Provider: "claude", Model: "opus", Role: board.Coder, Outcome: "submitted", Usage: used}, t)
	c.move(board.ActReview, reviewer, id, &flow.ReviewMove{Lease: lease}, t)
	c.move(board.ActApprove, reviewer, id, &flow.ApproveMove{Commit: object(n, "commit"), Message: "Read in full"}, state(board.Approved))
	c.move(board.ActSession, reviewer, id, &flow.SessionMove{Provider: "codex", Model: "gpt", Role: board.CodeReviewer, Outcome: "approved", Usage: used}, t)
	merged := c.merged(n)
	c.move(board.ActMerge, reviewer, id, &flow.MergeMove{Commit: merged.Merge.Commit, Submission: t.Submission.Commit, Onto: merged.Merge.Onto, Tree: merged.Merge.Tree, Drift: n % 3}, merged)
}
