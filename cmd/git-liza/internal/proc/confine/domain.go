package confine

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Folder is where homes are, in the common git directory.
const Folder = layout.Private + "/homes"

// A Place is where a confined command runs.
type Place struct {
	Domain    *proc.Domain // what the command reaches; nil is whatever this process reaches
	Variables []string     // of its environment, NAME=VALUE: its home, its temporary folder, and where to find programs
	Home      string
	Scratch   string   // the temporary folder
	Opened    []string // by the user's settings
}

// Files is the variable that names the only folders from which a command of git-liza reads files that
// its arguments name, as PATH does.
const Files = "LIZA_CONFINED"

// Close removes the temporary folder.
func (p Place) Close() {
	if p.Scratch != "" {
		_ = os.RemoveAll(p.Scratch) // what cannot be removed lies in the system's folder for such files
	}
}

// LongestHint is the longest text of [Hint] with the words of how a command ended, in bytes.
const LongestHint = 320

// Hint says what a confined command that failed may have missed, "" if its output names no denial.
func Hint(output string) string {
	if !slices.ContainsFunc([]string{"ermission denied", "EACCES", "peration not permitted", "EPERM"}, func(word string) bool { return strings.Contains(output, word) }) {
		return ""
	}
	return "It ran confined (" + modeKey + "). What it needs beside its checkout: git config --add " + readKey + " PATH, or " + writeKey + "; UNIX sockets: git config " + socketsKey + " all"
}

// Place is where a command runs in the checkout dir. Its home is one of those of the clone, by
// its name, and is made; commands with the same home share their caches. environ is the
// user's. The error is that of [Settings.State], or says that there is no home.
func (s Settings) Place(ctx context.Context, repo *git.Repo, environ []string, dir, home string) (Place, error) {
	state, err := s.State()
	if err != nil || state == proc.Unconfined {
		return Place{}, err
	}
	home = filepath.Join(repo.CommonDir(), filepath.FromSlash(Folder), home)
	if err := os.MkdirAll(home, 0o700); err != nil {
		return Place{}, err
	}
	theirs, _ := filepath.EvalSymlinks(proc.Value(environ, "HOME")) // or "", if there is none
	named, err := fillHome(ctx, repo, home, theirs, environ)
	if errors.Is(err, fs.ErrPermission) { // a command may have left it so that nothing can be written there
		if err = cmp.Or(os.Rename(home, home+"-"+rand.Text()), os.MkdirAll(home, 0o700)); err == nil {
			named, err = fillHome(ctx, repo, home, theirs, environ)
		}
	}
	if err != nil {
		return Place{}, err
	}
	scratch, err := os.MkdirTemp("", "git-liza-")
	if err != nil {
		return Place{}, err
	}
	d := &proc.Domain{Write: append([]string{dir, home, scratch}, s.Write...), Sockets: s.Sockets, Ports: s.Ports}
	p := Place{d, []string{"HOME=" + home, "TMPDIR=" + scratch}, home, scratch, slices.Concat(s.Read, s.Write)}
	for name, folder := range map[string]string{"XDG_CACHE_HOME": ".cache", "XDG_CONFIG_HOME": ".config", "XDG_DATA_HOME": ".local/share", "XDG_STATE_HOME": ".local/state"} {
		if proc.Value(environ, name) != "" {
			p.Variables = append(p.Variables, name+"="+filepath.Join(home, folder))
		}
	}
	stores, _ := git.Stores(filepath.Join(repo.CommonDir(), "objects")) // git says what it cannot read
	var modules []string
	_ = filepath.WalkDir(filepath.Join(repo.CommonDir(), "modules"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Name() != "objects" {
			return nil // there may be none
		}
		modules = append(modules, path)
		settings, _ := repo.Config.SettingsIn(ctx, filepath.Join(filepath.Dir(path), "config")) // git says what it cannot read
		for _, one := range settings {
			if one.Key == "core.worktree" { // its .git says where it is
				modules = append(modules, filepath.Join(git.AbsoluteIn(filepath.Dir(path), one.Value), ".git"))
			}
		}
		return fs.SkipDir
	})
	d.Read = slices.Concat(s.Read, named, stores, modules, topFiles(ctx, repo, dir),
		[]string{filepath.Join(repo.Config.ContentStore(ctx), "objects"), filepath.Join(repo.CommonDir(), layout.Private, "origin"), filepath.Join(repo.CommonDir(), layout.Private, "hooks")})
	if hooks, err := repo.Config.HooksOfUser(ctx); err == nil { // they run inside, see package worktrees
		d.Read = append(append(d.Read, hookFiles(hooks, theirs)...), filepath.Join(repo.MainWorkTree(), ".husky")) // what husky makes there is not tracked, and called by ours
	}
	real := theirs
	if u, err := user.Current(); err == nil {
		real = u.HomeDir
	}
	private := []string{theirs, real, repo.CommonDir(), repo.MainWorkTree()}
	for _, path := range filepath.SplitList(proc.Value(environ, "PATH")) {
		d.Read = append(d.Read, programFolders(path, theirs, private)...)
		if _, err := os.Stat(filepath.Join(path, "java")); err == nil { // it asks the system for the home, not the environment
			p.Variables = append(p.Variables, `JAVA_TOOL_OPTIONS="-Duser.home=`+home+`" "-Djava.io.tmpdir=`+scratch+`"`)
		}
	}
	variables, folders := tools(theirs, environ)
	d.Read, p.Variables = append(d.Read, folders...), append(p.Variables, append(variables, "MISE_TRUSTED_CONFIG_PATHS="+dir)...)
	for _, folder := range caches {
		d.Read = append(d.Read, filepath.Join("/", theirs, folder))
	}
	modulesOf, cache := goModules(ctx, theirs, append(slices.Clone(environ), "HOME="+cmp.Or(theirs, home)))
	d.Read, p.Variables = append(d.Read, cache), append(p.Variables, modulesOf...)
	return p, nil
}

