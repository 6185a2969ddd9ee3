package hooks

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/hooks/stubs"
)

// Settle moves the refs of a server after a push to the commits that the board names:
// a push may bring a merge without its branch, or git may have been killed between
// two refs. It tells the hooks which branch the board guards.
func Settle(ctx context.Context, s *gitstore.Store) error {
	if err := s.Settler.Settle(ctx); err != nil {
		return err
	}
	b, tip, err := s.Board(ctx)
	if errors.Is(err, gitstore.ErrNoBoard) {
		return nil
	}
	if err == nil {
		err = stubs.SetIntegration(ctx, s.Repo, b.Settings().Integration.Name)
	}
	if err != nil {
		return err
	}
	path := filepath.Join(s.Repo.CommonDir(), stubs.Due)
	if landed, err := os.ReadFile(path); err != nil || git.ID(landed) != tip {
		return nil // the note is of a push that git has not finished
	}
	return os.Remove(path)
}
