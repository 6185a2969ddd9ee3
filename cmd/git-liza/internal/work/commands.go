package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc/confine"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/pattern"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/gitstore/secret"
	"github.com/git-liza/git-liza/worktrees"
)

// commands runs the board's commands: gates on a merged tree, and the verify
// of a task on a submission.
type commands struct {
	repo      *git.Repo
	store     *gitstore.Store
	mover     *mover
	trust     *Trust
	checkouts *Checkouts
	receipts  *receipts
}

// gateTimeout is the time limit of a gate or verify that sets none.
const gateTimeout = board.Duration(10 * time.Minute)

// excerpt is the size of the excerpt of a gate's output, in bytes.
const excerpt = 4096

// gatesHome is the home that all gates share.
const gatesHome = "gates"

// runGate runs a gate's command in a folder with the tree checked out, and
// returns the receipt. Its environment is filtered: a board's command sees no
// more than an agent does, and makes no moves. Where commands are confined, all gates share
// a home. The receipt hides secrets of liza.env.
func (c *commands) runGate(ctx context.Context, g board.Gate, dir string, tree board.ObjectID) (board.Receipt, error) {
	machine, err := c.mover.Machine(ctx, dir)
	if err != nil {
		return board.Receipt{}, err
	}
	place, err := c.place(ctx, dir, gatesHome)
	if err != nil {
		return board.Receipt{}, err
	}
	defer place.Close()
	path, args := proc.Shell(g.Command)
	r, err := c.runMarked(ctx, proc.Command{Path: path, Args: args, Dir: dir, Wall: time.Duration(g.Timeout), Excerpt: excerpt - confine.LongestHint, Domain: place.Domain,
		Env: proc.Environment(c.mover.environ, nil, append(place.Variables, machine...)...)})
	if err != nil {
		return board.Receipt{}, err
	}
	if err := ctx.Err(); err != nil {
		return board.Receipt{}, err
	}
	receipt := board.Receipt{Gate: g.Name, Command: g.Command, Tree: tree, Exit: r.Code, By: c.mover.By, Result: resultOf(r), Environment: c.receipts.environment(),
		Duration: r.Duration.Round(time.Millisecond).String()}
	output := secret.New(machine).String(r.Excerpt)
	if how := fateOf(r, g); how != "" {
		output += "\n" + how
	}
	if hint := confine.Hint(r.Excerpt); place.Domain != nil && !r.Passed() && hint != "" {
		output += "\n" + hint
	}
	receipt.Output = board.Excerpt(output, excerpt)
	if !r.Passed() && receipt.Exit == 0 {
		receipt.Exit = 1
	}
	return receipt, nil
}

// SessionPlace is where a session of an agent runs in a checkout of the clone: in the agent's home, as
// [confine.Settings.Place] has it.
func SessionPlace(ctx context.Context, c *Clone, dir string, agent board.AgentID) (confine.Place, error) {
	return c.commands.place(ctx, dir, string(agent))
}

// place is where a command runs in a folder, with one of the homes of the clone. What runs
// elsewhere than in a checkout of ours runs in a work tree of the user's, and is confined by
// nothing.
func (c *commands) place(ctx context.Context, dir, home string) (confine.Place, error) {
	if c.checkouts.Trees == nil {
		return confine.Place{}, nil
	}
	root, later := c.checkouts.Trees.Root()
	around, err := os.Stat(filepath.Dir(dir)) // a path may lead over links
	if err != nil {
		return confine.Place{}, err
	}
	if !slices.ContainsFunc([]string{root, later}, func(ours string) bool {
		info, err := os.Stat(ours)
		return err == nil && os.SameFile(info, around)
	}) {
		return confine.Place{}, nil
	}
	settings, err := confine.ReadSettings(ctx, &c.repo.Config.Configuration, c.mover.environ)
	if err != nil {
		return confine.Place{}, err
	}
	return settings.Place(ctx, c.repo, c.mover.environ, dir, home)
}

