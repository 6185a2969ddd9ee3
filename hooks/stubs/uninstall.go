package stubs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/git-liza/git-liza/gitstore/git"
)

// Uninstall restores what Install found, byte for byte. Files that were changed since
// stay as they are and are returned.
func Uninstall(ctx context.Context, repo *git.Repo) (left []string, err error) {
	release, err := repo.Turns.Queue(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	r, err := readRecord(repo)
	if err != nil || r == nil {
		return nil, err
	}
	return r.uninstall(ctx, repo)
}

func (r *record) uninstall(ctx context.Context, repo *git.Repo) (left []string, err error) {
	if err := r.unsetCopies(ctx, repo); err != nil {
		return nil, err
	}
	for _, s := range slices.Backward(slices.Clone(r.Settings)) {
		if err := r.restoreSetting(ctx, repo, s); err != nil {
			return nil, err
		}
	}
	for _, f := range slices.Clone(r.Files) {
		removed, err := r.removeStub(f)
		if err != nil {
			return left, err
		}
		if !removed {
			left = append(left, r.absPath(f.Path))
		}
	}
	for _, folder := range slices.Backward(r.Folders) {
		os.Remove(r.absPath(folder)) // stays if it holds other files
	}
	return left, os.Remove(recordPath(r.common))
}

// removeStub removes a stub and restores the file that was there. It returns false for a
// stub that was changed since, which stays.
func (r *record) removeStub(f file) (bool, error) {
	path := r.absPath(f.Path)
	if err := os.Remove(path + newSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	changed := r.isChanged(f)
	if !changed {
		if err := r.restoreOriginal(f); err != nil {
			return false, err
		}
	}
	r.forgetFile(f.Path)
	return !changed, r.save()
}

func (r *record) restoreOriginal(f file) error {
	path, kept := r.absPath(f.Path), ""
	if f.Kept != "" && exists(r.absPath(f.Kept)) {
		kept = r.absPath(f.Kept)
	}
	switch {
	case kept != "" && sameFile(path, kept):
		return os.Remove(kept) // rename does nothing if both names are links of one file
	case kept != "":
		return os.Rename(kept, path)
	case r.isOurs(f) || r.isTorn(f):
		return os.Remove(path)
	}
	return nil
}

// unsetCopies removes this package's folders from the configuration of work trees that
// were made since: git copied it from the main work tree.
func (r *record) unsetCopies(ctx context.Context, repo *git.Repo) error {
	files, err := worktreeConfigs(ctx, repo)
	if err != nil {
		return err
	}
	for _, path := range files {
		own, err := configValues(ctx, repo, path, hooksPath)
		if err != nil {
			return err
		}
		for _, s := range r.Settings {
			if s.Key != hooksPath || s.Value != lastValue(own) || r.absPath(s.File) == path {
				continue
			}
			rel, err := r.relPath(path)
			if err != nil {
				return err
			}
			copied := s
			copied.File = rel
			if err := r.restoreSetting(ctx, repo, copied); err != nil {
				return err
			}
		}
	}
	return nil
}
