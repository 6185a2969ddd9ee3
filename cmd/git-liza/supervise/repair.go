package supervise

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/worktrees"
)

// gone reports whether a worktree's folder, or what makes it a worktree, is
// missing: git would take the main work tree for it.
func gone(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err != nil
}

// repair makes a coder's worktree again that went away, as repeating the claim
// does, and lets the next prompt say so. failed says why the errand ends
// instead.
func (s *supervisor) repair(ctx context.Context, e *errand) (failed string, err error) {
	got, r, err := s.clone.Claim(ctx, e.id(), 0)
	var refusal *flow.Refusal
	var obstacle *worktrees.Obstacle
	switch {
	case err == nil:
	case errors.As(err, &refusal), setback(err):
		return "it was lost", nil // the board says the rest
	case errors.As(err, &obstacle) && r.After != nil:
		return s.obstructed(ctx, r.After, e.id(), obstacle)
	default:
		return "", err
	}
	s.lease = leaseOf(r.After.Task(e.id()))
	e.dir = got.Worktree
	s.say("%s: the worktree of %s was gone and was made again", s.id, e.subject())
	if e.failure != "" {
		e.failure += "\n"
	}
	e.failure += "Before this session the worktree was gone and was made again; what was neither committed nor staged is lost."
	return "", s.prepare(ctx, e, r.After)
}

// obstructed blocks a claimed task that has no worktree to be worked on in: the
// agent is not to blame, and another one would find the same.
func (s *supervisor) obstructed(ctx context.Context, b *flow.Board, id flow.TaskID, o *worktrees.Obstacle) (failed string, err error) {
	question := "May what is in the way of its worktree go?"
	if o.Hint != "" {
		question += " " + o.Hint
	}
	limit := b.Settings().Config.TextLimit
	_, err = s.clone.Make(ctx, flow.ActBlock, id, &flow.BlockMove{
		Reason: flow.Excerpt("worktree_obstacle: "+o.Error(), limit), Questions: []string{flow.Excerpt(question, limit)}})
	return o.Error(), err
}
