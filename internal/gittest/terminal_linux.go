package gittest

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// unlockTerminal returns the name of the end of a new pseudo-terminal that programs open.
func unlockTerminal(keys *os.File) (string, error) {
	n, err := unix.IoctlGetInt(int(keys.Fd()), unix.TIOCGPTN)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("/dev/pts/%d", n), unix.IoctlSetPointerInt(int(keys.Fd()), unix.TIOCSPTLCK, 0)
}
