package main

import (
	"cmp"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// later are the acts without a command of their own so far.
var later = map[board.Act]bool{board.ActTrip: true}

// Every act that a refusal can name has a page of help under its command.
func TestEveryActHasACommand(t *testing.T) {
	t.Parallel()
	for _, act := range board.Acts() {
		if later[act] {
			continue
		}
		inv := &invocation{output: output{stdout: io.Discard, stderr: io.Discard}}
		var cli commands
		parser, err := kong.New(&cli, kong.Writers(io.Discard, io.Discard), kong.Exit(func(int) { panic(helpPrinted{}) }))
		require.NoError(t, err)
		func() {
			defer func() {
				require.IsType(t, helpPrinted{}, recover(), "git liza help %s", act.Command())
			}()
			inv.help(parser, strings.Fields(act.Command()))
		}()
	}
}

// Two commands whose hashes begin alike are both refused, and both named: which
// of them was meant, nobody knows.
func TestHashOfTwoCommands(t *testing.T) {
	t.Parallel()
	shared := strings.Repeat("a", 50)
	one := commandRow{Hash: shared + strings.Repeat("1", 14), Command: "make test"}
	two := commandRow{Hash: shared + strings.Repeat("2", 14), Command: "touch \u202eevil"}
	for hash, want := range map[string][]commandRow{one.Hash: {one, one}, two.Hash: {two}, shared + "1": {one, one}} {
		rows, err := (&trustCommand{Hash: hash}).matchHash([]commandRow{one, two, one})
		require.NoError(t, err)
		require.Equal(t, want, rows)
	}
	_, err := (&trustCommand{Hash: shared}).matchHash([]commandRow{one, two})
	var refusal *flow.Refusal
	require.ErrorAs(t, err, &refusal)
	require.Contains(t, refusal.Reason, one.Hash+" (make test)")
	require.Contains(t, refusal.Reason, two.Hash+` ("touch \u202eevil")`)
}

// hinted runs a command that is refused by the rule named, types its hint as it
// was printed, with the obvious word for each that stands for one, and holds
// what came of it: nothing is lost, nothing is approved, nothing that nobody
// approved is on integration, and the command is not refused as it was.
//
//	hinted RULE COMMAND [ARG...]
func hinted(ts *testscript.TestScript, neg bool, args []string) {
	hint, said := refusedBy(ts, neg, args)
	before := seen(ts)
	ts.Check(ts.Exec("sh", "-e", "-c", filled(ts, hint)))
	before.hold(ts, hint)
	if err := ts.Exec(args[1], args[2:]...); err != nil && reasonOf(ts.ReadFile("stderr")) == said {
		ts.Fatalf("the hint of %v leads to the same refusal: %s", args, hint)
	}
}

// looks is the same where the hint only shows what there is: it changes nothing,
// and the script says what the reader types then.
//
//	looks RULE COMMAND [ARG...]
func looks(ts *testscript.TestScript, neg bool, args []string) {
	hint, _ := refusedBy(ts, neg, args)
	before := seen(ts)
	ts.Check(ts.Exec("sh", "-e", "-c", filled(ts, hint)))
	before.hold(ts, hint)
	if now := seen(ts); now.refs != before.refs {
		ts.Fatalf("%s is more than a look: the refs were\n%s\nand are\n%s", hint, before.refs, now.refs)
	}
}

// refusedBy runs the command and returns hint and reason of its refusal.
func refusedBy(ts *testscript.TestScript, neg bool, args []string) (hint, reason string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: RULE COMMAND [ARG...]")
	}
	if err := ts.Exec(args[1], args[2:]...); err == nil {
		ts.Fatalf("%v is not refused", args[1:])
	}
	said := ts.ReadFile("stderr")
	if rule := cmp.Or(lineOf(said, "rule: "), "usage"); rule != args[0] {
		ts.Fatalf("%v is refused by %q, not by %s", args[1:], rule, args[0])
	}
	if hint = lineOf(said, "hint: "); hint == "" {
		ts.Fatalf("%v is refused without a hint", args[1:])
	}
	return hint, reasonOf(said)
}

