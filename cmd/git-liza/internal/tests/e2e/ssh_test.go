package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"strings"
	"syscall"
	"time"
)

// startSSH starts sshd for the user who runs the tests: each key has a forced
// command that says who it is. It takes the client's LIZA_ variables, as a
// careless operator might let it, so that the hooks must be proof against them.
func (s *site) startSSH() error {
	if os.Getuid() == 0 { // where sshd as root separates its privileges
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			return err
		}
	}
	address, err := freeAddress()
	if err != nil {
		return err
	}
	var keys strings.Builder
	for _, name := range people {
		command := "'" + s.path("bin", "serve") + "' " + name
		if name == "reviewer" { // as doc/server.md has it, without the measuring in between
			command = `LIZA_USER=reviewer exec git-shell -c \"$SSH_ORIGINAL_COMMAND\"`
		}
		fmt.Fprintf(&keys, "command=\"%s\",restrict %s\n", command, s.pairs[name])
	}
	host, port, _ := net.SplitHostPort(address)
	config := []string{
		"ListenAddress " + address, "HostKey " + quoted(s.path("keys", "host")), "PidFile none", "UsePAM no", "StrictModes no", "UseDNS no",
		"AuthorizedKeysFile " + quoted(s.path("authorized_keys")), "PasswordAuthentication no", "KbdInteractiveAuthentication no",
		"PermitRootLogin prohibit-password", "AcceptEnv LIZA_*", "MaxStartups 200", "LogLevel ERROR",
		"SetEnv HOME=" + quoted(s.path("home")), "", // a shell reads its settings there for each connection, and people's own take a second
	}
	client := []string{
		"Host *", "UserKnownHostsFile " + quoted(s.path("known_hosts")), "GlobalKnownHostsFile /dev/null", "StrictHostKeyChecking yes",
		"IdentitiesOnly yes", "BatchMode yes", "SendEnv LIZA_*", "KexAlgorithms curve25519-sha256", "LogLevel ERROR", "",
	}
	for name, text := range map[string]string{
		"authorized_keys": keys.String(),
		"known_hosts":     fmt.Sprintf("[%s]:%s %s\n", host, port, s.pairs["host"]),
		"sshd_config":     strings.Join(config, "\n"),
		"ssh_config":      strings.Join(client, "\n"),
	} {
		if err := os.WriteFile(s.path(name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	sshd, err := exec.LookPath("sshd")
	if err != nil {
		sshd = "/usr/sbin/sshd" // not on an ordinary user's PATH
	}
	s.ssh, err = begin(s.path("sshd.log"), "tcp", address, sshd, "-D", "-e", "-f", s.path("sshd_config"))
	return err
}

// quoted is a path as one word of a configuration, whatever folder is the
// temporary one.
func quoted(path string) string { return `"` + path + `"` }

func login() string {
	u, err := user.Current()
	if err != nil {
		return "root"
	}
	return u.Username
}

// A service is what one connection cost the server: the longest-lived and
// largest process of receive-pack, its hooks and their git.
type service struct {
	Person  string
	Command string
	Seconds float64
	MaxKB   int64
}

// serve is the forced command: git-shell with the name of the key's user, or
// without any. It leaves what it cost in a file beside the repositories.
func serve() int {
	root := strings.TrimSuffix(os.Args[0], "/bin/serve")
	person, command := os.Args[1], os.Getenv("SSH_ORIGINAL_COMMAND")
	cmd := exec.Command("git-shell", "-c", command)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(cleared(os.Environ()), "HOME="+root+"/home", "GIT_CONFIG_NOSYSTEM=1")
	if person != "nobody" {
		cmd.Env = append(cmd.Env, "LIZA_USER="+person)
	}
	begun := time.Now()
	err := cmd.Run()
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		note(root+"/served.jsonl", service{person, command, time.Since(begun).Seconds(), usage.Maxrss})
	}
	if err != nil {
		return max(1, cmd.ProcessState.ExitCode())
	}
	return 0
}

// cleared is an environment in which nobody is named.
func cleared(env []string) []string {
	kept := make([]string, 0, len(env))
	for _, e := range env {
		if !strings.HasPrefix(e, "LIZA_USER=") && !strings.HasPrefix(e, "HOME=") {
			kept = append(kept, e)
		}
	}
	return kept
}

func note(path string, s service) {
	line, err := json.Marshal(s)
	if err != nil {
		return
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	defer file.Close()
	_, _ = file.Write(append(line, '\n'))
}
