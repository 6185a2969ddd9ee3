// Package extension reads extensions: folders that bring roles, prompts, types of
// artifacts, workflows, causes of failures, skills, gates, providers, launchers, and programs
// that are called after moves into a project. It copies one into its place. It knows files,
// no board and no repository.
package extension

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/artifacts"
	"github.com/git-liza/git-liza/artifacts/library"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/launcher"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/diagnosis"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/roles"
	"github.com/git-liza/git-liza/contracts"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/pattern"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/templates"
)

// Folder has the extensions of a project, each in a folder of its name.
const Folder = ".liza/extensions"

// What an extension may have at the most.
const (
	MaxFiles   = 500
	MaxFile    = 256 << 10 // bytes
	maxFolders = 2000      // of a commit they can be without number, and without files
)

// Manifest is the file that makes a folder an extension, and says what it is.
const Manifest = "extension.yaml"

// The folders of what an extension brings.
const (
	rolesFolder     = "roles"
	promptsFolder   = "prompts"
	typesFolder     = "artifacts"
	workflowsFolder = "workflows"
	patternsFolder  = "patterns" // of output, by which diagnose knows a cause
	skillsFolder    = "skills"   // what agents can read up
	HooksFolder     = "on"       // programs that are called after a move, each with the name of its act
)

var contentFolders = []string{rolesFolder, promptsFolder, typesFolder, workflowsFolder, patternsFolder, skillsFolder, HooksFolder}

// The files of what an extension brings.
const (
	GatesFile     = "gates.yaml"     // which a person puts on the board
	ProvidersFile = "providers.yaml" // programs that agents can be
	LaunchersFile = "launchers.yaml" // ways to make containers
)

var contentFiles = []string{GatesFile, ProvidersFile, LaunchersFile}

// Runs reports whether a file of an extension makes programs run. It does so only where a
// machine's user trusts the extension.
func Runs(file string) bool {
	return path.Dir(file) == HooksFolder || file == ProvidersFile || file == LaunchersFile
}

// An Extension is what its files say.
type Extension struct {
	Name    string   `json:"name" yaml:"name"`
	Version string   `json:"version" yaml:"version"`
	About   string   `json:"about" yaml:"about"`
	Needs   Needs    `json:"needs" yaml:"needs"`
	Files   []string `json:"files" yaml:"-"` // below its folder, sorted

	Causes []*diagnosis.Cause `json:"-" yaml:"-"` // of failures
	Gates  []board.Gate       `json:"-" yaml:"-"`
	Skills map[string]string  `json:"-" yaml:"-"` // their texts, by name

	base                 Base
	roles                []board.RoleRow
	providers, launchers []string // names of rows
}

// Needs is what an extension cannot do without.
type Needs struct {
	Format     int      `json:"format,omitempty" yaml:"format"`         // of the board, at least
	Extensions []string `json:"extensions,omitempty" yaml:"extensions"` // which it comes after
}

var nameForm = pattern.Late(`^[a-z][a-z0-9-]{0,38}$`)

