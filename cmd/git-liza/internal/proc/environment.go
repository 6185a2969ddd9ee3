package proc

import (
	"slices"
	"strings"
)

// alwaysPassed are the variables that every command needs. None of them holds a secret
// or controls git.
var alwaysPassed = []string{"HOME", "USER", "LANG", "LC_*", "TMPDIR", "TERM", "PATH", "XDG_CONFIG_HOME"}

// NoEditor is the command that git runs in place of an editor where nobody can type.
const NoEditor = `echo "No editor opens here, since nobody can type. Give the text with -m or -F; to keep the text that is there: GIT_EDITOR=true git ..." >&2; false`

// Askpass is the program that git and ssh run in place of a question where nobody can answer.
const Askpass = "git-liza"

// Unasked are the variables with which editors, pagers, and questions for passwords end at
// once, whatever configuration says. With the last three gpg finds no place for a pinentry.
var Unasked = []string{
	"GIT_EDITOR=" + NoEditor, "EDITOR=" + NoEditor, "VISUAL=" + NoEditor, "GIT_MERGE_AUTOEDIT=no",
	`GIT_SEQUENCE_EDITOR=echo "No editor opens here, since nobody can type. To take the list as it is: GIT_SEQUENCE_EDITOR=true git rebase ...; to change it: GIT_SEQUENCE_EDITOR='sed -i ...'" >&2; false`,
	"GIT_PAGER=cat", "PAGER=cat",
	"GIT_ASKPASS=" + Askpass, "SSH_ASKPASS=" + Askpass, "SSH_ASKPASS_REQUIRE=force", "GIT_TERMINAL_PROMPT=0", "GCM_INTERACTIVE=never",
	"GPG_TTY=/nonexistent", "DISPLAY=", "WAYLAND_DISPLAY=",
}

// Environment returns Unasked, those entries of base (KEY=VALUE, as os.Environ returns them)
// whose name is HOME, USER, LANG, LC_*, TMPDIR, TERM, PATH, XDG_CONFIG_HOME or in allow, then extra. A
// name in allow that ends in * stands for every name with that prefix. Each name is
// returned once: the last entry wins.
func Environment(base []string, allow []string, extra ...string) []string {
	entries := slices.Clone(Unasked)
	for _, entry := range base {
		name, _, ok := strings.Cut(entry, "=")
		if ok && (matchesAny(name, alwaysPassed) || matchesAny(name, allow)) {
			entries = append(entries, entry)
		}
	}
	return lastOfEach(append(entries, extra...))
}

func matchesAny(name string, list []string) bool {
	for _, pattern := range list {
		prefix, wild := strings.CutSuffix(pattern, "*")
		if name == pattern || wild && strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// lastOfEach keeps the last entry of each name, in order.
func lastOfEach(entries []string) []string {
	last := map[string]int{}
	for i, entry := range entries {
		name, _, _ := strings.Cut(entry, "=")
		last[name] = i
	}
	kept := make([]string, 0, len(last))
	for i, entry := range entries {
		name, _, _ := strings.Cut(entry, "=")
		if last[name] == i {
			kept = append(kept, entry)
		}
	}
	return kept
}

// Value is the last value of a variable in environ, "" if there is none.
func Value(environ []string, name string) string {
	for i := len(environ) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(environ[i], name+"="); ok {
			return value
		}
	}
	return ""
}