// outsideFiles are the files of a user, from the home on, that git reads where it meets a remote or signs.
var outsideFiles = []string{".gitconfig", ".config/git", ".git-credentials", ".netrc", ".ssh", ".gnupg"}

// Outside are two domains for what the program does outside of the place for whoever works there:
// to read the clone beside what is read there, and to change the clone, as its user does with a
// remote. environ is the user's.
func (p Place) Outside(ctx context.Context, repo *git.Repo, environ []string) (reads, changes *proc.Domain, err error) {
	reads = &proc.Domain{Read: append(slices.Clone(p.Domain.Read), repo.CommonDir()), Write: p.Domain.Write}
	changes = &proc.Domain{Read: reads.Read, Write: append(slices.Clone(p.Domain.Write), repo.CommonDir()), Sockets: true}
	files, err := repo.Config.Files(ctx, "")
	changes.Read = append(append(changes.Read, repo.MainWorkTree()), files...) // what .worktreeinclude names, for gates
	for _, name := range append(outsideFiles, homeFiles()...) {
		changes.Read = append(changes.Read, filepath.Join(proc.Value(environ, "HOME"), name))
	}
	return reads, changes, err
}

// OpenForGit opens what git needs whose hooks and filters may run files of the checkout, with its entry
// in the clone as GIT_DIR: to read the clone and its configuration, and to write the entry, objects, and
// branches of tasks. environ is git's; what is returned is that of this git in the place.
func (p Place) OpenForGit(ctx context.Context, repo *git.Repo, environ []string) ([]string, error) {
	files, err := repo.Config.Files(ctx, "global") // the home has a copy
	if err != nil {
		return nil, err
	}
	environ = proc.Environment(environ, []string{"GIT_*", "LIZA_*"}, append(p.Variables, "GIT_CONFIG_GLOBAL="+filepath.Join(p.Home, ".gitconfig"))...)
	p.Domain.Read = append(append(p.Domain.Read, repo.CommonDir()), files...)
	p.Domain.Write = append(p.Domain.Write, proc.Value(environ, "GIT_DIR"), proc.Value(environ, "GIT_OBJECT_DIRECTORY"), repo.Config.ContentStore(ctx))
	if index := proc.Value(environ, "GIT_INDEX_FILE"); index != "" {
		p.Domain.Write = append(p.Domain.Write, filepath.Dir(index))
	}
	for _, name := range []string{"objects", "reftable", "refs/heads/" + layout.TaskBranches, "logs/refs/heads/" + layout.TaskBranches} {
		p.Domain.Write = append(p.Domain.Write, filepath.Join(repo.CommonDir(), filepath.FromSlash(name)))
	}
	return environ, nil
}

