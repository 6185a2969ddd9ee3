package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
)

// steering are the variables by which a command line tells git what to run and
// which configuration to read. Some command lines set them for the commands of
// their agents (gemini: no hooks, no ssh, no credentials), which is meant for the
// shell of a person.
var steering = []string{
	"GIT_CONFIG", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
	"GIT_ASKPASS", "SSH_ASKPASS", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT",
}

// handed are those of them that a session has from its supervisor, each under
// its name after keeping. None holds a secret.
var handed = []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT"}

const keeping = "LIZA_KEEP_"

// handOn is what a session is told of its supervisor's variables for git.
func handOn(environ []string) []string {
	var list []string
	for _, name := range handed {
		if i := slices.IndexFunc(environ, func(kv string) bool { return strings.HasPrefix(kv, name+"=") }); i >= 0 {
			list = append(list, keeping+environ[i])
		}
	}
	return list
}

// Unsteered is the environment for git's processes. In a session, which
// LIZA_GENERATION tells, the variables that steer git are those that its
// supervisor had; elsewhere it is the one given.
func Unsteered(environ []string) []string {
	if !flow.Generation(value(environ, "LIZA_GENERATION")).Spawned() {
		return environ
	}
	var list []string
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if !slices.Contains(steering, name) {
			list = append(list, kv)
		}
	}
	for _, kv := range environ {
		if kept, ok := strings.CutPrefix(kv, keeping); ok {
			if name, _, _ := strings.Cut(kept, "="); slices.Contains(handed, name) {
				list = append(list, kept)
			}
		}
	}
	return list
}

// wrapper is the git that a session finds first: the user's own, without what
// the agent's command line sets for it.
func wrapper(git string) string {
	var text strings.Builder
	text.WriteString("#!/bin/sh\n# From git liza: git as the user of this machine has it, also in the shell of an agent's command line.\n")
	text.WriteString("unset " + strings.Join(steering, " ") + "\n")
	for _, name := range handed {
		fmt.Fprintf(&text, "[ \"${%[1]s%[2]s+set}\" ] && export %[2]s=\"$%[1]s%[2]s\"\n", keeping, name)
	}
	text.WriteString("export GIT_PAGER=\"${GIT_PAGER-cat}\" GIT_TERMINAL_PROMPT=\"${GIT_TERMINAL_PROMPT-0}\"\n")
	text.WriteString("exec '" + strings.ReplaceAll(git, "'", `'\''`) + "' \"$@\"\n")
	return text.String()
}

// Programs makes the folder that a session has first on its PATH, below the
// repository's own folder, and returns it: git-liza, which is the program self,
// and the git of environ with its hooks in force. Nothing else is in there, so
// that the user's PATH decides about all other programs. What somebody has
// changed in it is put right; folders for programs that are gone are removed.
func Programs(common, self string, environ []string) (string, error) {
	git := lookUp("git", environ)
	if git == "" {
		return "", fmt.Errorf("programs of a session: git: %w", fs.ErrNotExist)
	}
	key := sha256.Sum256([]byte(self + "\x00" + git))
	all := filepath.Join(common, "liza", "programs")
	dir := filepath.Join(all, hex.EncodeToString(key[:6]))
	err := updateFile(filepath.Join(dir, "git"), []byte(wrapper(git)))
	if err == nil {
		err = os.Chmod(filepath.Join(dir, "git"), 0o755)
	}
	if err == nil {
		err = link(self, filepath.Join(dir, "git-liza"))
	}
	if err != nil {
		return "", fmt.Errorf("programs of a session: %w", err)
	}
	clear(all, dir)
	strays(dir)
	return dir, nil
}

// link makes a symbolic link, in the place of whatever is there.
func link(to, path string) error {
	if now, err := os.Readlink(path); err == nil && now == to {
		return nil
	}
	next := fmt.Sprintf("%s.%d", path, os.Getpid())
	_ = os.Remove(next)
	if err := os.Symlink(to, next); err != nil {
		return err
	}
	return os.Rename(next, path)
}

// clear removes the folders whose git-liza is no more, as after an update.
func clear(all, but string) {
	dirs, _ := filepath.Glob(filepath.Join(all, "*"))
	for _, dir := range dirs {
		if _, err := os.Stat(filepath.Join(dir, "git-liza")); dir != but && errors.Is(err, fs.ErrNotExist) {
			_ = os.RemoveAll(dir)
		}
	}
}

// strays removes what else somebody has put into the folder: it would go before
// the user's own programs. Files stay that another process is about to put in
// place.
func strays(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if name := e.Name(); name != "git" && name != "git-liza" && !strings.HasPrefix(name, "git.") && !strings.HasPrefix(name, "git-liza.") {
			_ = os.RemoveAll(filepath.Join(dir, name))
		}
	}
}
