// Package extension reads extensions: folders that bring roles, prompts, types of
// artifacts, workflows and causes of failures into a project. It knows files, no board and no repository.
package extension

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/artifacts"
	"github.com/git-liza/git-liza/artifacts/library"
	"github.com/git-liza/git-liza/cmd/git-liza/diagnosis"
	"github.com/git-liza/git-liza/cmd/git-liza/roles"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/pattern"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/templates"
)

// Folder has the extensions of a project, each in a folder of its name.
const Folder = ".liza/extensions"

// What an extension may have at the most.
const (
	MaxFiles = 500
	MaxFile  = 256 << 10 // bytes
)

// manifest is the file that says what an extension is.
const manifest = "extension.yaml"

// The folders of what an extension brings.
const (
	rolesFolder     = "roles"
	promptsFolder   = "prompts"
	typesFolder     = "artifacts"
	workflowsFolder = "workflows"
	patternsFolder  = "patterns" // of output, by which diagnose knows a cause
)

var contentFolders = []string{rolesFolder, promptsFolder, typesFolder, workflowsFolder, patternsFolder}

// An Extension is what its files say.
type Extension struct {
	Name    string   `json:"name" yaml:"name"`
	Version string   `json:"version" yaml:"version"`
	About   string   `json:"about" yaml:"about"`
	Needs   Needs    `json:"needs" yaml:"needs"`
	Files   []string `json:"files" yaml:"-"` // below its folder, sorted

	Causes []*diagnosis.Cause `json:"-" yaml:"-"` // of failures
}

// Needs is what an extension cannot do without.
type Needs struct {
	Rules      int      `json:"rules,omitempty" yaml:"rules"`           // of the board, at least
	Extensions []string `json:"extensions,omitempty" yaml:"extensions"` // which it comes after
}

var nameForm = pattern.Late(`^[a-z][a-z0-9-]{0,38}$`)

// Roles are the roles that it brings.
func (e *Extension) Roles() (list []flow.Role) {
	for _, file := range e.Files {
		if name, ok := strings.CutSuffix(file, ".md"); ok && path.Dir(file) == rolesFolder {
			list = append(list, flow.Role(path.Base(name)))
		}
	}
	return list
}

// Brings counts what it brings, by folder.
func (e *Extension) Brings() map[string]int {
	count := map[string]int{}
	for _, file := range e.Files {
		if folder, _, below := strings.Cut(file, "/"); below && (path.Ext(file) != ".md" || folder != typesFolder) {
			count[folder]++
		}
	}
	return count
}

// A File is a file of an extension with all that is wrong with it.
type File struct {
	Path   string // below the extension's folder
	Faults []artifacts.Fault
}

// Read reads an extension from its folder, and says all that is wrong with it. known are
// the roles that there are beside its own; nil is those of boards that begin now.
func Read(from fs.FS, known []flow.Role) (*Extension, []File) {
	r := reader{from: from, e: &Extension{}}
	r.walk()
	r.manifest()
	if known == nil {
		for _, row := range flow.BuiltinRoles() {
			known = append(known, row.Name)
		}
	}
	for _, file := range r.e.Files {
		r.content(file)
	}
	layer := r.e.Layer(from)
	layer.Roles = append(layer.Roles, known...)
	if err := layer.Check(); err != nil {
		r.fault(promptsFolder, artifacts.CodePath, "%v", err)
	}
	r.workflows()
	slices.SortFunc(r.wrong, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return r.e, r.wrong
}

// Layer is its prompts, over those that are built in.
func (e *Extension) Layer(from fs.FS) templates.Layer {
	sub, err := fs.Sub(from, promptsFolder)
	if err != nil || !slices.ContainsFunc(e.Files, func(f string) bool { return strings.HasPrefix(f, promptsFolder+"/") }) {
		sub = nil
	}
	return templates.Layer{Name: "extension " + e.Name + " " + e.Version, FS: sub, Roles: e.Roles()}
}

// A reader reads one extension.
type reader struct {
	from  fs.FS
	e     *Extension
	wrong []File
}

func (r *reader) fault(file string, code artifacts.Code, format string, args ...any) {
	r.faults(file, []artifacts.Fault{{Code: code, Line: 1, Text: fmt.Sprintf(format, args...)}})
}

func (r *reader) faults(file string, list []artifacts.Fault) {
	if len(list) == 0 {
		return
	}
	if i := slices.IndexFunc(r.wrong, func(f File) bool { return f.Path == file }); i >= 0 {
		r.wrong[i].Faults = append(r.wrong[i].Faults, list...)
		return
	}
	r.wrong = append(r.wrong, File{file, list})
}

// walk lists its files. Links are no files: they could lead out of the folder.
func (r *reader) walk() {
	err := fs.WalkDir(r.from, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == ".git":
			return fs.SkipDir
		case entry.IsDir():
			return nil
		case len(r.e.Files) == MaxFiles:
			r.fault(manifest, artifacts.CodeLimit, "an extension has at most %d files", MaxFiles)
			return fs.SkipAll
		}
		info, err := entry.Info()
		switch {
		case err != nil:
			return err
		case !info.Mode().IsRegular():
			r.fault(name, artifacts.CodeFile, "it is no regular file")
			return nil
		case info.Size() > MaxFile:
			r.fault(name, artifacts.CodeSize, "it is larger than 256 KiB")
			return nil
		}
		r.e.Files = append(r.e.Files, name)
		return nil
	})
	if err != nil {
		r.fault(manifest, artifacts.CodeFile, "%v", err)
	}
}