func reasonOf(said string) string {
	reason, _, _ := strings.Cut(said, "\nrule: ")
	return reason
}

func lineOf(text, prefix string) string {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, prefix); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

// unhinted are the rules whose hints no script types: the script that shows each
// refusing, or the reason why there is none, which has spaces.
var unhinted = map[string]string{
	"admin": "init_admin", "breaker": "control", "budget": "budgets", "exhausted": "refuse_exhausted",
	"path": "submit", "principal": "principal", "protected": "board_edit", "reserved": "refuse_merge",
	"format": "bad_board", "self_review": "refuse_self_review", "stale_caller": "refuse_fenced",
	"supersede_depth": "refuse_rescope", "tests": "submit", "time": "goal", "verify": "submit", "merge": "refuse_merge",
	"history": "server_push", "ref": "server_push", "replace_ref": "server_attack", "ref_moved": "server_attack",
	"replay": "verify", "task_branch": "pre_commit", "time_limit": "await", "undecided": "server_push", "invariant": "fsck_board",
	"bare": "bad_repository", "doubt": "guard_killed", "branch_tip": "submit", "canary": "contracts", "corrupt": "bad_board",
	"hook": "hooks_attack", "not_bare": "hooks_install", "playbook": "script-agent", "remote": "landed",
	"review_worktree": "refuse_review_worktree", "trust": "hint_trust", "obstacle": "half_made",
	"supervisor_only": "refuse_fenced", "fact": "server_push", "demo": "demo-ends", "not_empty": "demo", "damaged": "damaged",

	"stuck": "rush", "kept": "contracts", "editor": "board_edit", "git": "bad_repository", "no_repository": "bad_place",
	"not_landed": "landed", "offline": "offline", "doctor": "doctor",

	"conflict":    "others have to win every race: gitstore TestConflictAfterABound",
	"foreign_ref": "the refusal that it wraps names the ref, by integration_tip or obstacle",
	"permission":  "tests may run as root, to whom nothing is denied",
	"read_only":   "a script cannot mount a disk: gitstore TestReadOnly does",
	"gate":        "a merge runs its gates itself: only a move that was made without can be refused for it",
	"signature":   "only a server that wants signed moves refuses, which e2e pushes to",
	"object":      "no git writes such a committer: hooks TestCommitter forges one",
	"disk_full":   "TestDiskOfAServer types it: a script cannot mount a disk",
	"unsynced":    "the move is made: no script can have a disk that fails to sync",
	"clock":       "no script can turn the clock back below a program that runs",
	"interrupted": "it is the answer to a signal: type the command again",
	"failed":      "what has no rule is answered with git liza doctor",

	"tracked_path": "a merge looks first, and records INTEGRATION_FAILED: gitstore TestTextsThatNobodyJudged makes the move without",
	"not_human":    "artifact",
	"due":          "act_govern",
	"vouch":        "no move is refused for it so far",
}

// sources are the files of the program by path.
func sources(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		files[path] = string(text)
		return err
	}))
	return files
}

// named are the rules that a program gives as words: constants, refusals and the
// failures of the command line.
func named(files map[string]string) map[string]bool {
	rules := map[string]bool{}
	word := regexp.MustCompile(`(?:Rule = |[Rr]ule: *|refusal\(|failure\{exit\w+, "\w+", )"([a-z_]+)"`)
	for _, text := range files {
		for _, m := range word.FindAllStringSubmatch(text, -1) {
			rules[m[1]] = true
		}
	}
	for _, s := range sentinels {
		rules[string(s.rule)] = true
	}
	return rules
}

