package proc

import "strings"

// alwaysPassed are the variables that every command needs. None of them holds a secret
// or controls git.
var alwaysPassed = []string{"HOME", "USER", "LANG", "LC_*", "TMPDIR", "TERM", "PATH"}

// Environment returns those entries of base (KEY=VALUE, as os.Environ returns them)
// whose name is HOME, USER, LANG, LC_*, TMPDIR, TERM, PATH or in allow, then extra. A
// name in allow that ends in * stands for every name with that prefix. Each name is
// returned once: the last entry wins.
func Environment(base []string, allow []string, extra ...string) []string {
	var entries []string
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
