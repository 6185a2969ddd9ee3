package extension

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/artifacts"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// An Installed extension is one of a project.
type Installed struct {
	*Extension
	Path  string // of its folder in the project
	FS    fs.FS  // of its folder
	Wrong []File
}

// orderFile is the file of [Folder] with names of extensions, one a line.
const orderFile = "order"

// Half begins the names of folders of [Folder] into which an extension is being copied.
const Half = ".half-"

// List reads the extensions of a project in their order: one comes after those that it
// needs; else those that the file order of their folder names come in its order, after
// the others, which are sorted by name. Something wrong is said of the extension, and
// nothing of it is used.
func List(project fs.FS, base Base) ([]Installed, error) {
	entries, err := readFolder(project)
	if err != nil {
		return nil, err
	}
	var list []Installed
	for _, entry := range entries {
		one := Installed{Path: path.Join(Folder, entry.Name())}
		switch {
		case entry.Type()&fs.ModeSymlink != 0 || entry.Type()&fs.ModeIrregular != 0:
			one.Extension = &Extension{Name: entry.Name(), base: base}
			one.add(artifacts.CodeFile, "an extension is a folder, no link and no submodule")
			list = append(list, one)
			continue
		case !entry.IsDir() || strings.HasPrefix(entry.Name(), Half):
			continue
		}
		if one.FS, err = fs.Sub(project, one.Path); err != nil {
			return nil, err
		}
		one.read(entry.Name(), base)
		list = append(list, one)
	}
	for i, one := range list {
		if one.FS != nil && len(one.Needs.Extensions) > 0 {
			list[i].read(one.Name, base.with(needed(list, one.Extension)))
		}
	}
	order, err := readOrder(project, list)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b Installed) int {
		return slices.Index(order, a.Name) - slices.Index(order, b.Name)
	})
	return ordered(list), nil
}

// readFolder reads [Folder], which may not be there. A link is not followed: git would not.
func readFolder(project fs.FS) ([]fs.DirEntry, error) {
	info, err := fs.Lstat(project, Folder)
	if err == nil && !info.IsDir() {
		err = errors.New("it is no folder")
	}
	var entries []fs.DirEntry
	if err == nil {
		entries, err = fs.ReadDir(project, Folder)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &flow.Refusal{Rule: flow.RuleContent, Reason: fmt.Sprintf("extensions lie in the folder %s: %v", Folder, err), Hint: "ls -ld " + Folder}
	}
	return entries, nil
}

// read reads the extension in a folder of a name.
func (i *Installed) read(name string, base Base) {
	i.Extension, i.Wrong = Read(i.FS, base)
	if i.Name != name && len(i.Wrong) == 0 {
		i.add(artifacts.CodeName, "its folder has its name: "+Folder+"/"+i.Name)
	}
	i.Name = name
}

// ReadBeside reads an extension that may need some that are installed.
func ReadBeside(from fs.FS, installed []Installed, base Base) (*Extension, []File) {
	e, wrong := Read(from, base)
	if len(e.Needs.Extensions) == 0 {
		return e, wrong
	}
	return Read(from, base.with(needed(installed, e)))
}

// needed are the roles of the extensions that one needs, and of those that these need.
func needed(list []Installed, e *Extension) (roles []board.RoleRow) {
	names := slices.Clone(e.Needs.Extensions)
	for at := 0; at < len(names); at++ {
		for _, other := range list {
			if other.Name != names[at] {
				continue
			}
			roles = append(roles, other.roles...)
			names = lists.Add(names, other.Needs.Extensions...)
		}
	}
	return roles
}

// OrderWithout is the content of the file order of a project without one name, and its
// path below the project; "" if it has no such file, or no other name in it.
func OrderWithout(project fs.FS, name string) (file, text string) {
	file = Folder + "/" + orderFile
	data, err := fs.ReadFile(project, file)
	if err != nil {
		return file, ""
	}
	for line := range strings.Lines(string(data)) {
		if fields := slices.DeleteFunc(strings.Fields(line), func(n string) bool { return n == name }); len(fields) > 0 {
			text += strings.Join(fields, " ") + "\n"
		}
	}
	return file, text
}

// readOrder reads the names of the file order; none if there is no such file.
func readOrder(project fs.FS, list []Installed) ([]string, error) {
	file := Folder + "/" + orderFile
	info, err := fs.Stat(project, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && (!info.Mode().IsRegular() || info.Size() > MaxFile) {
		err = errors.New("it is no file of names")
	}
	var text []byte
	if err == nil {
		text, err = fs.ReadFile(project, file)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	order := strings.Fields(string(text))
	for i, name := range order {
		if !slices.ContainsFunc(list, func(e Installed) bool { return e.Name == name }) {
			return nil, refuseOrder("%s names the extension %q, which is not there", file, name)
		}
		if slices.Contains(order[:i], name) {
			return nil, refuseOrder("%s names the extension %s twice", file, name)
		}
	}
	return order, nil
}

func refuseOrder(format string, args ...any) error {
	return &flow.Refusal{Rule: flow.RuleContent, Reason: fmt.Sprintf(format, args...), Hint: "git liza help extension list"}
}

func (i *Installed) add(code artifacts.Code, text string) {
	i.Wrong = append(i.Wrong, File{Manifest, []artifacts.Fault{{Code: code, Line: 1, Text: text}}})
}

// ordered puts extensions behind those that they need, and says which are missing.
func ordered(list []Installed) (sorted []Installed) {
	placed := func(name string) bool {
		return slices.ContainsFunc(sorted, func(i Installed) bool { return i.Name == name })
	}
	there := func(name string) bool {
		return slices.ContainsFunc(list, func(i Installed) bool { return i.Name == name })
	}
	for i := range list {
		for _, name := range list[i].Needs.Extensions {
			if !there(name) {
				list[i].add(artifacts.CodeMissing, "it needs the extension "+name+", which is not there")
			}
		}
	}
	for len(sorted) < len(list) {
		before := len(sorted)
		for _, one := range list {
			if !placed(one.Name) && !slices.ContainsFunc(one.Needs.Extensions, func(name string) bool { return there(name) && !placed(name) }) {
				sorted = append(sorted, one)
			}
		}
		if len(sorted) == before { // they need one another
			for _, one := range list {
				if !placed(one.Name) {
					one.add(artifacts.CodeCycle, "it needs "+strings.Join(one.Needs.Extensions, ", ")+", and so itself")
					sorted = append(sorted, one)
				}
			}
		}
	}
	return sorted
}
