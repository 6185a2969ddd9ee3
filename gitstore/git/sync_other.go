//go:build !linux

package git

import (
	"os"

	"golang.org/x/sys/unix"
)

// writeOut and flushAll report that only file by file is known to be durable.
func writeOut([]*os.File) (bool, error) { return false, nil }

func flushAll(*os.File) (bool, error) { return false, nil }

// syncFileSystem has all file systems written out; f is on one of them.
func syncFileSystem(f *os.File) error {
	if err := unix.Sync(); err != nil {
		return err
	}
	return f.Sync()
}
