// Package boards holds golden boards against the program: blackboards that earlier
// programs made, kept in testdata/boards for ever. It records new ones.
package boards

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-liza/git-liza/internal/gittest"
)

// present is the folder of the git-liza under test.
var present string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "git-liza-boards")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	present = filepath.Join(dir, "present")
	if err := gittest.Build(filepath.Join(present, "git-liza"), false); err != nil {
		panic(err)
	}
	return gittest.Run(m, gittest.ForProcesses)
}

// unattended keeps git from tidying up behind a command's back.
const unattended = "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"

// environment is that of a program from a folder: an identity, no configuration of
// this machine, and the program first in the path. More variables may follow.
func environment(t testing.TB, program string, more ...string) []string {
	t.Helper()
	home := t.TempDir()
	gittest.Write(t, home, ".gitconfig", "[user]\n\tname = Ann Example\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n"+unattended)
	var list []string
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); !strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "LIZA_") && name != "XDG_CONFIG_HOME" && name != "HOME" && name != "PATH" {
			list = append(list, kv)
		}
	}
	list = append(list, "HOME="+home, "PATH="+program+string(filepath.ListSeparator)+os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CEILING_DIRECTORIES="+os.TempDir(), "LC_ALL=C", "TZ=UTC", "NO_COLOR=1")
	return append(list, more...)
}
