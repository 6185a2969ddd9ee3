// Package library reads the definitions of types and workflows: the built-in ones and
// those that a project has below .liza/. All are files of one form, and read in one way.
package library

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/artifacts"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/spelling"
	"github.com/git-liza/git-liza/gitstore/document"
)

//go:embed types workflows
var builtIn embed.FS

// The folders of a project's own definitions. NAME.yaml is one; NAME.md beside a type is
// its template.
const (
	TypesFolder     = ".liza/artifacts"
	WorkflowsFolder = ".liza/workflows"
)

// A Definition is the file of a type or of a workflow.
type Definition struct {
	Name string
	Path string // "" if it is built in
	Text []byte
	// Template is what an artifact of the type begins as, "" if there is none.
	Template string
}

// A Library has the definitions that there are. One of the project takes the place of the
// built-in one of its name.
type Library struct {
	types, workflows []Definition // by name
}

// A Source is where definitions lie between the built-in ones and those of the project,
// such as in an extension.
type Source struct {
	FS               fs.FS
	Types, Workflows string // folders
	Prefix           string // of their paths, as the project has them
}

// Open lists the definitions: the built-in ones, those of sources, and those below .liza/
// of a tree of files, each in place of those of its name before; nil for none of a project.
func Open(project fs.FS, between ...Source) (*Library, error) {
	l := &Library{}
	if err := l.add(Source{builtIn, "types", "workflows", ""}, false); err != nil {
		return nil, err
	}
	for _, s := range between {
		if err := l.add(s, true); err != nil {
			return nil, err
		}
	}
	if project == nil {
		return l, nil
	}
	return l, l.add(Source{project, TypesFolder, WorkflowsFolder, ""}, true)
}

func (l *Library) add(s Source, named bool) (err error) {
	if l.types, err = list(l.types, s, s.Types, named); err != nil {
		return err
	}
	l.workflows, err = list(l.workflows, s, s.Workflows, named)
	return err
}

// list adds the definitions of a folder to others.
func list(to []Definition, s Source, folder string, named bool) ([]Definition, error) {
	from := s.FS
	entries, err := fs.ReadDir(from, folder)
	if errors.Is(err, fs.ErrNotExist) {
		return to, nil
	}
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name, isYAML := strings.CutSuffix(e.Name(), ".yaml")
		if !isYAML || e.IsDir() {
			continue
		}
		d := Definition{Name: name, Path: path.Join(folder, e.Name())}
		if d.Text, err = read(from, d.Path); err != nil {
			return nil, err
		}
		old := find(to, name)
		if len(d.Text) == 0 && old != nil {
			continue // a shell has emptied it for what is printed here
		}
		template, err := read(from, path.Join(folder, name+".md"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err == nil && len(template) == 0 && old != nil {
			template = []byte(old.Template)
		}
		d.Path = path.Join(s.Prefix, d.Path)
		if d.Template = string(template); !named {
			d.Path = ""
		}
		to = slices.DeleteFunc(to, func(other Definition) bool { return other.Name == name })
		to = append(to, d)
	}
	slices.SortFunc(to, func(a, b Definition) int { return strings.Compare(a.Name, b.Name) })
	return to, nil
}

// read reads a file, one byte more than a definition may have at the most.
func read(from fs.FS, name string) ([]byte, error) {
	f, err := from.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, artifacts.MaxDefinition+1))
}

// Types are the types that there are, by name.
func (l *Library) Types() []Definition { return l.types }

// Workflows are the workflows that there are, by name.
func (l *Library) Workflows() []Definition { return l.workflows }

// Template is what an artifact of a type begins as, "" if there is none.
func (l *Library) Template(name string) string {
	if d := find(l.types, name); d != nil {
		return d.Template
	}
	return ""
}

func find(list []Definition, name string) *Definition {
	return lists.Find(list, func(d Definition) bool { return d.Name == name })
}

