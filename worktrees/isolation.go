package worktrees

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// isolation runs git in a checkout without the hooks and filters that the checkout
// itself configures.
type isolation struct {
	repo   *git.Repo
	main   string // the main work tree
	common string // the shared git directory

	guard func(context.Context, *git.Process) error // runs git where that may start hooks or filters; nil runs it alone
}

// run runs git in r's work tree. An agent may have written anything there, but no file
// in it decides what git reads or starts. It runs no hook.
//
// Git gets its directories by name. If the folder had lost its .git file, git would
// find the main work tree instead; and the .git file, or a commondir file, may lead to
// configuration with commands for git to run.
func (i *isolation) run(ctx context.Context, r record, c git.Cmd) ([]byte, error) {
	return i.runIsolated(ctx, r, "/dev/null", c)
}

// runWithHooks runs git as run does, with the user's hooks but not those of the work
// tree itself.
func (i *isolation) runWithHooks(ctx context.Context, r record, c git.Cmd) ([]byte, error) {
	folder, err := i.repo.Config.HooksOfUser(ctx)
	if err != nil {
		return nil, err
	}
	if i.repo.Planted != nil && i.repo.Planted() {
		folder = os.DevNull
	}
	c.Via = i.guard
	return i.runIsolated(ctx, r, folder, c)
}

func (i *isolation) runIsolated(ctx context.Context, r record, hooks string, c git.Cmd) ([]byte, error) {
	i.repo.Config.Renew() // what installs a project's packages may set hooks and filters
	own, ownErr := i.ownOptions(ctx, r)
	barred, path, runs, err := i.barFilters(ctx, r)
	if err := cmp.Or(ownErr, err); err != nil {
		return nil, err
	}
	if runs {
		c.Via = i.guard
	}
	c.Locks = i.lockFilesOf(r, c)
	c.Args = slices.Concat(git.Isolated(hooks), []string{"-c", "core.splitIndex=false"}, own, barred, c.Args)
	if !c.WorkTree {
		c.Dir = r.path
		if r.gone {
			c.Dir = i.common
		}
		c.Env = append([]string{"GIT_DIR=" + r.gitDir, "GIT_COMMON_DIR=" + i.common, "GIT_WORK_TREE=" + r.path}, c.Env...)
	}
	out, err := i.repo.Run(ctx, c)
	if err != nil && path != "" {
		err = &FilterError{Path: path, Err: err}
	}
	return out, err
}

// withoutIndexLock are the subcommands that do not lock the index.
var withoutIndexLock = []string{"cat-file", "check-attr", "commit-tree", "diff-files", "diff-index", "hook", "ls-files", "rev-list", "status"}

// lockFilesOf are the lock files that git takes in a checkout, beside those of the
// objects: on its index, but for a private one, and on where its HEAD is.
func (i *isolation) lockFilesOf(r record, c git.Cmd) []string {
	private := func(kv string) bool { return strings.HasPrefix(kv, "GIT_INDEX_FILE=") }
	at := 0
	for at+2 < len(c.Args) && c.Args[at] == "-c" {
		at += 2
	}
	if slices.ContainsFunc(c.Env, private) || slices.Contains(withoutIndexLock, c.Args[at]) {
		return nil
	}
	list := []string{filepath.Join(r.gitDir, "index.lock")}
	if c.Args[at] == "update-index" {
		return list
	}
	list = append(list, filepath.Join(r.gitDir, "HEAD.lock"))
	if r.branch != "" {
		list = append(list, filepath.Join(i.common, "refs", "heads", filepath.FromSlash(r.branch)+".lock"))
	}
	return list
}

// sparseKeys are what git writes into a configuration of the main work tree alone, and what a
// checkout has like it.
var sparseKeys = []string{"core.sparsecheckout", "core.sparsecheckoutcone", "index.sparse"}

// sparse are the settings by which the main work tree, and so a checkout, is a sparse one.
func (i *isolation) sparse(ctx context.Context) ([]git.Setting, error) {
	path := filepath.Join(i.common, "config.worktree")
	if !fileExists(path) {
		return nil, nil
	}
	value, err := i.repo.Config.Config(ctx, "extensions.worktreeConfig")
	if on, known := git.ParseBool(value); err != nil || known && !on {
		return nil, err // git does not read it either
	}
	all, err := i.repo.Config.SettingsIn(ctx, path)
	return slices.DeleteFunc(all, func(s git.Setting) bool { return !slices.Contains(sparseKeys, s.Key) }), err
}

// ownOptions are the options for what an entry has no configuration of its own for.
func (i *isolation) ownOptions(ctx context.Context, r record) (options []string, err error) {
	if r.gitDir == i.common || r.name == "" {
		return nil, nil
	}
	if path := filepath.Join(r.gitDir, "config.worktree"); r.own && fileExists(path) {
		return nil, &Obstacle{Path: path, Reason: "configures git for this worktree alone, and is not of git liza", Hint: "rm " + shell.Quote(path)}
	}
	settings, err := i.sparse(ctx)
	for _, one := range settings {
		options = append(options, "-c", one.Key+"="+one.Value)
	}
	return options, err
}