// Named are the files and folders that the words of a command name by absolute paths, or from
// the home, or that lead out of the folder dir in which it runs, with what is installed beside those
// that are programs.
func Named(words []string, dir, home string) (list []string) {
	for _, word := range words {
		word = strings.Trim(word, `'";()`)
		if rest, is := strings.CutPrefix(word, "~/"); is {
			word = filepath.Join(home, rest)
		} else if clean := filepath.Clean(word); strings.HasPrefix(clean, "../") && !isBelow(filepath.Join(dir, clean), dir) {
			word = filepath.Join(dir, clean) // no link on the way is of whoever works there
		}
		path, err := filepath.EvalSymlinks(word)
		if err != nil || !filepath.IsAbs(word) || path == "/" || isBelow(home, path) {
			continue
		}
		list = append(append(append(list, word), withProgram(word, home, []string{home})...), withProgram(path, home, []string{home})...)
	}
	return list
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// programFolders are what programs in a folder of the PATH need: the folder itself, what is
// installed beside it, and where its links lead.
func programFolders(path, home string, private []string) []string {
	path, err := filepath.EvalSymlinks(path)
	if err != nil || !filepath.IsAbs(path) {
		return nil
	}
	list := besides(path, home, private)
	if path == "/bin" || path == "/sbin" || strings.HasPrefix(path, "/usr/") && !strings.HasPrefix(path, "/usr/local/") {
		return list
	}
	entries, _ := os.ReadDir(path)
	for _, e := range entries {
		if e.Type()&os.ModeSymlink == 0 {
			continue
		}
		to, err := filepath.EvalSymlinks(filepath.Join(path, e.Name()))
		if info, statErr := os.Stat(to); err == nil && statErr == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 && filepath.Dir(to) != path {
			list = append(list, withProgram(to, home, private)...)
		}
	}
	return list
}

// withProgram are a program and what is installed with it.
func withProgram(path, home string, private []string) []string {
	if packages := string(filepath.Separator) + "node_modules"; strings.Contains(path, packages+string(filepath.Separator)) {
		before, _, _ := strings.Cut(path, packages+string(filepath.Separator))
		return []string{path, before + packages}
	}
	if filepath.Base(filepath.Dir(path)) == "bin" {
		return append(besides(filepath.Dir(path), home, private), path)
	}
	return []string{path}
}

// besides are a folder of programs and what is installed with it: all of the folder above, but
// one that holds much else, such as a home, a folder in it or at the root, or something private.
func besides(path, home string, private []string) []string {
	above := filepath.Dir(path)
	if slices.ContainsFunc(private, func(one string) bool { return one != "" && isBelow(one, path) }) {
		return nil
	}
	if name := filepath.Base(path); name != "bin" && name != "sbin" {
		return []string{path}
	}
	switch parent := filepath.Dir(above); {
	case above == home, above == "/":
		return []string{path}
	case parent == home, parent == "/", isProject(above, home), slices.ContainsFunc(private, func(one string) bool { return one != "" && isBelow(one, above) }):
		list := []string{path}
		for _, name := range []string{"lib", "lib64", "libexec", "include", "conda-meta", "ssl"} {
			list = append(list, filepath.Join(above, name))
		}
		return list
	}
	return []string{above}
}

func isBelow(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// isProject reports whether a folder is of a repository, but for one that is the home.
func isProject(dir, home string) bool {
	for at := dir; at == dir || home != "" && at != home && isBelow(at, home); at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return true
		}
	}
	return false
}

// topFiles are the tracked files at the top of the main work tree and in its hidden folders,
// if the checkout lies below: some programs look for their settings in each folder above.
func topFiles(ctx context.Context, repo *git.Repo, dir string) (list []string) {
	main := repo.MainWorkTree()
	if main == "" || !strings.HasPrefix(dir, main+string(filepath.Separator)) {
		return nil
	}
	out, _ := repo.Git(ctx, "ls-tree", "-z", "HEAD") // without a commit there is none
	add := func(folder string, text []byte) (hidden []string) {
		for line := range strings.SplitSeq(strings.TrimSuffix(string(text), "\x00"), "\x00") {
			kind, name, _ := strings.Cut(line, "\t")
			switch {
			case strings.HasPrefix(kind, "100"):
				list = append(list, filepath.Join(main, folder, name))
			case strings.HasPrefix(kind, "040") && strings.HasPrefix(name, "."):
				hidden = append(hidden, name)
			}
		}
		return hidden
	}
	for _, folder := range add("", out) {
		out, _ := repo.Git(ctx, "ls-tree", "-z", "HEAD:"+folder)
		add(folder, out)
	}
	return list
}
