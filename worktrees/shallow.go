package worktrees

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/gitstore/git"
)

// renewShallow has history inside end where the clone's does, and at those commits where it
// ended that the clone lacks.
func (i *insides) renewShallow(ctx context.Context, root *os.Root) error {
	text, err := git.ReadSmall(filepath.Join(i.registry.common, "shallow"))
	if err != nil && !isAbsent(err) {
		return err
	}
	ends, objects := string(text), i.repo.Objects(ctx)
	inner, _ := readIn(root, "shallow") // without one, it is whole
	for _, id := range strings.Fields(inner) {
		if i.repo.CheckID(ID(id)) != nil || strings.Contains(ends, id) {
			continue
		}
		if _, _, err := objects.Read(ID(id)); errors.Is(err, git.ErrNoObject) {
			ends += id + "\n"
		}
	}
	switch {
	case strings.TrimSpace(ends) == inner:
		return nil
	case ends == "":
		return root.Remove("shallow")
	}
	return writeIn(root, "shallow", []byte(ends), 0o666)
}
