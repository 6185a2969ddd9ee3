//go:build !linux

package hugepage

// Ask does nothing: only Linux is asked for large pages.
func Ask(int) {}
