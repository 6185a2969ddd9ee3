package proc

import "golang.org/x/sys/unix"

// awaitExit blocks until the child pid has ended, and leaves it unreaped. On an error
// nothing is known about the child.
func awaitExit(pid int) error {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err
		}
	}
}
