package git

import (
	"context"
	"os"
	"path/filepath"
)

// DetachHead makes HEAD of the work tree whose git directory is gitDir name
// commit instead of a branch; old is the commit that it was at. The branch stays
// where it is. The lock that a killed process leaves is cleared as those of
// [RefStore.MoveRefs] are. The error is a *Error, or a *Locked.
func (s *RefStore) DetachHead(ctx context.Context, gitDir string, old, commit ID, message string) error {
	args := append([]string{"-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false", "-c", "core.hooksPath=" + os.DevNull}, LockArgs()...)
	args = append(args, "update-ref", "--no-deref", "-m", oneLine(message), "HEAD", string(commit), string(old))
	left := Leftovers{Locks: []LockFile{{path: filepath.Join(gitDir, "HEAD.lock"), value: commit}}}
	return s.repo.Journal.RunUnlocked(ctx, left, func() error {
		_, err := s.repo.Run(ctx, Cmd{Args: args, Env: []string{"GIT_DIR=" + gitDir, "GIT_COMMON_DIR=" + s.repo.CommonDir()}, Leaves: left})
		return err
	})
}
