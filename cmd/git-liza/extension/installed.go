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
)

// An Installed extension is one of a project.
type Installed struct {
	*Extension
	Path  string // of its folder in the project
	FS    fs.FS  // of its folder
	Wrong []File
}

// List reads the extensions of a project in their order: one comes after those that it
// needs, else they are sorted by name. Something wrong is said of the extension, and
// nothing of it is used. known is as [Read] has it.
func List(project fs.FS, known []flow.Role) ([]Installed, error) {
	entries, err := fs.ReadDir(project, Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []Installed
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		one := Installed{Path: path.Join(Folder, entry.Name())}
		if one.FS, err = fs.Sub(project, one.Path); err != nil {
			return nil, err
		}
		one.Extension, one.Wrong = Read(one.FS, known)
		if one.Name != entry.Name() && len(one.Wrong) == 0 {
			one.add(artifacts.CodeName, "its folder has its name: "+Folder+"/"+one.Name)
		}
		one.Name = entry.Name()
		list = append(list, one)
	}
	return ordered(list), nil
}

func (i *Installed) add(code artifacts.Code, text string) {
	i.Wrong = append(i.Wrong, File{manifest, []artifacts.Fault{{Code: code, Line: 1, Text: text}}})
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

// NeedRules says so where an extension needs later rules than a board has.
func (i *Installed) NeedRules(has int) {
	if i.Needs.Rules > has {
		i.add(artifacts.CodeValue, fmt.Sprintf("it needs rules of version %d, and the board has %d: git liza migrate", i.Needs.Rules, has))
	}
}
