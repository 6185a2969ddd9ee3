package git

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// writeOut hands the content of the files to the disk and waits until it has
// it, if only in its cache. It reports false on a file system that cannot.
func writeOut(files []*os.File) (bool, error) {
	for _, how := range []int{unix.SYNC_FILE_RANGE_WRITE, unix.SYNC_FILE_RANGE_WAIT_BEFORE | unix.SYNC_FILE_RANGE_WRITE | unix.SYNC_FILE_RANGE_WAIT_AFTER} {
		for _, f := range files {
			err := unix.SyncFileRange(int(f.Fd()), 0, 0, how)
			if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ESPIPE) {
				return false, nil
			}
			if err != nil {
				return false, &os.PathError{Op: "sync_file_range", Path: f.Name(), Err: err}
			}
		}
	}
	return true, nil
}

// flushAll makes the file system of f durable as it is. ext4 and XFS keep one
// journal in the order of what happens: with the last change all before it are
// on the disk. OverlayFS lies upon one of them wherever containers use it. Of
// others, such as Btrfs, that is not known.
func flushAll(f *os.File) (bool, error) {
	var on unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &on); err != nil {
		return false, err
	}
	switch on.Type {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.OVERLAYFS_SUPER_MAGIC:
		return true, f.Sync()
	}
	return true, syncFileSystem(f)
}

// syncFileSystem makes everything on the file system of f durable.
func syncFileSystem(f *os.File) error {
	if err := unix.Syncfs(int(f.Fd())); err != nil {
		return &os.PathError{Op: "syncfs", Path: f.Name(), Err: err}
	}
	return nil
}
