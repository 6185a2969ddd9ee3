package supervise

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/worktrees"
)

// codeTask gives the agent sessions on a task until it is submitted, blocked or lost, or
// a session ends without a result.
func (w *worker) codeTask(ctx context.Context, a *assignment) (result, error) {
	leave, err := w.clone.Checkouts.StandIn(a.taskID().Folder(a.task.Attempt.Number))
	if err != nil {
		return result{}, err
	}
	defer w.leaveWork(ctx, leave)
	why, err := LastFailure(ctx, w.clone.Store, a.task, a.role)
	if err != nil {
		return result{}, err
	}
	if why != "" {
		why = w.explainFailure(ctx, a, provider.Ending{}, why) + "\n"
	}
	a.failure = strings.TrimSpace(why + a.failure)
	for {
		r, err := w.nextSession(ctx, a)
		if err != nil || !r.again {
			return r, err
		}
	}
}

// leaveWork removes the worktree after the agent's last session in it, if the task became
// final meanwhile.
func (w *worker) leaveWork(ctx context.Context, leave func()) {
	leave()
	if err := w.clone.Checkouts.RemoveLeft(context.WithoutCancel(ctx), ""); err != nil {
		w.say("%s: a worktree is not cleared away: %v; git liza worktree prune", w.id, err)
	}
}

// nextSession runs one session on a task and decides what follows.
func (w *worker) nextSession(ctx context.Context, a *assignment) (result, error) {
	if worktrees.Missing(a.dir) {
		if r, err := w.workplace.remakeWorktree(ctx, a); err != nil || !r.again {
			return r, err
		}
	}
	now, _, err := w.clone.Store.Board(ctx)
	if err != nil {
		return result{}, err
	}
	if refusal := w.checkBudget(ctx, a, now); refusal != nil {
		return w.endOverBudget(ctx, now, a, refusal)
	}
	before, err := w.progressSignature(ctx, a)
	if err == nil {
		err = w.clone.Checkouts.Trees.Renew(ctx, filepath.Base(a.dir))
	}
	if err != nil {
		return result{}, err
	}
	begun := time.Now()
	ending, b, err := w.runSession(ctx, a)
	if err != nil {
		return result{}, err
	}
	if r, over, err := w.followUp(ctx, a, b, ending, begun); over || err != nil {
		return r, err
	}
	after, err := w.progressSignature(ctx, a)
	if err != nil {
		return result{}, err
	}
	progress := before != after && !worktrees.Missing(a.dir)
	f, err := w.countHandover(ctx, a, ending, a.stageOn(b, w.id, w.generation), progress)
	if err != nil {
		return result{}, err
	}
	if f.reached() {
		return failed(f.text()), w.blockTask(ctx, b, a, f, ending)
	}
	return w.waitBeforeNext(ctx, a, ending, f), nil
}

// followUp decides what follows a session unless it fell short of its move: the move was made, or
// what kept the agent from it was the board, the remote, the provider or the budget. over is false
// of a session that fell short.
func (w *worker) followUp(ctx context.Context, a *assignment, b *board.Board, ending provider.Ending, begun time.Time) (r result, over bool, err error) {
	if ctx.Err() != nil {
		return finished(), true, nil // the supervisor gives back what is held when it leaves
	}
	switch st := a.stageOn(b, w.id, w.generation); {
	case a.ended != "":
		return w.tellEnd(a), true, nil
	case st == done:
		delete(w.failures, a.taskID())
		w.strikes = 0
		return finished(), true, nil
	case st == halted:
		return finished(), true, nil
	case st == fenced:
		return result{}, true, w.replacedError()
	case st == lost:
		return w.explainLost(a, b), true, nil
	}
	cut, err := w.wasCutOff(a, begun)
	switch {
	case a.capacity == board.Does && cut && err == nil:
		return w.waitForRemote(ctx, a), true, nil
	case cut || err != nil: // it could not report; a review continues when the remote answers
		if a.capacity != board.Does {
			w.restUntil = time.Now().Add(w.rush.Limits.pauseCut(w.cuts))
		}
		return finished(), true, err
	case ending.Trouble != nil:
		r, err = w.pauseProvider(ctx, a, *ending.Trouble)
	case a.capacity == board.Does && a.outOfBudget:
		r = goOn() // before the next session the budget is asked for
	case a.outOfBudget:
		r, err = w.endOverBudget(ctx, b, a, w.checkBudget(ctx, a, b))
	default:
		return r, false, nil
	}
	return r, true, err
}

