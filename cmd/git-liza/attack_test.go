package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/document"
)

// TestAttacksOnTwoJudges tells the stories of attacks again on boards on which two roles
// judge everything.
func TestAttacksOnTwoJudges(t *testing.T) {
	t.Parallel()
	params := scripts()
	for _, name := range []string{"server_attack", "hooks_attack", "mirror_attacks"} {
		params.Files = append(params.Files, filepath.Join("testdata", "script", name+".txtar"))
	}
	params.Cmds["board"] = func(ts *testscript.TestScript, neg bool, args []string) {
		newBoard(ts, neg, args)
		ts.Check(ts.Exec("git", "liza", "role", "require", "security-reviewer"))
	}
	testscript.Run(t, params)
}

// twoJudges makes the board, server, host and clone of testdata/two_judges.sh, and puts
// forge on the PATH, which makes state commits as no program of ours would.
func twoJudges(ts *testscript.TestScript, neg bool, args []string) {
	newBoard(ts, false, nil)
	script, err := filepath.Abs(filepath.Join("testdata", "two_judges.sh"))
	ts.Check(err)
	bin, err := filepath.Abs(filepath.Join("internal", "tests", "e2e", "testdata", "bin"))
	ts.Check(err)
	ts.Check(ts.Exec("sh", script))
	ts.Setenv("PATH", bin+string(filepath.ListSeparator)+ts.Getenv("PATH"))
	ts.Check(ts.Exec("git", "update-ref", "refs/honest", "refs/liza/state"))
}

// withstood holds a forged state against a server, the hooks of a clone, and a clone of a
// host that takes everything, and goes back to the honest one:
// withstood PUSHER RULE REASON. The reason is a regular expression of what the server
// and the hooks say. No ref moves but the host's, which is put back.
func withstood(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: withstood PUSHER RULE REASON")
	}
	said := regexp.MustCompile(`liza-refused: \S+ ` + args[1] + `: .*` + args[2])
	at := func(name string) string { return filepath.Join(ts.Getenv("WORK"), name) }
	refs := func(name string) string {
		ts.Check(ts.Exec("git", "-C", at(name), "for-each-ref", "refs/liza/state", "refs/liza/saved", "refs/heads"))
		return ts.ReadFile("stdout")
	}
	refused := func(where string, command ...string) {
		before := refs(where)
		if ts.Exec(command[0], command[1:]...) == nil {
			ts.Fatalf("%s took it", where)
		}
		if text := ts.ReadFile("stderr"); !said.MatchString(text) {
			ts.Fatalf("%s does not refuse by %s: %s, but says\n%s", where, args[1], args[2], text)
		}
		if refs(where) != before {
			ts.Fatalf("%s refused it and moved refs", where)
		}
	}
	ts.Setenv("FRONT_USER", args[0])
	refused("server.git", "git", "push", "-q", "origin", "refs/liza/state")
	ts.Check(ts.Exec("git", "-C", at("clone"), "fetch", "-q", at("repo"), "refs/liza/state"))
	refused("clone", "git", "-C", at("clone"), "update-ref", "refs/liza/state", "FETCH_HEAD")

	before := refs("clone")
	ts.Check(ts.Exec("git", "push", "-q", "host", "refs/liza/state"))
	if ts.Exec("git", "-C", at("clone"), "liza", "sync") == nil {
		ts.Fatalf("the clone follows the host")
	}
	if text := ts.ReadFile("stderr"); !strings.Contains(text, "\nrule: corrupt\n") || refs("clone") != before {
		ts.Fatalf("the clone of the host says\n%s", text)
	}
	ts.Check(ts.Exec("git", "-C", at("repo"), "-c", "core.hooksPath="+os.DevNull, "update-ref", "refs/liza/state", "refs/honest"))
	ts.Check(ts.Exec("git", "push", "-q", "-f", "host", "refs/liza/state"))
}

// typeMove puts a move that its rules may refuse on the state of the repository repo, on
// the tree of the state before, where no hook looks: typed PRINCIPAL FILE. The file has the
// move's keys but for principal, time and request; rev:REF stands for a commit.
func typeMove(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: typed PRINCIPAL FILE")
	}
	git := func(stdin string, args ...string) string {
		cmd := exec.CommandContext(context.Background(), "git", args...)
		cmd.Dir, cmd.Stdin = filepath.Join(ts.Getenv("WORK"), "repo"), strings.NewReader(stdin)
		out, err := cmd.Output()
		ts.Check(err)
		return strings.TrimSpace(string(out))
	}
	text := regexp.MustCompile(`rev:[a-z0-9/-]+`).ReplaceAllFunc([]byte(ts.ReadFile(args[1])), func(rev []byte) []byte {
		return []byte(git("", "rev-parse", string(rev[len("rev:"):])))
	})
	var head struct {
		Act board.Act `yaml:"act"`
	}
	ts.Check(document.DecodeLoose(args[1], text, &head))
	m := flow.Move{Detail: flow.NewDetail(head.Act)}
	ts.Check(document.Decode(args[1], text, &m))
	m.Principal, m.At, m.Request = args[0], time.Now().UTC().Truncate(time.Second), "0123456789abcdef"
	body, err := document.Encode(&m)
	ts.Check(err)
	header := "tree " + git("", "rev-parse", layout.State+"^{tree}") + "\nparent " + git("", "rev-parse", layout.State) +
		"\nauthor a <a@liza.invalid> 1768658760 +0000\ncommitter Grace <grace@example.org> 1768658760 +0000\n\n"
	commit := git(header+m.Subject()+"\n\n"+string(body), "hash-object", "-t", "commit", "-w", "--stdin")
	git("", "-c", "core.hooksPath="+os.DevNull, "update-ref", layout.State, commit)
}
