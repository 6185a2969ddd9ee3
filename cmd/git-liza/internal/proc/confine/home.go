package confine

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/pattern"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// toolFolders are the folders in a home in which those who manage versions of programs keep
// them, by the variable that leads to each. None keeps a password there.
var toolFolders = map[string]string{
	"RUSTUP_HOME": ".rustup", "PYENV_ROOT": ".pyenv", "RBENV_ROOT": ".rbenv", "NODENV_ROOT": ".nodenv", "GOENV_ROOT": ".goenv", "JENV_ROOT": ".jenv",
	"NVM_DIR": ".nvm", "FNM_DIR": ".local/share/fnm", "VOLTA_HOME": ".volta", "ASDF_DATA_DIR": ".asdf", "MISE_DATA_DIR": ".local/share/mise",
	"SDKMAN_DIR": ".sdkman", "UV_PYTHON_INSTALL_DIR": ".local/share/uv/python", "MIX_HOME": ".mix",
}

// tools are the variables and folders of those who manage versions of programs, where the user
// has them.
func tools(home string, environ []string) (variables, folders []string) {
	for name, usual := range toolFolders {
		folder := cmp.Or(proc.Value(environ, name), filepath.Join(home, usual))
		if home != "" && filepath.IsAbs(folder) && !isBelow(home, folder) && isFolder(folder) {
			variables, folders = append(variables, name+"="+folder), append(folders, folder)
		}
	}
	return variables, folders
}

// caches are the folders in a home in which package managers keep what they fetched.
var caches = []string{".cache/pip", ".cargo/git", ".cargo/registry", ".npm/_cacache"}

// copied are the keys of the configuration that git has for the user, or what they begin with, which
// work needs inside: none is about addresses, signing or passwords.
var copied = []string{"user.name", "user.email", "author.", "committer.", "core.autocrlf", "core.eol", "core.safecrlf", "core.quotepath", "core.abbrev", "core.longpaths",
	"core.commentchar", "core.whitespace", "core.attributesfile", "core.excludesfile", "http.proxy", "http.sslcainfo", "lfs.fetchinclude", "lfs.fetchexclude",
	"filter.", "diff.", "merge.", "init.defaultbranch", "safe.", "rebase.", "pull.", "advice.", "color.", "column.", "log.", "status.", "i18n.", "rerere.", "index.", "feature.", "protocol."}

// commandKinds are the keys of filters, drivers and such that are commands. Of a filter nothing else is copied.
var commandKinds = []string{"clean", "smudge", "process", "textconv", "command", "driver"}

// settingsOf are what is copied of the configuration that git has for the user of a clone, and
// the files and programs that it names. Commands run with the user's home. A filter that fails here
// would leave content as it is, where it does not for the user: each has to succeed.
func settingsOf(ctx context.Context, repo *git.Repo, theirs, home string, environ []string) (settings []git.Setting, named []string, err error) {
	repo.Config.Renew()
	all, err := repo.Config.ConfigUnder(ctx, "")
	if err != nil {
		return nil, nil, err
	}
	for _, kind := range []string{"attributes", "ignore"} { // where git looks without a setting (gitattributes(5), gitignore(5))
		key := map[string]string{"attributes": "core.attributesfile", "ignore": "core.excludesfile"}[kind]
		file := filepath.Join(cmp.Or(proc.Value(environ, "XDG_CONFIG_HOME"), filepath.Join(theirs, ".config")), "git", kind)
		if _, err := os.Stat(file); err == nil && filepath.IsAbs(file) {
			settings = append(settings, git.Setting{Key: key, Value: file})
		}
	}
	settings = append(settings, lists.Where(all, func(s git.Setting) bool { return s.IsAmong(copied) && !s.NamesSecret() })...)
	before := ""
	if theirs != "" {
		before = "HOME=" + shell.Quote(theirs) + "; GIT_CONFIG_GLOBAL=" + shell.Quote(filepath.Join(home, ".gitconfig")) + "; export HOME GIT_CONFIG_GLOBAL; "
	}
	var whole []git.Setting
	for _, s := range settings {
		name, kind := s.Key[:strings.LastIndexByte(s.Key, '.')], s.Key[strings.LastIndexByte(s.Key, '.')+1:]
		isCommand, isFilter := strings.Contains(name, ".") && slices.Contains(commandKinds, kind), strings.HasPrefix(name, "filter.")
		switch {
		case isCommand && s.Value != "":
			named = append(named, namedIn(s.Value, theirs)...)
			if !strings.HasPrefix(s.Value, "git-lfs ") {
				s.Value = before + s.Value
			}
			if isFilter {
				whole = append(whole, required(settings, name)...)
			}
		case isFilter && !isCommand, s.Key == "diff.external": // which shows differences to people
			continue
		case slices.Contains([]string{"core.attributesfile", "core.excludesfile", "http.sslcainfo"}, s.Key):
			if rest, is := strings.CutPrefix(s.Value, "~/"); is {
				s.Value = filepath.Join(theirs, rest)
			}
			named = append(named, s.Value)
		case s.Key == "http.proxy":
			s.Value = proxyUser().ReplaceAllString(s.Value, "$1")
		default:
			s.Value = git.WithoutUser(s.Value)
		}
		whole = append(whole, s)
	}
	return whole, named, nil
}

