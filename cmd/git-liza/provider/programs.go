package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/proc"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
)

// gitVariables tell git which programs to run and which configuration to read. Some
// providers set them for the commands of their agents, as if these were typed by a
// person: gemini switches off hooks, ssh and credentials.
var gitVariables = []string{
	"GIT_CONFIG", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
	"GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT",
}

// keptVariables are those of gitVariables that a session gets from its supervisor, each
// under keptPrefix and its name. None holds a secret.
var keptVariables = []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT"}

const keptPrefix = "LIZA_KEEP_"

// keepVariables lists the supervisor's variables for git as a session gets them.
func keepVariables(environ []string) []string {
	var list []string
	for _, name := range keptVariables {
		if i := slices.IndexFunc(environ, func(kv string) bool { return strings.HasPrefix(kv, name+"=") }); i >= 0 {
			list = append(list, keptPrefix+environ[i])
		}
	}
	return list
}

// Unsteered is the environment for git's processes. In a session, which has
// LIZA_GENERATION set, the gitVariables are those of the session's supervisor.
// Elsewhere it is environ.
func Unsteered(environ []string) []string {
	if !flow.Generation(proc.Value(environ, "LIZA_GENERATION")).Spawned() {
		return environ
	}
	var list []string
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if !slices.Contains(gitVariables, name) {
			list = append(list, kv)
		}
	}
	for _, kv := range environ {
		if kept, ok := strings.CutPrefix(kv, keptPrefix); ok {
			if name, _, _ := strings.Cut(kept, "="); slices.Contains(keptVariables, name) {
				list = append(list, kept)
			}
		}
	}
	return list
}

// gitWrapper is a script that runs the user's git with the variables of the supervisor,
// not with those that the provider sets.
func gitWrapper(git string) string {
	var text strings.Builder
	text.WriteString("#!/bin/sh\n# From git liza: git as the user of this machine has it, also in the shell of an agent's command line.\n")
	text.WriteString("unset " + strings.Join(gitVariables, " ") + "\n")
	for _, name := range keptVariables {
		fmt.Fprintf(&text, "[ \"${%[1]s%[2]s+set}\" ] && export %[2]s=\"$%[1]s%[2]s\"\n", keptPrefix, name)
	}
	text.WriteString("exec '" + strings.ReplaceAll(git, "'", `'\''`) + "' \"$@\"\n")
	return text.String()
}

// Programs makes the folder that a session has first on its PATH and returns it. It
// lies below the common git directory and contains two programs: git-liza, which is
// the program self, and a script that runs the git of environ. The user's PATH
// decides about all other programs. Changes in the folder are undone, and folders of
// programs that are gone are removed.
func Programs(common, self string, environ []string) (string, error) {
	git := lookPath("git", environ)
	if git == "" {
		return "", fmt.Errorf("programs of a session: git: %w", fs.ErrNotExist)
	}
	key := sha256.Sum256([]byte(self + "\x00" + git))
	all := filepath.Join(common, layout.Private, "programs")
	dir := filepath.Join(all, hex.EncodeToString(key[:6]))
	err := updateFile(filepath.Join(dir, "git"), []byte(gitWrapper(git)))
	if err == nil {
		err = os.Chmod(filepath.Join(dir, "git"), 0o755)
	}
	if err == nil {
		err = replaceLink(self, filepath.Join(dir, "git-liza"))
	}
	if err != nil {
		return "", fmt.Errorf("programs of a session: %w", err)
	}
	removeStale(all, dir)
	removeStrays(dir)
	return dir, nil
}

// replaceLink makes a symbolic link at path, in the place of another file.
func replaceLink(to, path string) error {
	if now, err := os.Readlink(path); err == nil && now == to {
		return nil
	}
	next := fmt.Sprintf("%s.%x", path, rand.Uint64()) // agents of one process make it at once
	if err := os.Symlink(to, next); err != nil {
		return err
	}
	return os.Rename(next, path)
}

// removeStale removes the folders, except one, whose git-liza is gone, as it is after
// an update.
func removeStale(all, but string) {
	dirs, _ := filepath.Glob(filepath.Join(all, "*"))
	for _, dir := range dirs {
		if _, err := os.Stat(filepath.Join(dir, "git-liza")); dir != but && errors.Is(err, fs.ErrNotExist) {
			_ = os.RemoveAll(dir)
		}
	}
}

// removeStrays removes all other files from the folder, since they would come before
// the user's programs on the PATH. Files stay that another process is about to
// rename.
func removeStrays(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if name := e.Name(); name != "git" && name != "git-liza" && !strings.HasPrefix(name, "git.") && !strings.HasPrefix(name, "git-liza.") {
			_ = os.RemoveAll(filepath.Join(dir, name))
		}
	}
}
