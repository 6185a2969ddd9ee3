package git

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A location is where a repository lies, in the words of `git rev-parse`: absolute paths
// without symbolic links.
type location struct {
	gitDir, commonDir, objectDir string
	workTree                     string // "" if there is none
	hashLen                      int
}

// locate finds the repository around a folder as git does (setup.c), where it has the
// form that `git init`, `git clone` and `git worktree add` make: a folder .git, or a
// file .git that names one of its worktrees. Or the folder is the bare repository that a
// push has come to, where git runs the hooks. The error wraps errAskGit.
func locate(dir string) (location, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return location{}, fmt.Errorf("%w: %w", errAskGit, err)
	}
	if os.Getenv("GIT_DIR") == "." {
		return locatePushed(abs)
	}
	if err := checkSurroundings(); err != nil {
		return location{}, err
	}
	root, dotGit, err := findDotGit(abs)
	if err != nil {
		return location{}, err
	}
	at := location{workTree: root, gitDir: filepath.Join(root, ".git")}
	for _, path := range []string{at.workTree, at.gitDir} {
		if err := checkOwner(path); err != nil {
			return at, err
		}
	}
	if at.commonDir = at.gitDir; !dotGit.IsDir() {
		if err := at.followLink(); err != nil {
			return at, err
		}
		if err := checkOwner(at.gitDir); err != nil {
			return at, err
		}
	}
	at.objectDir = filepath.Join(at.commonDir, "objects")
	if err := at.checkFolders(); err != nil {
		return at, err
	}
	format, err := at.readForm()
	if err == nil && format.clone != "" {
		return at.leadToClone(format.clone)
	}
	// Git asks a linked worktree's repository neither, unless each has its own file.
	linked := at.gitDir != at.commonDir && !format.worktreeConfig
	if err == nil && (format.workTree || format.bare && !linked) {
		err = fmt.Errorf("%w: the repository says where its work tree is", errAskGit)
	}
	at.hashLen = format.hashLen
	return at, err
}

// pushVars are the variables that git sets for the hooks of a push, where what is pushed
// lies apart.
var pushVars = []string{"GIT_DIR", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH", "GIT_PUSH_OPTION_"}

// locatePushed takes a folder for the repository, as GIT_DIR says, if it is bare. Git
// looks at no owner then.
func locatePushed(dir string) (location, error) {
	at := location{gitDir: dir, commonDir: dir, objectDir: filepath.Join(dir, "objects")}
	if err := checkSurroundings(pushVars...); err != nil {
		return at, err
	}
	if apart, set := os.LookupEnv("GIT_OBJECT_DIRECTORY"); set {
		real, err := filepath.EvalSymlinks(apart)
		if err != nil || !filepath.IsAbs(real) {
			return at, fmt.Errorf("%w: objects are in %q", errAskGit, apart)
		}
		at.objectDir = real
	}
	if err := at.checkFolders(); err != nil {
		return at, err
	}
	format, err := at.readForm()
	if err == nil && (!format.bare || format.workTree || format.worktreeConfig) {
		err = fmt.Errorf("%w: the repository has a work tree", errAskGit)
	}
	at.hashLen = format.hashLen
	return at, err
}

// harmlessVars are the variables of git, or what their names begin with, that change
// nothing about where a repository is. Those of the configuration are looked at when it
// is read.
var harmlessVars = []string{
	"GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CONFIG_", "GIT_TRACE", "GIT_SSL_", "GIT_SSH", "GIT_HTTP_", "GIT_PROXY_", "GIT_CURL_",
	"GIT_PS1_", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "GIT_ASKPASS", "GIT_TERMINAL_PROMPT", "GIT_EXEC_PATH",
	"GIT_MERGE_AUTOEDIT", "GIT_OPTIONAL_LOCKS", "GIT_TEMPLATE_DIR", "GIT_REFLOG_ACTION", "GIT_INDEX_FILE", "GIT_PREFIX",
	"GIT_NO_REPLACE_OBJECTS", "GIT_ATTR_NOSYSTEM", "GIT_ALLOW_PROTOCOL", "GIT_CEILING_DIRECTORIES", "GIT_DEFAULT_",
}

// checkSurroundings refuses an environment with a variable of git that neither is known to
// be harmless nor is one of those that the caller reads.
func checkSurroundings(read ...string) error {
	known := slices.Concat(harmlessVars, read)
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(name, "GIT_") && !slices.ContainsFunc(known, func(begin string) bool { return strings.HasPrefix(name, begin) }) {
			return fmt.Errorf("%w: %s is set", errAskGit, name)
		}
	}
	return nil
}

// findDotGit goes up from a folder to the one that has .git. Git stops at another file
// system and at folders that the environment names, and takes a folder with HEAD for a
// bare repository: there it is asked.
func findDotGit(from string) (root string, dotGit fs.FileInfo, err error) {
	device, _, err := statOwner(from)
	if err != nil {
		return "", nil, fmt.Errorf("%w: %w", errAskGit, err)
	}
	for dir := from; ; dir = filepath.Dir(dir) {
		now, _, err := statOwner(dir)
		if err != nil || now != device {
			return "", nil, fmt.Errorf("%w: %s is on another file system", errAskGit, dir)
		}
		dotGit, err := os.Lstat(filepath.Join(dir, ".git"))
		switch {
		case err == nil && !dotGit.IsDir() && !dotGit.Mode().IsRegular():
			return "", nil, fmt.Errorf("%w: %s/.git is neither a folder nor a file", errAskGit, dir)
		case err == nil && dir != from && os.Getenv("GIT_CEILING_DIRECTORIES") != "":
			return "", nil, fmt.Errorf("%w: GIT_CEILING_DIRECTORIES is set", errAskGit)
		case err == nil:
			return dir, dotGit, nil
		case !isAbsent(err):
			return "", nil, fmt.Errorf("%w: %w", errAskGit, err)
		}
		if _, err := os.Lstat(filepath.Join(dir, "HEAD")); !isAbsent(err) || dir == filepath.Dir(dir) {
			return "", nil, fmt.Errorf("%w: %s may be a bare repository, or there is none", errAskGit, dir)
		}
	}
}

