package main

import (
	"os"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/gitstore"
)

// housekeepCommand packs the objects of some hundred moves. The command whose
// move makes this due starts it in the background.
type housekeepCommand struct {
	From string `arg:"" help:"The state commit at the last pack, or root."`
	To   string `arg:"" help:"The last state commit to pack."`
}

func (c *housekeepCommand) Run(inv *invocation) error {
	repo, err := inv.repo()
	if err != nil {
		return err
	}
	store := gitstore.OpenStore(inv.ctx, repo, inv.now)
	if err := store.Packer.Housekeep(inv.ctx, c.From, c.To); err != nil {
		return err
	}
	return inv.answer("", nil, "")
}

// background starts this program again in the background.
func (inv *invocation) background(args ...string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	return proc.Background(proc.Command{Path: program, Args: args, Dir: inv.dir, Env: inv.environ})
}
