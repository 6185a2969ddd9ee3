package work

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/lists"
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

// PutAside puts the board of this clone aside, as [gitstore.Store.PutAside] does: a person
// gives it up. Its checkouts have to go first: they are on branches that move.
func (c *Clone) PutAside(ctx context.Context, every bool) (string, error) {
	b, _, err := c.Store.Board(ctx)
	if !errors.Is(err, gitstore.ErrUnreleased) && (err != nil || !every) {
		return c.Store.PutAside(ctx, every)
	}
	if by := c.Caller.By; by != "" && !by.IsHuman() {
		return "", &flow.Refusal{Rule: flow.RuleRole, Hint: "git liza status", Reason: "a board is given up by a person, not by " + string(by)}
	}
	if head, _ := c.Repo.Git(ctx, "symbolic-ref", "-q", "HEAD"); strings.HasPrefix(string(head), layout.TaskRefs) {
		return "", &flow.Refusal{Rule: flow.RuleState, Hint: "git switch --detach", Reason: "HEAD is a branch of the board that would be put aside"}
	}
	list := lists.Of(c.Checkouts.Names(ctx), func(name string) Checkout { return Checkout{Path: c.Checkouts.Trees.Path(name)} })
	if every {
		if list, err = c.Checkouts.List(ctx, b); err != nil {
			return "", err
		}
	}
	if len(list) > 0 {
		return "", &flow.Refusal{Rule: flow.RuleState, Hint: list[0].ending(),
			Reason: "the checkout " + list[0].Path + " is on the board that would be put aside: save what it holds, and remove it"}
	}
	return c.Store.PutAside(ctx, every)
}

// ending is the command that comes next on the way to the end of a checkout; what only it
// holds is kept.
func (k Checkout) ending() string {
	switch id := string(k.Task); {
	case id == "":
		return "git worktree remove " + shell.Quote(k.Path)
	case k.Status.Final():
		return "git liza worktree prune"
	case flow.Allows(k.Status, board.ActAbandon):
		return "git liza task abandon " + id + " --reason R"
	default:
		return "git liza release " + id
	}
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
