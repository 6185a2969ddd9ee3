//go:build !linux

package gittest

import "errors"

// OnKernel is for Linux alone.
func OnKernel(int, int, func()) error { return errors.ErrUnsupported }
