package git

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// openFile opens a regular file as os.OpenFile does. That asks the kernel of each file
// whether reads of it can be waited for, which takes five system calls more; a move opens
// some twenty objects.
func openFile(path string, flag int, mode uint32) (*os.File, error) {
	fd, err := openDescriptor(path, flag, mode)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), path), nil
}

func openDescriptor(path string, flag int, mode uint32) (int, error) {
	for {
		fd, err := syscall.Open(path, flag|syscall.O_CLOEXEC, mode)
		if err == nil {
			return fd, nil
		}
		if !errors.Is(err, syscall.EINTR) {
			return 0, &fs.PathError{Op: "open", Path: path, Err: err}
		}
	}
}
