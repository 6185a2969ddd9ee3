package gitstore

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-liza/git-liza/gitstore/git"
)

// StrangeFiles lists entries in the folders of the journal and of moves that wait that
// are not regular files. git liza did not make them and skips them. harm
// reports that one of the folders is itself something else; paths then
// names it, and no move can be made.
func StrangeFiles(r *git.Repo) (paths []string, harm bool, err error) {
	for _, dir := range []string{r.Journal.Dir(), outboxDir(r), waitingDir(r)} {
		info, err := os.Stat(dir)
		if errors.Is(err, fs.ErrNotExist) && !isThere(dir) {
			continue
		}
		if err != nil || !info.IsDir() {
			return []string{dir}, true, nil
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, false, err
		}
		for _, entry := range entries {
			if !entry.Type().IsRegular() {
				paths = append(paths, filepath.Join(dir, entry.Name()))
			}
		}
	}
	return paths, false, nil
}

// isThere reports whether anything is at a path, even a dangling link.
func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
