//go:build !linux

package proc

import "errors"

// awaitExit is not available: waitid of macOS also returns for a child that was only
// stopped (golang.org/issue/19314).
func awaitExit(int) error { return errors.ErrUnsupported }
