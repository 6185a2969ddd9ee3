package git

import (
	"context"
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-liza/git-liza/flow/layout"
)

// syncMoved makes durable, as liza.fsync says, that git has moved refs.
// [RefStore.MoveRefs] needs no such call.
func (fl *Flusher) syncMoved(ctx context.Context, refs []string) error {
	mode, err := fl.FsyncMode(ctx)
	if err != nil || mode == fsyncNone {
		return err
	}
	return SyncMovedRefs(fl.repo.commonDir, mode, refs)
}

// SyncMovedRefs is [Flusher.syncMoved] for the hook of a repository, of which it knows
// the git directory and the mode, a value of liza.fsync. It starts no process: git's
// answer waits for it. With fsync=all it also syncs the folders of objects: git moves
// what a push brought out of its quarantine after pre-receive has synced the files.
func SyncMovedRefs(gitDir, mode string, refs []string) error {
	if mode == fsyncNone {
		return nil
	}
	common, err := filepath.Abs(commonDirOf(gitDir))
	if err != nil {
		return fmt.Errorf("syncing refs: %w", err)
	}
	paths := []string{filepath.Join(common, "reftable", "tables.list")} // where there is one
	for _, name := range refs {
		if checkRefName(name) == nil {
			paths = append(paths, filepath.Join(common, filepath.FromSlash(name)))
		}
	}
	dir := filepath.Join(common, layout.Private)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("syncing refs: %w", err)
	}
	folders := foldersUpTo(common, paths...)
	if mode == fsyncAll {
		objects, err := objectFolders(common)
		if err != nil {
			return fmt.Errorf("syncing objects: %w", err)
		}
		folders = append(folders, objects...)
	}
	if err := flushNew(dir, mode, folders...); err != nil {
		return fmt.Errorf("syncing refs: %w", err)
	}
	return nil
}

// objectFolders lists the folders of a repository in which git keeps objects.
func objectFolders(common string) ([]string, error) {
	objects := filepath.Join(common, "objects")
	entries, err := os.ReadDir(objects)
	if err != nil {
		return nil, err
	}
	list := []string{objects}
	for _, e := range entries {
		if e.IsDir() && (len(e.Name()) == 2 || e.Name() == "pack") {
			list = append(list, filepath.Join(objects, e.Name()))
		}
	}
	return list, nil
}

// SyncPush makes durable what a push has brought into the quarantine in which this
// process judges it, and the push's entry in the journal. git syncs packs by itself,
// but loose objects, where it checks them, only one by one.
func (fl *Flusher) SyncPush(ctx context.Context, e PushEntry) error {
	var paths []string
	if e.path != "" {
		paths = append(paths, e.path)
	}
	if apart := os.Getenv("GIT_QUARANTINE_PATH"); apart != "" && isQuarantine(apart) {
		err := filepath.WalkDir(apart, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("syncing a push: %w", err)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	if err := fl.SyncFiles(ctx, paths...); err != nil {
		return fmt.Errorf("syncing a push: %w", err)
	}
	return nil
}

// flushNew is flushDisk with a file that is new, made in a folder for that.
func flushNew(dir, mode string, folders ...string) error {
	f, err := os.OpenFile(filepath.Join(dir, tempPrefix+rand.Text()), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if _, err := f.WriteString("x"); err != nil {
		return err
	}
	return flushDisk(f, mode, folders...)
}
