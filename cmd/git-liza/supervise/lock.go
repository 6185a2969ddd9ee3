package supervise

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/git-liza/git-liza/gitstore/git"
)

// tryLock takes a kernel lock that the processes and supervisors of a clone share. It
// does not wait, and returns nil if another one has the lock. The lock only saves work
// that two would do twice; the board decides whose move counts.
func tryLock(commonDir, name string) (release func(), err error) {
	f, err := git.OpenLock(commonDir, name+".lock")
	if err != nil {
		return nil, fmt.Errorf("lock of %s: %w", name, err)
	}
	err = git.TryLock(f)
	if err == nil {
		return func() { f.Close() }, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, nil
	}
	return nil, fmt.Errorf("lock of %s: %w", name, err)
}
