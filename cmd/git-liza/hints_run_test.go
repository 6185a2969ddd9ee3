package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/internal/torture"
)

// hintSample are the scripts whose hints are typed if the torture is not thorough.
var hintSample = []string{"answer", "bad_usage", "budgets", "board_edit", "by_hand", "claim", "drift", "goals", "hint_prior", "inbox", "merge",
	"principal", "refuse_exhausted", "refuse_limits", "refuse_review", "review", "role", "spec_changed", "submit", "sync", "task", "verdicts", "worktree"}

// hintLimit is how long a hint may take that is typed; those that go on until somebody
// ends them are ended then.
const hintLimit = 5 * time.Second

// goesOn are hints that run until they are ended.
var goesOn = regexp.MustCompile(`git liza (agent|rush|await|demo|mcp|log .*--follow)\b`)

// installs are hints that get programs from the network, which no test types.
var installs = regexp.MustCompile(`^(npm|uv|pipx?|brew|curl|install) `)

// looksAt are the rules whose hints show a check as it fails, again.
var looksAt = []string{"verify", "gate"}

// lacks are the reasons of wrong usage for which nothing but this machine is to blame.
var lacks = regexp.MustCompile(`^git-liza: (no provider: none of the known agents is installed|.* needs a terminal)`)

// forbidden are commands that no hint has outside of a comment, whatever comes of them.
var forbidden = map[string]*regexp.Regexp{
	"lets agents write any path":  regexp.MustCompile(`config .*--unset\S* \S*never`),
	"deletes a branch":            regexp.MustCompile(`git branch (-D|-d|--delete)`),
	"resets a work tree":          regexp.MustCompile(`git (reset --hard|checkout -f|clean)`),
	"pushes over others' commits": regexp.MustCompile(`git push (-f|--force)( |$)`),
}

// A refused is what the program printed when it refused a command.
type refused struct {
	Rule   string `json:"rule"`
	Reason string `json:"reason"`
	Hint   string `json:"hint"`
}

// refusalIn returns the refusal that a command printed as text or with --json.
// Without any, its hint is "": git has hints too.
func refusalIn(stdout, stderr string) refused {
	var page struct {
		Error refused `json:"error"`
	}
	if json.Unmarshal([]byte(stdout), &page) == nil && page.Error.Hint != "" {
		return page.Error
	}
	at := strings.Index("\n"+stderr, "\ngit-liza: ")
	if at < 0 {
		return refused{}
	}
	stderr = stderr[at:]
	said := refused{lineOf(stderr, "rule: "), reasonOf(stderr), lineOf(stderr, "hint: ")}
	if said.Rule == "" {
		said.Rule = "usage"
		said.Reason, _, _ = strings.Cut(stderr, "\nhint: ")
	}
	return said
}

// hintRuns types each hint that scripts see, in a copy of the script's folder.
type hintRuns struct {
	t  *testing.T
	at chan struct{} // has room for the scripts that run at once

	mu    sync.Mutex
	typed map[string]bool // by script, rule and hint
	wrong *os.File        // a file that lists wrong hints as they are found, if LIZA_HINTS names one
}

// exits is the command of scripts of that name. If it was refused, its hint is typed too.
func (h *hintRuns) exits(ts *testscript.TestScript, neg bool, args []string) {
	exits(ts, neg, args)
	stdout, stderr := ts.ReadFile("stdout"), ts.ReadFile("stderr")
	said := refusalIn(stdout, stderr)
	if args[0] == "0" || said.Hint == "" || !h.isNew(ts, said) || isBusy(ts.Getenv("WORK")) {
		return
	}
	copied := copyPlace(ts)
	defer os.RemoveAll(filepath.Dir(copied.root))
	said.Hint, said.Reason = copied.renamed(ts, said.Hint), copied.renamed(ts, said.Reason)
	refs := copied.refs()
	fault := copied.typeHint(said, copied.filled(ts, said.Hint))
	if fault == "" && copied.refs() != refs && !speaks.MatchString(said.Hint) {
		fault = copied.tryAgain(said, lists.Of(args[1:], func(arg string) string { return copied.renamed(ts, arg) }))
	}
	if fault != "" {
		h.fail(fmt.Sprintf("%s\n  exits %s\n  rule: %s\n  reason: %s\n  hint: %s\n%s", filepath.Base(ts.Getenv("WORK")), strings.Join(args, " "), said.Rule, said.Reason, said.Hint, fault))
	}
	_, err := ts.Stdout().Write([]byte(stdout)) // for the script's next lines
	ts.Check(err)
	_, err = ts.Stderr().Write([]byte(stderr))
	ts.Check(err)
}

