// Package e2e shows git liza through real servers: sshd with forced commands
// and git http-backend behind nginx, on loopback ports, as the user who runs
// the tests. Attacks come as stories in testdata/attack, each through both;
// races, bounds and the three hosts are Go. What people and agents do to repositories
// is played by the scripts of testdata/cases. The dashboards are shown in a browser
// and in tmux while scripted agents work.
//
// It runs where LIZA_E2E is set (make e2e) and needs Debian's openssh-server,
// nginx and fcgiwrap. It starts no service of the machine and reads none of its
// configuration: every daemon is a child of the tests, with keys, ports and
// files of its own in a temporary folder, and is ended by its process id.
package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-liza/git-liza/internal/gittest"
)

// shared are the servers that every test may use; a test that stops one starts
// its own.
var shared *site

func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) { // the test program is also the site's forced command, and a client that lies
	case "serve":
		os.Exit(serve())
	case "rawpush":
		os.Exit(rawPush())
	}
	if os.Getenv("LIZA_E2E") == "" {
		fmt.Println("servers are not started: make e2e does (LIZA_E2E is not set)")
		return
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	root, err := os.MkdirTemp("", "git-liza-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(root)
	shared, err = newSite(root)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer shared.stop()
	return gittest.Run(m, gittest.ForProcesses)
}