// runMarked runs a command whose processes make no moves.
func (c *commands) runMarked(ctx context.Context, command proc.Command) (proc.Result, error) {
	mark, err := NewMark(ctx, gitstore.OpenStore(ctx, c.repo, c.store.Now), "", "") // any goroutine may run a filter
	if err != nil {
		return proc.Result{}, err
	}
	command.Bound, command.Mark, command.Records = !c.mover.Generation.Spawned(), mark, Records(c.repo) // a session ends its own
	return proc.Run(ctx, command)
}

// runGit runs a git that may start hooks, whose processes make no moves: hooks often run
// files of the checkout.
func (c *commands) runGit(ctx context.Context, process *git.Process) error {
	place, err := c.place(ctx, process.Dir, cmp.Or(string(c.mover.By.Agent()), gatesHome))
	if err != nil {
		return err
	}
	defer place.Close()
	environ, args := process.Environ(), process.Args[1:]
	if place.Domain != nil && c.repo.Config.IsPartial(ctx) {
		place.Domain = nil // git fetches what it lacks, as its user
	}
	if place.Domain != nil {
		args = append([]string{"-c", "commit.gpgSign=false"}, args...) // keys are out of reach
		if environ, err = place.OpenForGit(ctx, c.repo, environ); err != nil {
			return err
		}
	}
	r, err := c.runMarked(ctx, proc.Command{Path: process.Path, Args: args, Dir: process.Dir, Env: environ, Stdin: process.Stdin, Stdout: process.Stdout, Output: process.Stderr, Domain: place.Domain})
	if err == nil && !r.Passed() {
		err = exitError(r.Code)
	}
	return err
}

// An exitError is how a process failed.
type exitError int

// Error is the code in words, as os/exec has them.
func (e exitError) Error() string { return fmt.Sprintf("exit status %d", e) }

// ExitCode is the exit code, or that of a shell for a signal.
func (e exitError) ExitCode() int { return int(e) }

// resultOf is the result of a command that was run.
func resultOf(r proc.Result) board.Result {
	switch {
	case r.Passed():
		return board.Pass
	case r.Reason == proc.WallLimit:
		return board.TimedOut
	case r.Reason == proc.Exited && (r.Code == 126 || r.Code == 127): // see fateOf
		return board.Errored
	}
	return board.Fail
}

// fateOf describes how a command ended without a result of its own, "" if it has
// one.
func fateOf(r proc.Result, g board.Gate) string {
	switch {
	case r.Reason == proc.WallLimit:
		return "timed out after " + g.Timeout.String()
	case r.Reason == proc.Signaled:
		return fmt.Sprintf("was killed by signal %d", r.Code-128)
	case r.Code == 126 || r.Code == 127: // a shell's codes if the program is missing or cannot be run
		return fmt.Sprintf("could not run (exit %d)", r.Code)
	}
	return ""
}

// verifyTask runs the task's own check at the commit.
func (c *commands) verifyTask(ctx context.Context, t *board.Task, commit board.ObjectID, dir string) (board.Receipt, error) {
	tree, err := c.treeOf(ctx, commit)
	if err != nil {
		return board.Receipt{}, err
	}
	if err := c.trust.Check(ctx, t.Verify); err != nil {
		return board.Receipt{}, err
	}
	receipt, err := c.runGate(ctx, board.Gate{Name: "verify", Command: t.Verify, Timeout: cmp.Or(t.VerifyTimeout, gateTimeout)}, dir, tree)
	if err != nil {
		return board.Receipt{}, err
	}
	if receipt.Result != board.Pass {
		return board.Receipt{}, &flow.Refusal{Rule: flow.RuleVerify, Hint: "cd " + shell.Quote(dir) + " && " + t.Verify,
			Reason: fmt.Sprintf("verify of %s fails: %s", t.ID, endingOf(receipt))}
	}
	return receipt, nil
}

