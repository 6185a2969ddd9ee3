package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A client is one person's clone of a server, in which commands run as
// processes of their own.
type client struct {
	t      *testing.T
	person string
	dir    string
	env    []string
}

// environment has nothing of the machine's user but where programs are.
func (s *site) environment(home string) []string {
	return []string{"HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "TZ=UTC", "NO_COLOR=1", "GIT_TERMINAL_PROMPT=0",
		"PATH=" + s.path("bin") + ":" + os.Getenv("PATH")}
}

// hire makes a clone of the repository for a person with a key. The clone has its
// own name for that person on boards.
func (s *site) hire(t *testing.T, person, repo string) *client {
	t.Helper()
	root := t.TempDir()
	c := &client{t: t, person: person, dir: filepath.Join(root, person), env: s.environment(root)}
	require.NoError(t, os.WriteFile(filepath.Join(root, ".gitconfig"), []byte("[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n"), 0o644))
	clone := exec.Command("git", "clone", "-q", "-c", "core.sshCommand="+s.sshCommand(person), "-c", "user.name="+person,
		"-c", "user.email="+person+"@example.org", "-c", "liza.principal="+person, "-c", "liza.principal."+person+".key="+s.path("keys", person),
		s.url("ssh", person, repo), c.dir)
	clone.Env = c.env
	out, err := clone.CombinedOutput()
	require.NoError(t, err, string(out))
	return c
}

// An outcome is how a command ended.
type outcome struct {
	code           int
	stdout, stderr string
	seconds        float64
}

func (o outcome) text() string { return strings.TrimSpace(o.stdout + o.stderr) }

// rule is why a command with --json was refused.
func (o outcome) rule() (rule, reason string) {
	var answer struct {
		Error struct{ Rule, Reason string }
	}
	_ = json.Unmarshal([]byte(o.stdout), &answer)
	return answer.Error.Rule, answer.Error.Reason
}

// try runs a command in the clone, in a process group of its own.
func (c *client) try(args ...string) outcome { return c.within(3*time.Minute, nil, args...) }

// asks runs a command with a text on standard input.
func (c *client) asks(text string, args ...string) outcome {
	return c.run(context.Background(), 3*time.Minute, strings.NewReader(text), nil, args...)
}

func (c *client) within(limit time.Duration, extra []string, args ...string) outcome {
	return c.run(context.Background(), limit, nil, extra, args...)
}

// run asks a command that takes too long, or whose ctx is done, to end:
// supervisors then end their agents, which have process groups of their own.
func (c *client) run(ctx context.Context, limit time.Duration, input io.Reader, extra []string, args ...string) outcome {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	path := args[0]
	if path == "git-liza" {
		path = shared.path("bin", path)
	}
	cmd := exec.CommandContext(ctx, path, args[1:]...)
	cmd.Dir, cmd.Env = c.dir, append(append([]string{}, c.env...), extra...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 30 * time.Second
	cmd.Stdin = input
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	begun := time.Now()
	err := cmd.Run()
	o := outcome{stdout: stdout.String(), stderr: stderr.String(), seconds: time.Since(begun).Seconds()}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		o.code, o.stderr = -2, o.stderr+"\nended by the test after "+limit.String()
	case errors.As(err, &exit):
		o.code = exit.ExitCode()
	case err != nil:
		o.code, o.stderr = -3, err.Error()
	}
	return o
}

func (c *client) must(args ...string) string {
	c.t.Helper()
	o := c.try(args...)
	require.Zero(c.t, o.code, "%s: %v: %s", c.person, args, o.text())
	return strings.TrimSpace(o.stdout)
}

// found makes the board: the product's spec, the admin, the remote.
func (c *client) found() {
	c.t.Helper()
	spec := filepath.Join(c.dir, "specs", "vision.md")
	if _, err := os.Stat(spec); errors.Is(err, fs.ErrNotExist) {
		require.NoError(c.t, os.MkdirAll(filepath.Dir(spec), 0o755))
		require.NoError(c.t, os.WriteFile(spec, []byte("# A small product\n"), 0o644))
	}
	c.must("git", "add", "-A")
	c.must("git", "commit", "-q", "-m", "A spec")
	c.must("git", "push", "-q", "origin", "HEAD:refs/heads/main")
	c.must("git-liza", "init", "--remote", "origin", "--admin", c.person)
	c.must("git-liza", "principal", "add", c.person, "--replace", "--user", c.person)
}

// await waits until a command prints a text.
func (c *client) await(want string, args ...string) {
	c.t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		got := c.must(args...)
		if got == want {
			return
		}
		require.True(c.t, time.Now().Before(end), "%v prints %q, not %q", args, got, want)
	}
}
