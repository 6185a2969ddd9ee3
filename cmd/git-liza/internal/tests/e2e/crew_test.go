package e2e

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A crew is a rush in a repository of its own: scripted agents that wait for the test, a
// question, a verdict that a person has to give, and work that goes on.
type crew struct {
	*client
	folder string // of what the test and the agents say to each other by files
}

// newCrew begins the rush, and returns when only a person can go on but for the work of
// the two tasks that wait for the test.
func newCrew(t *testing.T, spec string) *crew {
	t.Helper()
	home := t.TempDir()
	c := &crew{folder: filepath.Join(home, "crew"), client: &client{t: t, person: "ann", dir: filepath.Join(home, "thermometer"), env: shared.environment(home)}}
	require.NoError(t, os.WriteFile(filepath.Join(home, ".gitconfig"), []byte("[user]\n\tname = Ann Example\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n"), 0o644))
	require.NoError(t, os.CopyFS(c.folder, os.DirFS(filepath.Join("testdata", "crew"))))
	require.NoError(t, os.MkdirAll(filepath.Join(c.dir, "specs"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(c.dir, "specs", "vision.md"), []byte(spec), 0o644))
	c.must("git", "init", "-q")
	c.must("git", "add", "-A")
	c.must("git", "commit", "-q", "-m", "A spec")
	c.must("git-liza", "init")
	c.must("git", "config", "liza.provider", "exec:sh '"+c.folder+"/agent.sh'")
	c.must("git", "config", "liza.confine.write", c.folder)
	c.must("git-liza", "role", "require", "human", "--paths", "docs/usage.md")
	c.must("git-liza", "task", "add", "--from", filepath.Join(c.folder, "tasks.yaml"))
	c.rush()
	c.await("1", "sh", "-c", "git liza log usage --act approve --json | grep -c '\"act\":\"approve\"' || :")
	c.await("2", "git-liza", "inbox", "--count")
	c.must("git-liza", "task", "add", "--from", filepath.Join(c.folder, "more.yaml")) // now nobody is busy when work comes back
	c.await("2", "sh", "-c", "git liza list status:claimed --json | grep -o '\"id\":' | wc -l | tr -d ' '")
	return c
}

// rush begins the agents, and ends them with the test.
func (c *crew) rush() {
	cmd := exec.Command(shared.path("bin", "git-liza"), "rush", "--planners", "0", "--coders", "3", "--reviewers", "1")
	cmd.Dir, cmd.Env = c.dir, c.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	said, err := os.Create(filepath.Join(c.folder, "rush.log"))
	require.NoError(c.t, err)
	defer said.Close()
	cmd.Stdout, cmd.Stderr = said, said
	require.NoError(c.t, cmd.Start())
	c.t.Cleanup(func() {
		if c.t.Failed() {
			text, _ := os.ReadFile(said.Name())
			c.t.Logf("the rush said:\n%s", text)
		}
		_ = cmd.Process.Signal(syscall.SIGTERM)
		late := time.AfterFunc(20*time.Second, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
		_ = cmd.Wait()
		late.Stop()
	})
}

// goOn lets the agent of a task go on.
func (c *crew) goOn(task string) {
	c.t.Helper()
	require.NoError(c.t, os.WriteFile(filepath.Join(c.folder, "go-"+task), nil, 0o644))
}

// web begins the pages, and returns the address that opens them once. Another line comes
// for each Enter.
func (c *crew) web(args ...string) (url string, more func() string) {
	c.t.Helper()
	cmd := exec.Command(shared.path("bin", "git-liza"), append([]string{"web"}, args...)...)
	cmd.Dir, cmd.Env = c.dir, c.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	keys, err := cmd.StdinPipe()
	require.NoError(c.t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(c.t, err)
	require.NoError(c.t, cmd.Start())
	c.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	lines := bufio.NewReader(out)
	next := func() string {
		line, err := lines.ReadString('\n')
		require.NoError(c.t, err)
		return strings.TrimSpace(line)
	}
	return next(), func() string {
		_, err := keys.Write([]byte("\n"))
		require.NoError(c.t, err)
		return next()
	}
}
