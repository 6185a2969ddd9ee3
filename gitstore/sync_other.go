//go:build !linux

package gitstore

// syncFiles makes the content of the files durable, one by one.
func syncFiles(files []looseFile, mode string) error {
	if mode == fsyncNone {
		return nil
	}
	return syncEach(files)
}
