package proc

import (
	"fmt"
	"os"
	"syscall"
)

// A Mark tells the descendants of a bound command what that command is. A guard has
// it on its command line, which other processes can read and only the guard can
// change, and in a record for processes that cannot see the guard.
type Mark struct {
	// Place is the folder that the command works on, as [Place] names it.
	Place string `json:"place"`
	// Words are the caller's own.
	Words []string `json:"words"`
}

// Place names a folder in this boot of the machine. The name is the same for each path
// that leads to the folder. The error is that of [os.Stat].
func Place(folder string) (string, error) {
	info, err := os.Stat(folder)
	if err != nil {
		return "", err
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return folder, nil
	}
	return fmt.Sprintf("%d:%d", s.Dev, s.Ino), nil
}
