package work

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/extension"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A RunningExtension is an extension on the integration branch that brings something which
// runs on a machine. It is trusted as a whole, by its tree: where a file of it changes, it
// is another one.
type RunningExtension struct {
	Name string
	Tree git.ID
	Runs []string // the paths of what runs, below its folder

	// Wrong says what is wrong with it, so that nothing of it is to be used; "" is nothing.
	// Only [Trust.TrustedExtensions] looks.
	Wrong string

	files fs.FS
}

// Command is the text of which the hash is trusted.
func (e *RunningExtension) Command() string {
	return "tree " + string(e.Tree) + ": " + strings.Join(e.Runs, ", ")
}

// Has reports whether it brings a file that runs.
func (e *RunningExtension) Has(path string) bool { return slices.Contains(e.Runs, path) }

// Read returns the content of a file that runs.
func (e *RunningExtension) Read(path string) ([]byte, error) {
	return fs.ReadFile(e.files, path)
}

// mostExtensions bounds how many extensions of a tree are looked at.
const mostExtensions = 100

// Extensions are the extensions on the board's integration branch of which something runs,
// by name, trusted or not.
func (t *Trust) Extensions(ctx context.Context, b *board.Board) (list []RunningExtension, err error) {
	tip := b.Settings().Integration.Tip
	if tip == "" {
		return nil, nil
	}
	objects, entries, err := listFolder(ctx, t.repo, tip, extension.Folder)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries[:min(len(entries), mostExtensions)] {
		if entry.Mode != git.ModeTree {
			continue
		}
		e, err := findRunning(objects, entry.Name, entry.ID)
		if err != nil {
			return nil, err
		}
		if len(e.Runs) > 0 {
			list = append(list, e)
		}
	}
	return list, nil
}

// listFolder lists a folder of a commit; nothing where there is no folder.
func listFolder(ctx context.Context, repo *git.Repo, commit git.ID, path string) (*git.Objects, []git.Entry, error) {
	objects := repo.Objects(ctx)
	c, err := objects.Commit(commit)
	if err != nil {
		return nil, nil, err
	}
	folder, ok, err := objects.Find(c.Tree, path)
	if err != nil || !ok || folder.Mode != git.ModeTree {
		return objects, nil, err
	}
	entries, err := objects.Tree(folder.ID)
	return objects, entries, err
}

// findRunning finds what runs of the extension that a tree is.
func findRunning(objects *git.Objects, name string, tree git.ID) (RunningExtension, error) {
	e := RunningExtension{Name: name, Tree: tree, files: objects.FS(tree, extension.MaxFile)}
	err := fs.WalkDir(e.files, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && name != extension.HooksFolder:
			return fs.SkipDir
		case entry.Type().IsRegular() && extension.Runs(name):
			e.Runs = append(e.Runs, name)
		}
		return nil
	})
	slices.SortStableFunc(e.Runs, func(a, b string) int { return strings.Compare(path.Dir(a), path.Dir(b)) })
	return e, err
}

// TrustedExtensions are the extensions of which something runs whose trees are allowed on
// this machine, in the order in which they lie over one another. It starts a git if there
// is one of which something runs.
func (t *Trust) TrustedExtensions(ctx context.Context, b *board.Board) (trusted []RunningExtension, err error) {
	list, err := t.Extensions(ctx, b)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	allowed, err := t.Allowed(ctx)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(e RunningExtension) bool { return allowed.Check(e.Command()) != nil })
	if len(list) == 0 {
		return nil, nil
	}
	files, err := git.FilesAt(ctx, t.repo, b.Settings().Integration.Tip, extension.MaxFile)
	if err != nil {
		return nil, err
	}
	all, err := extension.List(files, extension.BaseOf(b))
	if err != nil {
		return nil, err
	}
	for _, one := range all {
		i := slices.IndexFunc(list, func(e RunningExtension) bool { return e.Name == one.Name })
		if i < 0 {
			continue
		}
		e := list[i]
		if len(one.Wrong) > 0 {
			e.Wrong = one.Path + "/" + one.Wrong[0].Path + ": " + one.Wrong[0].Faults[0].Text
		}
		trusted = append(trusted, e)
	}
	return trusted, b.Err()
}

// Commands are the commands that a board may ask a machine to run, with the extensions of
// its integration branch of which something runs.
func (t *Trust) Commands(ctx context.Context, b *board.Board) ([]BoardCommand, error) {
	list, err := t.SharedCommands(ctx, b)
	if err != nil {
		return nil, err
	}
	return append(list, taskCommands(b)...), b.Err()
}

// SharedCommands are those of [Trust.Commands] that belong to no task.
func (t *Trust) SharedCommands(ctx context.Context, b *board.Board) ([]BoardCommand, error) {
	list := configCommands(b.Settings().Config)
	running, err := t.Extensions(ctx, b)
	return append(list, lists.Of(running, func(e RunningExtension) BoardCommand {
		return BoardCommand{Where: "extension " + e.Name, Command: e.Command(), extension: true}
	})...), err
}
