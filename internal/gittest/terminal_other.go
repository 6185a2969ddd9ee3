//go:build !linux && !darwin

package gittest

import (
	"errors"
	"os"
)

// unlockTerminal returns the name of the end of a new pseudo-terminal that programs open.
func unlockTerminal(*os.File) (string, error) { return "", errors.ErrUnsupported }
