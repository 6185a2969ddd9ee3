package contracts

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A project is a folder that contracts are installed in. Its root keeps every
// path inside the folder, despite symbolic links.
type project struct {
	dir       string
	root      *os.Root
	was       *manifest
	installed bool
}

func openProject(dir string) (*project, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	was, err := readManifest(root)
	if err != nil {
		root.Close()
		return nil, err
	}
	p := &project{dir: dir, root: root, was: was, installed: was != nil}
	if was == nil {
		p.was = newManifest(defaultTarget())
	}
	return p, nil
}

func (p *project) target(t Target) Target { return t.over(p.was.target).over(defaultTarget()) }

// An item is a file that is wanted or was installed, with its state on disk.
type item struct {
	path  string
	text  []byte // the wanted file or block; nil to remove it
	block bool

	found   []byte // the whole file
	mode    fs.FileMode
	lacking []string // folders on the way that do not exist
	state   State
	reason  string
}

func (it *item) entry() Entry { return Entry{Path: it.path, State: it.state, Reason: it.reason} }

// items returns the files of a target and those that were installed before,
// examined and sorted by path.
func (p *project) items(t Target) []*item {
	items := append(t.wanted(), p.entries(t)...)
	items = p.examined(append(items, p.formerItems(items)...))
	for _, it := range items {
		if p.was.edition > Edition && (it.state == Outdated || it.state == Obsolete) {
			it.state = Newer
		}
	}
	return items
}

// formerItems returns the files of the manifest that are not among the items.
func (p *project) formerItems(items []*item) []*item {
	known := func(path string) bool {
		return slices.ContainsFunc(items, func(it *item) bool { return it.path == path })
	}
	var rest []*item
	for path := range p.was.files {
		if !known(path) {
			rest = append(rest, &item{path: path})
		}
	}
	for path := range p.was.blocks {
		if !known(path) {
			rest = append(rest, &item{path: path, block: true})
		}
	}
	return rest
}

func (p *project) examined(items []*item) []*item {
	for _, it := range items {
		p.examine(it)
	}
	slices.SortFunc(items, func(a, b *item) int { return strings.Compare(a.path, b.path) })
	return slices.DeleteFunc(items, func(it *item) bool { return it.text == nil && it.state == Missing })
}

// entries returns the entry files. A file that several of them link to is
// there once.
func (p *project) entries(t Target) []*item {
	var items []*item
	for _, name := range entryFiles {
		it := &item{path: name, text: pointer(t.Dir), block: true}
		if real, err := p.follow(name); err != nil {
			it.state, it.reason = Barred, err.Error()
		} else {
			it.path = real
		}
		if !slices.ContainsFunc(items, func(other *item) bool { return other.path == it.path }) {
			items = append(items, it)
		}
	}
	return items
}

// follow resolves the symbolic links of an entry file. A link to another
// entry file may be dangling.
func (p *project) follow(name string) (string, error) {
	for range entryFiles {
		info, err := p.root.Lstat(name)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return name, nil
		}
		to, err := p.root.Readlink(name)
		if err != nil {
			return "", CauseOf(err)
		}
		if to = path.Clean(to); !slices.Contains(entryFiles, to) {
			return p.linked(name)
		}
		name = to
	}
	return "", errors.New("it is one of a circle of symbolic links")
}

// linked returns the target of a link, relative to the root of the project.
func (p *project) linked(name string) (string, error) {
	real, err := filepath.EvalSymlinks(filepath.Join(p.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", errors.New("it is a symbolic link that leads nowhere")
	}
	if err != nil {
		return "", CauseOf(err)
	}
	top, err := filepath.EvalSymlinks(p.dir)
	if err != nil {
		return "", err
	}
	real, err = filepath.Rel(top, real)
	if err != nil || !filepath.IsLocal(real) || strings.HasPrefix(filepath.ToSlash(real), ".git/") {
		return "", errors.New("it is a symbolic link that leads out of the project")
	}
	return filepath.ToSlash(real), nil
}

// lacking returns the missing folders of a path, outermost first. It is an
// error if a part of the path is not a folder.
func (p *project) lacking(dir string) ([]string, error) {
	if dir == "." {
		return nil, nil
	}
	list, err := p.lacking(path.Dir(dir))
	if err != nil || list != nil {
		return append(list, dir), err
	}
	info, err := p.root.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := p.root.Lstat(dir); err == nil {
			return nil, fmt.Errorf("%s is a symbolic link that leads nowhere", dir)
		}
		return []string{dir}, nil
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", dir, CauseOf(err))
	case !info.IsDir():
		return nil, fmt.Errorf("%s is no folder", dir)
	}
	return nil, nil
}

// CauseOf returns the cause of an error, without the system call and the path.
func CauseOf(err error) error {
	if at, is := errors.AsType[*fs.PathError](err); is {
		return at.Err
	}
	return err
}
