package gitstore

import (
	"context"
	"os"
	"path/filepath"
)

// DetachHead makes HEAD of the work tree whose git directory is gitDir name
// commit instead of a branch; old is the commit that it was at. The branch stays
// where it is. The lock that a killed process leaves is cleared as those of
// [Repo.MoveRefs] are. The error is a *GitError.
func (r *Repo) DetachHead(ctx context.Context, gitDir string, old, commit ID, message string) error {
	if err := r.Recover(ctx); err != nil {
		return err
	}
	for {
		err := r.detachHead(ctx, gitDir, old, commit, message)
		if err == nil || ctx.Err() != nil {
			return err
		}
		// The lock may be one of a dead process of ours that was too young before.
		cleared, recoverErr := r.recover()
		if recoverErr != nil || cleared == 0 {
			return err
		}
	}
}

func (r *Repo) detachHead(ctx context.Context, gitDir string, old, commit ID, message string) error {
	entry, err := r.openJournal([]lockFile{{path: filepath.Join(gitDir, "HEAD.lock"), value: commit}})
	if err != nil {
		return err
	}
	defer entry.close()
	args := append(append([]string{}, lockArgs...), "update-ref", "--no-deref", "-m", oneLine(message), "HEAD", string(commit), string(old))
	p := r.process(ctx, Cmd{Args: args, Env: []string{"GIT_DIR=" + gitDir}})
	defer p.cancel()
	p.ExtraFiles = []*os.File{entry.file} // the entry stays locked while git lives
	_, err = p.run()
	return err
}
