package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Where the disk of a server is full, the client says so, and of which machine; with
// room there the command succeeds. A server without hooks says it in git's own words.
func TestDiskOfAServer(t *testing.T) {
	t.Parallel()
	for _, hooked := range []bool{true, false} {
		t.Run(fmt.Sprint(hooked), func(t *testing.T) {
			t.Parallel()
			disk := t.TempDir()
			if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=4096k"); err != nil {
				t.Skipf("mounting is not permitted: %v", err)
			}
			t.Cleanup(func() { syscall.Unmount(disk, syscall.MNT_DETACH) })
			run, repo := boardOn(t, filepath.Join(disk, "server.git"), hooked)
			filler := filepath.Join(disk, "filler")
			fill(t, filler)

			out, err := run(repo, "git", "liza", "note", "hello")
			require.Error(t, err)
			require.Regexp(t, `(?m)^git-liza: .*the disk of the remote is full`, out)
			require.Regexp(t, `(?m)^rule: disk_full$`, out)
			hint := regexp.MustCompile(`(?m)^hint: (.*)$`).FindStringSubmatch(out)
			require.NotNil(t, hint)
			shown, err := run(repo, "sh", "-c", hint[1])
			require.NoError(t, err)
			require.Contains(t, shown, disk, "the hint shows which machine")
			_, err = run(repo, "git", "fsck")
			require.NoError(t, err)

			require.NoError(t, os.Remove(filler))
			out, err = run(repo, "git", "liza", "note", "hello")
			require.NoError(t, err, out)
		})
	}
}

// boardOn makes a board in a clone of the server at a path. run runs a command in
// a folder and returns all that it prints.
func boardOn(t *testing.T, server string, hooked bool) (run func(dir, name string, args ...string) (string, error), repo string) {
	t.Helper()
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	require.NoError(t, os.Mkdir(home, 0o755))
	config := "[user]\n\tname = Ann Example\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n" + unattended
	require.NoError(t, os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o644))
	run = func(in, name string, args ...string) (string, error) {
		cmd := exec.Command(name, args...)
		cmd.Dir = in
		cmd.Env = append(os.Environ(), "HOME="+home, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "LIZA_AGENT_ID=", "LIZA_GENERATION=", "TMPDIR="+dir)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	repo = filepath.Join(dir, "repo")
	commands := []string{
		"git init -q --bare --template= " + server, "git init -q " + repo, "mkdir -p " + repo + "/specs", "cp home/.gitconfig " + repo + "/specs/vision.md",
		"git -C " + repo + " add -A", "git -C " + repo + " commit -q -m first", "git -C " + repo + " remote add origin " + server,
		"git -C " + repo + " liza init --remote origin",
	}
	if hooked {
		commands = append(commands[:1], append([]string{"git -C " + server + " liza hooks install --server"}, commands[1:]...)...)
	}
	for _, command := range commands {
		out, err := run(dir, "sh", "-c", command)
		require.NoError(t, err, "%s\n%s", command, out)
	}
	return run, repo
}

// fill takes all the room that is left on a disk.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	require.NoError(t, err)
	for err == nil {
		_, err = f.WriteString(strings.Repeat("x", 4096))
	}
	require.ErrorIs(t, err, syscall.ENOSPC)
	f.Close()
}
