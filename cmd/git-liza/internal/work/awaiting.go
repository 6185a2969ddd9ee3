package work

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Awaiting reports whether an agent waits inside its session, in any process
// that shares the git directory. A supervisor does not end a session that
// waits. An error counts as no, so that no session lasts forever.
func Awaiting(commonDir string, agent flow.AgentID) bool {
	f, err := os.OpenFile(awaitPath(commonDir, agent), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer git.Unlock(f)
	return errors.Is(git.TryLock(f), syscall.EWOULDBLOCK)
}

// awaitPath returns the file whose kernel lock an agent holds while it waits.
// The lock ends with its holder; the file stays.
func awaitPath(commonDir string, agent flow.AgentID) string {
	return filepath.Join(commonDir, layout.Private, "await", string(agent))
}

// holdWait marks an agent as waiting until release is called. The lock is
// shared: an agent with two waits counts as waiting until both end.
func holdWait(commonDir string, agent flow.AgentID) (release func(), err error) {
	path := awaitPath(commonDir, agent)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, fmt.Errorf("wait of %s: %w", agent, err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, fmt.Errorf("wait of %s: %w", agent, err)
	}
	if err := git.ShareLock(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("wait of %s: %w", agent, err)
	}
	return func() { git.Unlock(f) }, nil
}