// Roles are the roles that it brings.
func (e *Extension) Roles() (list []board.Role) {
	for _, file := range e.Files {
		if name, ok := strings.CutSuffix(file, ".md"); ok && path.Dir(file) == rolesFolder {
			list = append(list, board.Role(path.Base(name)))
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
	for file, rows := range map[string]int{GatesFile: len(e.Gates), ProvidersFile: len(e.providers), LaunchersFile: len(e.launchers)} {
		if rows > 0 {
			count[file] = rows
		}
	}
	return count
}

// A File is a file of an extension with all that is wrong with it.
type File struct {
	Path   string // below the extension's folder
	Faults []artifacts.Fault
}

// Read reads an extension from its folder, and says all that is wrong with it.
func Read(from fs.FS, base Base) (*Extension, []File) {
	r := reader{from: from, e: &Extension{base: base}}
	if !r.walk() {
		return r.e, r.wrong // what looks at prompts would walk on
	}
	r.Manifest()
	for _, file := range r.e.Files {
		r.content(file)
	}
	r.prompts()
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
	known := lists.Of(e.known(), func(row board.RoleRow) board.Role { return row.Name })
	return templates.Layer{Name: "extension " + e.Name + " " + e.Version, FS: sub, Roles: known}
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

// walk lists its files, and reports whether there are no more than it may have. Links are no
// files: they could lead out of the folder.
func (r *reader) walk() (whole bool) {
	folders := 0
	whole = true
	err := fs.WalkDir(r.from, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == ".git":
			return fs.SkipDir
		case entry.IsDir():
			if folders++; folders > maxFolders {
				whole = false
				r.fault(Manifest, artifacts.CodeLimit, "an extension has at most %d folders", maxFolders)
				return fs.SkipAll
			}
			return nil
		case len(r.e.Files) == MaxFiles:
			whole = false
			r.fault(Manifest, artifacts.CodeLimit, "an extension has at most %d files", MaxFiles)
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
		r.fault(Manifest, artifacts.CodeFile, "%v", err)
	}
	return whole
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

func (r *reader) Manifest() {
	if !slices.Contains(r.e.Files, Manifest) {
		if !slices.ContainsFunc(r.wrong, func(f File) bool { return f.Path == Manifest }) {
			r.fault(Manifest, artifacts.CodeFile, "an extension has a file %s with its name and version", Manifest)
		}
		return
	}
	doc, err := document.Parse(Manifest, r.read(Manifest), MaxFile)
	if err == nil {
		err = doc.DecodeAll(r.e, artifacts.MaxFaults)
	}
	r.faults(Manifest, artifacts.Of(artifacts.CodeForm, err))
	if err != nil {
		return
	}
	if !nameForm().MatchString(r.e.Name) {
		r.fault(Manifest, artifacts.CodeName, "name: small letters, digits and hyphens, at most 39, the first one a letter, not %q", r.e.Name)
	}
	if r.e.Version == "" || len(r.e.Version) > 40 || strings.ContainsAny(r.e.Version, " \t\n") {
		r.fault(Manifest, artifacts.CodeValue, "version: one word, not %q", r.e.Version)
	}
	r.needs()
}

// needs says what is wrong with what it needs: itself, or later rules than there are.
func (r *reader) needs() {
	if slices.Contains(r.e.Needs.Extensions, r.e.Name) {
		r.fault(Manifest, artifacts.CodeCycle, "it needs itself")
	}
	switch needs, has := r.e.Needs.Format, r.e.base.Format; {
	case needs < 0:
		r.fault(Manifest, artifacts.CodeValue, "needs: formats begin with 1, there is no format %d", needs)
	case needs > board.NewestFormat:
		r.fault(Manifest, artifacts.CodeValue, "it needs format %d, and this git-liza knows %d: a newer one is needed", needs, board.NewestFormat)
	case has > 0 && needs > has:
		r.fault(Manifest, artifacts.CodeValue, "it needs format %d, and the board has %d: git liza board migrate", needs, has)
	}
}

// content says what is wrong with one file.
func (r *reader) content(file string) {
	folder, rest, below := strings.Cut(file, "/")
	if !below && slices.Contains(contentFiles, file) {
		r.list(file)
		return
	}
	if !below {
		if file != Manifest && !slices.Contains([]string{"README.md", "LICENSE", "LICENSE.md", ".gitignore"}, file) {
			r.fault(file, artifacts.CodePath, "nobody reads it: beside %s there are %s and the folders %s", Manifest, strings.Join(contentFiles, ", "), strings.Join(contentFolders, ", "))
		}
		return
	}
	name := strings.TrimSuffix(rest, path.Ext(rest))
	switch {
	case !slices.Contains(contentFolders, folder):
		r.fault(file, artifacts.CodePath, "nobody reads it: there are the folders %s", strings.Join(contentFolders, ", "))
	case folder == promptsFolder:
	case folder == skillsFolder && path.Base(rest) == "SKILL.md" && nameForm().MatchString(path.Dir(rest)):
		r.skill(file, path.Dir(rest))
	case folder == skillsFolder:
		r.fault(file, artifacts.CodePath, "nobody reads it: a skill is the file skills/NAME/SKILL.md")
	case strings.Contains(rest, "/"):
		r.fault(file, artifacts.CodePath, "nobody reads it: the files of %s lie in no further folder", folder)
	case folder == rolesFolder:
		row, _, err := roles.Parse(file, r.read(file))
		r.faults(file, artifacts.Of(artifacts.CodeForm, err))
		r.e.roles = append(r.e.roles, row)
	case folder == typesFolder && path.Ext(file) == ".yaml":
		_, faults := library.ReadType(name, r.read(file))
		r.faults(file, faults)
	case folder == typesFolder && path.Ext(file) == ".md" && slices.Contains(r.e.Files, typesFolder+"/"+name+".yaml"):
	case folder == workflowsFolder && path.Ext(file) == ".yaml":
	case folder == HooksFolder:
		r.hook(file)
	case folder == patternsFolder && path.Ext(file) == ".yaml":
		cause, faults := readCause(file, r.read(file))
		r.faults(file, faults)
		r.e.Causes = append(r.e.Causes, cause)
	default:
		r.fault(file, artifacts.CodePath, "nobody reads it: %s has files NAME.yaml", folder)
	}
}

// prompts says what is wrong with the prompts. What walk refused is not looked at again.
func (r *reader) prompts() {
	faults, err := r.e.Layer(r.from).Faults()
	if err != nil {
		r.fault(promptsFolder, artifacts.CodeFile, "%v", err)
	}
	for _, f := range faults {
		if file := promptsFolder + "/" + f.Path; slices.Contains(r.e.Files, file) {
			r.faults(file, []artifacts.Fault{{Code: artifacts.CodePath, Line: f.Line, Text: f.Text}})
		}
	}
}

// skill reads a skill. A built-in one is not replaced: the contracts name it.
func (r *reader) skill(file, name string) {
	if _, builtIn := contracts.Find(name); builtIn {
		r.fault(file, artifacts.CodeName, "a built-in document has the name %s: git liza contracts list", name)
	}
	if r.e.Skills == nil {
		r.e.Skills = map[string]string{}
	}
	r.e.Skills[name] = string(r.read(file))
}

// list says what is wrong with a file that is a list.
func (r *reader) list(file string) {
	text, err := r.read(file), error(nil)
	switch file {
	case GatesFile:
		r.e.Gates, err = readGates(text)
	case ProvidersFile:
		var rows []provider.Row
		rows, err = provider.ReadRows(file, text)
		r.e.providers = lists.Of(rows, func(row provider.Row) string { return row.Name })
	case LaunchersFile:
		var rows []launcher.Named
		rows, err = launcher.ReadNamed(file, text)
		r.e.launchers = lists.Of(rows, func(row launcher.Named) string { return row.Name })
	}
	r.faults(file, artifacts.Of(artifacts.CodeForm, err))
}

// hook says what is wrong with a program that is called after a move.
func (r *reader) hook(file string) {
	acts := lists.Of(board.Acts(), board.Act.String)
	info, err := fs.Stat(r.from, file)
	switch {
	case !slices.Contains(acts, path.Base(file)):
		r.fault(file, artifacts.CodePath, "there is no such act: %s has programs that are called after %s", HooksFolder, strings.Join(acts, ", "))
	case err != nil:
		r.fault(file, artifacts.CodeFile, "%v", err)
	case info.Mode()&0o100 == 0:
		r.fault(file, artifacts.CodeFile, "it cannot be executed: chmod +x")
	case hasReturn(r.read(file)):
		r.fault(file, artifacts.CodeFile, "its first line ends with a carriage return, so that no system finds what runs it")
	}
}

// hasReturn reports whether the first line of a script ends as those of Windows do.
func hasReturn(text []byte) bool {
	first, _, _ := bytes.Cut(text, []byte("\n"))
	return bytes.HasPrefix(first, []byte("#!")) && bytes.HasSuffix(first, []byte("\r"))
}

// workflows says what is wrong with the workflows, which may name its types and roles.
func (r *reader) workflows() {
	l, err := library.Open(nil, r.e.Source(r.from, ""))
	if err != nil {
		if at, is := errors.AsType[*fs.PathError](err); is {
			err = at.Err
		}
		r.fault(workflowsFolder, artifacts.CodeFile, "%v", err)
		return
	}
	known := r.e.known()
	row := func(role board.Role) *board.RoleRow {
		return lists.Find(known, func(row board.RoleRow) bool { return row.Name == role })
	}
	for _, d := range l.Workflows() {
		if file := d.Path; strings.HasPrefix(file, workflowsFolder+"/") {
			_, faults := l.ReadWorkflow(d.Name, d.Text, row)
			r.faults(file, faults)
		}
	}
}

// Source is its types and workflows; prefix is the path of its folder in the project.
func (e *Extension) Source(from fs.FS, prefix string) library.Source {
	return library.Source{FS: from, Types: typesFolder, Workflows: workflowsFolder, Prefix: prefix}
}
