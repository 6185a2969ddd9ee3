package supervise

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/proc"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/worktrees"
)

// worktreeMissing reports whether a worktree's folder, or what makes it a worktree, is
// missing: git would take the main work tree for it.
func worktreeMissing(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err != nil
}

// remakeWorktree makes a coder's worktree again that went away, as repeating the claim
// does, and has the next prompt say so. The result is that of the assignment if it ends
// instead.
func (w *worker) remakeWorktree(ctx context.Context, a *assignment) (result, error) {
	got, r, err := w.clone.Claim(ctx, a.taskID(), 0)
	var refusal *flow.Refusal
	var obstacle *worktrees.Obstacle
	switch {
	case err == nil:
	case errors.As(err, &refusal), isSetback(err):
		return failed("it was lost"), nil // the board says the rest
	case errors.As(err, &obstacle) && r.After != nil:
		return w.blockObstructed(ctx, r.After, a.taskID(), obstacle)
	default:
		_, err = w.giveBack(ctx, a.taskID(), err)
		return failed("its worktree could not be made again"), err
	}
	a.lease = leaseOf(r.After.Task(a.taskID()))
	a.dir = got.Worktree
	w.say("%s: the worktree of %s was gone and was made again", w.id, a.subject())
	if a.failure != "" {
		a.failure += "\n"
	}
	a.failure += "Before this session the worktree was gone and was made again; what was neither committed nor staged is lost."
	unready, err := w.prepareWorktree(ctx, a, r.After)
	if unready != "" {
		a.failure += "\n" + unready
	}
	return goOn(), err
}

// giveBack gives a task back whose worktree cannot be made, for reasons that lie
// in the commit or in this machine, and leaves it to others for a while,
// until retry: the agent is not to blame, and other tasks may go.
func (w *worker) giveBack(ctx context.Context, id flow.TaskID, cause error) (retry time.Time, err error) {
	if ctx.Err() != nil || isUnanswered(cause) || isFatal(cause) {
		return time.Time{}, cause
	}
	if _, err := w.clone.Release(ctx, id, false); err != nil {
		return time.Time{}, errors.Join(cause, err)
	}
	return w.avoidTask(id, cause), nil
}

// blockObstructed blocks a claimed task that has no worktree to be worked on in: the
// agent is not to blame, and another one would find the same.
func (w *worker) blockObstructed(ctx context.Context, b *flow.Board, id flow.TaskID, o *worktrees.Obstacle) (result, error) {
	question := "May what is in the way of its worktree go?"
	if o.Hint != "" {
		question += " " + o.Hint
	}
	limit := b.Settings().Config.TextLimit
	_, err := w.clone.Make(ctx, flow.ActBlock, id, &flow.BlockMove{
		Reason: flow.Excerpt("worktree_obstacle: "+o.Error(), limit), Questions: []string{flow.Excerpt(question, limit)}})
	return failed(o.Error()), err
}

// maxPrepare is how long a project's post_worktree command may take.
const maxPrepare = 10 * time.Minute

// prepareWorktree runs the project's post_worktree command in a worktree that was
// just made or found. The command comes from the board: it sees no more than
// the agent does. failed says how the command ended that did not succeed: what
// it works on may be the agent's own.
func (w *worker) prepareWorktree(ctx context.Context, a *assignment, b *flow.Board) (failed string, err error) {
	command := b.Settings().Config.PostWorktree
	if command == "" {
		return "", nil
	}
	path, args := proc.Shell(command)
	w.log.note("\n--- post_worktree on %s\n", a.subject())
	w.presence.setDoing(preparing, a.taskID(), "")
	env, err := w.environment(a)
	if err != nil {
		return "", err
	}
	r, err := proc.Run(ctx, proc.Command{Path: path, Args: args, Dir: a.dir, Env: env, Output: w.log, Wall: maxPrepare})
	if err != nil {
		return "", &unfitError{a.taskID(), fmt.Errorf("post_worktree: %w", err)}
	}
	if ctx.Err() == nil && !r.Passed() {
		return fmt.Sprintf("post_worktree %s, exit %d: %s", r.Reason, r.Code, lastOutput(r.Excerpt)), nil
	}
	return "", ctx.Err()
}

// prepareTask prepares the worktree of a claimed task. If that does not work on the
// first iteration, the agent cannot work here; later it is the agent's own work
// that keeps it from being prepared, for the agent to mend.
func (w *worker) prepareTask(ctx context.Context, a *assignment, b *flow.Board) error {
	unready, err := w.prepareWorktree(ctx, a, b)
	if unready != "" && a.task.Attempt.Iteration == 1 {
		return &unfitError{a.taskID(), errors.New(unready)}
	}
	a.failure = unready
	return err
}
