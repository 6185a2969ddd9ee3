package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMounts runs the stories of a disk that is full or read-only, and of users and disks
// beside, which need a mount of their own: permissions do not bind root.
func TestMounts(t *testing.T) {
	if out, err := exec.Command("unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", t.TempDir()).CombinedOutput(); err != nil {
		t.Skipf("nobody may mount here: %v %s", err, out)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "mounts"),
		RequireExplicitExec: true,
		Setup:               pinned,
		Condition:           condition,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "board": newBoard},
	})
}