func (r *reader) read(file string) []byte {
	f, err := r.from.Open(file)
	if err == nil {
		defer f.Close()
		var text []byte
		if text, err = io.ReadAll(io.LimitReader(f, MaxFile)); err == nil {
			return text
		}
	}
	r.fault(file, artifacts.CodeFile, "%v", err)
	return nil
}

func (r *reader) manifest() {
	if !slices.Contains(r.e.Files, manifest) {
		if !slices.ContainsFunc(r.wrong, func(f File) bool { return f.Path == manifest }) {
			r.fault(manifest, artifacts.CodeFile, "an extension has a file %s with its name and version", manifest)
		}
		return
	}
	doc, err := document.Parse(manifest, r.read(manifest), MaxFile)
	if err == nil {
		err = doc.DecodeAll(r.e, artifacts.MaxFaults)
	}
	r.faults(manifest, artifacts.Of(artifacts.CodeForm, err))
	if err != nil {
		return
	}
	if !nameForm().MatchString(r.e.Name) {
		r.fault(manifest, artifacts.CodeName, "name: small letters, digits and hyphens, at most 39, the first one a letter, not %q", r.e.Name)
	}
	if r.e.Version == "" || len(r.e.Version) > 40 || strings.ContainsAny(r.e.Version, " \t\n") {
		r.fault(manifest, artifacts.CodeValue, "version: one word, not %q", r.e.Version)
	}
}

// content says what is wrong with one file.
func (r *reader) content(file string) {
	folder, rest, below := strings.Cut(file, "/")
	if !below {
		if file != manifest && !slices.Contains([]string{"README.md", "LICENSE", "LICENSE.md", ".gitignore"}, file) {
			r.fault(file, artifacts.CodePath, "nobody reads it: beside %s there are the folders %s", manifest, strings.Join(contentFolders, ", "))
		}
		return
	}
	name := strings.TrimSuffix(rest, path.Ext(rest))
	switch {
	case !slices.Contains(contentFolders, folder):
		r.fault(file, artifacts.CodePath, "nobody reads it: there are the folders %s", strings.Join(contentFolders, ", "))
	case folder == promptsFolder:
	case strings.Contains(rest, "/"):
		r.fault(file, artifacts.CodePath, "nobody reads it: the files of %s lie in no further folder", folder)
	case folder == rolesFolder:
		_, _, err := roles.Parse(file, r.read(file))
		r.faults(file, artifacts.Of(artifacts.CodeForm, err))
	case folder == typesFolder && path.Ext(file) == ".yaml":
		_, faults := library.ReadType(name, r.read(file))
		r.faults(file, faults)
	case folder == typesFolder && path.Ext(file) == ".md" && slices.Contains(r.e.Files, typesFolder+"/"+name+".yaml"):
	case folder == workflowsFolder && path.Ext(file) == ".yaml":
	case folder == patternsFolder && path.Ext(file) == ".yaml":
		cause, faults := readCause(file, r.read(file))
		r.faults(file, faults)
		r.e.Causes = append(r.e.Causes, cause)
	default:
		r.fault(file, artifacts.CodePath, "nobody reads it: %s has files NAME.yaml", folder)
	}
}

// workflows says what is wrong with the workflows, which may name its types.
func (r *reader) workflows() {
	l, err := library.Open(nil, r.e.Source(r.from, ""))
	if err != nil {
		var at *fs.PathError
		if errors.As(err, &at) {
			err = at.Err
		}
		r.fault(workflowsFolder, artifacts.CodeFile, "%v", err)
		return
	}
	for _, d := range l.Workflows() {
		if file := d.Path; strings.HasPrefix(file, workflowsFolder+"/") {
			_, faults := l.ReadWorkflow(d.Name, d.Text, nil)
			r.faults(file, faults)
		}
	}
}

// Source is its types and workflows; prefix is the path of its folder in the project.
func (e *Extension) Source(from fs.FS, prefix string) library.Source {
	return library.Source{FS: from, Types: typesFolder, Workflows: workflowsFolder, Prefix: prefix}
}
