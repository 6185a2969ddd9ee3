package git

import (
	"os"

	"golang.org/x/sys/unix"
)

// isUnused reports whether no process of this machine has a file open: the
// kernel gives a lease on it only then. False also where it cannot tell.
func isUnused(path string) bool {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer f.Close() // ends the lease
	_, err = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_WRLCK)
	return err == nil
}
