package worktrees

import (
	"context"

	"github.com/git-liza/git-liza/gitstore"
)

// Commit commits everything in the work tree at path, new files too, with the
// user's hooks and with env added to git's environment. There need be nothing
// to commit. The error is a [*gitstore.GitError] where git, or a hook, refuses;
// what was added to the index then stays there.
func (t *Trees) Commit(ctx context.Context, path, message string, environ []string) error {
	r, err := t.at(ctx, path)
	if err != nil {
		return err
	}
	status, err := t.status(ctx, r)
	if err != nil || status.Clean() {
		return err
	}
	if _, err := t.git(ctx, r, gitstore.Cmd{Args: []string{"add", "-A"}, Environ: environ, Limit: slow}); err != nil {
		return err
	}
	_, err = t.git(ctx, r, gitstore.Cmd{Args: []string{"commit", "-q", "--cleanup=whitespace", "-F", "-"}, Stdin: []byte(message), Environ: environ, Limit: slow})
	return err
}
