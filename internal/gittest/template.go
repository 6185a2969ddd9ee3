package gittest

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// A Template is a folder that many tests begin with. It is made once in a process, and
// each test gets a copy. The zero value is ready for use.
type Template struct {
	once    sync.Once
	err     error
	dir     string // where it was made
	entries []templateEntry
}

// A templateEntry is a folder or a regular file.
type templateEntry struct {
	path    string // relative to the template
	mode    fs.FileMode
	content []byte
}

// Copy makes the folder to with what fill leaves in an empty folder. Only the first
// call in a process calls fill. The others get the same files, with their own path
// wherever a file names the folder. The error is that of fill for all calls.
func (m *Template) Copy(to string, fill func(dir string) error) error {
	m.once.Do(func() {
		m.err = errors.New("the test that had to make the template has failed")
		m.err = m.make(fill)
	})
	if m.err != nil {
		return m.err
	}
	syscall.ForkLock.RLock() // a process that starts meanwhile has the hooks open, and they cannot be run
	defer syscall.ForkLock.RUnlock()
	for _, e := range m.entries {
		path := filepath.Join(to, e.path)
		if e.mode.IsDir() {
			if err := os.MkdirAll(path, 0o777); err != nil {
				return err
			}
			continue
		}
		content := bytes.ReplaceAll(e.content, []byte(m.dir), []byte(to))
		if err := os.WriteFile(path, content, e.mode.Perm()); err != nil {
			return err
		}
	}
	return nil
}

func (m *Template) make(fill func(dir string) error) error {
	above, err := os.MkdirTemp("", "git-liza")
	if err != nil {
		return err
	}
	defer os.RemoveAll(above)
	m.dir = filepath.Join(above, "template")
	if err := os.Mkdir(m.dir, 0o777); err != nil {
		return err
	}
	if err := fill(m.dir); err != nil {
		return err
	}
	return filepath.WalkDir(m.dir, m.add)
}

func (m *Template) add(path string, d fs.DirEntry, err error) error {
	if err != nil {
		return err
	}
	info, err := d.Info()
	if err != nil {
		return err
	}
	e := templateEntry{mode: info.Mode()}
	if e.path, err = filepath.Rel(m.dir, path); err == nil && !d.IsDir() {
		e.content, err = os.ReadFile(path)
	}
	m.entries = append(m.entries, e)
	return err
}
