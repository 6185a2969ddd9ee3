package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Merged is the result of a merge.
type Merged struct {
	Task      board.TaskID   `json:"task"`
	Status    board.Status   `json:"status"`
	Commit    board.ObjectID `json:"merge_commit,omitempty"`
	Onto      board.ObjectID `json:"onto,omitempty"`
	Drift     int            `json:"drift"`
	Warning   string         `json:"warning,omitempty"` // if the drift reaches the board's drift_alarm
	Conflicts []string       `json:"conflicts,omitempty"`
	Gate      string         `json:"gate,omitempty"`
	Output    string         `json:"output,omitempty"`
}

// alarm warns if integration has gained many commits since the merged work
// began. A drift_alarm of 0 switches it off.
func (m *Merged) alarm(b *board.Board) {
	if most := b.Settings().Config.DriftAlarm; most > 0 && m.Drift >= most {
		m.Warning = fmt.Sprintf("integration went on by %d commits while %s was worked on (drift_alarm is %d), and its review did not see them: git show %s",
			m.Drift, m.Task, most, m.Commit)
	}
}

// errTipMoved says that integration moved while a candidate was tested.
var errTipMoved = errors.New("integration moved while the merge was prepared")

// trackedGate is the gate of a failure to integrate a text on which goals or tasks
// stand.
const trackedGate = "tracked-path"

// maxMerges bounds how often a merge starts again because integration moved.
const maxMerges = 20

// Merge merges an approved task into integration without a checkout of it.
// git computes the merge, the gates run on the result in a private worktree,
// and then integration, the state and the task's branch move in one
// transaction. Work that conflicts, fails a gate, or would
// put a text that nobody judged where goals or tasks stand on it, becomes
// INTEGRATION_FAILED: a *Setback. It stays approved if a gate cannot run: an *[Outage].
func (i *Integration) Merge(ctx context.Context, id board.TaskID) (Merged, gitstore.Result, error) {
	for range maxMerges {
		merged, r, err := i.mergeOnce(ctx, id)
		if !errors.Is(err, errTipMoved) {
			return merged, r, err
		}
	}
	return Merged{}, gitstore.Result{}, fmt.Errorf("%w: %w", gitstore.ErrConflict, errTipMoved)
}

func (i *Integration) mergeOnce(ctx context.Context, id board.TaskID) (Merged, gitstore.Result, error) {
	if err := i.store.Settler.Settle(ctx); err != nil {
		return Merged{}, gitstore.Result{}, err
	}
	b, refusal, err := i.mover.openedBoard(ctx, board.ActMerge, id)
	if err != nil {
		return Merged{}, gitstore.Result{}, err
	}
	t := b.Task(id)
	if refusal != nil {
		if t == nil || !t.Status.IsMerged() {
			return Merged{}, gitstore.Result{}, refusal
		}
		return i.completeMerged(ctx, t)
	}
	tip := b.Settings().Integration.Tip
	merged := Merged{Task: id, Onto: tip}
	if err := i.store.Mirror.BringCommits(ctx, id, t.Submission.Commit); err != nil {
		return merged, gitstore.Result{}, err
	}
	computed, failure, err := i.computeMerge(ctx, b, t)
	if err != nil {
		return merged, gitstore.Result{}, err
	}
	if failure != nil {
		merged.Gate, merged.Output = failure.Gate, failure.Output
		return i.recordFailure(ctx, merged, failure)
	}
	message := fmt.Sprintf("Merge %s: %s\n\nApproved-by: %s\nLiza-Task: %s\n", id, t.Title, t.Verdict().By, id)
	commit, err := i.store.Commits.MergeCommit(ctx, computed.Tree, tip, t.Submission.Commit, message)
	if err != nil {
		return merged, gitstore.Result{}, err
	}
	merged.Commit = commit
	receipts, failed, err := i.commands.passMerge(ctx, b, t.Submission, commit, computed.Tree)
	if err != nil {
		return merged, gitstore.Result{}, err
	}
	if isOutage(b, failed) {
		return merged, gitstore.Result{}, refuseGate(*failed, commit, "git liza merge "+string(id))
	}
	if failed != nil {
		merged.Commit, merged.Gate, merged.Output = "", failed.Gate, cmp.Or(failed.Output, endingOf(*failed))
		return i.recordFailure(ctx, merged, &flow.IntegrationFailMove{Onto: tip, Gate: failed.Gate, Output: merged.Output})
	}
	return i.makeMerge(ctx, merged, t, &flow.MergeMove{Commit: commit, Submission: t.Submission.Commit, Onto: tip,
		Tree: computed.Tree, Git: i.repo.GitVersion(), Receipts: receipts})
}