// parted are the gates of a stage that run on a change, and receipts of those that are
// skipped on it.
func (c *commands) parted(b *board.Board, at board.Stage, tree board.ObjectID, changed int, paths []string) (run []board.Gate, skipped []board.Receipt) {
	for _, g := range b.Settings().Config.GatesAt(at) {
		if flow.Skips(g, b, changed, paths) {
			skipped = append(skipped, board.Receipt{Gate: g.Name, Command: g.Command, Tree: tree, Duration: "0s", By: c.mover.By, Result: board.Skipped})
			continue
		}
		run = append(run, g)
	}
	return run, skipped
}

// passMerge runs the gates on the tree of a merged submission. failed is the first
// required one that does not pass.
func (c *commands) passMerge(ctx context.Context, b *board.Board, of *board.Submission, commit, tree board.ObjectID) (receipts []board.Receipt, failed *board.Receipt, err error) {
	list, skipped := c.parted(b, board.AtMerge, tree, of.Changed, of.Paths)
	script, err := c.store.Commits.HasFile(commit, flow.IntegrationScript)
	if err != nil {
		return nil, nil, err
	}
	if script {
		list = append(list, board.Gate{Name: flow.IntegrationScript, Command: "sh ./" + flow.IntegrationScript, Required: true, Timeout: gateTimeout})
	}
	if err := c.trust.CheckGates(ctx, b.Settings().Config.GatesAt(board.AtMerge)); err != nil {
		return nil, nil, err
	}
	trees, err := c.checkouts.requireTrees()
	if err != nil {
		return nil, nil, err
	}
	receipts, failed, err = c.passAll(ctx, list, commit, tree)
	if _, is := errors.AsType[*worktrees.CheckoutError](err); is && trees.Private(ctx, b.Settings().Integration.Tip, func(string) error { return nil }) == nil {
		// This machine can check out integration, so the work itself is at
		// fault.
		return nil, &board.Receipt{Gate: "checkout", Tree: tree, Exit: 1, By: c.mover.By, Output: board.Excerpt(err.Error(), excerpt)}, nil
	}
	return append(receipts, skipped...), failed, err
}

// prepared calls f in a private checkout of a commit, in which post_worktree ran. run runs a gate there;
// where the set-up failed, its result is that of the gate, which does not run.
func (c *commands) prepared(ctx context.Context, commit, tree board.ObjectID, f func(dir string, run func(board.Gate) (board.Receipt, error)) error) error {
	trees, err := c.checkouts.requireTrees()
	if err != nil {
		return err
	}
	return trees.Private(ctx, commit, func(dir string) error {
		unready, err := c.setUp(ctx, dir, commit)
		if err != nil {
			return err
		}
		return f(dir, func(g board.Gate) (board.Receipt, error) {
			if unready == nil {
				return c.runGate(ctx, g, dir, tree)
			}
			r := *unready
			r.Gate, r.Command, r.Tree = g.Name, g.Command, tree
			return r, nil
		})
	})
}

// setUp returns the receipt of a set-up that failed: errored if it fails on integration too, which
// blames no task.
func (c *commands) setUp(ctx context.Context, dir string, commit board.ObjectID) (failed *board.Receipt, err error) {
	b, _, err := c.store.Board(ctx)
	if err != nil || b.Settings().Config.PostWorktree == "" {
		return nil, err
	}
	g := board.Gate{Command: b.Settings().Config.PostWorktree, Timeout: gateTimeout}
	if err := c.trust.Check(ctx, g.Command); err != nil {
		return nil, err
	}
	r, err := c.runGate(ctx, g, dir, "")
	if err != nil || r.Result == board.Pass {
		return nil, err
	}
	tip := b.Settings().Integration.Tip
	if r.Result = board.Errored; tip != commit && c.checkSetUp(ctx, tip) == nil {
		r.Result = board.Fail
	}
	r.Output = board.Excerpt(r.Output, excerpt/2) + "\n" + board.Excerpt("post_worktree fails, "+endingOf(r), excerpt/2-1)
	return &r, ctx.Err()
}

