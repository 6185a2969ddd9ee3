package templates

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"unicode/utf8"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// A Layer is a folder of templates laid over the built-in ones, such as a
// project's .liza/prompts. Name stands for it in messages and explanations. A
// folder that does not exist and a nil FS are empty layers. A caller that
// does not trust the folder's symbolic links gives the FS of an os.Root.
type Layer struct {
	Name  string
	FS    fs.FS
	Roles []board.Role // that it may have folders for, beside those of the board
}

// A Fault is something wrong with a file of a layer.
type Fault struct {
	Path string // below the layer's folder
	Line int
	Text string
}

// Faults are all that is wrong with the files of a layer where there are only its own
// roles: nobody reads a file, it is no template, or it asks for what no prompt has.
func (l Layer) Faults() (faults []Fault, err error) {
	set, err := newTemplateSet()
	if err != nil {
		return nil, err
	}
	err = l.visit(func(folder, base string) error {
		name := path.Join(folder, base)
		if why := l.unread(nil, folder, base); why != "" {
			faults = append(faults, Fault{name, 1, "it " + why})
			return nil
		}
		for _, fault := range l.malformed(set, name) {
			fault.Text = "it " + fault.Text
			faults = append(faults, fault)
		}
		return nil
	})
	return faults, err
}

// malformed says in which lines a file is no template that can be filled in, and why.
func (l Layer) malformed(set *template.Template, name string) []Fault {
	text, err := l.readFile(name)
	if err != nil {
		return []Fault{{name, 1, strings.TrimPrefix(err.Error(), "prompt layer "+l.Name+": "+name+" ")}}
	}
	if !utf8.ValidString(text) {
		return []Fault{{name, 1, "is not UTF-8"}}
	}
	own, err := set.Clone() // a file sees no pieces of another one
	if err == nil {
		own, err = own.New(name).Parse(text)
	}
	if err == nil {
		return unknownFields(own)
	}
	place, why, _ := strings.Cut(strings.TrimPrefix(err.Error(), "template: "+name+":"), ":")
	line, _ := strconv.Atoi(place)
	return []Fault{{name, max(line, 1), "is no template:" + why}}
}

const (
	shared   = "all"      // the folder for every role; no role has that name
	answers  = "question" // the folder for sessions that answer a question, of every role; no role has that name
	appended = ".append"  // before .md in the name of a file that adds to a section
	maxFile  = 64 << 10   // bytes of one template
)

// A file is the text of a template, with its origin.
type file struct {
	layer, name, text string
}

// prompts returns the built-in layer's folder.
func prompts() fs.FS {
	sub, err := fs.Sub(builtIn, "prompts")
	if err != nil {
		panic(err) // the name is a constant
	}
	return sub
}

// read returns the layer's files for a section, in the order of the folders.
func (l Layer) read(folders []string, section string) ([]file, error) {
	if l.FS == nil {
		return nil, nil
	}
	var files []file
	for _, folder := range folders {
		name := path.Join(folder, section+".md")
		text, err := l.readFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		files = append(files, file{layer: l.Name, name: name, text: text})
	}
	return files, nil
}

func (l Layer) readFile(name string) (string, error) {
	f, err := l.FS.Open(name)
	if err != nil {
		return "", fmt.Errorf("prompt layer %s: %w", l.Name, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("prompt layer %s: %w", l.Name, err)
	case len(text) > maxFile:
		return "", fmt.Errorf("prompt layer %s: %s is larger than 64 KiB", l.Name, name)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n"), nil
}

// check refuses files that no prompt reads: otherwise a misspelt name would
// be ignored silently. A README beside the folders is allowed.
func (l Layer) check(known []board.Role) error {
	return l.visit(func(folder, base string) error {
		if why := l.unread(known, folder, base); why != "" {
			return fmt.Errorf("prompt layer %s: %s %s", l.Name, path.Join(folder, base), why)
		}
		return nil
	})
}

// visit calls do with the folder and the name of each file that is to be a template.
func (l Layer) visit(do func(folder, base string) error) error {
	if l.FS == nil {
		return nil
	}
	return fs.WalkDir(l.FS, ".", func(name string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && name == "." {
			return fs.SkipAll
		}
		if err != nil {
			return fmt.Errorf("prompt layer %s: %w", l.Name, err)
		}
		folder, base := path.Split(name)
		if entry.IsDir() || folder == "" && (base == "README.md" || path.Ext(base) != ".md") || strings.HasPrefix(base, ".") {
			return nil
		}
		return do(strings.TrimSuffix(folder, "/"), base)
	})
}

// unread says why no prompt reads a file, "" if one does.
func (l Layer) unread(known []board.Role, folder, base string) string {
	folders := append([]string{shared, answers}, lists.Of(slices.Concat(known, l.Roles), board.Role.String)...)
	section, isTemplate := strings.CutSuffix(base, ".md")
	whole := strings.TrimSuffix(section, appended)
	switch {
	case !slices.Contains(folders, folder):
		return "is read by nobody; folders are " + strings.Join(folders, ", ")
	case !isTemplate || !slices.Contains(order, whole):
		return fmt.Sprintf("is no section; sections are %s, each with .md or .append.md", strings.Join(order, ", "))
	case section == "contract":
		return "would replace the contract, which can only be added to (contract.append.md)"
	}
	return ""
}