// waitForRemote keeps a task after a session during which the remote did not answer,
// and waits until it answers. Such a session does not count.
func (w *worker) waitForRemote(ctx context.Context, a *assignment) result {
	a.failure = "While the last session ran, the remote that holds the board could not be reached. Look at what is there, and report again."
	for first := true; first && w.cuts > 0 || w.rush.link.isDown(); first = false {
		w.presence.setDoing(retrying, a.taskID(), w.rush.link.remote+" does not answer")
		st := w.waitHolding(ctx, a, max(w.rush.Limits.pauseCut(w.cuts), work.QuickLook))
		if ctx.Err() != nil {
			return finished()
		}
		if st != held && st != handed {
			return failed("it was lost")
		}
	}
	return goOn()
}

// countHandover counts a session that handed over, or whose context was used up, which
// leaves a handoff for it.
func (w *worker) countHandover(ctx context.Context, a *assignment, ending provider.Ending, st stage, progress bool) (f shortfall, err error) {
	a.failure = ""
	if st != handed {
		if err := leaveHandoff(ctx, w.registration, a, ending); err != nil {
			return f, err
		}
	}
	return a.tally.countSession(w.rush.Limits, a.tally.countHandoff(w.rush.Limits, progress)), nil
}

// waitBeforeNext waits before the next session after one that fell short.
func (w *worker) waitBeforeNext(ctx context.Context, a *assignment, ending provider.Ending, f shortfall) result {
	pause := w.rush.Limits.pause(max(f.count-1, 0))
	w.say("%s: %s, session %d %s (%s), %d of %d; again in %s", w.id, a.subject(), a.tally.sessions, f.kind, ending.Text, f.count, f.limit, pause)
	if f.count == 1 {
		w.say("%s: what it said: git liza session show %s", w.id, w.id)
	}
	w.presence.setDoing(retrying, a.taskID(), fmt.Sprintf("session %d %s, again in %s", a.tally.sessions, f.kind, pause))
	st := w.waitHolding(ctx, a, pause)
	switch {
	case (st == held || st == handed) && ctx.Err() != nil:
		return finished()
	case st == held || st == handed:
		return goOn()
	case st == lost:
		w.say("%s: %s is no longer its own", w.id, a.subject())
	}
	return failed("it was lost")
}

// progressSignature returns the signature of task and worktree.
func (w *worker) progressSignature(ctx context.Context, a *assignment) (string, error) {
	b, _, err := w.clone.Store.Board(ctx)
	if err != nil {
		return "", err
	}
	t := b.Task(a.task.ID)
	if t == nil {
		return "", nil
	}
	worktree, err := w.clone.Checkouts.Trees.Contents.Fingerprint(ctx, a.dir)
	if err != nil {
		// An agent may have ruined its worktree; the error is then part of the
		// signature.
		worktree = err.Error()
	}
	return taskSignature(t, worktree)
}

// explainFailure returns what the next prompt says about a failed session.
func (w *worker) explainFailure(ctx context.Context, a *assignment, ending provider.Ending, what string) string {
	var b strings.Builder
	b.WriteString(what + ending.Complaint())
	if a.capacity == board.Does {
		committed, _ := committedText(ctx, w.clone, a) // or git log has it
		b.WriteString(committed)
	}
	b.WriteString(explainWorktree(ctx, w.clone, a))
	return b.String() + lastWordsOf(ending)
}

// lastWordsOf is what the next prompt repeats of a session's last output: "" or lines that each
// begin with a line feed.
func lastWordsOf(ending provider.Ending) string {
	if tail := lastOutput(ending.Excerpt); tail != "" {
		return "\nIts last output:\n" + tail
	}
	return ""
}

// maxTail is how many bytes of a program's last output are repeated.
const maxTail = 600

// lastOutput returns the end of an output, from the beginning of a line.
func lastOutput(output string) string {
	output = board.Clean(output)
	if len(output) <= maxTail {
		return output
	}
	tail := strings.ToValidUTF8(output[len(output)-maxTail:], "")
	if _, rest, ok := strings.Cut(tail, "\n"); ok {
		tail = rest
	}
	return "… " + tail
}

// blockTask blocks the task with what is known of its sessions.
func (w *worker) blockTask(ctx context.Context, b *board.Board, a *assignment, f shortfall, ending provider.Ending) error {
	reason := f.text() + "; last: " + ending.Text
	if worktrees.Missing(a.dir) {
		reason += ", and the worktree was gone"
	}
	if tail := lastOutput(ending.Excerpt); tail != "" {
		reason += "\n" + tail
	}
	_, err := w.clone.Block(ctx, a.task.ID, flow.BlockMove{
		Reason: board.Excerpt(reason, b.Settings().Config.TextLimit), Questions: []string{f.question}})
	return err
}
