package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// staged makes the board of the attack stories once; each story gets a copy.
var staged = sync.OnceValues(func() (string, error) {
	dir := shared.path("repos", "stage")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	script, err := filepath.Abs(filepath.Join("testdata", "stage.sh"))
	if err != nil {
		return "", err
	}
	cmd := exec.Command("sh", script)
	cmd.Dir = dir
	cmd.Env = append(shared.environment(shared.path("home")), "SERVER="+filepath.Join(dir, "product.git"), "KEYS="+shared.path("keys"),
		"URL="+shared.url("ssh", "", "stage/product"), "SSH=ssh -F '"+shared.path("ssh_config")+"' -i '"+shared.path("keys"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("stage.sh: %w\n%s", err, out)
	}
	return filepath.Join(dir, "product.git"), nil
})

// askBoard makes the script's server a copy of the staged one: board [CONFIG VALUE]...
func askBoard(ts *testscript.TestScript, neg bool, args []string) {
	from, err := staged()
	ts.Check(err)
	dir := ts.Getenv("SERVER")
	ts.Check(ts.Exec("cp", "-r", from, dir))
	for i := 0; i+1 < len(args); i += 2 {
		ts.Check(ts.Exec("git", "-C", dir, "config", args[i], args[i+1]))
	}
}

// raw makes a clone that has no hooks and holds its own board, a copy of the
// server's: what it pushes, it pushes with plain git. raw PERSON [DIR].
func raw(ts *testscript.TestScript, neg bool, args []string) {
	clone(ts, neg, args)
	ts.Check(ts.Exec("git", "fetch", "-q", "origin", "+refs/liza/*:refs/liza/*", "+refs/heads/liza/*:refs/heads/liza/*",
		"+refs/heads/integration:refs/heads/integration"))
	ts.Check(ts.Exec("git", "config", "liza.principal", args[0]))
	ts.Check(ts.Exec("git", "config", "liza.principal."+args[0]+".key", shared.path("keys", args[0])))
}
