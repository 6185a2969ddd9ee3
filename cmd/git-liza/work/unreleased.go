package work

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore"
)

// CheckAnew refuses to begin anew with a board from before the first release that a remote
// holds too: two boards could never be joined. A remote that cannot be asked refuses nothing.
func (c *Clone) CheckAnew(ctx context.Context) error {
	remote, err := c.Store.Authority(ctx)
	if err != nil || remote == "" {
		return err
	}
	tip, err := c.Store.Remotes.BoardOf(ctx, remote)
	if err != nil || tip == "" {
		return nil
	}
	if _, err := c.Store.BoardAt(tip); errors.Is(err, gitstore.ErrUnreleased) {
		return c.unreleasedAt(ctx, remote)
	}
	return &flow.Refusal{Rule: flow.RuleState, Hint: "git liza init --anew --remote " + shell.Quote(remote), Reason: remote + " has a new board already"}
}

// PutAside puts the board of this clone aside, as [gitstore.Store.PutAside] does. Its
// checkouts have to go first: they are on branches that move. Those of a released board go
// here, and what only they hold is kept, apart from those that somebody works in.
func (c *Clone) PutAside(ctx context.Context, every bool) (string, error) {
	b, _, err := c.Store.Board(ctx)
	released, stop := err == nil && every, ""
	if released {
		stop = "git liza stop"
		if _, err := c.Checkouts.prune(ctx, b, func(k Checkout) bool { return k.Task != "" && !c.Checkouts.isStoodIn(k.Name) }); err != nil {
			return "", err
		}
	}
	if names := c.Checkouts.Names(ctx); len(names) > 0 && (released || errors.Is(err, gitstore.ErrUnreleased)) {
		path := c.Checkouts.Trees.Path(names[0])
		return "", &flow.Refusal{Rule: flow.RuleState, Hint: cmp.Or(stop, "git worktree remove "+shell.Quote(path)),
			Reason: "the checkout " + path + " is on the board that would be put aside: save what it holds, and remove it"}
	}
	return c.Store.PutAside(ctx, every)
}

// explainUnreleased says where a board is from before the first release, if that is the
// error. The board of this clone has to go first.
func (c *Clone) explainUnreleased(ctx context.Context, remote string, err error) error {
	if _, _, own := c.Store.Board(ctx); errors.Is(own, gitstore.ErrUnreleased) || !errors.Is(err, gitstore.ErrUnreleased) {
		return err
	}
	return c.unreleasedAt(ctx, remote)
}

// unreleasedAt refuses the board of a remote, which only its repository can put aside: the
// hooks there refuse to delete refs.
func (c *Clone) unreleasedAt(ctx context.Context, remote string) error {
	url, err := c.Repo.Config.Config(ctx, "remote."+remote+".url")
	if err != nil {
		return err
	}
	where := "REPOSITORY"
	if path := strings.TrimPrefix(url, "file://"); filepath.IsAbs(path) {
		where = shell.Quote(path)
	}
	return &flow.Refusal{Rule: flow.RuleFormat, Hint: "git -C " + where + " liza init --anew GOAL",
		Reason: "a build from before the first release made the board of " + remote + ", and no release reads it: its refs are put away in that repository, on its host"}
}
