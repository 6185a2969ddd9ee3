package git

import (
	"os"
	"path/filepath"
	"strings"
)

// syncFiles makes the content of files that were just written durable: in a
// batch each is written out, and one flush of the disk serves for all, as git's
// core.fsyncMethod=batch does.
func syncFiles(files []*os.File, mode string) error {
	if mode == fsyncNone || len(files) == 0 {
		return nil
	}
	if mode == fsyncBatch {
		if done, err := writeOut(files); err != nil || done {
			if err != nil {
				return err
			}
			return flushDisk(files[len(files)-1], mode)
		}
	}
	for _, f := range files {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	return nil
}

// flushDisk makes durable what was written to f just now, and the names in the
// folders; in a batch also whatever was written out, made or renamed on that
// file system before.
func flushDisk(f *os.File, mode string, folders ...string) error {
	if mode == fsyncNone {
		return nil
	}
	if mode == fsyncBatch {
		if done, err := flushAll(f); err != nil || done {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return syncFolders(folders)
}

// syncFolders makes the names in folders durable. One that is gone has none.
func syncFolders(folders []string) error {
	done := make(map[string]bool)
	for _, dir := range folders {
		if done[dir] {
			continue
		}
		done[dir] = true
		f, err := os.Open(dir)
		if isAbsent(err) {
			continue
		}
		if err != nil {
			return err
		}
		err = f.Sync()
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// foldersUpTo lists the folder of each path and those above it, up to top:
// each of them may have been made for it.
func foldersUpTo(top string, paths ...string) []string {
	var list []string
	for _, path := range paths {
		for dir := filepath.Dir(path); len(dir) >= len(top) && strings.HasPrefix(dir, top); dir = filepath.Dir(dir) {
			list = append(list, dir)
		}
	}
	return list
}