func (h *hintRuns) isNew(ts *testscript.TestScript, said refused) bool {
	key := strings.Join([]string{ts.Name(), said.Rule, said.Hint}, "\n")
	h.mu.Lock()
	defer h.mu.Unlock()
	known := h.typed[key]
	h.typed[key] = true
	return !known
}

func (h *hintRuns) fail(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.t.Error(text)
	if h.wrong != nil {
		fmt.Fprintln(h.wrong, text+"\n")
	}
}

// isBusy reports whether a process works below a folder, as those do that a script has
// started in the background. What they write cannot be copied.
func isBusy(work string) bool {
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	return slices.ContainsFunc(links, func(link string) bool {
		dir, err := os.Readlink(link)
		return err == nil && (dir == work || strings.HasPrefix(dir, work+"/"))
	})
}

// typeHint types a hint. It returns "" or what is wrong with it.
func (p place) typeHint(said refused, hint string) string {
	command, _, _ := strings.Cut(hint, " # ")
	for why, pattern := range forbidden {
		if pattern.MatchString(command) {
			return "it " + why
		}
	}
	if installs.MatchString(command) {
		return ""
	}
	if misuse := p.misuse(command); misuse != "" {
		return misuse
	}
	before := p.read()
	stdout, stderr, err := p.run(hint, hintLimit)
	if lost := p.lost(before, !goesOn.MatchString(command)); lost != "" {
		return lost
	}
	then := refusalIn(stdout, stderr)
	switch {
	case err == nil, goesOn.MatchString(command) && errors.Is(err, context.DeadlineExceeded), slices.Contains(looksAt, said.Rule):
		return ""
	case then.Rule == "usage":
		if lacks.MatchString(then.Reason) {
			return ""
		}
	case then.Rule == "offline" && said.Rule == "offline", strings.Contains(stdout, "\nAutomatic merge failed; fix conflicts"):
		return ""
	case then.Hint != "" && then != said:
		return ""
	}
	return fmt.Sprintf("typed: %s\n=> %v\n%s%s", hint, err, stdout, stderr)
}

// speaks are hints that tell somebody what only that one can mend.
var speaks = regexp.MustCompile(`git liza (note|ask|block|record) `)

// tryAgain runs what was refused once more, after its hint has changed something. It returns
// "" or that nothing has come of it. A hint of the same command stands in its place.
func (p place) tryAgain(said refused, command []string) string {
	if strings.Contains(said.Hint, strings.Join(command[:min(3, len(command))], " ")) {
		return ""
	}
	stdout, stderr, err := p.run(shell.Join(command...), hintLimit)
	if then := refusalIn(stdout, stderr); err != nil && then == said {
		return "what was refused is refused as before"
	}
	return ""
}

// refs are the refs of the repository that the place is in, with what they are at.
func (p place) refs() string {
	refs, _, _ := p.run("git for-each-ref", time.Minute)
	return refs
}

var (
	reviewAs = regexp.MustCompile(`git liza review (?:--as (\S+) )?(\S+)(?: --as (\S+))?`)
	unblocks = regexp.MustCompile(`git liza task unblock (\S+)`)
)

// misuse says how a hint would lead round a rule: somebody reviews what it made, or a
// question that is open is closed without an answer. It returns "" if it does not.
func (p place) misuse(command string) string {
	if m := reviewAs.FindStringSubmatch(command); m != nil && m[1]+m[3] != "" {
		task, _, _ := p.run("git liza show "+m[2]+" --json", time.Minute)
		if strings.Contains(task, `"assigned_to":"`+m[1]+m[3]+`"`) {
			return "the author reviews"
		}
	}
	if m := unblocks.FindStringSubmatch(command); m != nil {
		task, _, _ := p.run("git liza show "+m[1]+" --json", time.Minute)
		if strings.Contains(task, `"command":"git liza answer `) {
			return "it closes a question without an answer"
		}
	}
	return ""
}

