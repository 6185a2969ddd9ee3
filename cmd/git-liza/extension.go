package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/extension"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

type extensionCommands struct {
	List   extensionListCommand   `cmd:"" default:"withargs" help:"The extensions of the main work tree, in their order; the default."`
	Add    extensionAddCommand    `cmd:"" help:"Copy an extension into the main work tree."`
	Gates  extensionGatesCommand  `cmd:"" help:"Put the gates of an extension on the board."`
	Remove extensionRemoveCommand `cmd:"" help:"Delete an extension in the main work tree."`
}

// definitionFiles are the files of a project that bring extensions and definitions: those of the
// main work tree. In a checkout, where agents type commands, they are those of integration.
func definitionFiles(ctx context.Context, clone *work.Clone) (fs.FS, error) {
	if worktrees.NameOf(clone.Repo) != "" {
		b, _, err := clone.Store.Board(ctx)
		if err != nil {
			return nil, err
		}
		return git.FilesAt(ctx, clone.Repo, b.Settings().Integration.Tip, extension.MaxFile)
	}
	if clone.Repo.MainWorkTree() == "" {
		return nil, worktrees.ErrNoWorkTree
	}
	root, err := os.OpenRoot(clone.Repo.MainWorkTree())
	return root.FS(), err
}

// readExtensions reads those of [definitionFiles], and returns the main work tree.
func readExtensions(inv *invocation) ([]extension.Installed, string, error) {
	clone, err := inv.reader()
	if err != nil {
		return nil, "", err
	}
	files, err := definitionFiles(inv.ctx, clone)
	if err != nil {
		return nil, "", err
	}
	base, err := extensionBase(inv.ctx, clone)
	if err != nil {
		return nil, "", err
	}
	list, err := extension.List(files, base)
	return list, clone.Repo.MainWorkTree(), err
}

// extensionBase is what the board of a clone gives extensions to lie over; without one,
// that of a new board.
func extensionBase(ctx context.Context, clone *work.Clone) (extension.Base, error) {
	b, _, err := clone.Store.Board(ctx)
	if errors.Is(err, gitstore.ErrNoBoard) {
		return extension.Base{}, nil
	}
	if err != nil {
		return extension.Base{}, err
	}
	base := extension.BaseOf(b)
	return base, b.Err()
}

type extensionListCommand struct {
	Explain bool `help:"List all that they bring instead, with the layers that have it: built in, extensions, project, user."`
}

// Help says what an extension is.
func (c *extensionListCommand) Help() string { return helpText("extension add") }

