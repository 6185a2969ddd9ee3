package git

import (
	"context"
	"os"
	"path/filepath"
	"slices"
)

// Isolated are the options with which git starts no program that the configuration of a
// work tree names as its monitor or hooks: an agent may have written it. Hooks are those
// of a folder alone. Submodules stay as they are, and nothing is packed.
func Isolated(hooks string) []string {
	return []string{"-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false", "-c", "submodule.recurse=false", "-c", "gc.auto=0",
		"-c", "core.hooksPath=" + hooks}
}

// DetachHead makes HEAD of the work tree whose git directory is gitDir name
// commit instead of a branch; old is the commit that it was at, "" if the branch is gone. The
// branch stays where it is. No hook is run, and nothing that the work tree configures. The
// lock that a killed process leaves is cleared as those of [RefStore.MoveRefs] are. The error
// is a *Error, or a *Locked.
func (s *RefStore) DetachHead(ctx context.Context, gitDir string, old, commit ID, message string) error {
	args := slices.Concat(Isolated(os.DevNull), LockArgs(), []string{"update-ref", "--no-deref", "-m", oneLine(message), "HEAD", string(commit)})
	if old != "" {
		args = append(args, string(old))
	}
	left := Leftovers{Locks: []LockFile{{path: filepath.Join(gitDir, "HEAD.lock"), value: commit}}}
	return s.repo.Journal.RunUnlocked(ctx, left, func() error {
		_, err := s.repo.Run(ctx, Cmd{Args: args, Env: []string{"GIT_DIR=" + gitDir, "GIT_COMMON_DIR=" + s.repo.CommonDir()}, Leaves: left})
		return err
	})
}
