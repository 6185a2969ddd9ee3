package main

import (
	"os"

	"github.com/git-liza/git-liza/cmd/git-liza/proc"
	"github.com/git-liza/git-liza/gitstore"
)

// housekeepCommand packs what a thousand moves have left. A command after whose
// move that is due starts it in the background.
type housekeepCommand struct {
	From string `arg:"" help:"The state commit at the last pack, or root."`
	To   string `arg:"" help:"The last state commit to pack."`
}

func (c *housekeepCommand) Run(s *session) error {
	repo, err := s.repo()
	if err != nil {
		return err
	}
	store, err := gitstore.OpenStore(s.ctx, repo, s.now)
	if err != nil {
		return err
	}
	if err := store.Packer.Housekeep(s.ctx, c.From, c.To); err != nil {
		return err
	}
	return s.answer("", nil, "")
}

// background starts this program once more.
func (s *session) background(args ...string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	return proc.Background(proc.Command{Path: program, Args: args, Dir: s.dir, Env: s.environ})
}