// computeMerge lets git merge the submission of a task with integration. failure is
// nil unless the work cannot be integrated so, whatever the gates say.
func (i *Integration) computeMerge(ctx context.Context, b *board.Board, t *board.Task) (computed git.Merge, failure *flow.IntegrationFailMove, err error) {
	tip, sub, commits := b.Settings().Integration.Tip, t.Submission, i.store.Commits
	crossed, err := commits.Crossed(ctx, tip, sub.Commit, sub.Base)
	if err != nil {
		return computed, nil, err
	}
	if crossed {
		return computed, &flow.IntegrationFailMove{Onto: tip, Gate: "merge-base",
			Output: "the submission contains commits that reached integration after it was made; merge integration into it, so that its review shows what it changes of them"}, nil
	}
	attributes, err := commits.Attributes(ctx, sub.Base, sub.Commit)
	if err == nil {
		computed, err = commits.Merge(ctx, tip, sub.Commit, attributes)
	}
	if err != nil {
		return computed, nil, err
	}
	if n := len(computed.Conflicts); n > 0 {
		return computed, &flow.IntegrationFailMove{Onto: tip, Paths: computed.Conflicts[:min(n, board.MaxList)]}, nil
	}
	contested, err := commits.Contested(ctx, flow.Query{Texts: flow.QueryTexts(b), Onto: tip, Base: sub.Base, Submission: sub.Commit}, computed.Tree)
	if n := len(contested); n > 0 {
		failure = &flow.IntegrationFailMove{Onto: tip, Paths: contested[:min(n, board.MaxList)], Gate: trackedGate,
			Output: fmt.Sprintf("%s and integration both changed %s, and nobody judged the text that a merge makes of both; merge integration into the branch, read the result and submit it",
				t.ID, someOf(contested))}
	}
	return computed, failure, err
}

// completeMerged completes the merge of a task that is merged already: it removes
// what a killed merge left behind.
func (i *Integration) completeMerged(ctx context.Context, t *board.Task) (Merged, gitstore.Result, error) {
	merged := Merged{Task: t.ID, Status: t.Status, Commit: t.Merge.Commit, Onto: t.Merge.Onto, Drift: t.Merge.Drift}
	if err := i.store.Mirror.CheckLanded(ctx, t.Merge.Commit); err != nil {
		return merged, gitstore.Result{}, &Unlanded{t.ID, err}
	}
	b, _, err := i.store.Board(ctx)
	if err != nil {
		return merged, gitstore.Result{}, err
	}
	merged.alarm(b)
	if err := i.bringCheckouts(ctx, b, b.Settings().Integration.Tip); err != nil {
		return merged, gitstore.Result{}, err
	}
	return merged, gitstore.Result{Already: true, After: b}, i.checkouts.clearTask(ctx, t)
}

// recordFailure records that the work could not be integrated.
func (i *Integration) recordFailure(ctx context.Context, merged Merged, d *flow.IntegrationFailMove) (Merged, gitstore.Result, error) {
	r, err := i.mover.Move(ctx, board.ActIntegrationFail, merged.Task, func(b *board.Board) (flow.Detail, error) {
		if b.Settings().Integration.Tip != d.Onto {
			return nil, errTipMoved
		}
		return d, nil
	})
	if err != nil {
		return merged, r, err
	}
	t := r.After.Task(merged.Task)
	merged.Status, merged.Conflicts = t.Status, d.Paths
	again := "git liza task unblock " + string(merged.Task)
	if t.Block == nil && t.Attempt != nil {
		again = "git liza claim " + string(merged.Task) + " --as " + shell.Quote(string(t.Attempt.Coder))
	}
	reason := fmt.Sprintf("%s conflicts with integration in %s", merged.Task, someOf(d.Paths))
	if d.Gate != "" {
		reason = fmt.Sprintf("gate %s fails on the merge of %s: %s", d.Gate, merged.Task, lastLine(d.Output))
	}
	return merged, r, &Setback{Rule: flow.RuleMerge, Reason: fmt.Sprintf("%s; it is %s", reason, merged.Status),
		Hint: again, Data: merged, Already: r.Already}
}

// makeMerge makes the merge move with its refs and updates checkouts of
// integration.
func (i *Integration) makeMerge(ctx context.Context, merged Merged, t *board.Task, d *flow.MergeMove) (Merged, gitstore.Result, error) {
	if err := i.checkFollow(ctx, d.Commit); err != nil {
		return merged, gitstore.Result{}, err
	}
	r, err := i.store.Do(ctx, func(b *board.Board, _ time.Time) (flow.Move, []git.RefUpdate, error) {
		now := b.Task(t.ID)
		m := i.mover.Caller.Move(board.ActMerge, t.ID, d)
		if now == nil || !flow.Allows(now.Status, board.ActMerge) {
			return m, nil, nil
		}
		if b.Settings().Integration.Tip != d.Onto || now.Submission.Commit != d.Submission {
			return m, nil, errTipMoved
		}
		branch, err := i.endBranch(ctx, now, d)
		return m, branch, err
	})
	if err != nil {
		return merged, r, i.explainStray(ctx, err)
	}
	done := r.After.Task(t.ID)
	merged.Status, merged.Commit, merged.Drift = done.Status, done.Merge.Commit, done.Merge.Drift
	merged.alarm(r.After)
	// If a remote holds integration, the merge counts only when it is seen
	// there.
	if err := i.store.Mirror.CheckLanded(ctx, merged.Commit); err != nil {
		return merged, r, &Unlanded{t.ID, err}
	}
	if err := i.bringCheckouts(ctx, r.After, d.Onto); err != nil {
		return merged, r, unfinishedMove(r, "a checkout of integration is not brought along", "git liza merge "+string(t.ID), merged, err)
	}
	return merged, r, uncleared(r, i.checkouts.clearTask(ctx, done))
}

// endBranch deletes the task's branch with the merge. Commits beyond the
// reviewed one are kept as left out.
func (i *Integration) endBranch(ctx context.Context, t *board.Task, d *flow.MergeMove) ([]git.RefUpdate, error) {
	ref := t.ID.BranchRef()
	tip, err := i.repo.Refs.Resolve(ctx, ref)
	if err != nil {
		return nil, err
	}
	d.LeftOut = nil
	kept, err := i.checkouts.saveWork(ctx, t, false)
	if err != nil {
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
