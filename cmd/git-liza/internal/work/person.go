package work

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// PersonKey is the setting that names the person of a clone, where git's user.name gives the
// id of somebody else.
const PersonKey = "liza.person"

// CheckPerson refuses that two people make moves as one: the board's last move by this human
// was made under another name and another address. Whom it let pass it asks again when name
// or address change.
func CheckPerson(ctx context.Context, c *Clone, by flow.Actor) error {
	named, err := c.Repo.Config.Config(ctx, PersonKey)
	if named != "" || err != nil {
		return err // who says so is somebody
	}
	name, email, err := c.Repo.Config.Identity(ctx)
	if err != nil {
		return err
	}
	path, mark := filepath.Join(c.Repo.CommonDir(), layout.Private, "person"), fmt.Sprintf("%s %s <%s>\n", by, name, email)
	known, _ := git.ReadSmall(path)
	tip, err := c.Store.Tip(ctx)
	if string(known) == mark || errors.Is(err, gitstore.ErrNoBoard) {
		return nil
	} else if err != nil {
		return err
	}
	author := strings.TrimPrefix(string(by), "human:")
	out, err := c.Repo.Git(ctx, "log", "-1", "-F", "--author="+author+" <"+author+"@liza.invalid>", "--format=%cn%x00%ce", string(tip), "--")
	if err != nil {
		return err
	}
	was, address, found := strings.Cut(strings.TrimSpace(string(out)), "\x00")
	if found && !strings.EqualFold(was, name) && !strings.EqualFold(address, email) {
		return &flow.Refusal{Rule: flow.RuleIdentity, Hint: "git config " + PersonKey + " " + string(flow.Human(name+" "+email)),
			Reason: fmt.Sprintf("%s is %s <%s> on this board, and you are %s <%s>: the hint gives you an id of your own, and git config %s %s says that you are the same person",
				by, flow.Excerpt(was, 80), flow.Excerpt(address, 80), name, email, PersonKey, by)}
	}
	_ = git.ReplaceFile(path, []byte(mark)) // else it is asked again
	return nil
}
