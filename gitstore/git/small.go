package git

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// OpenRegular opens a regular file for reading. Anything else in its place is an error
// at once: reading a fifo would never end, and a device would fill the memory.
func OpenRegular(path string) (*os.File, error) {
	return openRegular(path, os.O_RDONLY)
}

// OpenOwn opens a file of ours in the git directory for writing, and makes it where it is
// missing; how adds flags. A symbolic link in its place is an error: a session that may
// write there, or an unpacked archive, could have any file of the user written over.
func OpenOwn(path string, how int) (*os.File, error) {
	return openRegular(path, os.O_WRONLY|os.O_CREATE|syscall.O_NOFOLLOW|how)
}

func openRegular(path string, how int) (*os.File, error) {
	f, err := os.OpenFile(path, how|syscall.O_NONBLOCK, 0o666)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = &os.PathError{Op: "read", Path: path, Err: syscall.EISDIR}
	case !info.Mode().IsRegular():
		err = errNotRegular(path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// maxSmall is more than any file has that says where a worktree or a ref is.
const maxSmall = 1 << 20

// ReadSmall is the content of a regular file of no more than 1 MiB; more is an error, and so
// is anything else in its place, as for [OpenRegular]. A command reads some hundred of them, so
// it asks the kernel for nothing but the text: an [os.File] takes twice as many system calls.
func ReadSmall(path string) ([]byte, error) { return readSmall(unix.AT_FDCWD, path, 0) }

// readSmall is [ReadSmall] of a path below an open folder; how adds flags.
func readSmall(folder int, path string, how int) ([]byte, error) {
	fd, err := openDescriptor(folder, path, os.O_RDONLY|syscall.O_NONBLOCK|how, 0)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	var info syscall.Stat_t
	if err := syscall.Fstat(fd, &info); err != nil {
		return nil, &os.PathError{Op: "stat", Path: path, Err: err}
	}
	switch info.Mode & syscall.S_IFMT {
	case syscall.S_IFREG:
	case syscall.S_IFDIR:
		return nil, &os.PathError{Op: "read", Path: path, Err: syscall.EISDIR}
	default:
		return nil, errNotRegular(path)
	}
	text := make([]byte, 0, min(max(info.Size, 0), maxSmall)+bytes.MinRead)
	for len(text) <= maxSmall {
		n, err := syscall.Read(fd, text[len(text):cap(text)])
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return nil, &os.PathError{Op: "read", Path: path, Err: err}
		case n == 0:
			return text, nil
		}
		text = slices.Grow(text[:len(text)+n], bytes.MinRead)
	}
	return nil, errTooLarge(path)
}

// A Folder is an open folder, for looking at many files below it: short paths are found in
// half the time.
type Folder struct{ fd int }

// OpenFolder opens a folder, which the caller closes.
func OpenFolder(path string) (Folder, error) {
	fd, err := openDescriptor(unix.AT_FDCWD, path, os.O_RDONLY|syscall.O_DIRECTORY, 0)
	return Folder{fd}, err
}

// Close closes the folder.
func (f Folder) Close() { syscall.Close(f.fd) }

// ReadSmall is the function of that name for a path below the folder.
func (f Folder) ReadSmall(path string) ([]byte, error) { return readSmall(f.fd, path, 0) }

// Lacks reports whether nothing is at a path below the folder, not even a dangling link.
func (f Folder) Lacks(path string) bool {
	var info unix.Stat_t
	err := unix.Fstatat(f.fd, path, &info, unix.AT_SYMLINK_NOFOLLOW)
	return err == unix.ENOENT || err == unix.ENOTDIR
}

// readBounded reads a file of at most 1 MiB.
func readBounded(f *os.File) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(f, maxSmall+1))
	if err == nil && len(text) > maxSmall {
		err = errTooLarge(f.Name())
	}
	return text, err
}

func errNotRegular(path string) error { return fmt.Errorf("%s is no regular file", path) }

func errTooLarge(path string) error { return fmt.Errorf("%s has more than %d bytes", path, maxSmall) }

// PathsIn are the paths in a folder whose names have a beginning and an end, in order; none
// if the folder cannot be read. It asks nothing of the others, of which there may be many.
func PathsIn(folder, prefix, suffix string) (paths []string) {
	f, err := openFile(folder, os.O_RDONLY|syscall.O_DIRECTORY, 0) // a pipe would be waited for
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(-1)
	for _, name := range names {
		if strings.HasPrefix(name, prefix) && strings.HasSuffix(name[len(prefix):], suffix) {
			paths = append(paths, filepath.Join(folder, name))
		}
	}
	slices.Sort(paths)
	return paths
}
