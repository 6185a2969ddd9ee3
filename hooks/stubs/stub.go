// Package stubs installs what git runs as its hooks: small scripts that start git-liza
// only if there is something to judge. It puts them beside existing hooks, which they
// call first, examines them, and restores byte for byte what was there before.
//
// It knows git and files, not the board, and judges nothing.
package stubs

import (
	"cmp"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/shell"
)

// A stub is the file that git runs: a few lines of POSIX sh, which start the
// program only where there is something to judge.
type stub struct {
	name  string
	first string // the hook to call first, with the same input; "" if none
}

// Due is the file, in the git directory of a server, by which pre-receive tells
// post-receive that there may be work for it. Without the file the stub of post-receive
// starts no program.
const Due = layout.Private + "/due"

const transaction = "reference-transaction"

// stubVersion increases when stubs change what they pass to the judgement, so that
// stubs of an earlier program are recognized.
const stubVersion = 3

// judgingHooks returns the names of the hooks that judge.
func (o Options) judgingHooks() []string {
	switch {
	case o.Server:
		return []string{"pre-receive", transaction, "post-receive"}
	case o.NoReferenceTransaction:
		return []string{"pre-commit"}
	}
	return []string{"pre-commit", transaction}
}

// knownHooks are the hooks that git looks up by name, from githooks(5) of 2.39 and later
// versions. A folder that stands in for another one needs all of them.
var knownHooks = []string{
	"applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg",
	"commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive", "update",
	"post-receive", "post-update", transaction, "pre-auto-gc", "post-rewrite", "sendemail-validate",
	"p4-changelist", "p4-prepare-changelist", "p4-post-changelist", "p4-pre-submit", "post-index-change",
}

// replacingHooks are hooks that git runs instead of an action of its own: a hook that does
// nothing would change git's behaviour.
var replacingHooks = []string{"push-to-checkout", "proc-receive"}

// render renders the stub.
func (s stub) render(o Options) string {
	if !slices.Contains(o.judgingHooks(), s.name) {
		return heading + s.declareFirst() + passOn
	}
	switch s.name {
	case transaction:
		return heading + s.declareFirst() + s.passLines(o)
	case "pre-commit":
		return heading + s.declareFirst() + textIf(s.first != "", callFirst) + onlyTasks + letPeoplePass(o.Binary) + o.findProgram("commit", 1) + "exec \"$liza\" hook pre-commit\n"
	case "pre-receive":
		return heading + s.declareFirst() + s.passInput(callWithInput+" || exit\n", o.findProgram("push", 1), s.name)
	}
	return heading + s.declareFirst() + endPush + s.passInput(callWithInput+"\n", onlyDue+o.findProgram("push", 0), s.name)
}

// isStub reports whether a text is the stub of a name as this package renders it with
// whatever program, branch and hook to call first.
func isStub(name, text string, o Options) bool {
	between := func(before, after string) string {
		_, rest, _ := strings.Cut(text, before)
		word, _, _ := strings.Cut(rest, after)
		return strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(word, "'"), "'"), `'\''`, "'")
	}
	o.Binary, o.Integration, o.Fsync = between("\nliza=", "\n"), between(layout.State+" | refs/heads/", ") ;;\n"), "none"
	if strings.Contains(text, " --fsync ") {
		o.Fsync = between(" --fsync ", " <<")
	}
	if o.Integration == "*" {
		o.Integration = ""
	}
	s, other := stub{name, between("\nfirst=", "\n")}, o
	other.NoReferenceTransaction = !o.NoReferenceTransaction // as it may have been installed before
	if name == "pre-push" && strings.HasPrefix(text, heading) && strings.HasSuffix(text, "\"$liza\" hook pre-push\n") {
		return true // an earlier program installed it
	}
	return text == s.render(o) || text == s.render(other)
}

const heading = "#!/bin/sh\n# From git liza; `git liza hooks uninstall` brings back what was here.\n"

func (s stub) declareFirst() string { return textIf(s.first != "", "first="+shell.Quote(s.first)+"\n") }

const passOn = `[ -x "$first" ] && exec "$first" "$@"
exit 0
`

const callFirst = `if [ -x "$first" ]; then "$first" "$@" || exit; fi
`

// onlyTasks ends the hook outside of repositories that borrow objects, as task worktrees do.
const onlyTasks = `[ -e .git/objects/info/alternates ] || exit 0
`

// endPush removes the entry of the receive-pack from the journal: its refs have moved.
const endPush = `push=$GIT_DIR/liza/journal/push-$PPID
[ ! -e "$push" ] || rm -f "$push"
`

// onlyDue ends post-receive if pre-receive has left nothing for it.
const onlyDue = `[ -e "$GIT_DIR/` + Due + `" ] || exit 0
`

const readInput = `nl='
'
all=$(cat)
all=$all${all:+$nl}
`

const callWithInput = `[ ! -x "$first" ] || printf %s "$all" | "$first" "$@"`

