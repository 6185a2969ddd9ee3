package git

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// openFile opens a regular file as os.OpenFile does. That asks the kernel of each file
// whether reads of it can be waited for, which takes five system calls more; a move opens
// some twenty objects.
func openFile(path string, flag int, mode uint32) (*os.File, error) {
	fd, err := openDescriptor(unix.AT_FDCWD, path, flag, mode)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), path), nil
}

// openDescriptor opens a path below an open folder.
func openDescriptor(folder int, path string, flag int, mode uint32) (int, error) {
	for {
		fd, err := unix.Openat(folder, path, flag|unix.O_CLOEXEC, mode)
		if err == nil {
			return fd, nil
		}
		if !errors.Is(err, syscall.EINTR) {
			return 0, &fs.PathError{Op: "open", Path: path, Err: err}
		}
	}
}
