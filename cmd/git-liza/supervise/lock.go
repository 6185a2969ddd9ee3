package supervise

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// tryLock takes a kernel lock that the processes and supervisors of a clone
// share, without waiting; nil if somebody has it. It only keeps two from doing
// the same work twice: what they do is decided by the board.
func tryLock(commonDir, name string) (release func(), err error) {
	path := filepath.Join(commonDir, "liza", name+".lock")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, fmt.Errorf("lock of %s: %w", name, err)
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err == nil {
		return func() { f.Close() }, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, nil
	}
	return nil, fmt.Errorf("lock of %s: %w", name, err)
}
