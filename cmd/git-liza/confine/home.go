package confine

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/proc"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/pattern"
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
var caches = []string{".cache/pip", ".cargo/git", ".cargo/registry", ".npm/_cacache", "go/pkg/mod"}

// copied are the keys of the configuration that git has for the user, or what they begin with, which
// work needs inside: none is about addresses, signing or passwords.
var copied = []string{"user.name", "user.email", "author.", "committer.", "core.autocrlf", "core.eol", "core.safecrlf", "core.quotepath", "core.abbrev", "core.longpaths",
	"core.commentchar", "core.whitespace", "core.attributesfile", "core.excludesfile", "http.proxy", "http.sslcainfo",
	"filter.", "diff.", "merge.", "init.defaultbranch", "safe.", "rebase.", "pull.", "advice.", "color.", "column.", "log.", "status.", "i18n.", "rerere.", "index.", "feature.", "protocol."}

// naming are those of them that name files and programs.
var naming = []string{"core.attributesfile", "core.excludesfile", "http.sslcainfo", "filter.", "diff.", "merge."}

// atHome matches the user's home in a word of a shell line.
var atHome = pattern.Late(`(^|[\s'"=])(~|\$HOME|\$\{HOME\})/`)

// settingsOf are what is copied of the configuration that git has for the user of a clone, and
// the files and programs that it names.
func settingsOf(ctx context.Context, repo *git.Repo, home string, environ []string) (settings []git.Setting, named []string, err error) {
	all, err := repo.Config.ConfigUnder(ctx, "")
	if err != nil {
		return nil, nil, err
	}
	for _, kind := range []string{"attributes", "ignore"} { // where git looks without a setting (gitattributes(5), gitignore(5))
		key := map[string]string{"attributes": "core.attributesfile", "ignore": "core.excludesfile"}[kind]
		file := filepath.Join(cmp.Or(proc.Value(environ, "XDG_CONFIG_HOME"), filepath.Join(home, ".config")), "git", kind)
		if _, err := os.Stat(file); err == nil {
			settings = append(settings, git.Setting{Key: key, Value: file})
		}
	}
	settings = append(settings, lists.Where(all, func(s git.Setting) bool { return s.IsAmong(copied) && !s.NamesSecret() })...)
	for i, s := range settings {
		if s.IsAmong(naming) {
			s.Value = atHome().ReplaceAllString(s.Value, "${1}"+strings.ReplaceAll(home, "$", "$$")+"/")
			named = append(named, Named(strings.Fields(s.Value), repo.CommonDir(), home)...)
		}
		settings[i].Value = git.WithoutUser(s.Value)
	}
	return settings, named, nil
}

// versions are the files in a home that say which versions of programs its user has chosen.
var versions = []string{".tool-versions", ".config/mise/config.toml"}

// fillHome writes what is copied of the user's into a home, and returns what that names.
func fillHome(ctx context.Context, repo *git.Repo, home, theirs string, environ []string) (named []string, err error) {
	settings, named, err := settingsOf(ctx, repo, theirs, environ)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(home)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	err = replace(root, ".gitconfig", git.RenderConfig(settings))
	for _, name := range versions {
		text, readErr := git.ReadSmall(filepath.Join(theirs, name))
		if readErr == nil && theirs != "" && err == nil {
			err = replace(root, name, choices(string(text)))
		}
	}
	return named, err
}

// choices is a file of versions; of one with sections, [tools] alone: others may hold a password.
func choices(text string) string {
	if before, tools, is := strings.Cut("\n"+text, "\n[tools]\n"); is {
		tools, _, _ = strings.Cut(tools, "\n[")
		return "[tools]\n" + tools + "\n"
	} else if strings.Contains(before, "\n[") {
		return ""
	}
	return text
}

// replace writes a file in a home, in which a command may have put anything.
func replace(root *os.Root, name, text string) error {
	made := name + "-" + rand.Text()
	err := root.MkdirAll(path.Dir(name), 0o700)
	if err == nil {
		err = root.WriteFile(made, []byte(text), 0o600)
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
func goModules(ctx context.Context, home string, environ []string) (variables []string) {
	names := []string{"GOPROXY", "GOFLAGS", "GOSUMDB", "GONOSUMDB"}
	environ = proc.Environment(environ, nil)
	key := strings.Join(environ, "\x00")
	before, known := goSaid.Load(key)
	said, _ := before.(string)
	if !known {
		var out strings.Builder
		r, err := proc.Run(ctx, proc.Command{Path: "go", Args: append([]string{"env"}, names...), Dir: os.TempDir(), Env: environ, Stdout: &out, Wall: 10 * time.Second})
		if err != nil || !r.Passed() {
			return nil
		}
		said = out.String()
		goSaid.Store(key, said)
	}
	values := strings.Split(said, "\n")
	if cache := filepath.Join(home, "go", "pkg", "mod", "cache", "download"); home != "" && isFolder(cache) {
		values[0] = "file://" + filepath.ToSlash(cache) + "," + values[0]
	}
	values[1] = strings.TrimSpace(values[1] + " -modcacherw")
	for i, name := range names {
		variables = append(variables, name+"="+values[i])
	}
	return variables
}
