package worktrees

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/git-liza/git-liza/gitstore/git"
)

// A registry is what git knows of a repository's work trees. It reads, adds and removes
// them.
type registry struct {
	place
	repo    *git.Repo
	main    string // the main work tree, "" in a bare repository
	common  string // the shared git directory
	scratch *scratch
	locks   *nameLocks
}

// A record is what the repository knows about one work tree. It is read from the files
// of gitrepository-layout(5), not from `git worktree list`, which is a process and
// leaves out damaged work trees.
type record struct {
	path   string // of the work tree, symbolic links resolved
	gitDir string // its own git directory
	name   string // its name, if it lies below .worktrees/
	branch string // short name, "" if detached
	head   ID
	locked string // the reason it is locked for, "" if it is not
	gone   bool   // no folder, or one whose .git is missing, empty or ruined, see Missing
	alien  bool   // the folder names another git directory, as in a copied repository
	own    bool   // there is a repository of ours inside
	inner  string // the branch that is checked out inside, if it is another
	barred bool   // no filter may run a file of it, though it is the main work tree
	lost   bool   // the branch of the task is not there inside
	raw    bool   // git reads its files as they are where it would start such a filter
}

// fault names the work tree in an error; nil stays nil.
func (r record) fault(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("worktree %s: %w", r.path, err)
}

// pathOf is the path as callers know it: below the main work tree as git
// named it, also if .worktrees is a symbolic link.
func (g *registry) pathOf(r record) string {
	if r.name != "" {
		return g.Path(r.name)
	}
	return r.path
}

