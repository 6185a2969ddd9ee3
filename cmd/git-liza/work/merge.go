package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// Merged is what a merge did.
type Merged struct {
	Task      flow.TaskID   `json:"task"`
	Status    flow.Status   `json:"status"`
	Commit    flow.ObjectID `json:"merge_commit,omitempty"`
	Onto      flow.ObjectID `json:"onto,omitempty"`
	Drift     int           `json:"drift"`
	Warning   string        `json:"warning,omitempty"` // where the drift reaches the board's drift_alarm
	Conflicts []string      `json:"conflicts,omitempty"`
	Gate      string        `json:"gate,omitempty"`
	Output    string        `json:"output,omitempty"`
}

// alarm warns of a merge of work that began long before, by commits on
// integration. With a drift_alarm of 0 there is none.
func (m *Merged) alarm(b *flow.Board) {
	if most := b.Settings().Config.DriftAlarm; most > 0 && m.Drift >= most {
		m.Warning = fmt.Sprintf("integration went on by %d commits while %s was worked on (drift_alarm is %d), and its review did not see them: git show %s",
			m.Drift, m.Task, most, m.Commit)
	}
}

// errTipMoved says that integration moved while a candidate was tested.
var errTipMoved = errors.New("integration moved while the merge was prepared")

// maxMerges bounds how often a merge starts again because integration moved.
const maxMerges = 20

// Merge brings an approved task to integration without any checkout: git
// computes the merge, the gates run on it in a private worktree, then
// integration, the state and the task's branch move in one transaction. Work
// that conflicts, or fails a gate, becomes INTEGRATION_FAILED: a *Setback.
func (c *Clone) Merge(ctx context.Context, id flow.TaskID) (Merged, gitstore.Result, error) {
	for range maxMerges {
		merged, r, err := c.mergeOnce(ctx, id)
		if !errors.Is(err, errTipMoved) {
			return merged, r, err
		}
	}
	return Merged{}, gitstore.Result{}, fmt.Errorf("%w: %w", gitstore.ErrConflict, errTipMoved)
}

func (c *Clone) mergeOnce(ctx context.Context, id flow.TaskID) (Merged, gitstore.Result, error) {
	if err := c.Store.Settler.Settle(ctx); err != nil {
		return Merged{}, gitstore.Result{}, err
	}
	b, refusal, err := c.opened(ctx, flow.ActMerge, id)
	if err != nil {
		return Merged{}, gitstore.Result{}, err
	}
	t := b.Task(id)
	if refusal != nil {
		if t == nil || !t.Status.IsMerged() {
			return Merged{}, gitstore.Result{}, refusal
		}
		return c.cleared(ctx, t)
	}
	tip := b.Settings().Integration.Tip
	merged := Merged{Task: id, Onto: tip}
	if err := c.Store.Mirror.BringCommits(ctx, id, t.Submission.Commit); err != nil {
		return merged, gitstore.Result{}, err
	}
	crossed, err := c.Store.Commits.Crossed(ctx, tip, t.Submission.Commit, t.Submission.Base)
	if err != nil {
		return merged, gitstore.Result{}, err
	}
	if crossed {
		merged.Gate, merged.Output = "merge-base", "the submission contains commits that reached integration after it was made; merge integration into it, so that its review shows what it changes of them"
		return c.fail(ctx, merged, &flow.IntegrationFailMove{Onto: tip, Gate: merged.Gate, Output: merged.Output})
	}
	computed, err := c.Store.Commits.Merge(ctx, tip, t.Submission.Commit)
	if err != nil {
		return merged, gitstore.Result{}, err
	}
	if len(computed.Conflicts) > 0 {
		return c.fail(ctx, merged, &flow.IntegrationFailMove{Onto: tip, Paths: computed.Conflicts[:min(len(computed.Conflicts), flow.MaxList)]})
	}
	message := fmt.Sprintf("Merge %s: %s\n\nApproved-by: %s\nLiza-Task: %s\n", id, t.Title, t.Verdict.By, id)
	commit, err := c.Store.Commits.MergeCommit(ctx, computed.Tree, tip, t.Submission.Commit, message)
	if err != nil {
		return merged, gitstore.Result{}, err
	}
	merged.Commit = commit
	receipts, failed, err := c.gates(ctx, b, commit, computed.Tree)
	if err != nil {
		return merged, gitstore.Result{}, err
	}
	if failed != nil {
		merged.Commit, merged.Gate, merged.Output = "", failed.Gate, cmp.Or(failed.Output, ending(*failed))
		return c.fail(ctx, merged, &flow.IntegrationFailMove{Onto: tip, Gate: failed.Gate, Output: merged.Output})
	}
	return c.land(ctx, merged, t, &flow.MergeMove{Commit: commit, Submission: t.Submission.Commit, Onto: tip,
		Tree: computed.Tree, Git: c.Repo.GitVersion(), Receipts: receipts})
}