// An Error is a definition that cannot be used, with all that is wrong with it.
type Error struct {
	Path   string // or the name of a built-in one
	Faults []artifacts.Fault
}

// Error names the first fault: .liza/workflows/mine.yaml:7: there is no role tester.
func (e *Error) Error() string {
	text := fmt.Sprintf("%s:%d: %s", e.Path, e.Faults[0].Line, e.Faults[0].Text)
	if n := len(e.Faults) - 1; n > 0 {
		text += fmt.Sprintf(" (and %d more)", n)
	}
	return text
}

// A MissingError says that there is no type or workflow of a name.
type MissingError struct {
	What, Name, Like string   // Like is a name that was perhaps meant, or ""
	Names            []string // that there are
}

// Error names what is missing: there is no workflow featur; did you mean feature?
func (e *MissingError) Error() string {
	text := "there is no " + e.What + " " + e.Name
	if e.Like != "" {
		text += "; did you mean " + e.Like + "?"
	} else if len(e.Names) > 0 {
		text += "; there are " + strings.Join(e.Names, ", ")
	}
	return text
}

func missing(what, name string, list []Definition) error {
	names := lists.Of(list, func(d Definition) string { return d.Name })
	return &MissingError{what, name, spelling.Nearest(name, names), names}
}

// Type reads the type of that name. The error is a [*MissingError] or an [*Error].
func (l *Library) Type(name string) (*artifacts.Type, error) {
	d := find(l.types, name)
	if d == nil {
		return nil, missing("type", name, l.types)
	}
	t, faults := ReadType(d.Name, d.Text)
	if len(faults) > 0 {
		return nil, &Error{d.place(), faults}
	}
	return t, nil
}

// Workflow reads the workflow of that name with its types. capacity says what a role is
// for, zero if there is none; nil asks nobody. The error is a [*MissingError] or an
// [*Error].
func (l *Library) Workflow(name string, row func(board.Role) *board.RoleRow) (*artifacts.Workflow, error) {
	d := find(l.workflows, name)
	if d == nil {
		return nil, missing("workflow", name, l.workflows)
	}
	w, faults := l.ReadWorkflow(d.Name, d.Text, row)
	if len(faults) > 0 {
		return nil, &Error{d.place(), faults}
	}
	return w, nil
}

// place is how errors name a definition.
func (d *Definition) place() string {
	if d.Path == "" {
		return d.Name + " (built in)"
	}
	return d.Path
}

// typeFile is the file of a type. Its schema is written as YAML.
type typeFile struct {
	Name     string              `yaml:"name"`
	About    string              `yaml:"about"`
	Format   artifacts.Format    `yaml:"format"`
	Schema   document.Value      `yaml:"schema"`
	Headings []artifacts.Heading `yaml:"headings"`
	Frozen   map[string][]string `yaml:"frozen_when"`
}

// ReadType reads the file of a type whose name is that of the file. It returns all that
// is wrong with it, by line.
func ReadType(name string, text []byte) (*artifacts.Type, []artifacts.Fault) {
	doc, faults := parse(name, text)
	if len(faults) > 0 {
		return &artifacts.Type{Name: name}, faults
	}
	var file typeFile
	faults = artifacts.Of(artifacts.CodeForm, doc.DecodeAll(&file, artifacts.MaxFaults))
	t := &artifacts.Type{Name: file.Name, About: file.About, Format: file.Format, Headings: file.Headings, Frozen: file.Frozen}
	named(&t.Name, name, &faults)
	faults = append(faults, t.Check()...)
	if file.Schema.Line() > 0 {
		schema, err := json.Marshal(file.Schema.JSON())
		if err != nil {
			faults = append(faults, artifacts.Fault{Code: artifacts.CodeSchema, Field: "schema", Text: err.Error()})
		}
		t.Schema = string(schema)
		_, wrong := CompileSchema(t.Schema)
		faults = append(faults, wrong...)
	}
	return t, artifacts.Sorted(artifacts.Locate(doc.Root(), faults))
}