// passInput passes all input to the program.
func (s stub) passInput(call, find, name string) string {
	if s.first == "" {
		return find + `exec "$liza" hook ` + name + "\n"
	}
	return readInput + call + find + `printf %s "$all" | "$liza" hook ` + name + "\n"
}

// passLines passes to the program those lines of a ref transaction that are about guarded
// refs and that a process of git liza on this clone has not judged before. On a server
// it passes them once more when the refs have moved, to have them on disk before the
// push is answered.
func (s stub) passLines(o Options) string {
	guarded := layout.State + " | refs/heads/*"
	if o.Integration != "" {
		guarded = layout.State + " | refs/heads/" + shell.Quote(o.Integration)
	}
	if o.Server {
		guarded = layout.SavedRefs + "* | " + layout.MarkRefs + "* | " + layout.TaskRefs + "* | " + guarded
	}
	selects := strings.Replace(`ours= new= kept= state=
while IFS= read -r line; do
	case ${line##* } in
	GUARDED) ;;
	*) continue ;;
	esac
	ref=${line##* } ours=$ours$line$nl
`, "GUARDED", guarded, 1)
	judged, ending, states := serverLines, lostMoves, "prepared"
	if o.Server && o.syncs() {
		states = "prepared | committed"
		ending = "if [ $1 = committed ]; then\n[ \"$ours\" ] || exit 0\n" + o.findProgram("$ref", 0) +
			`exec "$liza" hook ` + transaction + " committed --fsync " + shell.Quote(cmp.Or(o.Fsync, "batch")) + " <<EOF\n${ours%$nl}\nEOF\nfi\n" + lostMoves
	}
	if !o.Server {
		judged, ending = `	case $LIZA_JUDGED in
	"$GIT_DIR$nl"*"$nl$line$nl"*) ;;
	*) new=1 ;;
	esac
`, ""
	}
	ending += `[ "$new" ] || { [ "$kept" ] && [ ! "$state" ]; } || exit 0
` + o.findProgram("$ref", 1) + `printf %s "$ours" | "$liza" hook ` + transaction + " prepared\n"
	if s.first == "" {
		return "case $1 in " + states + ") ;; *) exit 0 ;; esac\nnl='\n'\n" + selects + judged + "done\n" + ending
	}
	return "case $1 in\n" + states + ") ;;\n*)\n\t[ -x \"$first\" ] && exec \"$first\" \"$@\"\n\texit 0\n\t;;\nesac\n" + readInput +
		callWithInput + " || exit\n" + selects + judged + "done <<EOF\n${all%$nl}\nEOF\n" + ending
}

// serverLines starts the program of a server, which has judged the push already, for
// what must not happen if only a part of the push does: integration moves, a save, a
// mark or a task's branch comes without the state that names it, history is deleted or
// lost.
const serverLines = `	case $line in
	*" ` + layout.TaskRefs + `"*) kept=1 ;;
	*0000000000000000000000000000000000000000" ` + layout.State + `" | *" refs/heads/"*) new=1 ;;
	*" ` + layout.State + `") state=1 was=${line%% *} ;;
	*) kept=1 ;;
	esac
`

// lostMoves starts the program of a server if the board is not where git takes it to
// be. git 2.39 does not distinguish two packed-refs files of the same second, inode and
// size, and accepts a lease on a value that it read before. Here the ref is locked, and
// a new process reads it. A loose ref was read by git just now.
const lostMoves = `[ ! "$state" ] || [ -e "$GIT_DIR/` + layout.State + `" ] || [ "$(git rev-parse -q --verify ` + layout.State + `)" = "$was" ] || new=1
`

// letPeoplePass lets people pass if there is no program. The program itself recognizes an
// agent without the variable too.
func letPeoplePass(binary string) string {
	return `[ "$LIZA_AGENT_ID" ] || [ -x ` + shell.Quote(binary) + ` ] || command -v git-liza >/dev/null || exit 0
`
}

// findProgram looks for the program, at its path at installing or on PATH. Without the program
// the hook ends with the exit code given.
func (o Options) findProgram(what string, code int) string {
	binary := o.Binary
	verdict, ends := "liza-refused: "+what+" no_program", "exit 1"
	if code == 0 {
		verdict, ends = "git-liza", "exit 0"
	}
	where := "on PATH"
	first := ""
	if binary != "" {
		where = "at " + binary + " or on PATH"
		first = "[ -x \"$liza\" ] || "
	}
	mends := "install it, or remove this hook; type: rm '$0'"
	if o.Server { // the reader of this only pushes
		mends = "nothing is judged here until the administrator of this server has installed it; type: git push"
	}
	return "liza=" + shell.Quote(binary) + "\n" + first + `liza=$(command -v git-liza) || {
	printf '%s\n' "` + verdict + `: there is no git-liza "` + shell.Quote(where) + `"; ` + mends + `" >&2
	` + ends + "\n}\n"
}

func textIf(condition bool, text string) string {
	if condition {
		return text
	}
	return ""
}