// required has a filter succeed, for which git asks for both of its halves.
func required(settings []git.Setting, name string) []git.Setting {
	list := []git.Setting{{Key: name + ".required", Value: "true"}}
	for _, half := range []string{".clean", ".smudge"} {
		if !slices.ContainsFunc(settings, func(s git.Setting) bool { return s.Key == name+half || s.Key == name+".process" }) {
			list = append(list, git.Setting{Key: name + half, Value: "cat"})
		}
	}
	return list
}

// proxyUser matches whom a proxy is asked as, which may come without a scheme.
var proxyUser = pattern.Late(`^([a-z0-9]+://)?.*@`)

// namedIn are the files that a text in the language of the shell names by absolute paths or from the
// home, but for keys, with what is installed beside those that are programs.
func namedIn(text, home string) (list []string) {
	text = strings.NewReplacer(`"`, "", `'`, "", "$HOME/", home+"/", "${HOME}/", home+"/").Replace(text)
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n=:<>;|&()`", r) }) {
		if at := strings.IndexAny(word, "/~"); at > 0 && word[0] == '-' {
			word = word[at:]
		}
		if rest, is := strings.CutPrefix(word, "~/"); is {
			word = filepath.Join(home, rest)
		}
		info, err := os.Stat(word)
		switch {
		case err != nil, !filepath.IsAbs(word), !info.Mode().IsRegular(), strings.Contains(word, "/.ssh/"), strings.Contains(word, "/.gnupg/"):
		case filepath.Base(word) == "git-liza": // which needs nothing beside it
			list = append(list, word)
		default:
			list = append(list, Named([]string{word}, "/", home)...)
		}
	}
	return list
}

// remarks matches the lines of a program that are for people.
var remarks = pattern.Late(`(?m)^\s*#[^!\n].*$`)

// hookFiles are a folder of hooks, and what these are links to or name: programs, and hooks elsewhere, which
// ours call, with the folders of these.
func hookFiles(folder, home string) []string {
	list, hooks := []string{folder}, git.PathsIn(folder, "", "")
	for n := 0; n < len(hooks); n++ {
		text, err := git.ReadSmall(hooks[n])
		if err != nil || strings.HasSuffix(hooks[n], ".sample") {
			continue
		}
		for _, file := range append(Named(hooks[n:n+1], "/", home), namedIn(remarks().ReplaceAllString(string(text), ""), home)...) {
			if info, err := os.Stat(file); err == nil && !info.IsDir() && info.Mode()&0o111 == 0 && isBelow(file, home) {
				continue // what it may be about, a login among others
			}
			list = append(list, file)
			if filepath.Base(file) == filepath.Base(hooks[n]) {
				list, hooks = append(list, filepath.Dir(file)), lists.Add(hooks, file)
			}
		}
	}
	return list
}

// shown are the files of a home that a command's home has links to.
var shown = []string{".tool-versions", ".cargo/config.toml"}

// chosen is what is copied of files in a home that may hold passwords too: versions of programs, and where
// packages come from.
var chosen = map[string]func() *regexp.Regexp{
	".config/mise/config.toml": pattern.Late(`(?m)^\[tools\]$(\n[^\[\n].*|\n)*`),
	".config/pip/pip.conf":     pipSources,
	".pip/pip.conf":            pipSources,
	".npmrc":                   pattern.Late(`(?m)^(@[^:=\s]+:)?registry\s*=.*$`),
}

var pipSources = pattern.Late(`(?m)^\[.*\]$|^(extra-)?index-url\s*=.*(\n[ \t]+.*)*$|^(trusted-host|cert)\s*=.*$`)

// homeFiles are all of these.
func homeFiles() []string { return slices.AppendSeq(slices.Clone(shown), maps.Keys(chosen)) }

// fillHome writes what is copied of the user's into a home, and returns what that names.
func fillHome(ctx context.Context, repo *git.Repo, home, theirs string, environ []string) (named []string, err error) {
	settings, named, err := settingsOf(ctx, repo, theirs, home, environ)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(home)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	err = replace(root, ".gitconfig", func(name string) error { return root.WriteFile(name, []byte(git.RenderConfig(settings)), 0o600) })
	for _, name := range homeFiles() {
		from := filepath.Join(theirs, name)
		text, readErr := git.ReadSmall(from)
		switch part := chosen[name]; {
		case theirs == "" || readErr != nil || err != nil:
		case part == nil:
			named = append(named, from)
			err = replace(root, name, func(name string) error { return root.Symlink(from, name) })
		default:
			text := git.WithoutUser(strings.Join(part().FindAllString(string(text), -1), "\n") + "\n")
			err = replace(root, name, func(name string) error { return root.WriteFile(name, []byte(text), 0o600) })
		}
	}
	return named, err
}

// replace has make make a file in a home, in which a command may have put anything.
func replace(root *os.Root, name string, make func(name string) error) error {
	made := name + "-" + rand.Text()
	err := root.MkdirAll(path.Dir(name), 0o700)
	if first, _, _ := strings.Cut(name, "/"); err != nil { // or something else than a folder on the way
		err = errors.Join(root.RemoveAll(first), root.MkdirAll(path.Dir(name), 0o700))
	}
	if err == nil {
		err = make(made)
	}
	if err == nil && root.Rename(made, name) != nil { // a command has put a folder there
		err = errors.Join(root.RemoveAll(name), root.Rename(made, name))
	}
	return err
}

// goSaid is what go said of its settings, by the environment in which it was asked.
var goSaid sync.Map

// goModules has go take modules from the user's cache first, which it may not write: they are
// checked by their sums as everywhere, and kept in a cache of the command's home, which can be
// removed as other files can.
func goModules(ctx context.Context, home string, environ []string) (variables []string, cache string) {
	names := []string{"GOPROXY", "GOFLAGS", "GOSUMDB", "GONOSUMDB", "GOPRIVATE", "GONOPROXY", "GOINSECURE", "GOVCS", "GOTOOLCHAIN", "GOMODCACHE"}
	environ = proc.Environment(environ, nil)
	key := strings.Join(environ, "\x00")
	before, known := goSaid.Load(key)
	said, _ := before.(string)
	if !known {
		var out strings.Builder
		if r, err := proc.Run(ctx, proc.Command{Path: "go", Args: append([]string{"env"}, names...), Dir: os.TempDir(), Env: environ, Stdout: &out, Wall: 10 * time.Second}); err == nil && r.Passed() {
			said = out.String()
		}
		goSaid.Store(key, said) // one that fails or is slow would be so again
	}
	values := strings.Split(said, "\n")
	if len(values) < len(names) {
		return nil, ""
	}
	last := len(names) - 1
	cache, values[0] = values[last], git.WithoutUser(values[0])
	if fetched := filepath.Join(cache, "cache", "download"); home != "" && isFolder(fetched) {
		values[0] = "file://" + filepath.ToSlash(fetched) + "," + values[0]
	}
	values[1] = strings.TrimSpace(values[1] + " -modcacherw")
	for i, name := range names[:last] {
		variables = append(variables, name+"="+values[i])
	}
	return variables, cache
}