// Every rule by which something is refused, or fails, has a script that types its
// hint. A new one without is said here.
func TestEveryRuleHasItsHintTyped(t *testing.T) {
	t.Parallel()
	scripts := map[string]string{}
	all := ""
	files, err := filepath.Glob(filepath.Join("testdata", "script", "*.txtar"))
	require.NoError(t, err)
	for _, path := range files {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		scripts[strings.TrimSuffix(filepath.Base(path), ".txtar")] = string(text)
		all += "\n" + string(text)
	}
	for _, name := range hintSample {
		assert.Contains(t, scripts, name, "TestTortureHints types the hints of a script that is none")
	}
	typed := map[string]bool{}
	for _, line := range regexp.MustCompile(`(?m)^(?:hinted|looks) (\w+) `).FindAllStringSubmatch(all, -1) {
		typed[line[1]] = true
	}
	rules := named(sources(t))
	require.Greater(t, len(rules), 95)
	for rule := range rules {
		script, known := unhinted[rule]
		assert.True(t, typed[rule] || known, "no script types the hint of %s: add a line to testdata/script/hinted_*.txtar", rule)
		assert.False(t, typed[rule] && known, "%s is typed: take it off the list", rule)
		shown := known && regexp.MustCompile(`\b`+rule+`\b`).MatchString(scripts[script])
		assert.True(t, !known || shown || strings.Contains(script, " "), "%q does not show %s", script, rule)
	}
	for rule := range unhinted {
		assert.True(t, rules[rule], "there is no rule %s", rule)
	}
}

// left are the words that a hint may leave to whoever types it, and why the program cannot
// fill them in. A single letter is what is said with a flag that is missing.
var left = map[string]string{
	"WHY": words, "ISSUE": words, "MESSAGE": words, "REASON": words, "TEXT": words, "QUESTION": words, "TITLE": words, "GOAL": words, "GLOB": "paths that are chosen",
	"NAME": "a name that is given, or chosen among several", "OTHER": "another name than the one in the way", "ROLE": "a role that is chosen", "PHASE": "a phase that is chosen",
	"N": "a number that is chosen", "FILE": "a file that is written for it", "PATH": "a file that is chosen", "SPEC": "a file that is chosen",
	"KEY": "a setting that is chosen", "VALUE": "its value", "EDITOR": "a program that is chosen", "CMD": "a command that is chosen", "IMAGE": "an image that is chosen", "BINARY": "a program of the user's own", "OUTPUT": "what that prints", "DIR": "a folder that is chosen",
	"ADDRESS": "nobody has told git", "URL": "it stands elsewhere", "ID": "of a review, which stands elsewhere", "HOST": "where that review stands",
	"COMMIT": "of work that is not there yet, or that was not read", "IDS": "which tasks are to be needed instead",
	"REMOTE": "the name that another clone has for this repository", "CLONE": "a place on another machine, or that is gone", "REPOSITORY": "a place on another machine, or that is gone",
}

const words = "somebody's own words"

// upper are words of git's and of the board's, meant as they stand.
var upper = regexp.MustCompile(`^(HEAD|ORIG_HEAD|GIT_DIR|GIT_WORK_TREE|CONTINUE|REPLAN|ADJUST_SPECS|ADJUST_CONTRACTS|PIVOT|STOP|PAUSE|BLOCKED|UNCLAIMED|READY_FOR_REVIEW|LIZA_[A-Z_]+)$`)

// openWord finds the words in capitals of a command that may stand for something.
var openWord = regexp.MustCompile(`(?:^|[\s=:/,|<])([A-Z][A-Z_]*)(?:$|[\s:/,|>])`)

// unfilled is the first word of a hint that stands for something, without a reason why the
// program cannot fill it in; "" if there is none. What is quoted is somebody's text.
func unfilled(hint string) string {
	command, _, _ := strings.Cut(hint, " # ")
	command = regexp.MustCompile(`'[^']*'|"[^"]*"`).ReplaceAllString(command, "''")
	for _, field := range strings.Fields(command) {
		for _, word := range openWord.FindAllStringSubmatch(field, -1) {
			if len(word[1]) > 1 && left[word[1]] == "" && !upper.MatchString(word[1]) {
				return word[1]
			}
		}
	}
	return ""
}

