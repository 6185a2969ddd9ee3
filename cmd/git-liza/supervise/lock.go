package supervise

import (
	"fmt"

	"github.com/git-liza/git-liza/gitstore/git"
)

// tryLock takes a kernel lock that the processes and supervisors of a clone share. It
// does not wait, and returns nil if another one has the lock. The lock only saves work
// that two would do twice; the board decides whose move counts.
func tryLock(commonDir, name string) (release func(), err error) {
	if release, err = git.TryHoldLock(commonDir, name+".lock"); err != nil {
		return nil, fmt.Errorf("lock of %s: %w", name, err)
	}
	return release, nil
}
