package supervise

import (
	"context"
	"errors"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/worktrees"
)

// A baseline is what a session stands on: the board and the integration branch,
// and the hooks that guard both. What a session moves there against the rules is
// put back when it has ended, and so are [settings].
type baseline struct {
	refs  work.Baseline
	hooks func(context.Context) (string, error) // nil where nobody asked for hooks
	alone bool
}

// takeBaseline notes how everything stands before a session.
func (w *worker) takeBaseline(ctx context.Context) (g baseline, err error) {
	g.alone = w.rush.sessions.Add(1) == 1
	if g.refs, err = w.clone.Integration.TakeBaseline(ctx); err == nil && w.rush.Hooks != nil {
		g.hooks, err = w.rush.Hooks(ctx)
	}
	if err == nil {
		err = w.rush.settings.beginSession(ctx, w.clone)
	}
	if err != nil {
		w.rush.sessions.Add(-1)
		return g, err
	}
	w.rush.baseline.Store(&g.refs)
	return g, nil
}

// restoreBoard reports whether an error was that the board could not be read, in a
// rush that has run a session, and the board is there again: nobody's work ends
// because an agent has removed it.
func (s *supervisor) restoreBoard(ctx context.Context, err error) bool {
	var breach *gitstore.Breach
	var malformed *document.Error
	known := s.rush.baseline.Load()
	if known == nil || !errors.Is(err, gitstore.ErrStateLost) && !errors.As(err, &breach) && !errors.As(err, &malformed) {
		return false
	}
	said, err := s.clone.Integration.RestoreBaseline(ctx, *known)
	for _, line := range said {
		s.say("a session went round the rules: %s", line)
	}
	return err == nil // another supervisor may have been faster
}

// restoreBaseline puts back what the session has moved, and says so. Where no other
// session ran beside it, it counts as having failed.
func (w *worker) restoreBaseline(ctx context.Context, a *assignment, g baseline, ending *provider.Ending) {
	alone := w.rush.sessions.Add(-1) == 0 && g.alone
	said, err := w.clone.Integration.RestoreBaseline(ctx, g.refs)
	if g.hooks != nil {
		line, hooksErr := g.hooks(ctx)
		if line != "" {
			said = append(said, line)
		}
		err = errors.Join(err, hooksErr)
	}
	back, told, settingsErr := w.rush.settings.endSession(ctx, w.clone)
	if err = errors.Join(err, settingsErr); len(back) > 0 {
		said = append(said, "of git's configuration "+strings.Join(back, ", ")+" is as it was before; its user changes it while no session runs")
	}
	for _, line := range told {
		w.say("%s: %s", w.id, line)
	}
	if a.role == flow.Coder && err == nil {
		err = w.returnWorktree(ctx, a)
	}
	if err != nil {
		w.say("%s: after the session on %s: %v; git liza doctor", w.id, a.subject(), err)
	}
	if len(said) == 0 {
		return
	}
	who := "the session of " + string(w.id)
	if !alone {
		who = "a session, of " + string(w.id) + " or beside it,"
	}
	what := who + " went round the rules: " + strings.Join(said, "; ")
	w.say("%s", what)
	if alone {
		ending.Outcome, ending.Text = provider.Failed, flow.Excerpt(what, 1000)
	}
}

// returnWorktree brings a worktree that the agent left on another branch back to the
// task's, where nothing is lost by it.
func (w *worker) returnWorktree(ctx context.Context, a *assignment) error {
	if worktreeMissing(a.dir) {
		return nil
	}
	back, err := w.clone.Checkouts.Trees.Contents.Return(ctx, a.dir, a.taskID().Branch())
	if back {
		w.say("%s: the worktree of %s is on %s again", w.id, a.subject(), a.taskID().Branch())
	}
	var missing *worktrees.Obstacle
	if errors.As(err, &missing) {
		return nil // a worktree that the agent has ruined is made anew
	}
	return err
}
