package gitstore

import "golang.org/x/sys/unix"

// syncFiles makes the content of the files durable. A batch is written out
// file by file and needs one flush of the disk for all, as git's
// core.fsyncMethod=batch does.
func syncFiles(files []looseFile, mode string) error {
	if mode == fsyncNone || len(files) == 0 {
		return nil
	}
	if mode == fsyncBatch {
		const out = unix.SYNC_FILE_RANGE_WAIT_BEFORE | unix.SYNC_FILE_RANGE_WRITE | unix.SYNC_FILE_RANGE_WAIT_AFTER
		last := len(files) - 1
		for _, f := range files[:last] {
			if err := unix.SyncFileRange(int(f.file.Fd()), 0, 0, out); err != nil {
				return syncEach(files) // a file system without it
			}
		}
		return files[last].file.Sync()
	}
	return syncEach(files)
}
