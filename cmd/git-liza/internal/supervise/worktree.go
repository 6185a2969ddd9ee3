package supervise

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc/confine"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/worktrees"
)

// A workplace is where the sessions of one agent run. It makes and prepares worktrees,
// and puts back what a session changed against the rules.
type workplace struct{ *registration }

// remakeWorktree makes a coder's missing worktree again, as a repeated claim does, and has the
// next prompt say so. It returns the result of the assignment if that ends instead.
func (p *workplace) remakeWorktree(ctx context.Context, a *assignment) (result, error) {
	got, r, err := p.clone.Claim(ctx, a.taskID(), 0)
	var obstacle *worktrees.Obstacle
	switch {
	case err == nil:
	case flow.IsRefused(err), isSetback(err):
		return failed("it was lost"), nil // the board says why
	case errors.As(err, &obstacle) && r.After != nil:
		return p.blockObstructed(ctx, r.After, a.taskID(), obstacle)
	default:
		_, err = p.giveBackTask(ctx, a.taskID(), err)
		return failed("its worktree could not be made again"), err
	}
	a.lease = leaseOf(r.After.Task(a.taskID()), p.clone.By)
	a.dir = got.Worktree
	p.say("%s: the worktree of %s was gone and was made again", p.id, a.subject())
	if got.Warning != "" {
		p.say("warning: %s", got.Warning)
	}
	if a.failure != "" {
		a.failure += "\n"
	}
	a.failure += "Before this session the worktree was gone and was made again; what was neither committed nor staged is lost."
	unready, err := p.runPostWorktree(ctx, a, r.After)
	if unready != "" {
		a.failure += "\n" + unready
	}
	return goOn(), err
}

// isAstray reports whether the agent left the worktree of its task on another branch when
// its last claim failed. Its next prompt says so, and it mends that itself.
func (p *workplace) isAstray(ctx context.Context, t *board.Task) bool {
	dir := p.clone.Checkouts.Folder(t)
	if t.Retry == nil || t.Attempt == nil || t.Attempt.Coder != p.clone.By || worktrees.Missing(dir) {
		return false
	}
	status, err := p.clone.Checkouts.Trees.Contents.Status(ctx, dir)
	return err == nil && status.Branch != t.ID.Branch()
}

// giveBackTask gives back a task whose worktree cannot be made because of its commit or of
// this machine, and avoids it until retry. The agent is not the cause, and other tasks
// may work.
func (p *workplace) giveBackTask(ctx context.Context, id board.TaskID, cause error) (retry time.Time, err error) {
	if ctx.Err() != nil || isUnanswered(cause) || isFatal(cause) {
		return time.Time{}, cause
	}
	if _, err := p.clone.Release(ctx, id, flow.ReleaseMove{}); err != nil {
		return time.Time{}, errors.Join(cause, err)
	}
	return p.avoidTask(id, cause), nil
}

// blockObstructed blocks a claimed task that has no worktree to work in. Another agent
// would meet the same obstacle.
func (p *workplace) blockObstructed(ctx context.Context, b *board.Board, id board.TaskID, o *worktrees.Obstacle) (result, error) {
	question := "May what is in the way of its worktree go?"
	if o.Hint != "" {
		question += " " + o.Hint
	}
	limit := b.Settings().Config.TextLimit
	_, err := p.clone.Block(ctx, id, flow.BlockMove{
		Reason: board.Excerpt("worktree_obstacle: "+o.Error(), limit), Questions: []string{board.Excerpt(question, limit)}})
	return failed(o.Error()), err
}

// maxPrepare is how long a project's post_worktree command may take.
const maxPrepare = 10 * time.Minute

// runPostWorktree runs the project's post_worktree command in a worktree. The command comes
// from the board, so it sees no more than the agent does. failed says how the command
// failed: the agent's own work may be the cause.
func (p *workplace) runPostWorktree(ctx context.Context, a *assignment, b *board.Board) (failed string, err error) {
	command := b.Settings().Config.PostWorktree
	if command == "" {
		return "", nil
	}
	path, args := proc.Shell(command)
	p.log.note("\n--- post_worktree on %s\n", a.subject())
	p.presence.setDoing(preparing, a.taskID(), "")
	place, err := work.SessionPlace(ctx, p.clone, a.dir, p.id) // what it runs of the checkout may be the agent's
	if err != nil {
		return "", err
	}
	defer place.Close()
	env, remove, err := p.environment(ctx, a, place.Variables...)
	if err != nil {
		return "", err
	}
	defer remove()
	var r proc.Result
	err = p.clone.Checkouts.Trees.Contents.SetUp(ctx, a.dir, func() (err error) {
		r, err = work.RunMarked(ctx, p.clone, proc.Command{Path: path, Args: args, Dir: a.dir, Env: env, Output: p.log, Wall: maxPrepare, Domain: place.Domain})
		return err
	})
	if err != nil {
		return "", &unfitError{a.taskID(), fmt.Errorf("post_worktree: %w", err), false}
	}
	if ctx.Err() == nil && !r.Passed() {
		failed = fmt.Sprintf("post_worktree %s, exit %d: %s", r.Reason, r.Code, lastOutput(r.Excerpt))
		if hint := confine.Hint(r.Excerpt); place.Domain != nil && hint != "" {
			failed += "\n" + hint
		}
		return failed, nil
	}
	return "", ctx.Err()
}

// prepareTask prepares the worktree of a claimed task. A failure in the first iteration
// means that the agent cannot work on this machine. Later the agent's own work may be
// the cause, and the agent has to mend it.
func (p *workplace) prepareTask(ctx context.Context, a *assignment, b *board.Board) error {
	unready, err := p.runPostWorktree(ctx, a, b)
	if unready != "" && a.task.Attempt.Iteration == 1 {
		return &unfitError{a.taskID(), errors.New(unready), false}
	}
	a.failure = unready
	return err
}