// A content is what no hint may spoil.
type content struct {
	files     map[string]string // content of files that are not git's, by path
	texts     map[string]bool   // the same contents
	tips      []string          // what refs are at
	approvals int
	adopted   map[string]bool // commits of agents on integration that no submission has
}

// read reads the content of the place and of the repository that it is in.
func (p place) read() content {
	at := content{files: map[string]string{}, texts: map[string]bool{}, adopted: map[string]bool{}}
	// A pin leads to what other refs had, as long as somebody may need it.
	refs, _, err := p.run("git for-each-ref --format='%(objectname) %(refname)' | grep -v ' refs/liza/pins/' | cut -d ' ' -f 1", time.Minute)
	if err != nil {
		return at
	}
	at.tips = strings.Fields(refs)
	moves, _, _ := p.run("git log --format=%s refs/liza/state --", time.Minute)
	at.approvals = strings.Count("\n"+moves, "\napprove ")
	unreviewed, _, _ := p.run("git rev-list --author='@liza[.]invalid>' integration --not --glob=refs/liza/saved/* --", time.Minute)
	for id := range strings.FieldsSeq(unreviewed) {
		at.adopted[id] = true
	}
	_ = filepath.WalkDir(p.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == ".git" || isFile(filepath.Join(path, "HEAD"))) {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() || d.Name() == ".git" { // a pipe would be waited for
			return nil
		}
		if text, err := os.ReadFile(path); err == nil {
			at.files[path] = string(text)
			at.texts[string(text)] = true
		}
		return nil
	})
	return at
}

func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

// thrown are files that are no work: what a reviewer changes in the checkout of its
// review, the list of contracts, which is made anew, and settings that nothing reads.
var thrown = regexp.MustCompile(`/\.worktrees/review@|/\.liza/contracts\.sha256$|/home/\.gitconfig$`)

// lost returns what was there before and is nowhere now: the content of a file, commits
// that a ref had. It also returns if something was approved, unless agents work.
func (p place) lost(before content, alone bool) string {
	now := p.read()
	if alone && now.approvals > before.approvals {
		return "it approves"
	}
	for path, text := range before.files {
		if text != "" && !thrown.MatchString(path) && !now.texts[text] && !p.keeps(text) {
			return "what " + path + " held is nowhere"
		}
	}
	for id := range now.adopted {
		if !before.adopted[id] {
			return "it brings what an agent made onto integration, which nobody submitted: " + id
		}
	}
	if len(before.tips) == 0 {
		return ""
	}
	gone, _, err := p.run("for c in $(git rev-list "+strings.Join(before.tips, " ")+" --not --all --reflog --); do git ls-tree -r $c >/dev/null 2>&1 && echo $c; done; :", time.Minute)
	if err == nil && gone != "" {
		return "commits that a ref had, and that can be read, are nowhere: " + gone
	}
	return ""
}

// keeps reports whether the repository has an object with a text.
func (p place) keeps(text string) bool {
	cmd := exec.Command("sh", "-c", "git cat-file -e $(git hash-object --stdin)")
	cmd.Dir, cmd.Env, cmd.Stdin = p.dir, p.env, strings.NewReader(text)
	return cmd.Run() == nil
}

// Each hint that the scripts see works as it is typed, or leads to another refusal. After one
// that changes something, what was refused goes on, or comes to another refusal.
// Nothing is lost or approved by it.
func TestTortureHints(t *testing.T) {
	torture.Only(t)
	runs := &hintRuns{t: t, at: make(chan struct{}, 3), typed: map[string]bool{}}
	if path := os.Getenv("LIZA_HINTS"); path != "" {
		file, err := os.Create(path)
		require.NoError(t, err)
		defer file.Close()
		runs.wrong = file
	}
	params := scripts()
	for _, name := range hintSample {
		params.Files = append(params.Files, filepath.Join("testdata", "script", name+".txtar"))
	}
	if torture.Thorough() {
		params.Files, params.Dir = nil, filepath.Join("testdata", "script")
	}
	params.Cmds["exits"] = runs.exits
	params.Setup = func(env *testscript.Env) error {
		runs.at <- struct{}{}
		env.Defer(func() { <-runs.at })
		return pinned(env)
	}
	t.Run("scripts", func(t *testing.T) { testscript.Run(t, params) })
	require.NotEmpty(t, runs.typed)
	t.Logf("%d hints typed", len(runs.typed))
}
