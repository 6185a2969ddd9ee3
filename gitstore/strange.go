package gitstore

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-liza/git-liza/gitstore/git"
)

// StrangeFiles lists what stands where entries of the journal and of the outbox do
// and is no file: nobody of ours made it, and it is passed over. So is, with
// harm, what stands in the place of one of these folders: no move can be made.
func StrangeFiles(r *git.Repo) (paths []string, harm bool, err error) {
	for _, dir := range []string{r.Journal.Dir(), outboxDir(r)} {
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

// isThere reports whether there is anything at a path, if only a link that leads
// nowhere.
func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
