// Package gittest holds what tests with real repositories share: a pinned
// environment, repositories of every kind, programs, processes, terminals and older kernels.
package gittest

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Unprivileged returns this program, and attributes to run it as a user who is bound by
// permissions: root may write everywhere.
func Unprivileged(t *testing.T) (exe string, as *syscall.SysProcAttr) {
	t.Helper()
	if os.Geteuid() != 0 {
		return os.Args[0], &syscall.SysProcAttr{}
	}
	for dir := os.TempDir(); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm()&1 == 0 {
			t.Skipf("%s is closed to others", dir)
		}
	}
	return copyExecutable(t, os.Args[0]), &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}

// copyExecutable copies a program to a place where every user may run it.
func copyExecutable(t *testing.T, exe string) string {
	t.Helper()
	data, err := os.ReadFile(exe)
	require.NoError(t, err)
	dir, err := os.MkdirTemp("", "gitstore-exe")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	path := filepath.Join(dir, "exe")
	Script(t, path, string(data))
	require.NoError(t, os.Chmod(path, 0o755))
	return path
}

// NoLeftovers checks that no lock, journal entry or temporary file is in a repository.
func NoLeftovers(t *testing.T, gitDir string) {
	t.Helper()
	var left []string
	require.NoError(t, filepath.WalkDir(gitDir, func(path string, d os.DirEntry, err error) error {
		rel := strings.TrimPrefix(path, gitDir+"/")
		name := d.Name()
		if strings.HasSuffix(name, ".lock") && !strings.HasPrefix(rel, "liza/") || strings.HasSuffix(name, ".new") ||
			strings.HasPrefix(name, "tmp_") || !d.IsDir() && strings.HasPrefix(rel, "liza/journal/") {
			left = append(left, rel)
		}
		return err
	}))
	require.Empty(t, left)
}

// unattended keeps git from maintenance in the background: the test could end before
// it, and the test's folder would not be empty.
const unattended = "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"

// Main runs tests and ends the process. It pins what git reads from its surroundings.
// With GITSTORE_TEST_CHILD set the test binary is a process that a test starts, for
// example in order to kill it: it does the work of child.
func Main(m *testing.M, child func(task string, args []string) error) {
	if task := os.Getenv("GITSTORE_TEST_CHILD"); task != "" {
		if err := child(task, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	home, err := os.MkdirTemp("", "gitstore-home")
	if err != nil {
		panic(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(unattended), 0o644); err != nil {
		panic(err)
	}
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "LIZA_") {
			os.Unsetenv(name)
		}
	}
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, ".config"),
		"GIT_CONFIG_GLOBAL": filepath.Join(home, ".gitconfig"), "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org", "GIT_AUTHOR_DATE": "2026-01-17T14:06:00Z",
		"GIT_COMMITTER_NAME": "Grace", "GIT_COMMITTER_EMAIL": "grace@example.org", "GIT_COMMITTER_DATE": "2026-01-17T14:06:00Z",
		"GORACE": "atexit_sleep_ms=0", // otherwise a race-enabled child sleeps a second at its end
	} {
		os.Setenv(name, value)
	}
	code := Run(m, ForProcesses)
	os.RemoveAll(home)
	os.Exit(code)
}

// How many tests run at once on each processor: those that wait for processes of theirs
// leave some of it, and those that wait for limits nearly all.
const (
	ForProcesses = 2
	ForLimits    = 4
)

// Run runs tests, so many of them at once on each processor, unless the command line says
// how many.
func Run(m *testing.M, each int) int {
	flag.Parse()
	if at := flag.Lookup("test.parallel").Value; at.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		if err := at.Set(strconv.Itoa(each * runtime.GOMAXPROCS(0))); err != nil {
			panic(err)
		}
	}
	return m.Run()
}

// Git runs git as a user would and returns its output, trimmed.
func Git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "git %s: %s", strings.Join(args, " "), stderr.String())
	return strings.TrimSpace(string(out))
}

// Write puts a file below dir.
func Write(t testing.TB, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o666))
}

// Script writes a program that can be run at once. A process that another test forks
// meanwhile inherits the open file until it executes its program, and so long the
// kernel refuses to run the script.
func Script(t testing.TB, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	WhileNobodyStarts(t, func() error { return os.WriteFile(path, []byte(text), 0o777) })
}

// WhileNobodyStarts calls what while no process is being started, so that none inherits
// files that are open, or their locks. Processes started earlier have executed their
// programs, and others wait.
func WhileNobodyStarts(t testing.TB, what func() error) {
	t.Helper()
	syscall.ForkLock.RLock()
	err := what()
	syscall.ForkLock.RUnlock()
	require.NoError(t, err)
}

// Until waits until happened is true.
func Until(t testing.TB, what string, happened func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !happened(); time.Sleep(time.Millisecond) {
		require.True(t, time.Now().Before(end), "not in two minutes: %s", what)
	}
}

// Family lets a test wait for all processes of a command, including those that outlive
// it: they hold one end of a pipe. Call it before the command is started.
func Family(t testing.TB, cmd *exec.Cmd) (gone func()) {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { r.Close(); w.Close() })
	// The number is far above those of the files that the processes pass on.
	cmd.ExtraFiles = append(make([]*os.File, 40), w)
	return func() {
		t.Helper()
		w.Close()
		require.NoError(t, r.SetReadDeadline(time.Now().Add(2*time.Minute)))
		_, err := r.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF, "something of it is still there")
	}
}

// seeds are the repositories of Seeded, by their options.
var seeds sync.Map

// Seeded makes a repository with one commit on main. The arguments are options of
// `git init`.
func Seeded(t testing.TB, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	seed, _ := seeds.LoadOrStore(strings.Join(args, " "), new(Template))
	require.NoError(t, seed.(*Template).Copy(dir, func(dir string) error {
		Git(t, dir, append([]string{"init", "-q", "-b", "main"}, args...)...)
		Write(t, dir, "README", "hello\n")
		Write(t, dir, "src/main.sh", "echo hi\n")
		Git(t, dir, "add", ".")
		Git(t, dir, "commit", "-q", "-m", "first")
		return nil
	}))
	return dir
}

// KillGroup kills a command with its process group and waits for the command.
func KillGroup(cmd *exec.Cmd) {
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	cmd.Wait()
}
