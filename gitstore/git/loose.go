package git

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/go-git/go-git/v5/plumbing/format/objfile"

	"github.com/git-liza/git-liza/flow/layout"
)

func loosePath(objectDir string, id ID) string {
	return filepath.Join(objectDir, string(id[:2]), string(id[2:]))
}

// readLoose reads an object that has a file of its own and at most limit
// bytes; the error of a larger one is a *TooLarge.
func readLoose(objectDir string, id ID, limit int64) (kind string, data []byte, err error) {
	f, err := openFile(loosePath(objectDir, id), os.O_RDONLY, 0)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", nil, err
	}
	var raw io.Reader = f
	if info.Size() <= limit { // else its header alone will do
		all := make([]byte, info.Size())
		if _, err := io.ReadFull(f, all); err != nil {
			return "", nil, err
		}
		raw = bytes.NewReader(all)
	}
	r, err := objfile.NewReader(raw)
	if err != nil {
		return "", nil, err
	}
	defer r.Close()
	t, size, err := r.Header()
	if err != nil {
		return "", nil, err
	}
	switch {
	case size < 0:
		return "", nil, fmt.Errorf("object %s: a size of %d", id, size)
	case size > limit:
		return "", nil, &TooLarge{id, t.String(), size, limit}
	}
	var content bytes.Buffer
	content.Grow(int(min(size, info.Size()*8)))
	n, err := io.Copy(&content, io.LimitReader(r, size+1))
	if err == nil && n != size {
		err = io.ErrUnexpectedEOF
	}
	return t.String(), content.Bytes(), err
}

// looseSize reads only the header of an object that has a file of its own.
func looseSize(objectDir string, id ID) (kind string, size int64, err error) {
	f, err := openFile(loosePath(objectDir, id), os.O_RDONLY, 0)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	r, err := objfile.NewReader(f)
	if err != nil {
		return "", 0, err
	}
	defer r.Close()
	t, size, err := r.Header()
	if err == nil && size < 0 {
		err = fmt.Errorf("object %s: a size of %d", id, size)
	}
	return t.String(), size, err
}

// writeLoose gives each object a file of its own: all under temporary names
// first, then synced, then renamed in order, so that an object under its final
// name is whole, also after a power cut, and never precedes what it refers to.
// An object that is there already may have been written without a sync.
func writeLoose(objectDir string, objects []Object, mode string) (err error) {
	var written []looseFile
	var files []*os.File
	w := deflaters.Get().(*deflater)
	defer deflaters.Put(w)
	defer func() {
		for _, f := range files {
			f.Close()
		}
		for _, w := range written {
			if err != nil {
				os.Remove(w.file.Name()) // those renamed already have no such name
			}
		}
	}()
	for _, obj := range objects {
		path := loosePath(objectDir, obj.ID)
		if f := freshen(path); f != nil {
			files = slices.Insert(files, 0, f) // flushed with one that is new
			continue
		}
		f, err := writeTemp(objectDir, obj, w)
		if f != nil {
			files, written = append(files, f), append(written, looseFile{f, path})
		}
		if err != nil {
			return err
		}
	}
	if err := syncFiles(files, mode); err != nil {
		return err
	}
	var renamed []string
	for _, w := range written {
		if err := installObject(w.file.Name(), w.path); err != nil {
			return err
		}
		renamed = append(renamed, w.path)
	}
	if mode == fsyncAll {
		return syncFolders(foldersOf(renamed))
	}
	return nil
}

// A looseFile is written under a temporary name and will become path.
type looseFile struct {
	file *os.File
	path string
}

// freshen opens the file of an object that is there already, and makes it
// young, as git does, so that a prune that is about to run lets it live; nil if
// it is not there.
func freshen(path string) *os.File {
	f, err := openFile(path, os.O_RDONLY, 0)
	if err != nil {
		return nil
	}
	now := time.Now()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 || os.Chtimes(path, now, now) != nil { // a power cut can leave an empty one
		f.Close()
		return nil
	}
	return f
}

// tempPrefix begins the names of temporary files, as git's own prune knows them.
const tempPrefix = "tmp_obj_"

// writeTemp writes an object into a file that holds a kernel lock as long as it
// is temporary, so that one of a dead process is known: see sweepTemps.
func writeTemp(objectDir string, obj Object, w *deflater) (*os.File, error) {
	f, err := openFile(filepath.Join(objectDir, tempPrefix+rand.Text()), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o444)
	if err != nil {
		return nil, err
	}
	if err := TryLock(f); err != nil {
		return f, err
	}
	text, err := w.deflate(obj)
	if err != nil {
		return f, err
	}
	_, err = f.Write(text)
	return f, err
}

// sweepTemps removes the temporary files of ours whose process is dead: those
// for objects, told from git's by the length of their names, and those that
// only serve to flush the disk. A hook whose objects are kept apart looks where those
// of the repository are, too: the hooks of an earlier push wrote there.
func (r *Repo) sweepTemps() {
	for _, dir := range slices.Compact([]string{r.objectDir, filepath.Join(r.commonDir, "objects")}) {
		for _, path := range PathsIn(dir, tempPrefix, "") {
			if len(filepath.Base(path)) == len(tempPrefix)+len(rand.Text()) {
				sweepTemp(path)
			}
		}
	}
	for _, path := range PathsIn(filepath.Join(r.commonDir, layout.Private), tempPrefix, "") {
		os.Remove(path) // one that is in use has no need of its name
	}
}

// fannedOut are the files of loose objects, and what lies beside them, whose names have a
// beginning.
func fannedOut(objectDir, prefix string) (paths []string) {
	for _, folder := range PathsIn(objectDir, "", "") {
		if len(filepath.Base(folder)) == 2 {
			paths = append(paths, PathsIn(folder, prefix, "")...)
		}
	}
	return paths
}

func sweepTemp(path string) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 && time.Since(info.ModTime()) <= emptyAge {
		return // its writer may be about to lock it
	}
	if TryLock(f) == nil {
		os.Remove(path)
	}
}

// installObject renames a temporary file to its place. `git gc` removes fan-out
// folders that are empty, at any moment, also between our mkdir and our rename.
func installObject(temp, path string) error {
	for range 100 {
		err := syscall.Rename(temp, path) // os.Rename would look first whether a folder is there
		if err == nil {
			return nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return &os.LinkError{Op: "rename", Old: temp, New: path, Err: err}
		}
		if err := os.Mkdir(filepath.Dir(path), 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return fmt.Errorf("%s is removed again and again", filepath.Dir(path))
}