// cleared answers for a task that is merged already: what a killed merge left
// behind is removed.
func (c *Clone) cleared(ctx context.Context, t *flow.Task) (Merged, gitstore.Result, error) {
	merged := Merged{Task: t.ID, Status: t.Status, Commit: t.Merge.Commit, Onto: t.Merge.Onto, Drift: t.Merge.Drift}
	if err := c.Store.Mirror.CheckLanded(ctx, t.Merge.Commit); err != nil {
		return merged, gitstore.Result{}, &Unlanded{t.ID, err}
	}
	b, _, err := c.Store.Board(ctx)
	if err != nil {
		return merged, gitstore.Result{}, err
	}
	merged.alarm(b)
	if err := c.follow(ctx, b, b.Settings().Integration.Tip); err != nil {
		return merged, gitstore.Result{}, err
	}
	return merged, gitstore.Result{Already: true, After: b}, c.clear(ctx, t)
}

// fail records that the work does not integrate.
func (c *Clone) fail(ctx context.Context, merged Merged, d *flow.IntegrationFailMove) (Merged, gitstore.Result, error) {
	r, err := c.Move(ctx, flow.ActIntegrationFail, merged.Task, func(b *flow.Board) (flow.Detail, error) {
		if b.Settings().Integration.Tip != d.Onto {
			return nil, errTipMoved
		}
		return d, nil
	})
	if err != nil {
		return merged, r, err
	}
	merged.Status, merged.Conflicts = r.After.Task(merged.Task).Status, d.Paths
	reason := fmt.Sprintf("%s conflicts with integration in %s", merged.Task, some(d.Paths))
	if d.Gate != "" {
		reason = fmt.Sprintf("gate %s fails on the merge of %s: %s", d.Gate, merged.Task, lastLine(d.Output))
	}
	return merged, r, &Setback{Rule: flow.RuleMerge, Reason: fmt.Sprintf("%s; it is %s", reason, merged.Status),
		Hint: "git liza claim " + string(merged.Task) + " --as CODER", Data: merged, Already: r.Already}
}

// land makes the merge move with its refs and brings checkouts along.
func (c *Clone) land(ctx context.Context, merged Merged, t *flow.Task, d *flow.MergeMove) (Merged, gitstore.Result, error) {
	if err := c.mayFollow(ctx, d.Commit); err != nil {
		return merged, gitstore.Result{}, err
	}
	r, err := c.Store.Do(ctx, func(b *flow.Board, _ time.Time) (flow.Move, []git.RefUpdate, error) {
		now := b.Task(t.ID)
		m := c.move(flow.ActMerge, t.ID, d)
		if now == nil || !now.Status.Allows(flow.ActMerge) {
			return m, nil, nil
		}
		if b.Settings().Integration.Tip != d.Onto || now.Submission.Commit != d.Submission {
			return m, nil, errTipMoved
		}
		branch, err := c.branchEnd(ctx, now, d)
		return m, branch, err
	})
	if err != nil {
		return merged, r, c.strayed(ctx, err)
	}
	done := r.After.Task(t.ID)
	merged.Status, merged.Commit, merged.Drift = done.Status, done.Merge.Commit, done.Merge.Drift
	merged.alarm(r.After)
	// Where a remote holds integration, the merge counts once it is seen there.
	if err := c.Store.Mirror.CheckLanded(ctx, merged.Commit); err != nil {
		return merged, r, &Unlanded{t.ID, err}
	}
	if err := c.follow(ctx, r.After, d.Onto); err != nil {
		return merged, r, unfinished(r, "a checkout of integration is not brought along", "git liza merge "+string(t.ID), merged, err)
	}
	return merged, r, left(r, c.clear(ctx, done))
}