// relinkAfter is the age from which git renews the file of a worktree by which it knows
// that the worktree is in use.
const relinkAfter = 24 * time.Hour

// followLink reads the file .git of a worktree.
func (at *location) followLink() error {
	gitDir, err := readLink(at.gitDir, "gitdir: ", at.workTree)
	if err != nil {
		return err
	}
	back, err := os.Stat(filepath.Join(gitDir, "gitdir"))
	if err != nil || time.Since(back.ModTime()) > relinkAfter-time.Minute {
		return fmt.Errorf("%w: git renews %s/gitdir", errAskGit, gitDir)
	}
	at.gitDir = gitDir
	at.commonDir, err = readLink(filepath.Join(gitDir, "commondir"), "", gitDir)
	return err
}

// readLink reads a file that holds the path of a folder, relative to dir.
func readLink(path, before, dir string) (string, error) {
	text, err := ReadSmall(path)
	if err != nil {
		return "", fmt.Errorf("%w: %w", errAskGit, err)
	}
	named, ok := strings.CutPrefix(string(bytes.TrimRight(text, "\r\n")), before)
	if !ok || named == "" || strings.ContainsAny(named, "\x00\r\n") {
		return "", fmt.Errorf("%w: %s holds %q", errAskGit, path, text)
	}
	if !filepath.IsAbs(named) {
		named = dir + "/" + named
	}
	real, err := filepath.EvalSymlinks(named)
	if err != nil {
		return "", fmt.Errorf("%w: %w", errAskGit, err)
	}
	return real, nil
}

// checkFolders checks that the git directory is one.
func (at *location) checkFolders() error {
	if at.gitDir == at.commonDir && fileExists(filepath.Join(at.gitDir, "commondir")) {
		return fmt.Errorf("%w: the git directory names another one", errAskGit)
	}
	for _, path := range []string{at.workTree, at.gitDir, at.commonDir, at.objectDir} {
		if strings.Contains(path, "\n") {
			return fmt.Errorf("%w: %q", errAskGit, path)
		}
	}
	return at.checkContent()
}

// IsRepository reports whether a folder is a repository to git, which otherwise goes on to the
// folders above. It waits for nothing that is there, and follows a link to objects alone.
func IsRepository(dir string) bool {
	at := location{gitDir: dir, commonDir: dir, objectDir: dir + "/objects/."}
	return at.checkContent() == nil
}

// checkContent checks that the git directory has what git asks of one, see is_git_directory in
// its setup.c.
func (at *location) checkContent() error {
	for _, path := range []string{at.objectDir, filepath.Join(at.commonDir, "refs")} {
		info, err := os.Lstat(path)
		if err != nil || !info.IsDir() || unix.Access(path, unix.X_OK) != nil {
			return fmt.Errorf("%w: %s is not a folder of git's", errAskGit, path)
		}
	}
	head, err := os.Lstat(filepath.Join(at.gitDir, "HEAD"))
	if err != nil || !head.Mode().IsRegular() {
		return fmt.Errorf("%w: %s has no HEAD", errAskGit, at.gitDir)
	}
	text, err := ReadSmall(filepath.Join(at.gitDir, "HEAD"))
	if line := strings.TrimSuffix(string(text), "\n"); err != nil || !strings.HasPrefix(line, "ref: refs/") && !isHex(line) {
		return fmt.Errorf("%w: HEAD is %q", errAskGit, text)
	}
	return nil
}

// isHex reports whether a text is the id of an object.
func isHex(text string) bool {
	return (len(text) == 40 || len(text) == 64) && strings.Trim(text, "0123456789abcdef") == ""
}

// readForm reads what the repository's own files say of its form.
func (at *location) readForm() (repoFormat, error) {
	reading := configReading{gitDir: at.gitDir, commonDir: at.commonDir}
	format, err := reading.readFormat(at.commonDir + "/config")
	if err != nil || !format.worktreeConfig {
		return format, err
	}
	own, err := ReadSmall(at.gitDir + "/config.worktree")
	if err != nil && !isAbsent(err) {
		return format, fmt.Errorf("%w: %w", errAskGit, err)
	}
	lines, err := parseConfigText(own)
	for _, line := range lines {
		if err = format.readCore(line); err != nil {
			break
		}
	}
	return format, err
}

// checkOwner refuses what somebody else owns: git looks into its settings then.
func checkOwner(path string) error {
	_, owner, err := statOwner(path)
	if err != nil {
		return fmt.Errorf("%w: %w", errAskGit, err)
	}
	if owner != os.Geteuid() {
		return fmt.Errorf("%w: %s belongs to %d", errAskGit, path, owner)
	}
	return nil
}

// statOwner returns the device and the owner of a file or link.
func statOwner(path string) (device uint64, owner int, err error) {
	var stat syscall.Stat_t
	if err := syscall.Lstat(path, &stat); err != nil {
		return 0, 0, &os.PathError{Op: "lstat", Path: path, Err: err}
	}
	return uint64(stat.Dev), int(stat.Uid), nil
}
