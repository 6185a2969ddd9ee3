package e2e

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestPlainPushes holds the servers themselves against plain git: what later
// is refused must have been able to arrive.
func TestPlainPushes(t *testing.T) { stories(t, filepath.Join("testdata", "plain")) }

// TestAttacks are pushes that a server must withstand: each is refused by a line that says why, leaves nothing, and has an honest twin
// that lands.
func TestAttacks(t *testing.T) { stories(t, filepath.Join("testdata", "attack")) }

// stories runs the scripts of a folder through ssh and through http.
func stories(t *testing.T, dir string) {
	t.Parallel()
	for _, transport := range []string{"ssh", "http"} {
		t.Run(transport, func(t *testing.T) {
			testscript.Run(t, testscript.Params{
				Dir:                 dir,
				RequireExplicitExec: true,
				Setup:               func(env *testscript.Env) error { return stage(env, transport) },
				Cmds: map[string]func(*testscript.TestScript, bool, []string){
					"server": server, "board": askBoard, "clone": clone, "raw": raw, "lands": lands, "refused": refused,
				},
			})
		})
	}
}

// stage gives a script its own folder of the site, and an environment without
// anything of this machine's user.
func stage(env *testscript.Env, transport string) error {
	home := filepath.Join(env.WorkDir, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	config := "[user]\n\tname = nobody\n\temail = nobody@example.org\n[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o644); err != nil {
		return err
	}
	forgers, err := filepath.Abs(filepath.Join("testdata", "bin"))
	if err != nil {
		return err
	}
	repo, err := os.MkdirTemp(shared.path("repos"), "story-")
	if err != nil {
		return err
	}
	env.Defer(func() { os.RemoveAll(repo) })
	for name, value := range map[string]string{
		"HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C", "TZ": "UTC", "NO_COLOR": "1", "TRANSPORT": transport,
		"SERVER": filepath.Join(repo, "product.git"), "SITE_REPO": filepath.Base(repo) + "/product", "KEYS": shared.path("keys"), "CLOCKED": shared.path("clocked"),
		"PATH": shared.path("bin") + ":" + forgers + ":" + env.Getenv("PATH"),
	} {
		env.Setenv(name, value)
	}
	return nil
}

// server makes the script's bare repository: server [HOOKS-FLAG...] with git
// liza's hooks, server plain without.
func server(ts *testscript.TestScript, neg bool, args []string) {
	dir := ts.Getenv("SERVER")
	ts.Check(ts.Exec("git", "init", "-q", "--bare", "-b", "main", dir))
	ts.Check(ts.Exec("git", "-C", dir, "config", "http.receivepack", "true"))
	if len(args) == 1 && args[0] == "plain" {
		return
	}
	ts.Check(ts.Exec("git", "-C", dir, "config", "liza.server.userEnv", "LIZA_USER"))
	ts.Check(ts.Exec("git", append([]string{"-C", dir, "liza", "hooks", "install", "--server"}, args...)...))
}

// clone makes a person's clone of the server, and goes there: clone PERSON [DIR].
func clone(ts *testscript.TestScript, neg bool, args []string) {
	person, dir := args[0], args[len(args)-1]
	ts.Check(ts.Exec("git", "-c", "core.sshCommand="+shared.sshCommand(person), "clone", "-q", url(ts, person), ts.MkAbs(dir)))
	ts.Check(ts.Chdir(dir))
	for _, pair := range [][2]string{{"core.sshCommand", shared.sshCommand(person)}, {"user.name", person}, {"user.email", person + "@example.org"}} {
		ts.Check(ts.Exec("git", "config", pair[0], pair[1]))
	}
}

func url(ts *testscript.TestScript, person string) string {
	return shared.url(ts.Getenv("TRANSPORT"), person, ts.Getenv("SITE_REPO"))
}

// lands runs a push that must go through: lands git push …
func lands(ts *testscript.TestScript, neg bool, args []string) {
	before := snapshot(ts)
	if err := ts.Exec(args[0], args[1:]...); err != nil {
		ts.Fatalf("%v: %v", args, err)
	}
	if before == snapshot(ts) {
		ts.Fatalf("%v landed nothing on the server", args)
	}
}

// line is how a server says no: what, which rule, why, what to type.
var line = regexp.MustCompile(`(?m)^remote: liza-refused: (\S+) ([a-z_]+): (.+); type: (\S.*)$`)

// refused runs a push that must be refused: refused RULE[: REASON] git push …
// Both are regular expressions. Nothing on the server may change: no ref, no
// object, nothing left in a quarantine.
func refused(ts *testscript.TestScript, neg bool, args []string) {
	before := snapshot(ts)
	rule, reason, _ := strings.Cut(args[0], ": ")
	if err := ts.Exec(args[1], args[2:]...); err == nil {
		ts.Fatalf("%v was not refused", args[1:])
	}
	if after := snapshot(ts); before != after {
		ts.Fatalf("%v was refused and left something:\n%s\nnot\n%s", args[1:], after, before)
	}
	said := regexp.MustCompile(`(?m) +$`).ReplaceAllString(ts.ReadFile("stderr"), "")
	for _, match := range line.FindAllStringSubmatch(said, -1) {
		if regexp.MustCompile("^("+rule+")$").MatchString(match[2]) && regexp.MustCompile(reason).MatchString(match[3]) {
			return
		}
	}
	ts.Fatalf("no line refuses by %s:\n%s", args[0], said)
}

// snapshot is everything that the server holds: its refs, and its files of
// objects by name.
func snapshot(ts *testscript.TestScript) string {
	dir := ts.Getenv("SERVER")
	var text strings.Builder
	for _, command := range [][]string{{"for-each-ref"}, {"symbolic-ref", "HEAD"}, {"count-objects", "-v"}} {
		out, err := exec.Command("git", append([]string{"-C", dir}, command...)...).CombinedOutput()
		ts.Check(err)
		text.Write(out)
	}
	ts.Check(filepath.WalkDir(filepath.Join(dir, "objects"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() || strings.Contains(d.Name(), "incoming") {
			fmt.Fprintln(&text, path)
		}
		return err
	}))
	return text.String()
}