// ReadWorkflow reads the file of a workflow whose name is that of the file, and gives it
// the types that it names. It returns all that is wrong with it, by line.
func (l *Library) ReadWorkflow(name string, text []byte, row func(board.Role) *board.RoleRow) (*artifacts.Workflow, []artifacts.Fault) {
	w := &artifacts.Workflow{Name: name}
	doc, faults := parse(name, text)
	if len(faults) > 0 {
		return w, faults
	}
	w.Name = ""
	faults = artifacts.Of(artifacts.CodeForm, doc.DecodeAll(w, artifacts.MaxFaults))
	if doc.Root().Key("types").Line() > 0 {
		faults = append(faults, artifacts.Fault{Code: artifacts.CodeForm, Field: "types", Text: "unknown key \"types\": each type is a file of its own, " + TypesFolder + "/NAME.yaml"})
	}
	w.Types = nil
	named(&w.Name, name, &faults)
	faults = append(faults, l.addTypes(w)...)
	for _, one := range w.Check(row) {
		// A key that could not be read says so itself.
		if !slices.ContainsFunc(faults, func(f artifacts.Fault) bool { return f.Field != "" && f.Field == one.Field }) {
			faults = append(faults, one)
		}
	}
	if len(faults) == 0 {
		if size, err := document.Encode(w); err != nil || len(size) > artifacts.MaxDefinition {
			faults = append(faults, artifacts.Fault{Code: artifacts.CodeLimit, Text: fmt.Sprintf("the workflow with its types takes %d bytes on the board, at most %d", len(size), artifacts.MaxDefinition)})
		}
	}
	return w, artifacts.Sorted(artifacts.Locate(doc.Root(), faults))
}

// addTypes gives a workflow the types that it names, by name.
func (l *Library) addTypes(w *artifacts.Workflow) (faults []artifacts.Fault) {
	for i, p := range w.Phases {
		for k, a := range p.Artifacts {
			if w.Type(a.Type) != nil || slices.ContainsFunc(faults, func(f artifacts.Fault) bool { return strings.HasPrefix(f.Text, a.Type+": ") }) {
				continue
			}
			t, err := l.Type(a.Type)
			var wrong *Error
			switch {
			case err == nil:
				w.Types = append(w.Types, *t)
			case errors.As(err, &wrong):
				faults = append(faults, artifacts.Fault{Code: artifacts.CodeType, Field: fmt.Sprintf("phases[%d].artifacts[%d].type", i, k), Text: a.Type + ": " + err.Error()})
			default:
				faults = append(faults, artifacts.Fault{Code: artifacts.CodeType, Field: fmt.Sprintf("phases[%d].artifacts[%d].type", i, k), Text: err.Error()})
			}
		}
	}
	slices.SortFunc(w.Types, func(a, b artifacts.Type) int { return strings.Compare(a.Name, b.Name) })
	return faults
}

// parse parses a definition, which is a mapping.
func parse(name string, text []byte) (document.Parsed, []artifacts.Fault) {
	doc, err := document.Parse(name, text, artifacts.MaxDefinition)
	if err != nil {
		return doc, artifacts.Of(artifacts.CodeForm, err)
	}
	if root := doc.Root(); !root.IsMapping() {
		return doc, []artifacts.Fault{{Code: artifacts.CodeForm, Line: max(root.Line(), 1), Text: "a definition is a mapping"}}
	}
	return doc, nil
}

// named gives a definition the name of its file.
func named(said *string, file string, faults *[]artifacts.Fault) {
	if *said != "" && *said != file {
		*faults = append(*faults, artifacts.Fault{Code: artifacts.CodeName, Field: "name", Text: fmt.Sprintf("the name is %q, the file's is %s.yaml", *said, file)})
	}
	*said = file
}
