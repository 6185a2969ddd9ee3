package provider

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/flow/board"
)

// gitVariables tell git which programs to run and which configuration to read. Some
// providers set them for the commands of their agents, as if these were typed by a
// person: gemini switches off hooks, ssh and credentials.
var gitVariables = []string{
	"GIT_CONFIG", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
	"GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_CEILING_DIRECTORIES",
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

// Unsteered is the environment for git's processes of git-liza. In a session, which has
// LIZA_GENERATION set, the gitVariables are those of the session's supervisor: moves go to
// the board and its remote as the supervisor's do, whatever the agent's program sets for
// the git of its commands, which works in a repository of its own. Elsewhere it is environ.
func Unsteered(environ []string) []string {
	if !board.Generation(proc.Value(environ, "LIZA_GENERATION")).Spawned() {
		return environ
	}
	var list []string
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if !slices.Contains(gitVariables, name) {
			list = append(list, kv)
		}
		if kept, ok := strings.CutPrefix(name, keptPrefix); ok && slices.Contains(keptVariables, kept) {
			list = append(list, kv[len(keptPrefix):])
		}
	}
	return list
}

// Programs makes the folder that one session has first on its PATH; remove ends it with the
// session. It lies outside of what sandboxes let sessions write, and contains git-liza, which
// is the program self. The user's PATH decides about all other programs.
func Programs(self string) (dir string, remove func(), err error) {
	all, err := os.UserCacheDir()
	if all = filepath.Join(all, "git-liza", "programs"); err != nil || !filepath.IsAbs(all) || os.MkdirAll(all, 0o700) != nil {
		all = os.TempDir()
	}
	if dir, err = os.MkdirTemp(all, "git-liza-"); err == nil {
		err = os.Symlink(self, filepath.Join(dir, "git-liza"))
	}
	if err != nil {
		return "", nil, fmt.Errorf("programs of a session: %w", err)
	}
	return dir, func() { _ = os.RemoveAll(dir) }, nil
}