// branchEnd deletes the task's branch with the merge; what stands on it
// beyond the reviewed commit is kept as left out.
func (c *Clone) branchEnd(ctx context.Context, t *flow.Task, d *flow.MergeMove) ([]git.RefUpdate, error) {
	ref := "refs/heads/" + t.ID.Branch()
	tip, err := c.Repo.Resolve(ctx, ref)
	if err != nil {
		return nil, err
	}
	d.LeftOut = nil
	kept, err := c.save(ctx, t)
	if err != nil && !errors.Is(err, worktrees.ErrIncomplete) { // what is not in it stays in its folder
		return nil, err
	}
	if kept != nil && kept.Commit != t.Submission.Commit {
		d.LeftOut = kept
	}
	if tip == "" {
		return nil, nil
	}
	return []git.RefUpdate{{Name: ref, Old: tip}}, nil
}

// gates runs what must pass on the merged tree. failed is the first required
// gate that does not.
func (c *Clone) gates(ctx context.Context, b *flow.Board, commit, tree flow.ObjectID) (receipts []flow.Receipt, failed *flow.Receipt, err error) {
	list := append([]flow.Gate{}, b.Settings().Config.Gates...)
	script, err := c.Store.Commits.HasFile(commit, flow.IntegrationScript)
	if err != nil {
		return nil, nil, err
	}
	if script {
		list = append(list, flow.Gate{Name: flow.IntegrationScript, Command: "sh ./" + flow.IntegrationScript, Required: true, Timeout: gateTimeout})
	}
	for _, g := range b.Settings().Config.Gates {
		if err := c.Trusted(ctx, g.Command); err != nil {
			return nil, nil, err
		}
	}
	trees, err := c.checkouts()
	if err != nil {
		return nil, nil, err
	}
	receipts, failed, err = c.passAll(ctx, trees, list, commit, tree)
	var unmade *worktrees.CheckoutError
	if errors.As(err, &unmade) && trees.Private(ctx, b.Settings().Integration.Tip, func(string) error { return nil }) == nil {
		// This machine can check out what integration has, so it is the work's fault.
		return nil, &flow.Receipt{Gate: "checkout", Tree: tree, Exit: 1, By: c.By, Output: flow.Excerpt(err.Error(), excerpt)}, nil
	}
	return receipts, failed, err
}

// passAll runs gates one after the other in one checkout. Those that are known
// to pass there are passed over; where another fails then, for it may want what
// they leave, all run.
func (c *Clone) passAll(ctx context.Context, trees *worktrees.Trees, gates []flow.Gate, commit, tree flow.ObjectID) (receipts []flow.Receipt, failed *flow.Receipt, err error) {
	known := 0
	for i := range gates {
		if r, ok := c.passedBefore(gates[:i+1], tree); ok && known == i {
			receipts, known = append(receipts, r), i+1
		}
	}
	if known == len(gates) {
		return receipts, nil, nil
	}
	for _, from := range slices.Compact([]int{known, 0}) {
		receipts, failed = receipts[:from], nil
		err = trees.Private(ctx, commit, func(dir string) error {
			for i := from; i < len(gates) && failed == nil; i++ {
				r, err := c.run(ctx, gates[i], dir, tree)
				if err == nil {
					err = c.keepReceipt(gates[:i+1], r)
				}
				if err != nil {
					return err
				}
				if receipts = append(receipts, r); r.Exit != 0 && gates[i].Required {
					failed = &r
				}
			}
			return nil
		})
		if err != nil || failed == nil {
			break
		}
	}
	return receipts, failed, err
}

// mayFollow refuses to move integration under somebody who has it checked out
// with changes. Where the branch is at the commit already, a person moved it
// and its checkout there, and there is nothing to bring along.
func (c *Clone) mayFollow(ctx context.Context, to flow.ObjectID) error {
	b, _, err := c.Store.Board(ctx)
	if err != nil || c.Trees == nil {
		return err
	}
	integration := b.Settings().Integration
	now, err := c.Repo.Resolve(ctx, "refs/heads/"+integration.Name)
	if err != nil || now == to {
		return err
	}
	return c.Trees.CheckFollow(ctx, integration.Name, integration.Tip, to)
}

// follow brings a checkout of integration along to where the board has it.
func (c *Clone) follow(ctx context.Context, b *flow.Board, from flow.ObjectID) error {
	if c.Trees == nil {
		return nil
	}
	integration := b.Settings().Integration
	return c.Trees.Follow(ctx, integration.Name, from, integration.Tip)
}