// barFilters returns options that make git fail where it would start a filter that is,
// or takes as an argument, a file of the work tree. Attributes only choose among the
// filters that the user has configured; barFilters decides which of their commands are
// the user's own. path is the file, "" if there is none. runs tells that other filters than
// those of Git LFS may run, of which any may find a file of the work tree by itself.
func (i *isolation) barFilters(ctx context.Context, r record) (options []string, path string, runs bool, err error) {
	settings, err := i.repo.Config.ConfigUnder(ctx, "filter.")
	if err != nil || len(settings) == 0 || r.name == "" && !r.barred {
		return nil, "", false, err
	}
	commands := map[string]string{}
	for _, one := range settings {
		commands[one.Key] = one.Value
	}
	for _, key := range slices.Sorted(maps.Keys(commands)) {
		name := key[:strings.LastIndexByte(key, '.')]
		file, err := i.findFileWord(ctx, r, commands[key])
		if err != nil {
			return nil, "", false, err
		}
		kind := key[len(name)+1:]
		if kind != "clean" && kind != "smudge" && kind != "process" {
			continue
		}
		if file == "" {
			runs = runs || !strings.HasPrefix(commands[key], "git-lfs ")
			continue
		}
		path = file
		if r.raw {
			options = append(options, "-c", key+"=", "-c", name+".required=false")
			continue
		}
		options = append(options, "-c", key+"=false", "-c", name+".required=true")
		for _, kind := range []string{".clean", ".smudge"} {
			if commands[name+kind] == "" && commands[name+".process"] == "" {
				options = append(options, "-c", name+kind+"=cat") // a required filter needs both
			}
		}
	}
	return options, path, runs, nil
}

// barredPaths are those of paths whose filter never runs, of a raw record. One that is gone needs
// none.
func (i *isolation) barredPaths(ctx context.Context, r record, paths []string) (map[string]bool, error) {
	options, file, _, err := i.barFilters(ctx, r)
	if err != nil || file == "" {
		return nil, err
	}
	out, err := i.run(ctx, r, git.Cmd{Limit: slow, Args: []string{"check-attr", "-z", "--stdin", "filter"}, Stdin: pathList(paths)})
	barred := map[string]bool{}
	for fields := strings.Split(string(out), "\x00"); len(fields) > 3; fields = fields[3:] {
		barred[fields[0]] = existsInTree(r, fields[0]) && slices.Contains(options, "filter."+fields[2]+".required=false")
	}
	return barred, err
}

// findFileWord is the first word of a command that names a file of the work tree, or
// of the commit that is being checked out there, "" if none does. A word without
// a dot and a slash is a program of the PATH, or an argument such as "clean".
func (i *isolation) findFileWord(ctx context.Context, r record, command string) (string, error) {
	words := strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" \t\n'\"\\;|&()<>$`=", r) })
	for _, word := range words {
		path := filepath.Clean(word)
		if filepath.IsAbs(word) {
			var err error
			if path, err = filepath.Rel(r.path, filepath.Join(resolveLinks(filepath.Dir(word)), filepath.Base(word))); err != nil {
				continue
			}
		}
		if !strings.ContainsAny(word, "/.") || path == "." || path == ".." || strings.HasPrefix(path, "../") {
			continue
		}
		if info, err := os.Stat(filepath.Join(r.path, path)); err == nil && !info.IsDir() {
			return word, nil
		}
		if r.head == "" {
			continue
		}
		objects := i.repo.Objects(ctx)
		if leads, err := objects.LeadsTo(r.head, filepath.ToSlash(path)); err != nil || leads {
			return word, err
		}
	}
	return "", nil
}

// A FilterError says that git failed in a checkout while a filter of the user's was
// off, because the filter would run a file of the checkout.
type FilterError struct {
	Path string // the file, relative to the checkout
	Err  error
}

// Error is git's error with the likely reason.
func (e *FilterError) Error() string {
	return e.Err.Error() + "; a filter in git's configuration runs " + e.Path + " of the checkout, which is never done: give it an absolute path outside"
}

// Unwrap returns git's error.
func (e *FilterError) Unwrap() error { return e.Err }

// Nested returns what keeps the work tree at path from being committed as s has it, nil
// if nothing does. It is a repository inside, of which a commit would hold a link but
// no file.
func Nested(path string, s Status) *Obstacle {
	if len(s.Nested) == 0 {
		return nil
	}
	inner := filepath.Join(path, filepath.FromSlash(s.Nested[0]))
	return &Obstacle{Path: inner, Hint: "mv " + shell.Quote(filepath.Join(inner, ".git")) + ` "$(mktemp -d)"`,
		Reason: "is a git repository of its own, of which a commit holds no file; move its .git away to commit its files, or the whole of it out of the worktree"}
}

// pathList returns a list of paths as git reads it with -z.
func pathList(paths []string) []byte {
	var b bytes.Buffer
	for _, path := range paths {
		b.WriteString(path)
		b.WriteByte(0)
	}
	return b.Bytes()
}
