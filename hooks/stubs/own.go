package stubs

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-liza/git-liza/gitstore/git"
)

// OwnOnly returns a function that reports whether a file is, byte for byte, the stub of
// reference-transaction that Install writes into a clone, where that stub calls no other
// hook. A transaction whose updates were judged passes such a stub without anything
// being started. Whatever cannot be read is no such stub.
func OwnOnly(repo *git.Repo) func(path string) bool {
	return func(path string) bool {
		r, err := readRecord(repo)
		if err != nil || r == nil || r.Options.Server {
			return false
		}
		rel, err := r.relPath(path)
		if err != nil {
			return false
		}
		f := r.findFile(rel)
		if f == nil || f.Name != transaction || r.callsOther(*f) {
			return false
		}
		text, err := git.ReadSmall(path)
		return err == nil && bytes.Equal(text, r.stubText(*f))
	}
}

// callsOther reports whether there is a hook that the stub of an entry calls first.
func (r *record) callsOther(f file) bool {
	first := r.firstOf(f)
	if first == "" {
		return false
	}
	if !filepath.IsAbs(first) {
		return true
	}
	_, err := os.Stat(first)
	return !errors.Is(err, fs.ErrNotExist)
}
