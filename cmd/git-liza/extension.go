package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/extension"
	"github.com/git-liza/git-liza/cmd/git-liza/view"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/worktrees"
)

type extensionCommands struct {
	List   extensionListCommand   `cmd:"" default:"1" help:"The extensions of the main work tree, in their order; the default."`
	Add    extensionAddCommand    `cmd:"" help:"Copy an extension into the main work tree."`
	Check  extensionCheckCommand  `cmd:"" help:"Say all that is wrong with extensions."`
	Remove extensionRemoveCommand `cmd:"" help:"Delete an extension in the main work tree."`
}

// extensionHelp says what an extension is.
const extensionHelp = `An extension is a folder that brings into a project what a team shares: roles/NAME.md,
prompts/ROLE/SECTION.md or .append.md, artifacts/NAME.yaml with NAME.md, workflows/NAME.yaml,
patterns/NAME.yaml (title, fix, test and signs of a cause for git liza diagnose).
Its extension.yaml says name, version, about, and what it needs:

    name: house-rules
    version: "1.2"
    about: how this company writes
    needs: {rules: 5, extensions: [base]}

It lies in .liza/extensions/NAME and is committed and judged like any work. What it has
lies over what is built in and below what the project and you have; of two extensions the
one that needs the other lies above it, else the later name. git liza prompt --explain
and git liza artifact define say where each thing comes from.

`

// readExtensions reads those of the main work tree.
func readExtensions(inv *invocation) ([]extension.Installed, string, error) {
	clone, err := inv.reader()
	if err != nil {
		return nil, "", err
	}
	top := clone.Repo.MainWorkTree()
	if top == "" {
		return nil, "", worktrees.ErrNoWorkTree
	}
	var known []flow.Role
	rules := flow.RulesVersion
	if b, _, err := clone.Store.Board(inv.ctx); err == nil {
		for _, row := range b.Roles() {
			known = append(known, row.Name)
		}
		rules = b.Settings().Rules
	} else if !errors.Is(err, gitstore.ErrNoBoard) {
		return nil, "", err
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil, "", err
	}
	defer root.Close()
	list, err := extension.List(root.FS(), known)
	for i := range list {
		list[i].NeedRules(rules)
	}
	return list, top, err
}

type extensionListCommand struct{}

// Help says what an extension is.
func (c *extensionListCommand) Help() string { return extensionHelp }

func (c *extensionListCommand) Run(inv *invocation) error {
	list, _, err := readExtensions(inv)
	if err != nil {
		return err
	}
	type row struct {
		*extension.Extension
		Path  string `json:"path"`
		Valid bool   `json:"valid"`
	}
	rows := make([]row, len(list))
	var text strings.Builder
	for i, e := range list {
		rows[i] = row{e.Extension, e.Path, len(e.Wrong) == 0}
		text.WriteString(view.ExtensionText(e, inv.width()))
	}
	if len(list) == 0 {
		text.WriteString("there is no extension: git liza extension add PATH\n")
	}
	return inv.answer("", map[string]any{"extensions": rows}, text.String())
}

type extensionCheckCommand struct {
	Path string `arg:"" optional:"" help:"The folder of an extension; default: all of the main work tree."`
}

func (c *extensionCheckCommand) Run(inv *invocation) error {
	if c.Path != "" {
		e, err := readExtension(inv, c.Path)
		if err != nil {
			return err
		}
		return answerExtensions(inv, []extension.Installed{*e})
	}
	list, _, err := readExtensions(inv)
	if err != nil {
		return err
	}
	return answerExtensions(inv, list)
}

// readExtension reads one from a folder that the user named.
func readExtension(inv *invocation, said string) (*extension.Installed, error) {
	dir := said
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(inv.dir, dir)
	}
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return nil, usagef("git liza help extension", "%s is no folder; of a repository elsewhere: URL#REF", said)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	e := &extension.Installed{Path: said, FS: root.FS()}
	e.Extension, e.Wrong = extension.Read(e.FS, nil)
	return e, nil
}

// answerExtensions prints what is wrong with extensions.
func answerExtensions(inv *invocation, list []extension.Installed) error {
	var files []checkedFile
	for _, e := range list {
		for _, name := range e.Files {
			if !slices.ContainsFunc(e.Wrong, func(f extension.File) bool { return f.Path == name }) {
				files = append(files, checkedFile{Path: e.Path + "/" + name, Type: kindExtension, Valid: true})
			}
		}
		for _, f := range e.Wrong {
			files = append(files, checkedFile{Path: e.Path + "/" + f.Path, Type: kindExtension, Errors: f.Faults})
		}
	}
	return answerChecked(inv, files, "git liza help extension")
}

