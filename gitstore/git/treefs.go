package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"time"

	"github.com/git-liza/git-liza/flow/lists"
)

// FilesAt is [Objects.FS] of the tree of a commit.
func FilesAt(ctx context.Context, r *Repo, commit ID, limit int64) (fs.FS, error) {
	objects := r.Objects(ctx)
	c, err := objects.Commit(commit)
	return objects.FS(c.Tree, limit), err
}

// FS is a tree as a file system. It reads files of at most limit bytes; links and
// submodules are there, and cannot be opened. Neither can a folder with a name that leads
// out of it.
func (o *Objects) FS(tree ID, limit int64) fs.FS { return treeFS{o, tree, limit} }

type treeFS struct {
	objects *Objects
	tree    ID
	limit   int64
}

var errNoFile = errors.New("it is no file")

// Open opens a file or folder.
func (t treeFS) Open(name string) (fs.File, error) {
	failed := func(err error) error { return &fs.PathError{Op: "open", Path: name, Err: err} }
	if !fs.ValidPath(name) {
		return nil, failed(fs.ErrInvalid)
	}
	entry, ok := Entry{Mode: ModeTree, Name: ".", ID: t.tree}, true
	if name != "." {
		var err error
		if entry, ok, err = t.objects.Find(t.tree, name); err != nil {
			return nil, failed(err)
		}
	}
	info := treeInfo{entry, t.objects}
	switch {
	case !ok:
		return nil, failed(fs.ErrNotExist)
	case entry.Mode == ModeTree:
		entries, err := t.objects.Tree(entry.ID)
		if err != nil {
			return nil, failed(err)
		}
		for _, e := range entries {
			if IsBadName(e.Name) { // a walk would go on in another folder, and round in circles
				return nil, failed(fmt.Errorf("no tree can hold the name %q", e.Name))
			}
		}
		return &treeFolder{info, entries}, nil
	case !info.Mode().IsRegular():
		return nil, failed(errNoFile)
	}
	data, err := t.objects.ReadKind(entry.ID, "blob", t.limit)
	if err != nil {
		return nil, failed(err)
	}
	return &treeFile{info, bytes.NewReader(data)}, nil
}

// A treeInfo says of an entry what the file system would.
type treeInfo struct {
	entry   Entry
	objects *Objects
}

// Name is the last part of its path.
func (i treeInfo) Name() string { return path.Base(i.entry.Name) }

// Size is that of the blob, 0 of all else and where it cannot be read.
func (i treeInfo) Size() int64 {
	if !i.Mode().IsRegular() {
		return 0
	}
	_, n, err := i.objects.Size(i.entry.ID)
	if err != nil {
		return 0
	}
	return n
}

// Mode has what git keeps.
func (i treeInfo) Mode() fs.FileMode {
	switch i.entry.Mode {
	case ModeTree:
		return fs.ModeDir | 0o755
	case ModeExecutable:
		return 0o755
	case ModeSymlink:
		return fs.ModeSymlink | 0o777
	case ModeSubmodule:
		return fs.ModeIrregular
	}
	return 0o644
}

// ModTime is zero: git keeps none.
func (i treeInfo) ModTime() time.Time { return time.Time{} }

// IsDir reports whether it is a folder.
func (i treeInfo) IsDir() bool { return i.Mode().IsDir() }

// Sys is nil.
func (i treeInfo) Sys() any { return nil }

type treeFile struct {
	info treeInfo
	*bytes.Reader
}

func (f *treeFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *treeFile) Close() error               { return nil }

type treeFolder struct {
	info    treeInfo
	entries []Entry // that are still to be listed
}

func (f *treeFolder) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *treeFolder) Close() error               { return nil }

func (f *treeFolder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: f.info.Name(), Err: errNoFile}
}

// ReadDir lists the next n entries, all that are left for n <= 0.
func (f *treeFolder) ReadDir(n int) (list []fs.DirEntry, err error) {
	most := len(f.entries)
	if n > 0 {
		most = min(most, n)
		if most == 0 {
			return nil, io.EOF
		}
	}
	list = lists.Of(f.entries[:most], func(e Entry) fs.DirEntry { return fs.FileInfoToDirEntry(treeInfo{e, f.info.objects}) })
	f.entries = f.entries[most:]
	return list, nil
}
