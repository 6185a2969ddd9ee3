package stubs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A record is what Install did or was about to do, in liza/hooks.json of the shared git
// directory. It is written before the files that it names, so that an interrupted
// installation can be completed and undone.
type record struct {
	Options  Options
	Version  int // of the stubs, see stubVersion
	Files    []file
	Settings []setting // in the order in which they were set
	Folders  []string  // that Install made, relative to the git directory

	common string // the shared git directory
}

// A file is a stub. Paths are relative to the shared git directory, so that they hold
// in a moved or copied repository.
type file struct {
	Name string
	Path string
	Kept string // the new path of the hook that was there before, "" if there was none
	Old  string `json:",omitempty"` // the absolute path of the hook in another folder that it calls
}

// stubText returns the stub of an entry.
func (r *record) stubText(f file) []byte {
	return []byte(stub{name: f.Name, first: r.firstOf(f)}.render(r.Options))
}

// firstOf returns the hook that the stub of an entry calls first, "" if none.
func (r *record) firstOf(f file) string {
	if f.Kept != "" {
		return r.absPath(f.Kept)
	}
	return f.Old
}

// writtenFiles returns the absolute paths of the files that Install writes.
func (r *record) writtenFiles() []string {
	list := append([]string{recordPath(r.common)}, lists.Of(r.Files, func(f file) string { return r.absPath(f.Path) })...)
	return lists.Add(list, lists.Of(r.Settings, func(s setting) string { return r.absPath(s.File) })...)
}

func recordPath(common string) string { return filepath.Join(common, layout.Private, "hooks.json") }

// readRecord returns the record of a repository, nil if nothing is installed.
func readRecord(repo *git.Repo) (*record, error) {
	path := recordPath(repo.CommonDir())
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("installed hooks: %w", err)
	}
	r := &record{common: repo.CommonDir()}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("installed hooks: %s: %w", path, err)
	}
	return r, nil
}

// save replaces the record as a whole.
func (r *record) save() error {
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(r.common, layout.Private), 0o777); err != nil {
		return fmt.Errorf("installed hooks: %w", err)
	}
	return placeFile(recordPath(r.common), append(text, '\n'), 0o666)
}

// findFile returns the entry of a path, nil if there is none.
func (r *record) findFile(path string) *file {
	return lists.Find(r.Files, func(f file) bool { return f.Path == path })
}

func (r *record) forgetFile(path string) {
	r.Files = slices.DeleteFunc(r.Files, func(f file) bool { return f.Path == path })
}

func (r *record) absPath(path string) string { return filepath.Join(r.common, path) }

// relPath returns a path as the record holds it.
func (r *record) relPath(path string) (string, error) {
	rel, err := filepath.Rel(r.common, path)
	if err == nil && (rel == ".." || strings.HasPrefix(rel, "../")) {
		err = fmt.Errorf("%s is outside of %s", path, r.common)
	}
	return rel, err
}

// makeFolder makes a folder and notes the folders that it had to make.
func (r *record) makeFolder(path string) error {
	rel, err := r.relPath(path)
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if parent := filepath.Dir(path); parent != r.common {
		if err := r.makeFolder(parent); err != nil {
			return err
		}
	}
	r.Folders = append(r.Folders, rel)
	if err := r.save(); err != nil {
		return err
	}
	return os.MkdirAll(path, 0o777)
}

// placeFile replaces the file at a path as a whole, whatever was there.
func placeFile(path string, text []byte, mode fs.FileMode) error {
	next := path + newSuffix
	if err := os.Remove(next); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return writeAndRename(next, path, text, mode)
}

// newSuffix is the end of the name of a file that is about to be renamed.
const newSuffix = ".liza-new"

// writeAndRename writes a new file, which must not exist, and renames it to path.
func writeAndRename(next, path string, text []byte, mode fs.FileMode) (err error) {
	f, err := os.OpenFile(next, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(next, path)
	}
	if err != nil {
		os.Remove(next)
	}
	return err
}

// isOurs reports whether the path of an entry holds a stub that this program writes, for
// whatever program, branch and hook before it: a session can write the record.
func (r *record) isOurs(f file) bool {
	path := r.absPath(f.Path)
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	text, err := os.ReadFile(path)
	return err == nil && (isStub(f.Name, string(text), r.Options) || r.isCurrent(f))
}

// isCurrent reports whether it holds the stub that the record asks for.
func (r *record) isCurrent(f file) bool {
	text, err := os.ReadFile(r.absPath(f.Path))
	return err == nil && bytes.Equal(text, r.stubText(f))
}

// isExecutable reports whether git would run the file as a hook.
func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&0o111 != 0
}

// sameFile reports whether two paths are one file, without following symbolic links.
func sameFile(a, b string) bool {
	x, err := os.Lstat(a)
	if err != nil {
		return false
	}
	y, err := os.Lstat(b)
	return err == nil && os.SameFile(x, y)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// changedLines returns the part in which two texts differ, in whole lines.
func changedLines(before, after []byte) (old, now string) {
	x, y := bytes.SplitAfter(before, []byte("\n")), bytes.SplitAfter(after, []byte("\n"))
	for len(x) > 0 && len(y) > 0 && bytes.Equal(x[0], y[0]) {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && bytes.Equal(x[len(x)-1], y[len(y)-1]) {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	return string(bytes.Join(x, nil)), string(bytes.Join(y, nil))
}
