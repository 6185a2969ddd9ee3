package git

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// A configReading reads in process what `git config --null --list` prints in a
// repository: the files and variables that git reads, in its order (git-config(1)).
// Whatever is not read exactly as git does ends it, with an error that wraps errAskGit.
type configReading struct {
	gitDir, commonDir string
	system            string // the file of this git for all users, "" if it is not known

	lines []configLine
	files []seenFile
	depth int // of included files
}

// maxIncluded is how deep git follows files that include others.
const maxIncluded = 10

// A seenFile is a file as it was when it was read, nil if there was none.
type seenFile struct {
	path string
	info os.FileInfo
}

// isSame reports whether the file is as it was.
func (f seenFile) isSame() bool {
	now, err := os.Stat(f.path)
	if err != nil || f.info == nil {
		return f.info == nil && isAbsent(err)
	}
	return os.SameFile(now, f.info) && now.Size() == f.info.Size() && now.ModTime().Equal(f.info.ModTime())
}

func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// readAll reads all sources.
func (c *configReading) readAll() error {
	for _, name := range []string{"GIT_CONFIG", "GIT_COMMON_DIR"} {
		if _, set := os.LookupEnv(name); set {
			return fmt.Errorf("%w: %s is set", errAskGit, name)
		}
	}
	for _, read := range []func() error{c.readSystem, c.readUser, c.readRepository, c.readCounted, c.readParameters} {
		if err := read(); err != nil {
			return err
		}
	}
	return nil
}

// list is what git would print.
func (c *configReading) list() []byte {
	var out []byte
	for _, line := range c.lines {
		out = line.render(out)
	}
	return out
}

func (c *configReading) readSystem() error {
	if value, set := os.LookupEnv("GIT_CONFIG_NOSYSTEM"); set {
		without, known := ParseBool(value)
		switch {
		case !known:
			return fmt.Errorf("%w: GIT_CONFIG_NOSYSTEM is %q", errAskGit, value)
		case without:
			return nil
		}
	}
	if path, set := os.LookupEnv("GIT_CONFIG_SYSTEM"); set {
		return c.readFile(path)
	}
	if c.system == "" {
		return fmt.Errorf("%w: the file for all users is not known", errAskGit)
	}
	return c.readFile(c.system)
}

// readUser reads the files of the user, of which git reads the one below
// XDG_CONFIG_HOME first.
func (c *configReading) readUser() error {
	if path, set := os.LookupEnv("GIT_CONFIG_GLOBAL"); set {
		return c.readFile(path)
	}
	home, hasHome := os.LookupEnv("HOME")
	xdg := os.Getenv("XDG_CONFIG_HOME")
	if xdg == "" && hasHome {
		xdg = home + "/.config"
	}
	if xdg != "" {
		if err := c.readFile(xdg + "/git/config"); err != nil {
			return err
		}
	}
	if hasHome {
		return c.readFile(home + "/.gitconfig")
	}
	return nil
}

func (c *configReading) readRepository() error {
	own := c.commonDir + "/config"
	format, err := c.readFormat(own)
	if err != nil {
		return err
	}
	if err := c.readFile(own); err != nil || !format.worktreeConfig {
		return err
	}
	return c.readFile(c.gitDir + "/config.worktree")
}

// CheckConfig refuses a repository's configuration that is not of ordinary files, included ones too,
// which are read without git, and without waiting.
func CheckConfig(gitDir, commonDir string) error {
	c := &configReading{gitDir: gitDir, commonDir: commonDir}
	return cmp.Or(c.readFile(commonDir+"/config"), c.readFile(gitDir+"/config.worktree"))
}

// readFormat reads from the repository's own file what decides about further files. Git
// follows no inclusions there.
func (c *configReading) readFormat(path string) (repoFormat, error) {
	text, err := ReadSmall(path)
	if err != nil {
		return repoFormat{}, fmt.Errorf("%w: %w", errAskGit, err)
	}
	lines, err := parseConfigText(text)
	if err != nil {
		return repoFormat{}, err
	}
	return parseFormat(lines)
}

// readFile adds the settings of a file, and of those that it includes. A file that is
// not there has none.
func (c *configReading) readFile(path string) error {
	if !filepath.IsAbs(path) {
		return fmt.Errorf("%w: %q is no absolute path", errAskGit, path)
	}
	f, err := OpenRegular(path)
	if isAbsent(err) {
		c.files = append(c.files, seenFile{path, nil})
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errAskGit, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("%w: %w", errAskGit, err)
	}
	c.files = append(c.files, seenFile{path, info})
	text, err := readBounded(f)
	if err != nil {
		return fmt.Errorf("%w: %w", errAskGit, err)
	}
	lines, err := parseConfigText(text)
	if err != nil {
		return err
	}
	for _, line := range lines {
		c.lines = append(c.lines, line)
		if err := c.include(path, line); err != nil {
			return err
		}
	}
	return nil
}

