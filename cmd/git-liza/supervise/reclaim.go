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

// A ground is what a session stands on: the board and the integration branch,
// and the hooks that guard both. What a session moves there against the rules is
// put back when it has ended, and so are [settings].
type ground struct {
	footing work.Footing
	hooks   func(context.Context) (string, error) // nil where nobody asked for hooks
	alone   bool
}

// ground notes how everything stands before a session.
func (s *supervisor) ground(ctx context.Context) (g ground, err error) {
	g.alone = s.rush.sessions.Add(1) == 1
	if g.footing, err = s.clone.Footing(ctx); err == nil && s.rush.Hooks != nil {
		g.hooks, err = s.rush.Hooks(ctx)
	}
	if err == nil {
		err = s.rush.settings.begin(ctx, s.clone)
	}
	if err != nil {
		s.rush.sessions.Add(-1)
		return g, err
	}
	s.rush.footing.Store(&g.footing)
	return g, nil
}

// retrieved reports whether an error was that the board could not be read, in a
// rush that has run a session, and the board is there again: nobody's work ends
// because an agent has removed it.
func (s *supervisor) retrieved(ctx context.Context, err error) bool {
	var breach *gitstore.Breach
	var malformed *document.Error
	known := s.rush.footing.Load()
	if known == nil || !errors.Is(err, gitstore.ErrStateLost) && !errors.As(err, &breach) && !errors.As(err, &malformed) {
		return false
	}
	said, err := s.clone.Reclaim(ctx, *known)
	for _, line := range said {
		s.say("a session went round the rules: %s", line)
	}
	return err == nil // another supervisor may have been faster
}

// reclaim puts back what the session has moved, and says so. Where no other
// session ran beside it, it counts as having failed.
func (s *supervisor) reclaim(ctx context.Context, e *errand, g ground, ending *provider.Ending) {
	alone := s.rush.sessions.Add(-1) == 0 && g.alone
	said, err := s.clone.Reclaim(ctx, g.footing)
	if g.hooks != nil {
		line, hooksErr := g.hooks(ctx)
		if line != "" {
			said = append(said, line)
		}
		err = errors.Join(err, hooksErr)
	}
	back, told, settingsErr := s.rush.settings.end(ctx, s.clone)
	if err = errors.Join(err, settingsErr); len(back) > 0 {
		said = append(said, "of git's configuration "+strings.Join(back, ", ")+" is as it was before; its user changes it while no session runs")
	}
	for _, line := range told {
		s.say("%s: %s", s.id, line)
	}
	if e.role == flow.Coder && err == nil {
		err = s.home(ctx, e)
	}
	if err != nil {
		s.say("%s: after the session on %s: %v; git liza doctor", s.id, e.subject(), err)
	}
	if len(said) == 0 {
		return
	}
	who := "the session of " + string(s.id)
	if !alone {
		who = "a session, of " + string(s.id) + " or beside it,"
	}
	what := who + " went round the rules: " + strings.Join(said, "; ")
	s.say("%s", what)
	if alone {
		ending.Outcome, ending.Text = provider.Failed, flow.Excerpt(what, 1000)
	}
}

// home brings a worktree that the agent left on another branch back to the
// task's, where nothing is lost by it.
func (s *supervisor) home(ctx context.Context, e *errand) error {
	if gone(e.dir) {
		return nil
	}
	back, err := s.clone.Trees.Return(ctx, e.dir, e.id().Branch())
	if back {
		s.say("%s: the worktree of %s is on %s again", s.id, e.subject(), e.id().Branch())
	}
	var missing *worktrees.Obstacle
	if errors.As(err, &missing) {
		return nil // a worktree that the agent has ruined is made anew
	}
	return err
}