// records returns the main work tree, then the linked ones by the names of
// their git directories.
func (g *registry) records(ctx context.Context) ([]record, error) {
	main := record{path: resolveLinks(g.main), gitDir: g.common, gone: g.main == ""}
	if err := g.readHead(ctx, &main); err != nil {
		return nil, err
	}
	records := []record{main}
	entries, err := os.ReadDir(filepath.Join(g.common, "worktrees"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("worktrees: %w", err)
	}
	root, links := resolveLinks(g.root), folderLinks{}
	for _, entry := range entries {
		r := record{gitDir: filepath.Join(g.common, "worktrees", entry.Name())}
		known, err := g.readRecord(ctx, &r, links)
		if err != nil {
			return nil, err
		}
		if !known {
			continue
		}
		if filepath.Dir(r.path) == root {
			r.name = filepath.Base(r.path)
		}
		records = append(records, r)
	}
	return records, nil
}

// each does something with the record of each work tree that is whole.
func (g *registry) each(ctx context.Context, do func(record) error) error {
	records, err := g.records(ctx)
	if err != nil {
		return err
	}
	for _, r := range records {
		if r.gone || r.alien {
			continue
		}
		if err := do(r); err != nil {
			return err
		}
	}
	return nil
}

// readRecord is false for a work tree that another process is just making or removing,
// and for one that does not say where it is.
func (g *registry) readRecord(ctx context.Context, r *record, links folderLinks) (known bool, err error) {
	location, err := git.ReadSmall(filepath.Join(r.gitDir, "gitdir"))
	if err != nil || len(location) == 0 {
		return false, nil
	}
	dotGit := git.AbsoluteIn(r.gitDir, strings.TrimSpace(string(location)))
	r.path = links.resolve(filepath.Dir(dotGit))
	reason, err := git.ReadSmall(filepath.Join(r.gitDir, "locked"))
	switch {
	case err == nil:
		r.locked = cmp.Or(strings.TrimSpace(string(reason)), "no reason given")
	case !isAbsent(err):
		r.locked = err.Error()
	}
	info, err := os.Lstat(filepath.Join(r.path, ".git"))
	r.gone = isRuined(r.path)
	if err == nil && info.IsDir() {
		r.own = !r.gone && isInside(r.path, g.common)
		r.alien = !r.gone && !r.own
		return true, g.readEntryHead(ctx, r)
	}
	target, err := readDotGit(r.path)
	r.alien = !r.gone && (err != nil || target != r.gitDir && links.resolve(target) != links.resolve(r.gitDir))
	return true, g.readEntryHead(ctx, r)
}

// readEntryHead is readHead, but a ruined entry is in no other one's way.
func (g *registry) readEntryHead(ctx context.Context, r *record) error {
	err := g.readHead(ctx, r)
	if err != nil && ctx.Err() == nil {
		r.alien, err = true, nil
	}
	return err
}

// readHead reads what a work tree has checked out.
func (g *registry) readHead(ctx context.Context, r *record) error {
	content, err := git.ReadSmall(filepath.Join(r.gitDir, "HEAD"))
	if isAbsent(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("worktrees: %w", err)
	}
	text := strings.TrimSpace(string(content))
	ref, symbolic := strings.CutPrefix(text, "ref:")
	ref = strings.TrimSpace(ref)
	switch {
	case ref == "refs/heads/.invalid": // reftable does not keep HEAD in this file
		return g.askHead(ctx, r)
	case !symbolic:
		if g.repo.CheckID(ID(text)) == nil && strings.Trim(text, "0") != "" {
			r.head = ID(text)
		}
		return nil
	}
	r.branch = strings.TrimPrefix(ref, "refs/heads/")
	r.head, err = g.repo.Refs.Resolve(ctx, ref)
	return err
}

// hasNoHead reports whether HEAD names neither a branch nor a commit.
func (r record) hasNoHead() bool { return r.branch == "" && r.head == "" }

func (g *registry) askHead(ctx context.Context, r *record) error {
	ask := func(args ...string) (string, error) {
		out, err := g.repo.Run(ctx, git.Cmd{Args: args, Env: []string{"GIT_DIR=" + r.gitDir}})
		if git.ExitCode(err) == 1 {
			err = nil
		}
		return strings.TrimSpace(string(out)), err
	}
	ref, err := ask("symbolic-ref", "--quiet", "HEAD")
	head, headErr := ask("rev-parse", "--quiet", "--verify", "HEAD")
	r.branch, r.head = strings.TrimPrefix(ref, "refs/heads/"), ID(head)
	return cmp.Or(err, headErr)
}

// unfinished are the files that name the branch of a rebase or a bisection that has
// detached HEAD for a while, and their content if it began detached.
var unfinished = map[string]string{
	"rebase-merge/head-name": "detached HEAD\n",
	"rebase-apply/head-name": "detached HEAD\n",
	"BISECT_START":           "", // the commit
}

// hasBranch reports whether the work tree has the branch checked out, or will have it again
// after an unfinished rebase or bisection.
func (r record) hasBranch(branch string) bool {
	if r.branch == branch {
		return true
	}
	for file := range unfinished {
		if r.inMiddleOf(file, branch) {
			return true
		}
	}
	return false
}

func (r record) inMiddleOf(file, branch string) bool {
	content, err := git.ReadSmall(filepath.Join(r.stateDir(), file))
	return err == nil && namesBranch(content, branch)
}

func namesBranch(content []byte, branch string) bool {
	return strings.TrimPrefix(strings.TrimSpace(string(content)), "refs/heads/") == branch
}

// standing is the record of the checkout called name, if it is whole, and it alone has the
// branch. That is so for most claims, and of each other work tree only the branch is read. If it
// cannot tell, the records of all will.
func (g *registry) standing(ctx context.Context, name, branch string) (r record, stands bool) {
	_ = g.whole(ctx, name, func(_ context.Context, found *record) error {
		r = *found
		return nil
	})
	if r.gitDir == "" || r.locked == "" || r.branch != branch || r.path != filepath.Join(resolveLinks(g.root), name) {
		return record{}, false
	}
	folder, err := git.OpenFolder(g.common)
	if err != nil {
		return record{}, false
	}
	defer folder.Close()
	names, err := g.gitDirNames()
	return r, err == nil && !slices.ContainsFunc(names, func(name string) bool {
		return name != "worktrees/"+filepath.Base(r.gitDir) && mayHaveBranch(folder, name, branch)
	})
}

// mayHaveBranch is [record.hasBranch] of the work tree whose git directory has a name in the
// shared one, and true where that cannot be told from its files.
func mayHaveBranch(common git.Folder, name, branch string) bool {
	head, err := common.ReadSmall(name + "/HEAD")
	ref, symbolic := strings.CutPrefix(strings.TrimSpace(string(head)), "ref:")
	ref = strings.TrimSpace(ref)
	if err != nil && !isAbsent(err) || symbolic && (ref == "refs/heads/"+branch || ref == "refs/heads/.invalid") {
		return true
	}
	for file := range unfinished {
		if content, err := common.ReadSmall(name + "/" + file); err == nil && namesBranch(content, branch) {
			return true
		}
	}
	return false
}

// isReplaced reports whether the repository inside gave way to another that is of no clone.
func (r record) isReplaced() bool {
	return r.alien && fileExists(filepath.Join(r.gitDir, takenName)) && git.CloneOf(r.inside()) == ""
}

func findRecord(records []record, name string) (record, bool) {
	for _, r := range records {
		if r.name == name {
			return r, true
		}
	}
	return record{}, false
}

// resolveLinks follows the symbolic links in a path, of which the last component
// need not exist.
func resolveLinks(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path
	}
	return filepath.Join(resolveLinks(dir), filepath.Base(path))
}

