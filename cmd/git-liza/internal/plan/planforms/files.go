package planforms

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// The bounds of a folder.
const (
	MaxFiles = 10_000   // with folders and links
	MaxFile  = 1 << 20  // bytes
	MaxBytes = 16 << 20 // of all files that are read
	maxDepth = 16
)

// files are those of a folder. No link is followed.
type files struct {
	tree    fs.FS
	names   []string // of plain files, sorted
	folders []string
	others  []string // links, pipes and the like
	taken   map[string]bool
	bytes   int
}

// list lists all files; those of few alone if the folder has the first of these.
func (f *files) list(few []string) error {
	f.taken = map[string]bool{}
	if len(few) > 0 && isFile(f.tree, few[0]) {
		f.names = slices.DeleteFunc(slices.Sorted(slices.Values(few)), func(name string) bool { return !isFile(f.tree, name) })
		return nil
	}
	if err := f.listFolder(".", 0); err != nil {
		return err
	}
	slices.Sort(f.names)
	slices.Sort(f.folders)
	slices.Sort(f.others)
	return nil
}

func (f *files) listFolder(dir string, depth int) error {
	if depth > maxDepth {
		return refusef(nil, "%s is nested deeper than %d folders", dir, maxDepth)
	}
	opened, err := f.tree.Open(dir)
	if err != nil {
		return err
	}
	defer opened.Close()
	folder, ok := opened.(fs.ReadDirFile)
	if !ok {
		return &fs.PathError{Op: "read", Path: dir, Err: errors.ErrUnsupported}
	}
	left := MaxFiles - len(f.names) - len(f.folders) - len(f.others)
	entries, err := folder.ReadDir(left + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if len(entries) > left {
		return refusef(nil, "the folder holds more than %d files, too many for one plan; name the part that holds the plan", MaxFiles)
	}
	var below []string
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		switch {
		case e.IsDir() && e.Name() == ".git":
		case e.IsDir():
			below, f.folders = append(below, name), append(f.folders, name)
		case e.Type().IsRegular():
			f.names = append(f.names, name)
		default:
			f.others = append(f.others, name)
		}
	}
	opened.Close() // one folder at a time
	for _, name := range below {
		if err := f.listFolder(name, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (f *files) has(name string) bool {
	_, found := slices.BinarySearch(f.names, name)
	return found
}

func (f *files) hasFolder(name string) bool {
	_, found := slices.BinarySearch(f.folders, name)
	return found
}

// takeBelow says that nothing is to be said of the files of a folder.
func (f *files) takeBelow(dir string) {
	for _, name := range f.names {
		if strings.HasPrefix(name, dir+"/") {
			f.taken[name] = true
		}
	}
}

// A malformed is why the text of a file is none.
type malformed struct {
	line   int
	reason string
}

func (e *malformed) Error() string { return e.reason }

// text reads a file; the error is a [*malformed] if it is no text, an [*Error] if all files
// together are too large, or that of the file system.
func (f *files) text(name string) (string, error) {
	f.taken[name] = true
	opened, err := f.tree.Open(name)
	if err != nil {
		return "", err
	}
	defer opened.Close()
	data, err := io.ReadAll(io.LimitReader(opened, MaxFile+1))
	if err != nil {
		return "", err
	}
	text := string(data)
	if f.bytes += len(data); f.bytes > MaxBytes {
		return "", refusef(nil, "the files of the folder have together more than %d MiB; name the part that holds the plan", MaxBytes>>20)
	}
	if len(data) > MaxFile {
		return "", &malformed{1 + strings.Count(text[:MaxFile], "\n"), fmt.Sprintf("the file is larger than %d bytes", MaxFile)}
	}
	if at := strings.IndexFunc(text, func(r rune) bool { return r == utf8.RuneError || r == 0 }); at >= 0 && (text[at] == 0 || !utf8.ValidString(text)) {
		return "", &malformed{1 + strings.Count(text[:at], "\n"), "the text is not UTF-8"}
	}
	return strings.TrimPrefix(text, "\ufeff"), nil
}
