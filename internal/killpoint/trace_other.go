//go:build !linux

package killpoint

import "testing"

// Trace skips the test: only Linux can stop a process at its system calls.
func Trace(t testing.TB, r Run) Ended {
	t.Helper()
	t.Skip("tracing processes needs Linux")
	return Ended{}
}
