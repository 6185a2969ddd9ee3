package work

import (
	"slices"
	"strings"
)

// steering are the keys of git whose value is a program, names one or lets one run, or
// redirects a remote: sections and their variables, as git lists them; nil is the whole
// section. What stands between section and variable does not count.
var steering = map[string][]string{
	"alias":       nil,
	"core":        {"alternaterefscommand", "askpass", "attributesfile", "editor", "fsmonitor", "gitproxy", "hookspath", "pager", "sshcommand"},
	"credential":  nil,
	"diff":        {"command", "external", "textconv"},
	"difftool":    {"cmd", "path"},
	"filter":      nil,
	"gpg":         {"defaultkeycommand", "program"},
	"http":        {"proxy"},
	"interactive": {"difffilter"},
	"merge":       {"driver"},
	"mergetool":   {"cmd", "path"},
	"pager":       nil,
	"protocol":    nil,
	"remote":      {"fetch", "proxy", "pushurl", "receivepack", "uploadpack", "url", "vcs"},
	"sequence":    {"editor"},
	"submodule":   {"update"},
	"trailer":     {"cmd", "command"},
	"url":         nil,
}

// steers reports whether a key of git is one of them.
func steers(key string) bool {
	return listed(steering, key)
}

// listed reports whether sections name a key.
func listed(sections map[string][]string, key string) bool {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first < 0 {
		return false
	}
	variables, known := sections[key[:first]]
	return known && (variables == nil || slices.Contains(variables, key[last+1:]))
}

// habits are those of them that no git of a supervisor or of a hook asks for, since it
// has no terminal and edits nothing: agents set them as people do. The program would run
// when a person types git.
var habits = map[string][]string{
	"alias":       nil,
	"core":        {"editor", "pager"},
	"difftool":    nil,
	"interactive": nil,
	"mergetool":   nil,
	"pager":       nil,
	"sequence":    nil,
}

// isHabit reports whether a key that steers is one of them.
func isHabit(key string) bool { return listed(habits, key) }

// comparedSections are what the keys begin with that a session must not change.
func comparedSections() []string {
	list := []string{"liza.", "include.", "includeif."}
	for section := range steering {
		list = append(list, section+".")
	}
	return list
}