// readCounted reads the settings that GIT_CONFIG_COUNT announces.
func (c *configReading) readCounted() error {
	value, set := os.LookupEnv("GIT_CONFIG_COUNT")
	if !set || value == "" {
		return nil
	}
	count, err := strconv.ParseUint(value, 10, 16)
	if err != nil {
		return fmt.Errorf("%w: GIT_CONFIG_COUNT is %q", errAskGit, value)
	}
	for i := range count {
		key, hasKey := os.LookupEnv("GIT_CONFIG_KEY_" + strconv.FormatUint(i, 10))
		value, hasValue := os.LookupEnv("GIT_CONFIG_VALUE_" + strconv.FormatUint(i, 10))
		if !hasKey || !hasValue {
			return fmt.Errorf("%w: GIT_CONFIG_COUNT announces more than there is", errAskGit)
		}
		if err := c.addGiven(key, value); err != nil {
			return err
		}
	}
	return nil
}

// readParameters reads what `git -c KEY=VALUE` hands on: quoted keys and values. Whatever
// is quoted in another way than these characters need is left to git.
func (c *configReading) readParameters() error {
	rest := os.Getenv("GIT_CONFIG_PARAMETERS")
	for rest != "" {
		pair, more, _ := strings.Cut(rest, "' '")
		if more != "" {
			pair, more = pair+"'", "'"+more
		}
		words := strings.Split(pair, "'")
		if len(words) != 5 || words[0] != "" || words[2] != "=" || words[4] != "" || strings.Contains(words[1], "=") {
			return fmt.Errorf("%w: GIT_CONFIG_PARAMETERS is quoted in an unusual way", errAskGit)
		}
		if err := c.addGiven(words[1], words[3]); err != nil {
			return err
		}
		rest = more
	}
	return nil
}

// addGiven adds a setting of the environment.
func (c *configReading) addGiven(key, value string) error {
	canonical, ok := parseConfigKey(key)
	if !ok {
		return fmt.Errorf("%w: the environment sets %q", errAskGit, key)
	}
	line := configLine{key: canonical, value: value}
	c.lines = append(c.lines, line)
	return c.include("", line)
}

// include reads the file that a setting includes, if it is one that does. from is the
// file that has the setting, "" for one of the environment.
func (c *configReading) include(from string, line configLine) error {
	switch {
	case line.key == "include.path":
	case strings.HasPrefix(line.key, "includeif.") && strings.HasSuffix(line.key, ".path") && len(line.key) > len("includeif.path"):
		condition := line.key[len("includeif.") : len(line.key)-len(".path")]
		if holds, err := c.holds(condition); err != nil || !holds {
			return err
		}
	default:
		return nil
	}
	path, err := expandHome(line.value)
	if err != nil || line.bare {
		return fmt.Errorf("%w: includes %q", errAskGit, line.value)
	}
	if !filepath.IsAbs(path) {
		if from == "" {
			return fmt.Errorf("%w: the environment includes %q", errAskGit, path)
		}
		path = from[:strings.LastIndexByte(from, '/')+1] + path
	}
	if c.depth++; c.depth > maxIncluded {
		return fmt.Errorf("%w: files include others, without end", errAskGit)
	}
	defer func() { c.depth-- }()
	return c.readFile(path)
}

// holds decides the condition of an inclusion, where it names one folder, or one git
// directory, without a pattern.
func (c *configReading) holds(condition string) (bool, error) {
	pattern, ok := strings.CutPrefix(condition, "gitdir:")
	if !ok || strings.ContainsAny(pattern, `*?[\`) {
		return false, fmt.Errorf("%w: condition %q", errAskGit, condition)
	}
	if strings.HasPrefix(pattern, "~/") {
		home, err := filepath.EvalSymlinks(os.Getenv("HOME"))
		if err != nil || !filepath.IsAbs(home) || strings.ContainsAny(home, `*?[\`) {
			return false, fmt.Errorf("%w: condition %q", errAskGit, condition)
		}
		pattern = strings.TrimSuffix(home, "/") + pattern[1:]
	}
	if !filepath.IsAbs(pattern) {
		return false, fmt.Errorf("%w: condition %q", errAskGit, condition)
	}
	holds := c.gitDir == pattern || strings.HasSuffix(pattern, "/") && strings.HasPrefix(c.gitDir, pattern)
	// Git also holds it against the path as the shell names it, with symbolic links.
	if real, err := filepath.EvalSymlinks(pattern); !holds && err == nil && real != filepath.Clean(pattern) {
		return false, fmt.Errorf("%w: condition %q", errAskGit, condition)
	}
	return holds, nil
}

// expandHome is a path as configuration may have it.
func expandHome(path string) (string, error) {
	home, set := os.LookupEnv("HOME")
	switch {
	case strings.HasPrefix(path, "~/") && set:
		return home + path[1:], nil
	case path == "", path[0] == '~', path[0] == '%', path[0] == ':':
		return "", errAskGit
	}
	return path, nil
}
