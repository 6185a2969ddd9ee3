//go:build linux && !amd64 && !arm64

package killpoint

// older are system calls that later architectures do not have.
var older []operation