type extensionAddCommand struct {
	Path    string `arg:"" placeholder:"PATH|URL#REF" help:"Its folder, or the repository whose root it is, at a branch or tag."`
	Replace bool   `help:"In place of the one of its name, all of whose files go."`
}

// Help says what an extension is.
func (c *extensionAddCommand) Help() string { return extensionHelp }

func (c *extensionAddCommand) Run(inv *invocation) error {
	installed, top, err := readExtensions(inv)
	if err != nil {
		return err
	}
	from := c.Path
	if isElsewhere(inv, from) {
		clone, err := inv.reader()
		if err != nil {
			return err
		}
		b, err := borrow(inv, clone.Repo, from)
		if err != nil {
			return err
		}
		defer b.close()
		from = b.files()
	}
	e, err := readExtension(inv, from)
	if err != nil {
		return err
	}
	e.Path = c.Path
	if len(e.Wrong) > 0 {
		return answerExtensions(inv, []extension.Installed{*e})
	}
	to := filepath.Join(top, filepath.FromSlash(extension.Folder), e.Name)
	there := slices.ContainsFunc(installed, func(i extension.Installed) bool { return i.Name == e.Name })
	if _, err := os.Lstat(to); (there || err == nil) && !c.Replace {
		return &flow.Refusal{Rule: flow.RuleExists, Reason: "the extension " + e.Name + " is there already", Hint: "git liza extension add --replace " + shell.Quote(c.Path)}
	}
	for _, name := range e.Needs.Extensions {
		if !slices.ContainsFunc(installed, func(i extension.Installed) bool { return i.Name == name }) {
			return &flow.Refusal{Rule: flow.RuleNotFound, Reason: e.Name + " needs the extension " + name + ", which is not there", Hint: "git liza extension list"}
		}
	}
	if err := copyExtension(e, to); err != nil {
		return err
	}
	return inv.answer("", map[string]any{"extension": e.Extension, "path": extension.Folder + "/" + e.Name},
		fmt.Sprintf("%s %s, %s in %s/%s\nnext: git add %s/%s && git commit -m %s\n", e.Name, e.Version, view.Count(len(e.Files), "file"), extension.Folder, e.Name,
			extension.Folder, e.Name, shell.Quote("Add the extension "+e.Name+" "+e.Version)))
}

// copyExtension copies it beside its place and then puts it there, so that no half of one
// is ever there.
func copyExtension(e *extension.Installed, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	half, err := os.MkdirTemp(filepath.Dir(to), ".half-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(half)
	if err := os.Chmod(half, 0o755); err != nil {
		return err
	}
	for _, name := range e.Files {
		data, err := fs.ReadFile(e.FS, name)
		if err != nil {
			return err
		}
		file := filepath.Join(half, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	return os.Rename(half, to)
}

type extensionRemoveCommand struct {
	Name string `arg:"" help:"As git liza extension list names it."`
}

func (c *extensionRemoveCommand) Run(inv *invocation) error {
	list, top, err := readExtensions(inv)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(list, func(e extension.Installed) bool { return e.Name == c.Name })
	if i < 0 {
		return &flow.Refusal{Rule: flow.RuleNotFound, Reason: "there is no extension " + c.Name, Hint: "git liza extension list"}
	}
	for _, other := range list {
		if slices.Contains(other.Needs.Extensions, c.Name) {
			return &flow.Refusal{Rule: flow.RuleHeld, Reason: "the extension " + other.Name + " needs " + c.Name, Hint: "git liza extension remove " + other.Name}
		}
	}
	l, err := inv.look()
	if err == nil {
		for _, row := range l.Board.Roles() {
			if strings.HasPrefix(row.Persona, list[i].Path+"/") {
				return &flow.Refusal{Rule: flow.RuleHeld, Reason: fmt.Sprintf("the role %s of the board is told what %s says", row.Name, row.Persona), Hint: "git liza role remove " + row.Name.String()}
			}
		}
	} else if !errors.Is(err, gitstore.ErrNoBoard) {
		return err
	}
	if err := os.RemoveAll(filepath.Join(top, filepath.FromSlash(list[i].Path))); err != nil {
		return err
	}
	_ = os.Remove(filepath.Join(top, filepath.FromSlash(extension.Folder))) // if it was the last one
	return inv.answer("", map[string]any{"removed": c.Name, "path": list[i].Path},
		fmt.Sprintf("%s is gone\nnext: git add -u %s && git commit -m %s\n", list[i].Path, list[i].Path, shell.Quote("Remove the extension "+c.Name)))
}
