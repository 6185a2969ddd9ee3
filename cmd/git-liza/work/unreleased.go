package work

import (
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
