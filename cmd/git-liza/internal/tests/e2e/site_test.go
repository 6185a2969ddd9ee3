package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/gittest"
)

// people are the users with a key and a password. Mallory is on no board; the
// requests of the user nobody carry no name.
var people = append([]string{"alice", "coder", "reviewer", "merger", "mallory", "nobody"}, hosts...)

// hosts are machines that race for work.
var hosts = []string{"host1", "host2", "host3", "host4", "host5", "host6", "host7", "host8"}

// A site is a folder of bare repositories behind an ssh and an http server.
type site struct {
	root  string
	ssh   *daemon
	http  *daemon
	cgi   *daemon
	pairs map[string]string // name to public key line
}

func (s *site) path(parts ...string) string {
	return filepath.Join(append([]string{s.root}, parts...)...)
}

// newSite builds the program, and in the folder "clocked" the one of somebody who lies about
// the time with LIZA_NOW, makes keys and starts the servers.
func newSite(root string) (*site, error) {
	s := &site{root: root, pairs: map[string]string{}}
	for _, dir := range []string{"bin", "repos", "keys", "home", "nginx"} {
		if err := os.MkdirAll(s.path(dir), 0o755); err != nil {
			return nil, err
		}
	}
	if err := gittest.BuildReleased(s.path("bin", "git-liza")); err != nil {
		return nil, err
	}
	if err := gittest.Build(s.path("clocked", "git-liza"), false); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"serve", "rawpush"} {
		if err := os.Symlink(self, s.path("bin", name)); err != nil {
			return nil, err
		}
	}
	for _, name := range append([]string{"host"}, people...) {
		if s.pairs[name], err = newKey(s.path("keys", name)); err != nil {
			return nil, err
		}
	}
	for _, start := range []func() error{s.startSSH, s.startHTTP} {
		if err := start(); err != nil {
			s.stop()
			return nil, err
		}
	}
	return s, nil
}

func newKey(path string) (string, error) {
	out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", filepath.Base(path), "-f", path).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("ssh-keygen: %w: %s", err, out)
	}
	public, err := os.ReadFile(path + ".pub")
	return strings.TrimSpace(string(public)), err
}

// url is where a person reaches a repository of the site.
func (s *site) url(transport, person, repo string) string {
	if transport == "http" {
		return fmt.Sprintf("http://%s:secret-%s@127.0.0.1:%d/%s.git", person, person, s.http.port, repo)
	}
	return fmt.Sprintf("ssh://%s@127.0.0.1:%d%s.git", login(), s.ssh.port, s.path("repos", repo))
}

// sshCommand is the ssh of a person: that key, this host's key, nothing of the
// user's own configuration.
func (s *site) sshCommand(person string) string {
	return fmt.Sprintf("ssh -F '%s' -i '%s'", s.path("ssh_config"), s.path("keys", person))
}

// bare makes a repository with git liza's hooks, and returns its name.
func (s *site) bare(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(s.path("repos"), "bare-")
	require.NoError(t, err)
	repo := filepath.Base(dir) + "/product"
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, exec.Command("git", "init", "-q", "--bare", "-b", "main", s.path("repos", repo+".git")).Run())
	s.onServer(t, repo, "config", "http.receivepack", "true")
	s.onServer(t, repo, "config", "liza.server.userEnv", "LIZA_USER")
	s.onServer(t, repo, "liza", "hooks", "install", "--server")
	return repo
}

// onServer runs git where the repository is, as its operator.
func (s *site) onServer(t *testing.T, repo string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", s.path("repos", repo+".git")}, args...)...)
	cmd.Env = s.environment(s.path("home"))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "git %v: %s", args, out)
	return strings.TrimSpace(string(out))
}

func (s *site) stop() {
	for _, d := range []*daemon{s.ssh, s.http, s.cgi} {
		if d != nil {
			d.stop()
		}
	}
}