func (c *extensionListCommand) Run(inv *invocation) error {
	list, top, err := readExtensions(inv)
	if err != nil {
		return err
	}
	if c.Explain {
		all, err := explainExtensions(inv, list, top)
		if err != nil {
			return err
		}
		return inv.answer("", map[string]any{"contents": append([]view.Layered{}, all...)}, cmp.Or(view.LayersText(all, inv.width()), "extensions bring nothing here: git liza extension list\n"))
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

// extensionsAt lists the extensions of a commit.
func extensionsAt(inv *invocation, clone *work.Clone, id git.ID) ([]extension.Installed, error) {
	base, err := extensionBase(inv.ctx, clone)
	if err != nil {
		return nil, err
	}
	files, err := git.FilesAt(inv.ctx, clone.Repo, id, extension.MaxFile)
	if err != nil {
		return nil, err
	}
	return extension.List(files, base)
}

// checkExtensions is the command that says what is wrong with extensions of which nothing
// runs for that.
func checkExtensions(b *board.Board) string {
	return "git liza check " + extension.Folder + " --at " + shell.Quote(b.Settings().Integration.Name)
}

// readExtension reads one from a folder that the user named.
func readExtension(inv *invocation, said string) (*extension.Installed, error) {
	dir := pathFrom(inv.dir, said)
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return nil, usagef("git liza help extension", "%s is no folder", git.Visible(said))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	installed, base, err := extensionGround(inv)
	if err != nil {
		return nil, err
	}
	e := &extension.Installed{Path: said, FS: root.FS()}
	e.Extension, e.Wrong = extension.ReadBeside(e.FS, installed, base)
	return e, nil
}

// extensionGround is what one more extension would lie over; nothing outside of a
// repository.
func extensionGround(inv *invocation) ([]extension.Installed, extension.Base, error) {
	clone, err := inv.reader()
	if errors.Is(err, git.ErrNoRepository) {
		return nil, extension.Base{}, nil
	}
	if err != nil {
		return nil, extension.Base{}, err
	}
	installed, _, err := readExtensions(inv)
	if err != nil && !errors.Is(err, worktrees.ErrNoWorkTree) {
		return nil, extension.Base{}, err
	}
	base, err := extensionBase(inv.ctx, clone)
	return installed, base, err
}

// checkedExtensions are the files of extensions, with what is wrong with them.
func checkedExtensions(list ...extension.Installed) (files []checkedFile) {
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
	return files
}

type extensionAddCommand struct {
	Path    string `arg:"" placeholder:"PATH" help:"Its folder."`
	Replace bool   `help:"In place of the one of its name, all of whose files go."`
}

// Help says what an extension is.
func (c *extensionAddCommand) Run(inv *invocation) error {
	installed, top, err := readExtensions(inv)
	if err != nil {
		return err
	}
	e, err := readExtension(inv, c.Path)
	if err != nil {
		return err
	}
	if len(e.Wrong) > 0 {
		return answerChecked(inv, checkedExtensions(*e), "git liza help extension")
	}
	to := filepath.Join(top, filepath.FromSlash(extension.Folder), e.Name)
	there := slices.ContainsFunc(installed, func(i extension.Installed) bool { return i.Name == e.Name })
	if _, err := os.Lstat(to); (there || err == nil) && !c.Replace {
		return &flow.Refusal{Rule: flow.RuleExists, Reason: "the extension " + e.Name + " is there already", Hint: "git liza extension add --replace " + shell.Quote(e.Path)}
	}
	if there {
		if err := checkCommitted(inv, top, e.Name); err != nil {
			return err
		}
	}
	for _, name := range e.Needs.Extensions {
		if !slices.ContainsFunc(installed, func(i extension.Installed) bool { return i.Name == name }) {
			return &flow.Refusal{Rule: flow.RuleNotFound, Reason: e.Name + " needs the extension " + name + ", which is not there", Hint: "git liza extension list"}
		}
	}
	removeOld(filepath.Dir(to), extension.Half+"*")
	if err := e.CopyTo(to); err != nil {
		return err
	}
	return inv.answer("", map[string]any{"extension": e.Extension, "path": extension.Folder + "/" + e.Name},
		fmt.Sprintf("%s %s, %s in %s/%s\nnext: git add %s/%s && git commit -m %s\n", e.Name, e.Version, view.Count(len(e.Files), "file"), extension.Folder, e.Name,
			extension.Folder, e.Name, shell.Quote("Add the extension "+e.Name+" "+e.Version)))
}

// A skill is one of an extension.
type skill struct{ name, path, text string }

// extensionSkills are the skills of the extensions of the main work tree, by their order
// and name. Outside of a repository there are none, and none of an extension with which
// something is wrong.
func extensionSkills(inv *invocation) (skills []skill) {
	list, _, err := readExtensions(inv)
	if err != nil {
		return nil
	}
	for _, e := range list {
		if len(e.Wrong) > 0 {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(e.Skills)) {
			one := skill{name, e.Path + "/skills/" + name + "/SKILL.md", e.Skills[name]}
			skills = slices.DeleteFunc(skills, func(s skill) bool { return s.name == name })
			skills = append(skills, one)
		}
	}
	return skills
}

// skillTexts are the texts of [extensionSkills] by name.
func skillTexts(inv *invocation) map[string]string {
	texts := map[string]string{}
	for _, s := range extensionSkills(inv) {
		texts[s.name] = s.text
	}
	return texts
}
