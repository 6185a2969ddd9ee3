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
	"hook":        nil,
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
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first < 0 {
		return false
	}
	variables, known := steering[key[:first]]
	return known && (variables == nil || slices.Contains(variables, key[last+1:]))
}
