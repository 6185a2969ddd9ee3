package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/artifacts"
	"github.com/git-liza/git-liza/artifacts/library"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/extension"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/roles"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/glob"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// definitions are the types and workflows that a clone knows, and what its files are.
type definitions struct {
	*library.Library
	patterns []pathType
}

// A pathType is the type that a workflow asks for at the paths of a pattern.
type pathType struct {
	glob     string
	kind     *artifacts.Type // as the goal has it that asks for the artifact, else as this clone has it
	workflow string
	finished bool // a goal is in a phase that needs it
}

// readDefinitions reads what the goals in progress ask for, the built-in definitions, and
// those of the main work tree. Of two patterns for a path the first counts.
func readDefinitions(ctx context.Context, clone *work.Clone) (*definitions, error) {
	l, err := openLibrary(ctx, clone)
	if err != nil {
		return nil, err
	}
	d := &definitions{Library: l}
	b, _, err := clone.Store.Board(ctx)
	if err != nil && !errors.Is(err, gitstore.ErrNoBoard) {
		return nil, err
	}
	if err == nil {
		for _, p := range board.TypedPatterns(b) {
			d.patterns = append(d.patterns, pathType{p.Glob, artifacts.TypeOf(&p.Type), p.Workflow, p.Finished})
		}
	}
	for _, one := range l.Workflows() {
		w, err := l.Workflow(one.Name, nil)
		if err != nil {
			continue // its own check says why
		}
		for _, p := range w.Phases {
			for _, a := range p.Artifacts {
				d.patterns = append(d.patterns, pathType{glob: artifacts.InGoal(a.Path, "*"), kind: w.Type(a.Type), workflow: w.Name})
			}
		}
	}
	return d, nil
}

// openLibrary lists the built-in definitions, and those of extensions and of the project
// among its files.
func openLibrary(ctx context.Context, clone *work.Clone) (*library.Library, error) {
	files, err := definitionFiles(ctx, clone)
	if errors.Is(err, worktrees.ErrNoWorkTree) {
		return library.Open(nil)
	}
	if err != nil {
		return nil, err
	}
	base, err := extensionBase(ctx, clone)
	if err != nil {
		return nil, err
	}
	list, err := extension.List(files, base)
	if err != nil {
		return nil, err
	}
	sound := slices.DeleteFunc(list, func(e extension.Installed) bool { return len(e.Wrong) > 0 }) // git liza check says what is wrong
	return library.Open(files, lists.Of(sound, func(e extension.Installed) library.Source { return e.Source(e.FS, e.Path) })...)
}

// folders are the folders that hold all artifacts and definitions.
func (d *definitions) folders() []string {
	list := []string{library.TypesFolder, library.WorkflowsFolder}
	for _, p := range d.patterns {
		folder := path.Dir(p.glob)
		for strings.ContainsAny(folder, `*?[`) {
			folder = path.Dir(folder)
		}
		if folder == "." {
			return []string{""}
		}
		if !slices.Contains(list, folder) {
			list = append(list, folder)
		}
	}
	return list
}

// at is the type that a workflow asks for at a path, nil if none does.
func (d *definitions) at(file string) pathType {
	for _, p := range d.patterns {
		if glob.Match(p.glob, file) {
			return p
		}
	}
	return pathType{}
}

// The kinds of files that are no artifacts.
const (
	kindType     = "type"
	kindWorkflow = "workflow"
	kindLesson   = "lesson"

	kindExtension = "extension"
)

// definitionAt is the kind of definition that a path is of, "" if it is of none.
func definitionAt(file string) string {
	switch folder := path.Dir(file); {
	case path.Ext(file) != ".yaml":
		return ""
	case folder == library.TypesFolder:
		return kindType
	case folder == library.WorkflowsFolder:
		return kindWorkflow
	}
	return ""
}

// A checkedFile is a file with all that is wrong with it.
type checkedFile struct {
	Path   string            `json:"path"`
	Type   string            `json:"type"`
	Valid  bool              `json:"valid"`
	Errors []artifacts.Fault `json:"errors"`
}

// lines formats the faults as compilers do.
func (f *checkedFile) lines() string {
	var text strings.Builder
	for _, one := range f.Errors {
		what := one.Text
		if key := one.Field[strings.LastIndexByte(one.Field, '.')+1:]; !strings.Contains(what, key) {
			what = one.Field + ": " + what
		}
		fmt.Fprintf(&text, "%s:%d: %s: %s\n", git.Visible(f.Path), one.Line, one.Code, plaintext.Line(what))
	}
	return text.String()
}

// fault is a file about which there is one thing to say.
func (f *checkedFile) fault(code artifacts.Code, format string, args ...any) {
	f.Errors = append(f.Errors, artifacts.Fault{Code: code, Line: 1, Text: fmt.Sprintf(format, args...)})
}

// rootedFile returns the path from the root of the repository of a file that the user
// named from the current folder.
func rootedFile(inv *invocation, clone *work.Clone, said string) (string, error) {
	tree := clone.Repo.WorkTree()
	if tree == "" {
		return path.Clean(filepath.ToSlash(said)), nil
	}
	dir, err := filepath.EvalSymlinks(inv.dir) // as git prints the work tree
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(tree, pathFrom(dir, said))
	if err != nil || !filepath.IsLocal(rel) {
		return "", usagef("git rev-parse --show-toplevel", "%s is not in the repository", git.Visible(said))
	}
	return filepath.ToSlash(rel), nil
}

// rowOf finds the rows of roles: those of the board, if there is one, and those that are
// built in.
func rowOf(inv *invocation, clone *work.Clone) func(board.Role) *board.RoleRow {
	list := append(board.BuiltinRoles(), lists.Of(roles.Builtin(), func(row board.RoleRow) *board.RoleRow { return &row })...)
	if b, _, err := clone.Store.Board(inv.ctx); err == nil {
		list = append(list, b.Roles()...)
	}
	known := map[board.Role]*board.RoleRow{}
	for _, row := range list {
		known[row.Name] = row
	}
	return func(r board.Role) *board.RoleRow { return known[r] }
}

// answerChecked prints what is wrong with files; it is an error if anything is. help is
// the hint then, unless a template helps more.
func answerChecked(inv *invocation, list []checkedFile, help string) error {
	data := map[string]any{"files": append([]checkedFile{}, list...)}
	var text strings.Builder
	wrong, invalid, hint := 0, 0, ""
	templates, _ := templateList(inv)
	for _, f := range list {
		text.WriteString(f.lines())
		if wrong += len(f.Errors); !f.Valid {
			invalid++
		}
		if hint == "" && !f.Valid && slices.ContainsFunc(templates, func(one templateRow) bool { return one.Name == f.Type }) {
			hint = "git liza artifact template " + f.Type
		}
	}
	if wrong == 0 {
		return inv.answer("", data, view.Count(len(list), "file")+", no error")
	}
	where := fmt.Sprintf("%d of %s", invalid, view.Count(len(list), "file"))
	if len(list) == 1 {
		where = git.Visible(list[0].Path)
	}
	return inv.partly(failure{code: exitFailed, outcome: "failed", rule: flow.RuleArtifact, hint: cmp.Or(hint, help),
		reason: view.Count(wrong, "error") + " in " + where}, data, text.String())
}