// folderLinks are folders with their links resolved, as they were when the first path in each
// was. All checkouts lie in a few, and following the way to each anew takes longer than
// reading it.
type folderLinks map[string]string

// resolve is resolveLinks.
func (l folderLinks) resolve(path string) string {
	folder := filepath.Dir(path)
	real, known := l[folder]
	if !known {
		real = resolveLinks(folder)
		l[folder] = real
	}
	place := filepath.Join(real, filepath.Base(path))
	if info, err := os.Lstat(place); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return resolveLinks(path)
	}
	return place
}

func fileExists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// isAbsent reports whether an error says that a file is missing, or a folder above
// it, or that such a folder is a file.
func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// Path returns the absolute path of the checkout called name, such as "task-1",
// "task-1@2" or "review@task-1@1", whether or not it exists.
func (g *registry) Path(name string) string { return filepath.Join(g.root, name) }

func (g *registry) treeOf(r record) Tree {
	return Tree{Name: r.name, Path: g.pathOf(r), Branch: r.branch, Head: r.head, Broken: r.gone || r.alien || r.hasNoHead()}
}

// gitDirNames are the git directories as paths below the shared one, "." for that itself.
func (g *registry) gitDirNames() ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(g.common, "worktrees"))
	if err != nil && !isAbsent(err) {
		return nil, fmt.Errorf("worktrees: %w", err)
	}
	names := []string{"."}
	for _, entry := range entries {
		names = append(names, "worktrees/"+entry.Name())
	}
	return names, nil
}

// recordAt returns the checkout that lies at path, which may be any work tree of
// the repository.
func (g *registry) recordAt(ctx context.Context, path string) (record, error) {
	records, err := g.records(ctx)
	if err != nil {
		return record{}, err
	}
	real := resolveLinks(path)
	for _, r := range records {
		if r.path == real && !r.gone && !r.alien {
			return r, nil
		}
	}
	return record{}, &Obstacle{Path: path, Reason: "is not a work tree of this repository"}
}

// List returns the checkouts below .worktrees/, broken ones too, by name. It
// writes nothing.
func (g *registry) List(ctx context.Context) ([]Tree, error) {
	records, err := g.records(ctx)
	if err != nil {
		return nil, err
	}
	var trees []Tree
	for _, r := range records {
		if r.name != "" && r.name[0] != '.' {
			trees = append(trees, g.treeOf(r))
		}
	}
	return trees, nil
}