// No hint has a placeholder for what the program knows where it prints it: who acts, which
// task it is about, which text or record. What a person decides is left open.
func TestHintsNameWhatIsKnown(t *testing.T) {
	t.Parallel()
	require.Equal(t, "CODER", unfilled("git liza claim t1 --as CODER # R"))
	require.Empty(t, unfilled(`git liza reject t1 --reason 'TASK is wrong' && git switch HEAD`))
	used := map[string]bool{"BINARY": true, "OUTPUT": true} // made of the names of keys
	hint := regexp.MustCompile(`(?:Hint: |hint (?::?=) |refuse\(Rule\w+, |usagef\(|bad\("[^"]*", )"((?:[^"\\\n]|\\.)*)"`)
	for path, text := range sources(t) {
		for _, m := range hint.FindAllStringSubmatch(text, -1) {
			assert.Empty(t, unfilled(m[1]), "%s: %s", path, m[1])
		}
		for _, m := range openWord.FindAllStringSubmatch(strings.ReplaceAll(text, `"`, " "), -1) {
			used[m[1]] = true
		}
	}
	for word := range left {
		assert.True(t, used[word], "no hint has %s", word)
	}
}

// standIn are the words of hints that stand for something, and what is obvious.
var standIn = regexp.MustCompile(`\b(R|S|V|Q|N|M|D|T|ADDRESS|CMD|CODER|COMMIT|FILE|ISSUE|LINE|NAME|OTHER|REVIEWER|TEXT|URL|WHY|GLOB|PATH)\b`)

func filled(ts *testscript.TestScript, hint string) string {
	return standIn.ReplaceAllStringFunc(hint, func(word string) string {
		if value := ts.Getenv("HINT_" + word); value != "" {
			return value
		}
		switch word {
		case "CODER":
			return "coder-1"
		case "REVIEWER":
			return "code-reviewer-1"
		case "LINE":
			return "1"
		}
		return strings.ToLower(word)
	})
}

// A sight is what a hint must not spoil.
type sight struct {
	files    map[string]string // content of the user's files, by path
	refs     string
	verdicts int
}

func seen(ts *testscript.TestScript) sight {
	root := printed(ts, "sh", "-c", "cd \"$(git rev-parse --path-format=absolute --git-common-dir 2>/dev/null || pwd)\" && cd \"$(git config liza.clone || echo .)\" && pwd")
	root = strings.TrimSuffix(root, "/.git")
	inClone := func(line string) string { return printed(ts, "sh", "-c", "cd \"$0\" && "+line, root) }
	at := sight{files: map[string]string{}, refs: inClone("git for-each-ref --format='%(refname) %(objectname)' 2>/dev/null || :")}
	at.verdicts = strings.Count(inClone("git log --format=%s refs/liza/state 2>/dev/null || :"), "approve ")
	if inClone("git rev-parse --is-bare-repository 2>/dev/null || :") == "true" {
		return at // no files of anybody's
	}
	ts.Check(filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == ".git" || d.Name() == ".worktrees") {
			return fs.SkipDir
		}
		if d.Type().IsRegular() {
			text, err := os.ReadFile(path)
			at.files[path] = string(text)
			return err
		}
		return nil
	}))
	return at
}

func printed(ts *testscript.TestScript, command string, args ...string) string {
	ts.Check(ts.Exec(command, args...))
	return strings.TrimSpace(ts.ReadFile("stdout"))
}

// hold fails where a file's content is nowhere any more, or something was
// approved or merged that was not before.
func (was sight) hold(ts *testscript.TestScript, hint string) {
	now := seen(ts)
	for path, text := range was.files {
		if now.files[path] == text {
			continue
		}
		ts.Check(os.WriteFile(ts.Getenv("WORK")+"/lost", []byte(text), 0o644))
		if ts.Exec("sh", "-c", `git cat-file -e $(git hash-object "$WORK/lost")`) != nil {
			ts.Fatalf("%s: what %s held is nowhere", hint, path)
		}
	}
	if now.verdicts != was.verdicts {
		ts.Fatalf("%s approves", hint)
	}
	unreviewed := printed(ts, "sh", "-c", `git rev-list --author='unreviewed@liza[.]invalid' integration 2>/dev/null || :`)
	if unreviewed != "" {
		ts.Fatalf("%s: nobody reviewed what is on integration: %s", hint, unreviewed)
	}
}
