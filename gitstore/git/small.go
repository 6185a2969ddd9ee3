package git

import (
	"fmt"
	"io"
	"os"
	"syscall"
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
		err = fmt.Errorf("%s is no regular file", path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// maxSmall is more than any file has that says where a worktree or a ref is.
const maxSmall = 1 << 20

// ReadSmall is the content of a file that [OpenRegular] opens and that has no
// more than 1 MiB; more is an error.
func ReadSmall(path string) ([]byte, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readBounded(f)
}

// readBounded reads a file of at most 1 MiB.
func readBounded(f *os.File) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(f, maxSmall+1))
	if err == nil && len(text) > maxSmall {
		err = fmt.Errorf("%s has more than %d bytes", f.Name(), maxSmall)
	}
	return text, err
}