// checkSetUp returns an error if the set-up fails on a commit.
func (c *commands) checkSetUp(ctx context.Context, commit board.ObjectID) error {
	return c.prepared(ctx, commit, "", func(_ string, run func(board.Gate) (board.Receipt, error)) error {
		r, err := run(board.Gate{Command: "true"})
		if err == nil && r.Result != board.Pass {
			err = errors.New(lastLine(r.Output))
		}
		return err
	})
}

// numbers are left out where two failures are compared: most tests print how long they took.
var numbers = pattern.Late(`[0-9]+`)

// passAll runs gates one after the other in one checkout. It skips gates with a
// receipt. If a later gate fails then and a skipped one left files in its checkout, all
// gates run, because the later one may need them. A gate that ends on integration as it
// ends here blames no task: its result is that it could not run.
func (c *commands) passAll(ctx context.Context, gates []board.Gate, commit, tree board.ObjectID) (receipts []board.Receipt, failed *board.Receipt, err error) {
	b, _, err := c.store.Board(ctx)
	if err != nil {
		return nil, nil, err
	}
	machine, _, err := ReadMachine(ctx, &c.repo.Config.Configuration)
	if err != nil {
		return nil, nil, err
	}
	// Receipts count where the set-up and the variables are the same.
	inputs := []board.Gate{{Command: b.Settings().Config.PostWorktree}, {Command: strings.Join(machine, "\x00")}}
	known, starts := 0, []int{0}
	for i := range gates {
		if kept, ok := c.receipts.find(slices.Concat(inputs, gates[:i+1]), tree); ok && known == i {
			receipts, known = append(receipts, kept.receipt), i+1
			if kept.left {
				starts = []int{known, 0}
			} else {
				starts[0] = known
			}
		}
	}
	if known == len(gates) {
		return receipts, nil, nil
	}
	for _, from := range starts {
		receipts, failed = receipts[:from], nil
		err = c.prepared(ctx, commit, tree, func(dir string, run func(board.Gate) (board.Receipt, error)) error {
			stamp := stampOf(dir)
			for i := from; i < len(gates) && failed == nil; i++ {
				r, err := run(gates[i])
				before := stamp
				if err == nil {
					stamp = stampOf(dir)
					c.receipts.keep(slices.Concat(inputs, gates[:i+1]), r, stamp != before)
				}
				if err != nil {
					return err
				}
				if receipts = append(receipts, r); r.Result != board.Pass && gates[i].Required {
					failed = &r
				}
			}
			return nil
		})
		if err != nil || failed == nil {
			break
		}
	}
	tip := b.Settings().Integration.Tip
	if err != nil || failed == nil || failed.Result != board.Fail || commit == tip || lastLine(failed.Output) == "" {
		return receipts, failed, err
	}
	tree, err = c.treeOf(ctx, tip)
	if err != nil {
		return receipts, failed, err
	}
	if _, before, err := c.passAll(ctx, gates[:len(receipts)], tip, tree); err != nil || before == nil || before.Gate != failed.Gate || before.Exit != failed.Exit ||
		numbers().ReplaceAllString(endingOf(*before), "") != numbers().ReplaceAllString(endingOf(*failed), "") {
		return receipts, failed, err
	}
	failed.Result = board.Errored
	failed.Output += "\n" + board.Excerpt(lastLine(failed.Output), excerpt/4) + "; so it ends on integration too, without this work"
	failed.Output = board.Excerpt(failed.Output, excerpt)
	return receipts, failed, nil
}

func (c *commands) treeOf(ctx context.Context, commit board.ObjectID) (board.ObjectID, error) {
	k, err := c.repo.Objects(ctx).Commit(commit)
	return k.Tree, err
}

// endingOf describes how a gate failed, with its last line of output.
func endingOf(r board.Receipt) string {
	text := fmt.Sprintf("it exits %d", r.Exit)
	if line := lastLine(r.Output); line != "" {
		text += ": " + line
	}
	return text
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}
